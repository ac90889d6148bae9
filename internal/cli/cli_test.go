package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/cli"
)

func TestResults(t *testing.T) {
	for name, args := range map[string][]string{
		"network.txt":    {"results", "small"},
		"run-wide.txt":   {"results", "brun/small-blocks", "-o", "wide"},
		"network.csv":    {"results", "bnet/small", "-o", "csv"},
		"experiment.txt": {"results", "sizes"},
		"experiment.csv": {"results", "bexp/sizes", "-o", "csv"},
		"runs.txt":       {"results", "benchmarkexperiment/sizes", "--runs"},
	} {
		o := runPlugin(t, args...)
		o.expect(t, 0)
		o.matchGoldenFile(t, name)
		if suggests := strings.Contains(o.err, "next: kubectl benchnet report -n bn-plugin b"); suggests == strings.HasSuffix(name, ".csv") {
			t.Errorf("%s suggests a report: %t", name, suggests)
		}
	}
}

func TestResultsAsJSONAndYAML(t *testing.T) {
	var run struct {
		Kind    string
		Run     struct{ Name string }
		Summary struct{ ThroughputPerSecond float64 }
	}
	o := runPlugin(t, "results", "small-blocks", "-o", "json")
	o.expect(t, 0)
	if err := json.Unmarshal([]byte(o.out), &run); err != nil || run.Kind != "RunResult" || run.Run.Name != "small-blocks" || run.Summary.ThroughputPerSecond == 0 {
		t.Errorf("%v: %+v", err, run)
	}
	var list struct{ Items []map[string]any }
	o = runPlugin(t, "results", "small", "-o", "yaml")
	o.expect(t, 0)
	if err := yaml.Unmarshal([]byte(o.out), &list); err != nil || len(list.Items) != 2 {
		t.Errorf("%v: %d items", err, len(list.Items))
	}
	o = runPlugin(t, "results", "sizes", "-o", "json")
	o.expect(t, 0, `"kind": "ExperimentResult"`, `"seed"`)
}

func TestErrorsLookLikeKubectl(t *testing.T) {
	runPlugin(t, "results", "brun/nope").expect(t, 1, `Error from server (NotFound): benchmarkruns.benchnet.dev "nope" not found`)
	runPlugin(t, "results", "nope").expect(t, 1, "Error from server (NotFound)", `"nope" not found`)
	runPlugin(t, "results", "pod/nope").expect(t, 1, `error: "pod/nope": "pod" is not a kind that fits here, which are bexp, bnet, brun`)
	runPlugin(t, "results", "small", "-o", "xml").expect(t, 1, `error: --output "xml" is none of json, yaml, csv, junit, wide`)
	runPlugin(t, "reset", "sizes").expect(t, 1, `benchmarknetworks.benchnet.dev "sizes" not found`)
	runPlugin(t, "report", "small", "--format", "gif").expect(t, 1, `error: --format "gif" is none of svg, png`)
	runPluginWithInput(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n", "run", "-f", "-").expect(t, 1, "no BenchmarkNetwork, BenchmarkRun or BenchmarkExperiment")
}

func TestWatchEndedTargets(t *testing.T) {
	runPlugin(t, "watch", "bnet/small").expect(t, 0, "bnet/small Ready · members 4/4", "brun/small-again Valid", "blocks/s")
	runPlugin(t, "watch", "sizes", "--exit-code").expect(t, 0, "bexp/sizes Complete · runs 8/8 · points 2/2",
		"next: kubectl benchnet results -n bn-plugin bexp/sizes")
}

// TestExitCodeOfAnInvalidRun checks that an invalid run causes exit code 2, for results and watch only on request.
func TestExitCodeOfAnInvalidRun(t *testing.T) {
	ok := runPlugin(t, "results", "small-again", "--exit-code")
	ok.expect(t, 0)
	var run v1alpha1.BenchmarkRun
	key := client.ObjectKey{Namespace: namespace, Name: "small-again"}
	if err := server.client.Get(t.Context(), key, &run); err != nil {
		t.Fatal(err)
	}
	before := run.DeepCopy()
	run.Status.Verdict = v1alpha1.VerdictInvalid
	run.Status.Reasons = []v1alpha1.VerdictReason{{Reason: "MemberRestarted", Severity: "Invalid", Message: "member-1 was restarted"}}
	if err := server.client.Status().Patch(t.Context(), &run, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	defer func() {
		run.Status = before.Status
		if err := server.client.Status().Update(context.Background(), &run); err != nil {
			t.Error(err)
		}
	}()
	runPlugin(t, "results", "small-again").expect(t, 0, "small-again is invalid, MemberRestarted: member-1 was restarted")
	runPlugin(t, "results", "small-again", "--exit-code").expect(t, 2, "run small-again is invalid, MemberRestarted: member-1 was restarted")
	runPlugin(t, "watch", "small", "--exit-code").expect(t, 2, "run small-again is invalid")
}

func TestCompare(t *testing.T) {
	o := runPlugin(t, "compare", "sizes:small", "sizes:again", "--confidence", "50")
	o.expect(t, 0, "sizes:again   Throughput    ", "0/4 vs 0/4   NoDifference")
	o = runPlugin(t, "compare", "small-blocks", "small-again")
	o.expect(t, 0, "two single runs are no comparison", "TooFewRuns", "p50          261.1      171.8      -34.2 %", "p95          -          -          -")
	// Four runs have no interval, so that they pass no gate, however loose.
	runPlugin(t, "compare", "sizes:small", "sizes:again", "--gate", "throughput=90%", "--confidence", "50").expect(t, 2, "a gate needs 5 pairs")
	runPlugin(t, "compare", "sizes:small", "sizes:again", "--gate", "throughput=5%", "--confidence", "99").expect(t, 2, "gate undecided: ")
	runPlugin(t, "compare", "sizes", "small-blocks").expect(t, 1, "give two runs or two experiments")
	runPlugin(t, "compare", "sizes:large", "sizes:again").expect(t, 1, `has no variant "large"; there are: small, again`)
	runPlugin(t, "compare", "small-blocks", "small-again", "--gate", "p95=5%").expect(t, 1, "two single runs are no comparison, so no gate can be judged")
	runPlugin(t, "compare", "sizes:small", "sizes:again", "--gate", "speed=5%").expect(t, 1, `"speed" is no metric`)
}

// TestCompareWithFile compares an experiment with its own stored document, which must show no difference.
func TestCompareWithFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "baseline.json")
	if err := os.WriteFile(file, []byte(runPlugin(t, "results", "sizes", "-o", "json").out), 0o644); err != nil {
		t.Fatal(err)
	}
	o := runPlugin(t, "compare", file, "sizes", "--metric", "throughput", "--confidence", "50")
	o.expect(t, 0, "sizes:small", "sizes:again", "+0.0 %", "NoDifference")
	if n := strings.Count(o.out, "\n"); n != 3 {
		t.Errorf("%d lines, want a head and one for each variant:\n%s", n, o.out)
	}
	runPlugin(t, "compare", filepath.Join(t.TempDir(), "none.json"), "sizes").expect(t, 1, "no such file")
}

func TestReport(t *testing.T) {
	directory := t.TempDir()
	file := filepath.Join(directory, "all.html")
	runPlugin(t, "report", "small", "-o", file, "--csv", directory).expect(t, 0, "all-small-blocks.html", "all-small-again.html")
	for _, name := range []string{"all-small-blocks.html", "small-again-summary.csv"} {
		content, err := os.ReadFile(filepath.Join(directory, name))
		if err != nil || len(content) < 100 {
			t.Errorf("%s: %d bytes, %v", name, len(content), err)
		}
	}
	o := runPlugin(t, "report", "sizes", "-o", "-")
	o.expect(t, 0, "<html", "sizes-p01-r1")
	runPlugin(t, "report", "sizes", "-o", "-", "--charts", directory, "--browser", "no-browser").expect(t, 1, "no command no-browser; install Chromium or Chrome")
}

func TestExport(t *testing.T) {
	runPlugin(t, "export", "sizes").expect(t, 0, "bn-plugin,sizes,p01,small,{},1,sizes-p01-r1,", ",Throughput,,,")
	runPlugin(t, "export", "bnet/small").expect(t, 0, ",small-blocks,small,blocks,")
}

func TestPlan(t *testing.T) {
	network := runPlugin(t, "plan", "small")
	network.expect(t, 2, "bnet/small", "Pods       5 at one time", "StatefulSet/small-member-3", "BenchmarkRun/small-again", "does not fit")
	manifest := filepath.Join("testdata", "experiment.yaml")
	runPlugin(t, "plan", "-f", manifest, "--runs").expect(t, 2, "bexp/users", "Runs       12", "users-p02-r2", "variant=")
	runPlugin(t, "plan", "-f", manifest, "-o", "json").expect(t, 2, `"runs": 12`, `"fits": false`)
	err := server.client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "users"}, &v1alpha1.BenchmarkExperiment{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("a plan made the experiment: %v", err)
	}
	text, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	wrong := strings.Replace(string(text), "workload.measure.window", "workload.measure.windows", 1)
	runPluginWithInput(t, wrong, "plan", "-f", "-").expect(t, 1, "windows")
}

// TestRunTimesOut applies objects without an operator, so that the timeout is reached.
func TestRunTimesOut(t *testing.T) {
	o := runPlugin(t, "run", "-f", filepath.Join("testdata", "network.yaml"), "--timeout", "1s")
	o.expect(t, 1, "benchmarknetwork/idle applied", "to resume: kubectl benchnet watch -n bn-plugin bnet/idle", "error: not ended within --timeout 1s")
	var network v1alpha1.BenchmarkNetwork
	if err := server.client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "idle"}, &network); err != nil {
		t.Fatal(err)
	}
	if len(network.ManagedFields) != 1 || network.ManagedFields[0].Manager != "kubectl-benchnet" {
		t.Errorf("owners of its fields: %+v", network.ManagedFields)
	}
}

// interruptingWriter interrupts a command at its first write.
type interruptingWriter struct {
	bytes.Buffer
	interrupt func()
}

func (w *interruptingWriter) Write(text []byte) (int, error) {
	defer w.interrupt()
	return w.Buffer.Write(text)
}

// TestInterruption checks that an interruption keeps the applied objects and prints how to resume watching.
func TestInterruption(t *testing.T) {
	requireServer(t)
	runPlugin(t, "run", "-f", filepath.Join("testdata", "network.yaml"), "--timeout", "1s").expect(t, 1)
	ctx, interrupt := context.WithCancel(t.Context())
	out, errOut := interruptingWriter{interrupt: interrupt}, bytes.Buffer{}
	code := cli.Run(ctx, "0.1.0", strings.NewReader(""), &out, &errOut, []string{"--kubeconfig", server.kubeconfig, "-n", namespace, "watch", "idle"})
	commandResult{code, out.String(), errOut.String()}.expect(t, 130, "bnet/idle Pending", "bnet/idle continues; to resume: kubectl benchnet watch -n bn-plugin bnet/idle")
}

func TestRunDetached(t *testing.T) {
	o := runPlugin(t, "run", "-f", filepath.Join("testdata", "network.yaml"), "--detach")
	o.expect(t, 0)
	if o.out != "bnet/idle\n" || o.err != "benchmarknetwork/idle applied\n" {
		t.Errorf("got %q and %q", o.out, o.err)
	}
	runPlugin(t, "run", "-f", "-", "--detach", "--timeout", "1s").expect(t, 1, "[detach timeout]")
}

func TestStatus(t *testing.T) {
	runPlugin(t, "status", "bnet/small").expect(t, 0, "bnet/small  Ready · members 4/4", "CONDITION", "STAGE", "MEMBER", "member-3   Ready", "small-again")
	runPlugin(t, "status", "sizes").expect(t, 0, "bexp/sizes  Complete · runs 8/8", "POINT")
	runPlugin(t, "status", "brun/small-blocks", "-o", "wide").expect(t, 0, "brun/small-blocks  Valid", "VERDICT", "OPERATIONS")
	runPlugin(t, "run", "-f", filepath.Join("testdata", "network.yaml"), "--detach").expect(t, 0)
	runPlugin(t, "status", "idle").expect(t, 0, "bnet/idle  Pending", "Waits for: the operator has not reconciled it yet (NotReconciled)")
}

func TestLogsWithoutPods(t *testing.T) {
	runPlugin(t, "logs", "bnet/small").expect(t, 1, "error: bnet/small: it has no pods")
	runPlugin(t, "logs", "sizes").expect(t, 1, `"sizes" not found`)
	// A run that has ended is not followed further.
	runPlugin(t, "logs", "brun/small-blocks", "-f").expect(t, 0)
}

func TestCancel(t *testing.T) {
	runPlugin(t, "cancel", "small-blocks").expect(t, 1, "error: brun/small-blocks has ended already")
	runPlugin(t, "cancel", "sizes").expect(t, 1, `benchmarkruns.benchnet.dev "sizes" not found`)
	run := &unstructured.Unstructured{}
	run.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("BenchmarkRun"))
	if err := server.client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "small-blocks"}, run); err != nil {
		t.Fatal(err)
	}
	waiting := &unstructured.Unstructured{Object: map[string]any{"spec": run.Object["spec"]}}
	waiting.SetGroupVersionKind(run.GroupVersionKind())
	waiting.SetNamespace(namespace)
	waiting.SetName("waiting")
	if err := server.client.Create(t.Context(), waiting); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := server.client.Delete(context.Background(), waiting); err != nil {
			t.Error(err)
		}
	}()
	runPlugin(t, "cancel", "brun/waiting").expect(t, 0, "brun/waiting cancelled")
	if err := server.client.Get(t.Context(), client.ObjectKeyFromObject(waiting), waiting); err != nil {
		t.Fatal(err)
	}
	if cancelled, _, err := unstructured.NestedBool(waiting.Object, "spec", "cancelled"); err != nil || !cancelled {
		t.Errorf("spec.cancelled is %t: %v", cancelled, err)
	}
}

func TestDiagnose(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "small.tar.gz")
	runPlugin(t, "diagnose", "bnet/small", "-o", archive).expect(t, 0, "wrote "+archive)
	if info, err := os.Stat(archive); err != nil || info.Size() < 1000 || info.Mode().Perm() != 0o600 {
		t.Errorf("%+v, %v", info, err)
	}
}

// TestOperatorVersion finds the operator by the labels of its Deployment.
func TestOperatorVersion(t *testing.T) {
	runPlugin(t, "version").expect(t, 0, "plugin    0.1.0", "operator  not found in the cluster")
	labels := map[string]string{"app.kubernetes.io/name": "benchnet", "app.kubernetes.io/component": "operator"}
	deployment := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "spec": map[string]any{
		"selector": map[string]any{"matchLabels": map[string]any{"a": "b"}},
		"template": map[string]any{"metadata": map[string]any{"labels": map[string]any{"a": "b"}},
			"spec": map[string]any{"containers": []any{map[string]any{"name": "operator", "image": "ghcr.io/benchnet/operator:0.2.0"}}}}}}}
	deployment.SetNamespace(namespace)
	deployment.SetName("benchnet-operator")
	deployment.SetLabels(labels)
	if err := server.client.Create(t.Context(), deployment); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := server.client.Delete(context.Background(), deployment); err != nil {
			t.Error(err)
		}
	}()
	runPlugin(t, "version").expect(t, 0, "operator  0.2.0 (Deployment "+namespace+"/benchnet-operator)")
}

func TestReset(t *testing.T) {
	at := regexp.MustCompile(`^\d{8}T\d{6}\.\d{3}Z$`)
	seen := map[string]bool{}
	for range 2 {
		runPlugin(t, "reset", "small").expect(t, 0, "bnet/small reset requested")
		var network v1alpha1.BenchmarkNetwork
		if err := server.client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "small"}, &network); err != nil {
			t.Fatal(err)
		}
		value := network.Annotations[v1alpha1.AnnotationReset]
		if !at.MatchString(value) || seen[value] {
			t.Errorf("%s is %q", v1alpha1.AnnotationReset, value)
		}
		seen[value] = true
	}
	runPlugin(t, "reset", "small", "--wait", "--timeout", "1s").expect(t, 1, "error: wait for the reset of network small")
}

// TestResetOfUserSchemas checks that a network is not reset if the operator cannot empty its schemas.
func TestResetOfUserSchemas(t *testing.T) {
	requireServer(t)
	oracle := &v1alpha1.BenchmarkNetwork{ObjectMeta: metav1.ObjectMeta{Name: "oracle", Namespace: namespace}, Spec: v1alpha1.BenchmarkNetworkSpec{
		NetworkTemplate: v1alpha1.NetworkTemplate{Platform: v1alpha1.PlatformSpec{Type: v1alpha1.PlatformCorda, Corda: &v1alpha1.CordaPlatform{Distribution: v1alpha1.CordaEnterprise, Image: "example.com/corda:1"}},
			Members: v1alpha1.MembersSpec{Count: 1},
			Database: &v1alpha1.DatabaseSpec{Engine: v1alpha1.EngineOracle, Topology: v1alpha1.TopologyShared, Provider: v1alpha1.ProviderExternal,
				External: &v1alpha1.ExternalDatabase{Servers: []v1alpha1.ExternalServer{{Host: "ora"}}, JDBCSecret: v1alpha1.SecretReference{Name: "accounts"}}}}}}
	if err := server.client.Create(t.Context(), oracle); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := server.client.Delete(context.Background(), oracle); err != nil {
			t.Error(err)
		}
	}()
	runPlugin(t, "reset", "oracle").expect(t, 1, "network oracle uses schemas of yours on Oracle, which benchnet does not empty")
}

func TestCompletion(t *testing.T) {
	runPlugin(t, "__complete", "results", "").expect(t, 0, "sizes\n", "small\n", "small-blocks\n")
	runPlugin(t, "__complete", "reset", "").expect(t, 0, "small\n")
	if o := runPlugin(t, "__complete", "reset", ""); strings.Contains(o.out, "sizes") {
		t.Errorf("experiments cannot be reset:\n%s", o.out)
	}
	runPlugin(t, "__complete", "report", "small", "--format", "").expect(t, 0, "svg\n", "png\n")
}
