package cli_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/cli"
	"github.com/benchnet/benchnet/internal/run/boundedjson"
)

// TestResultFilesNeedNoCluster reads result files with a kubeconfig that does not exist.
func TestResultFilesNeedNoCluster(t *testing.T) {
	experiment := filepath.Join("..", "..", "docs", "measured", "i1.json.gz")
	run := filepath.Join("..", "report", "testdata", "malachite.json.gz")
	directory := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		file := filepath.Join(directory, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	hostile := write("hostile.json", `{"apiVersion":"benchnet.dev/v1alpha1","kind":"RunResult","schemaVersion":1,"run":{"name":"../x"}}`)
	manifest := write("saved", "apiVersion: v1\nkind: List\nitems:\n"+configMapItem(t, run)+configMapItem(t, experiment))
	for _, test := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"report of an experiment", []string{"report", experiment, "-o", "-", "--csv", directory}, 0, "<html"},
		{"report of a run", []string{"report", run, "-o", "-"}, 0, "<html"},
		{"report of an indented run that is larger than a stored one", []string{"report", writeIndentedCopy(t, run), "-o", "-"}, 0, "<html"},
		{"report of saved ConfigMaps", []string{"report", manifest, "-o", "-"}, 0, "<html"},
		{"results of an experiment", []string{"results", experiment}, 0, "POINT   USERS   VALID   THROUGHPUT"},
		{"results of an experiment as CSV", []string{"results", experiment, "-o", "csv"}, 0, "point,"},
		{"results of an experiment as YAML", []string{"results", experiment, "-o", "yaml"}, 0, "kind: ExperimentResult"},
		{"results of a run", []string{"results", run, "-o", "wide"}, 0, "blocks/s"},
		{"results of a run as JSON", []string{"results", run, "-o", "json"}, 0, `"kind": "RunResult"`},
		{"results of a run as CSV", []string{"results", run, "-o", "csv"}, 0, "namespace,run,network"},
		{"runs of saved ConfigMaps", []string{"results", manifest, "--runs", "--exit-code"}, 0, "blocks/s"},
		{"runs that the file lacks", []string{"results", experiment, "--runs"}, 1, "has no results of single runs"},
		{"an invalid run", []string{"results", write("invalid.json", invalidRun), "--exit-code"}, 2, "run r is invalid, Errors: too many"},
		{"an error with an escape sequence", []string{"results", write("escape.json", strings.Replace(invalidRun, "too many", `too \u001b[2J`, 1)), "--exit-code"}, 2, `too \u001b[2J`},
		{"a result with an escape sequence", []string{"results", filepath.Join(directory, "escape.json")}, 0, `too \u001b[2J`},
		{"a point without a valid run", []string{"results", write("failed.json", failedExperiment), "--exit-code"}, 2, "point p01 (users=1) has no valid run"},
		{"a missed objective of a run", []string{"results", write("missed.json", missedRun), "--exit-code"}, 2, "run r: a gate failed: p95 is 612 ms"},
		{"phases of a run", []string{"results", write("phased.json", phasedRun)}, 0, "r      Notarization   12        75 %    30.5      31.0     -        -"},
		{"phases of a run as a table", []string{"export", write("phased.json", phasedRun)}, 0, ",Notarization,PhaseMean,,,30.5,ms"},
		{"objectives of a run", []string{"results", write("missed.json", missedRun)}, 0, "LatencyP95   Failed    p95 is 612 ms"},
		{"objectives of a run as JUnit", []string{"results", write("missed.json", missedRun), "-o", "junit"}, 0, `<failure message="p95 is 612 ms" type="Objective">`},
		{"an undecided objective of a point", []string{"results", write("undecided.json", undecidedExperiment), "--exit-code"}, 2, "objective undecided: point p01 (users=1): too few"},
		{"objectives of points as JUnit", []string{"results", write("undecided.json", undecidedExperiment), "-o", "junit"}, 0, `<testcase classname="p01 users=1" name="LatencyP99">`},
		{"faults of a run", []string{"faults", write("faulty.json", faultyRun)}, 0, "99.9 %         11 of 12 of 5 s"},
		{"proof of a fault", []string{"faults", filepath.Join(directory, "faulty.json")}, 0, "60.00-60.01   70.00-70.02   yes      before: pid 7; during: ended; after: pid 9"},
		{"faults of a run as JSON", []string{"faults", filepath.Join(directory, "faulty.json"), "-o", "json"}, 0, `"share": 0.999`},
		{"faults of a run as YAML", []string{"faults", filepath.Join(directory, "faulty.json"), "-o", "yaml"}, 0, "during: ended"},
		{"faults of a run as CSV", []string{"faults", filepath.Join(directory, "faulty.json"), "-o", "csv"}, 0, "kill,Kill,notary,60,"},
		{"faults of a run in another format", []string{"faults", filepath.Join(directory, "faulty.json"), "-o", "junit"}, 1, `"junit"`},
		{"a run without faults", []string{"faults", run}, 0, "has no faults"},
		{"faults of an experiment", []string{"faults", experiment}, 1, "has the results of 0 runs"},
		{"table of an experiment", []string{"export", experiment}, 0, "namespace,experiment,point,"},
		{"table of a run as Parquet", []string{"export", run, "--format", "parquet"}, 0, "PAR1"},
		{"table of saved ConfigMaps", []string{"export", manifest, "-o", filepath.Join(directory, "saved.parquet")}, 0, "wrote "},
		{"table in another format", []string{"export", run, "--format", "xlsx"}, 1, `"xlsx"`},
		{"comparison of a file with itself", []string{"compare", experiment, experiment, "--metric", "throughput"}, 0, "DETECTABLE"},
		{"comparison as Markdown", []string{"compare", experiment, experiment, "--metric", "throughput", "-o", "markdown"}, 0, "| Candidate | Metric |"},
		{"comparison as JUnit", []string{"compare", experiment, experiment, "--gate", "throughput=1%", "-o", "junit"}, 2, `type="Undecided"`},
		{"power by a pilot of a file", []string{"plan", "--power", "5", "--pilot", experiment}, 0, "DEPLOYMENTS × PAIRS"},
		{"power by a pilot with deployments", []string{"plan", "--power", "5", "--pilot", write("pilot.json", pilot)}, 0, "at 95 % for 1 comparison"},
		{"designs by a pilot with deployments", []string{"plan", "--power", "5", "--pilot", filepath.Join(directory, "pilot.json")}, 0,
			"p01     template   Throughput   2 %      1 %       "},
		{"power as JSON", []string{"plan", "--power", "5", "--pilot", filepath.Join(directory, "pilot.json"), "-o", "json"}, 0, `"pairs": 4`},
		{"power by one deployment", []string{"plan", "--power", "5", "--pilot", experiment}, 0, "warning: the pilot deployed each network once"},
		{"power by a single run", []string{"plan", "--power", "5", "--pilot", run}, 1, "is a single run"},
		{"power of nothing", []string{"plan", "--power", "0", "--pilot", experiment}, 1, "--power 0 must be from 0.1 to 100"},
		{"power without a pilot", []string{"plan", "--power", "5"}, 1, "needs either --pilot or the name of an experiment"},
		{"power of manifests", []string{"plan", "--power", "5", "-f", "x.yaml"}, 1, "takes neither manifests nor --runs"},
		{"pilot without power", []string{"plan", "--pilot", experiment}, 1, "--pilot needs --power"},
		{"no such file", []string{"report", filepath.Join(directory, "none.json")}, 1, "no such file"},
		{"a file that is no result", []string{"report", "offline_test.go"}, 1, "read offline_test.go: "},
		{"a name that is a path", []string{"report", hostile}, 1, `name "../x"`},
		{"a name needs a cluster", []string{"report", "i1"}, 1, "kubeconfig"},
		{"the plugin's version", []string{"--version"}, 0, "benchnet 0.1.0\n"},
		{"the plugin's version by its command", []string{"version", "--client"}, 0, "plugin    0.1.0 ("},
		{"versions without a cluster", []string{"version"}, 0, "operator  unknown: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out, errOut bytes.Buffer
			args := append([]string{"--kubeconfig", filepath.Join(directory, "kubeconfig")}, test.args...)
			code := cli.Run(t.Context(), "0.1.0", strings.NewReader(""), &out, &errOut, args)
			if text := out.String() + errOut.String(); code != test.code || !strings.Contains(text, test.want) {
				t.Errorf("exit code %d, want %d; no %q in\n%.500s", code, test.code, test.want, text)
			}
		})
	}
}

// writeIndentedCopy returns a copy of a document with over four megabytes of spaces, like the output of results
// -o json for a long run.
func writeIndentedCopy(t *testing.T, file string) string {
	t.Helper()
	packed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := boundedjson.Unpack(packed)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", strings.Repeat(" ", boundedjson.MaxDecodedBytes/bytes.Count(text, []byte(",")))); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "indented.json")
	if err := os.WriteFile(name, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

const (
	invalidRun = `{"apiVersion":"benchnet.dev/v1alpha1","kind":"RunResult","schemaVersion":1,"run":{"name":"r"},
		"verdict":{"validity":"Invalid","reasons":[{"code":"Errors","message":"too many"}]}}`
	failedExperiment = `{"apiVersion":"benchnet.dev/v1alpha1","kind":"ExperimentResult","schemaVersion":2,"experiment":{"name":"e"},
		"points":[{"name":"p01","parameters":[{"name":"users","value":"1"}],"failed":2}]}`
	missedRun = `{"apiVersion":"benchnet.dev/v1alpha1","kind":"RunResult","schemaVersion":1,"run":{"name":"r"},"verdict":{},
		"objectives":[{"metric":"LatencyP95","limit":500,"outcome":"Failed","message":"p95 is 612 ms"}]}`
	phasedRun = `{"apiVersion":"benchnet.dev/v1alpha1","kind":"RunResult","schemaVersion":1,"run":{"name":"r"},"verdict":{},
		"phases":{"operations":12,"meanMillis":40.7,"phases":[{"name":"Notarization","operations":12,"share":0.75,"meanMillis":30.5,"p50Millis":31,"maxMillis":40}]}}`
	faultyRun = `{"apiVersion":"benchnet.dev/v1alpha1","kind":"RunResult","schemaVersion":1,"run":{"name":"r"},"verdict":{},
		"availability":{"fromSeconds":60,"due":2000,"succeeded":1998,"share":0.999,"intervalSeconds":5,"intervals":12,"availableIntervals":11,"timeShare":0.9167},
		"faults":[{"name":"kill","type":"Kill","atSeconds":60,"targets":[{"member":"notary","injected":{"fromSeconds":60,"toSeconds":60.01},
		"healed":{"fromSeconds":70,"toSeconds":70.02},"before":"pid 7","during":"ended","after":"pid 9"}]}]}`
	pilot = `{"apiVersion":"benchnet.dev/v1alpha1","kind":"ExperimentResult","schemaVersion":2,"experiment":{"name":"e"},"confidence":0.95,
		"runsPerDeployment":2,"comparisons":[{"metric":"Throughput"}],"points":[{"name":"p01","parameters":[],
		"metrics":{"Throughput":{"n":10,"mean":100,"stdDev":1.7}},"deployments":{"Throughput":{"between":0.01,"within":0.02,"pValue":0.5}}}]}`
	undecidedExperiment = `{"apiVersion":"benchnet.dev/v1alpha1","kind":"ExperimentResult","schemaVersion":2,"experiment":{"name":"e"},
		"points":[{"name":"p01","parameters":[{"name":"users","value":"1"}],"valid":2,
		"objectives":[{"metric":"LatencyP99","outcome":"Undecided","message":"too few"}]}]}`
)

// configMapItem returns a document as it is stored in a ConfigMap, as an item of a list in YAML.
func configMapItem(t *testing.T, file string) string {
	t.Helper()
	packed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return "- {kind: ConfigMap, binaryData: {result.json.gz: " + base64.StdEncoding.EncodeToString(packed) + "}}\n"
}

// TestArgumentErrors checks that an error names the argument that is missing or superfluous.
func TestArgumentErrors(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"export"}, "error: export needs the name of a network, run or experiment, or a result file\n"},
		{[]string{"report"}, "error: report needs the name of a network, run or experiment, or a result file\n"},
		{[]string{"results", "a", "b"}, `error: results needs the name of a network, run or experiment, or a result file: "b" is one argument too many` + "\n"},
		{[]string{"compare", "a"}, "error: compare needs a baseline and a candidate: experiments, EXPERIMENT:VARIANT, runs, or result files\n"},
		{[]string{"faults"}, "error: faults needs the name of a run, or a result file\n"},
		{[]string{"cancel"}, "error: cancel needs the name of a run\n"},
		{[]string{"plan"}, "error: plan needs -f FILE, -k DIRECTORY or the name of a network or experiment\n"},
		{[]string{"plan", "a", "-f", "b"}, "error: plan needs either files or the name of a network or experiment, not both\n"},
		{[]string{"run"}, "error: run needs -f FILE or -k DIRECTORY\n"},
		{[]string{"run", "a.yaml"}, `error: run takes no argument such as "a.yaml": give files as -f FILE` + "\n"},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			var out, errOut bytes.Buffer
			code := cli.Run(t.Context(), "0.1.0", strings.NewReader(""), &out, &errOut, test.args)
			if code != 1 || errOut.String() != test.want || out.Len() > 0 {
				t.Errorf("exit code %d, got %q, want %q", code, out.String()+errOut.String(), test.want)
			}
		})
	}
}

// TestHelpOmitsInheritedFlags checks that only the options command lists kubectl's flags.
func TestHelpOmitsInheritedFlags(t *testing.T) {
	for _, test := range []struct {
		args     []string
		inherits bool
		want     string
	}{
		{[]string{"--help"}, false, "Commands:\n"},
		{[]string{"report", "--help"}, false, `Use "kubectl benchnet options" for a list of kubectl's flags`},
		{[]string{"options"}, true, "--kubeconfig string"},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			var out, errOut bytes.Buffer
			code := cli.Run(t.Context(), "0.1.0", strings.NewReader(""), &out, &errOut, test.args)
			if code != 0 || !strings.Contains(out.String(), test.want) || strings.Contains(out.String(), "--tls-server-name") != test.inherits {
				t.Errorf("exit code %d\n%s%s", code, out.String(), errOut.String())
			}
		})
	}
}
