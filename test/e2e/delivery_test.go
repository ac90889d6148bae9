//go:build e2e

package e2e_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	_ "embed"
	"encoding"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"aead.dev/minisign"
	"github.com/parquet-go/parquet-go"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/cli/export"
	"github.com/benchnet/benchnet/test/e2e/cluster"
)

//go:embed testdata/delivery.yaml.tmpl
var deliveryTemplate string

// TestDelivery checks how results leave the cluster: by upload, webhook, export and bundle. The bundle is then
// measured again in another namespace.
func TestDelivery(t *testing.T) {
	t.Parallel()
	ns := cluster.NewNamespace(t, "delivery")
	address := findHostAddress(ns)
	certificate := newCertificate(t, address)
	stored, hook := startStorage(t, address, certificate), startReceiver(t, address, certificate)
	ns.MustApply(renderDelivery(t, stored, hook, certificate))
	plugin := buildPlugin(t)
	e := ns.WaitExperiment("kept", "has ended and is reported", func(e *v1alpha1.BenchmarkExperiment) bool {
		return meta.IsStatusConditionTrue(e.Status.Conditions, v1alpha1.ConditionNotified)
	})
	runs := ns.ListRuns("kept")
	measured := selectMeasured(t, runs)
	t.Run("results are uploaded", func(t *testing.T) {
		for name := range measured {
			assertUploaded(ns.ForSubtest(t), t, plugin, stored, name)
		}
	})
	t.Run("ends and failed objectives are reported", func(t *testing.T) { assertReported(ns.ForSubtest(t), hook, e, runs) })
	t.Run("tables have the numbers", func(t *testing.T) { assertExported(t, plugin, ns.Name, measured) })
	mustPass(t, "a bundle is verified and measured again", func(t *testing.T) {
		public, private := writeKeyPair(t)
		file := filepath.Join(t.TempDir(), "kept.tar.gz")
		plugin.expect(t, 0, []string{"bundle", "bexp/kept", "-n", ns.Name, "-o", file, "--key", private}, "wrote "+file)
		assertVerified(t, plugin, file, public)
		assertReproduced(t, plugin, file, public)
		hook.mutex.Lock()
		defer hook.mutex.Unlock()
		if len(hook.documents) != 1+len(runs) || len(hook.problems) > 0 {
			t.Errorf("the reproduction should not be reported: %v, %v", hook.documents, hook.problems)
		}
	})
}

// selectMeasured returns the runs that have a result: both repetitions, whose failed attempts are repeated. Runs of a few
// seconds fail on a busy host.
func selectMeasured(t *testing.T, runs map[string]*v1alpha1.BenchmarkRun) map[string]*v1alpha1.BenchmarkRun {
	t.Helper()
	measured := maps.Clone(runs)
	maps.DeleteFunc(measured, func(_ string, run *v1alpha1.BenchmarkRun) bool {
		if run.Status.Result == nil {
			t.Log(cluster.RunSummary(run))
		}
		return run.Status.Result == nil
	})
	if len(measured) != 2 {
		t.Fatalf("2 of %d runs should have a result, not %d", len(runs), len(measured))
	}
	return measured
}

func renderDelivery(t *testing.T, stored *storage, hook *receiver, certificate *hostCertificate) string {
	t.Helper()
	return renderTemplate(t, deliveryTemplate, map[string]string{
		"StorageURL": stored.url, "Bucket": stored.bucket, "AccessKeyID": stored.accessKeyID, "SecretAccessKey": stored.secretAccessKey,
		"ReceiverURL": hook.url, "SigningKey": hook.signingKey, "Certificate": certificate.pem})
}

// assertUploaded fetches the objects of a run and compares them with the ConfigMap of its result and with what the plugin prints.
func assertUploaded(ns *cluster.Namespace, t *testing.T, plugin plugin, stored *storage, name string) {
	t.Helper()
	var run *v1alpha1.BenchmarkRun
	ns.Wait("the result of run "+name+" is uploaded, and its end reported", func() (bool, string) {
		run = ns.GetRun(name)
		for _, condition := range []string{v1alpha1.ConditionUploaded, v1alpha1.ConditionNotified} {
			if !meta.IsStatusConditionTrue(run.Status.Conditions, condition) {
				return false, describeCondition(run.Status.Conditions, condition)
			}
		}
		return true, ""
	})
	prefix := path.Join("e2e", ns.Name, name, string(run.UID))
	if got, want := describeCondition(run.Status.Conditions, v1alpha1.ConditionUploaded), "the result is in "+stored.url+"/"+stored.bucket+"/"+prefix+"/"; got != want {
		t.Errorf("the condition Uploaded is %q, want %q", got, want)
	}
	var cm corev1.ConfigMap
	ns.Get(run.Status.Result.ConfigMapName, &cm)
	packed := stored.readObject(t, prefix+"/result.json.gz")
	if !bytes.Equal(packed, cm.BinaryData[run.Status.Result.Key]) {
		t.Errorf("result.json.gz of run %s differs from ConfigMap %s", name, cm.Name)
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	printed := plugin.expect(t, 0, []string{"results", "brun/" + name, "-n", ns.Name, "-o", "json"})
	if !reflect.DeepEqual(decodeJSON(t, unpacked), decodeJSON(t, strings.NewReader(printed))) {
		t.Errorf("result.json.gz of run %s differs from what the plugin prints", name)
	}
	for file, kind := range map[string]string{"run.yaml": "kind: BenchmarkRun\n", "network.yaml": "kind: BenchmarkNetwork\n"} {
		if text := string(stored.readObject(t, prefix+"/"+file)); !strings.Contains(text, kind) {
			t.Errorf("%s of run %s lacks %q:\n%s", file, name, kind, text)
		}
	}
}

func decodeJSON(t *testing.T, from io.Reader) any {
	t.Helper()
	var document any
	if err := json.NewDecoder(from).Decode(&document); err != nil {
		t.Fatal(err)
	}
	return document
}

func describeCondition(conditions []metav1.Condition, kind string) string {
	if c := meta.FindStatusCondition(conditions, kind); c != nil {
		return c.Message
	}
	return "no condition " + kind
}

// assertReported fails unless the receiver got one signed document of the experiment, and one of each run with its failed objective.
func assertReported(ns *cluster.Namespace, hook *receiver, e *v1alpha1.BenchmarkExperiment, runs map[string]*v1alpha1.BenchmarkRun) {
	ns.Helper()
	hook.mutex.Lock()
	defer hook.mutex.Unlock()
	if len(hook.documents) != 1+len(runs) || len(hook.problems) > 0 {
		ns.Fatalf("the receiver should have %d documents: %v, %v", 1+len(runs), hook.documents, hook.problems)
	}
	decided := true
	for _, run := range runs {
		decided = decided && run.Status.Verdict == v1alpha1.VerdictValid
	}
	// The objective of a run that is invalid, which a busy host may cause, is undecided.
	failed := func(gates string, decided bool) bool { return gates == "Failed" || !decided && gates == "Undecided" }
	if d := hook.documents["BenchmarkExperiment/kept"]; d.UID != string(e.UID) || d.Verdict != "Complete" || !failed(d.Gates, decided) {
		ns.Errorf("document of the experiment: %+v", d)
	}
	for name, run := range runs {
		d := hook.documents["BenchmarkRun/"+name]
		verdict := cmp.Or(string(run.Status.Verdict), string(run.Status.Phase))
		if d.UID != string(run.UID) || d.Verdict != verdict || !failed(d.Gates, run.Status.Verdict == v1alpha1.VerdictValid) ||
			run.Status.Result != nil && !strings.Contains(d.Message, "Throughput") {
			ns.Errorf("document of run %s: %+v", name, d)
		}
	}
}

// assertExported compares the throughput of the runs in both tables with their status, and the number of rows.
func assertExported(t *testing.T, plugin plugin, namespace string, runs map[string]*v1alpha1.BenchmarkRun) {
	t.Helper()
	directory := t.TempDir()
	csvFile, parquetFile := filepath.Join(directory, "kept.csv"), filepath.Join(directory, "kept.parquet")
	for _, file := range []string{csvFile, parquetFile} {
		plugin.expect(t, 0, []string{"export", "bexp/kept", "-n", namespace, "-o", file})
	}
	rows, err := parquet.ReadFile[export.Row](parquetFile)
	if err != nil {
		t.Fatal(err)
	}
	throughput := map[string]int64{}
	for _, row := range rows {
		if row.Metric == string(v1alpha1.MetricThroughput) && row.Second == nil {
			throughput[row.Run] = int64(math.Round(*row.Value * 1000))
		}
	}
	for name, run := range runs {
		if got := throughput[name]; got != *run.Status.ThroughputMilliPerSecond {
			t.Errorf("run %s: %d blocks in 1000 s in the table, %d in its status", name, got, *run.Status.ThroughputMilliPerSecond)
		}
	}
	text, err := os.ReadFile(csvFile)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || len(lines) != len(rows)+1 {
		t.Errorf("the CSV file has %d lines, %v, but the Parquet file %d rows", len(lines), err, len(rows))
	}
	t.Logf("%d rows", len(rows))
}

// plugin is the path of kubectl-benchnet.
type plugin string

func buildPlugin(t *testing.T) plugin {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubectl-benchnet")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", file, "../../cmd/kubectl-benchnet").CombinedOutput(); err != nil {
		t.Fatalf("build the plugin: %v: %s", err, out)
	}
	return plugin(file)
}

// expect runs the plugin, which must end with the code and print the texts, and returns its standard output.
func (p plugin) expect(t *testing.T, code int, args []string, texts ...string) string {
	t.Helper()
	var out, problems bytes.Buffer
	command := exec.CommandContext(t.Context(), string(p), args...)
	command.Stdout, command.Stderr = &out, &problems
	var exit *exec.ExitError
	if err := command.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if got := command.ProcessState.ExitCode(); got != code {
		t.Fatalf("%v: exit code %d, want %d\n%s%s", args, got, code, &out, &problems)
	}
	for _, text := range texts {
		if !strings.Contains(out.String()+problems.String(), text) {
			t.Errorf("%v: no %q in\n%s%s", args, text, &out, &problems)
		}
	}
	return out.String()
}

// writeKeyPair writes a key pair of minisign and returns its files.
func writeKeyPair(t *testing.T) (publicFile, privateFile string) {
	t.Helper()
	public, private, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	directory := t.TempDir()
	publicFile, privateFile = filepath.Join(directory, "minisign.pub"), filepath.Join(directory, "minisign.key")
	for file, key := range map[string]encoding.TextMarshaler{publicFile: public, privateFile: private} {
		text, err := key.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, file, text)
	}
	return publicFile, privateFile
}

// changeResult is a script that packs the bundle $1 as $2 with a changed result.
const changeResult = `set -e; cd "$(mktemp -d -p "$(dirname "$2")")"; tar -xzf "$1"; echo >> result.json; find * -type f | tar -czf "$2" -T -`

// assertVerified verifies a bundle without a cluster, and that a changed one is refused.
func assertVerified(t *testing.T, plugin plugin, file, key string) {
	t.Helper()
	offline := filepath.Join(t.TempDir(), "no-kubeconfig")
	plugin.expect(t, 0, []string{"verify", file, "--key", key, "--kubeconfig", offline}, "files as in their index", `"benchnet bundle of bexp/kept"`)
	changed := filepath.Join(t.TempDir(), "changed.tar.gz")
	if out, err := exec.CommandContext(t.Context(), "sh", "-c", changeResult, "sh", file, changed).CombinedOutput(); err != nil {
		t.Fatalf("change the bundle: %v: %s", err, out)
	}
	plugin.expect(t, 2, []string{"verify", changed, "--key", key, "--kubeconfig", offline}, "result.json")
	plugin.expect(t, 2, []string{"reproduce", changed, "--key", key, "--kubeconfig", offline}, "result.json")
}

// assertReproduced measures a bundle in another namespace. Two runs of a point are too few for a claim.
func assertReproduced(t *testing.T, plugin plugin, file, key string) {
	t.Helper()
	ns := cluster.NewNamespace(t, "delivery-again")
	out := plugin.expect(t, 3, []string{"reproduce", file, "--key", key, "-n", ns.Name, "--timeout", "15m"}, "benchmarkexperiment/kept applied",
		"spec.delivery of kept is left out", "ORIGINAL", "no claim can be made within ±10 %")
	t.Log(out)
	for name, run := range selectMeasured(t, ns.ListRuns("kept")) {
		if run.Status.Verdict == "" || run.Spec.Delivery.Upload != nil || run.Spec.Delivery.Webhook != nil {
			t.Errorf("run %s should be measured without deliveries: %s", name, cluster.RunSummary(run))
		}
	}
}
