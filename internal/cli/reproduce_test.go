package cli_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/cli/bundle"
	"github.com/benchnet/benchnet/internal/cli/cluster"
	"github.com/benchnet/benchnet/internal/cli/documents"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/run/boundedjson"
)

// TestReproduce reproduces bundles in namespaces of their own. The test takes the operator's part: it stores the result of the
// repetition and completes the experiment.
func TestReproduce(t *testing.T) {
	for _, test := range []struct {
		name string
		// repetitions is the number of runs of each point, a multiple of 4; factor scales the throughput of the repetition.
		repetitions int
		factor      float64
		args        []string
		code        int
		want        string
	}{
		{"same-numbers", 8, 1, []string{"--margin", "100"}, 0, "reproduced within ±100 % (the smallest margin is ±"},
		{"other-numbers", 8, 10, nil, 2, "not reproduced within ±10 %: variant=small throughput: +900.0 % ["},
		{"few-runs", 4, 1, nil, 3, "no claim can be made within ±10 %: variant=small throughput: not enough runs: 4 original, 4 repeated, a claim needs 5 on each side"},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "sizes.tar.gz")
			writeExperimentBundle(t, file, scaleExperiment(t, test.repetitions, 1))
			createNamespace(t, test.name)
			completeExperiment(t, test.name, scaleExperiment(t, test.repetitions, test.factor))
			args := append([]string{"reproduce", file, "--namespace", test.name, "--timeout", "1m", "--yes"}, test.args...)
			runPlugin(t, args...).expect(t, test.code, "benchmarkexperiment/sizes applied", "ORIGINAL", "variant=again", test.want)
			runPlugin(t, args...).expect(t, 1, "BenchmarkExperiment sizes exists in namespace "+test.name+": give another namespace with -n, or delete it")
		})
	}
}

func TestReproduceRefuses(t *testing.T) {
	directory := t.TempDir()
	file := filepath.Join(directory, "small.tar.gz")
	public, _ := writeKeyPair(t, directory)
	runPlugin(t, "bundle", "small-blocks", "-o", file).expect(t, 0)
	runPlugin(t, "reproduce", file).expect(t, 1, "exists in namespace bn-plugin")
	runPlugin(t, "reproduce", file, "--margin", "0").expect(t, 1, "error: --margin 0 must be from 0.1 to 100")
	runPlugin(t, "reproduce", file, "--key", public).expect(t, 2, "the bundle is not signed")
	createNamespace(t, "not-ended")
	runPlugin(t, "reproduce", file, "-n", "not-ended", "--timeout", "1s", "--yes").expect(t, 1, "fewer than five runs of each point", "benchmarknetwork/small applied", "not ended within --timeout 1s")
	var run v1alpha1.BenchmarkRun
	if err := server.client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "small-blocks"}, &run); err != nil {
		t.Fatal(err)
	}
	createNamespace(t, "run-exists")
	old := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "run-exists", Name: run.Name}, Spec: run.Spec}
	if err := server.client.Create(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	runPlugin(t, "reproduce", file, "-n", "run-exists").expect(t, 1, "brun/small-blocks exists in namespace run-exists: give another namespace with -n, or delete it")
	changeNetworkPlan(t, "small")
	runPlugin(t, "bundle", "small-blocks", "-o", file).expect(t, 0, "warning: BenchmarkNetwork small has changed since the run, so the bundle lacks it")
	createNamespace(t, "no-network")
	runPlugin(t, "reproduce", file, "-n", "no-network").expect(t, 1, "the network of brun/small-blocks is not in the manifests of the bundle")
	other := scaleExperiment(t, 4, 1)
	other.Experiment.Name = "other"
	writeExperimentBundle(t, file, other)
	runPlugin(t, "reproduce", file, "-n", "not-ended").expect(t, 1, "bexp/other is not in the manifests of the bundle")
	external := &unstructured.Unstructured{Object: map[string]any{"apiVersion": v1alpha1.GroupVersion.String(), "kind": "BenchmarkNetwork", "metadata": map[string]any{"name": "hostile"},
		"spec": map[string]any{"database": map[string]any{"external": map[string]any{"servers": []any{map[string]any{"host": "db.example"}}}}}}}
	writeExperimentBundle(t, file, scaleExperiment(t, 4, 1), external)
	runPlugin(t, "reproduce", file, "-n", "not-ended", "--yes").expect(t, 1, "needs --allow-external-databases", `BenchmarkNetwork "hostile": spec.database.external.servers[0].host: "db.example"`)
	runPlugin(t, "reproduce", file, "-n", "not-ended", "--allow-external-databases").expect(t, 1, "confirm them with --yes")
	role := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": map[string]any{"name": "r"}}}
	writeExperimentBundle(t, file, scaleExperiment(t, 4, 1), role)
	runPlugin(t, "reproduce", file, "-n", "not-ended").expect(t, 1, `clusterrole-r.yaml is a "ClusterRole", must be a BenchmarkNetwork, BenchmarkRun or BenchmarkExperiment, or a ConfigMap`)
}

// changeNetworkPlan makes the operator's status of a network name another plan until the test ends.
func changeNetworkPlan(t *testing.T, name string) {
	t.Helper()
	network := &v1alpha1.BenchmarkNetwork{}
	if err := server.client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, network); err != nil {
		t.Fatal(err)
	}
	recorded := network.Status.PlanHash
	setPlanHash := func(ctx context.Context, hash string) {
		network.Status.PlanHash = hash
		if err := server.client.Status().Update(ctx, network); err != nil {
			t.Fatal(err)
		}
	}
	setPlanHash(t.Context(), "another")
	t.Cleanup(func() { setPlanHash(context.Background(), recorded) })
}

// readRecordedExperiment returns the result of the recorded experiment.
func readRecordedExperiment(t *testing.T) *documents.Experiment {
	t.Helper()
	o := runPlugin(t, "results", "sizes", "-o", "json")
	file, err := documents.DecodeFile("sizes", []byte(o.out))
	if err != nil {
		t.Fatal(err)
	}
	return file.Experiments[0]
}

// scaleExperiment returns the result of the recorded experiment with so many repetitions, and its throughput times a factor.
func scaleExperiment(t *testing.T, repetitions int, factor float64) *experiment.Result {
	t.Helper()
	result := readRecordedExperiment(t).Result
	recorded := result.Runs
	result.Runs = nil
	for round := range repetitions / 4 {
		for _, run := range recorded {
			run.Repetition += 4 * round
			run.Metrics = map[string]float64{"Throughput": factor * run.Metrics["Throughput"]}
			result.Runs = append(result.Runs, run)
		}
	}
	return result
}

// writeExperimentBundle writes a bundle of the recorded experiment with another result, and more objects.
func writeExperimentBundle(t *testing.T, file string, result *experiment.Result, more ...*unstructured.Unstructured) {
	t.Helper()
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("BenchmarkExperiment"))
	if err := server.client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "sizes"}, live); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	run, err := documents.ReadFile(filepath.Join("..", "report", "testdata", "malachite.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	kit := &bundle.Kit{Target: cluster.Target{Kind: cluster.Experiment, Namespace: namespace, Name: "sizes"},
		Objects: append([]*unstructured.Unstructured{cluster.ToMinimalManifest(live)}, more...), Result: text, Experiment: result, Runs: run.Runs}
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := kit.Write(out, nil); err != nil {
		t.Fatal(err)
	}
}

func createNamespace(t *testing.T, name string) {
	t.Helper()
	requireServer(t)
	if err := server.client.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
		t.Fatal(err)
	}
}

// completeExperiment stores a result in a namespace, and gives the experiment the recorded status as soon as it exists.
func completeExperiment(t *testing.T, inNamespace string, result *experiment.Result) {
	t.Helper()
	var recorded v1alpha1.BenchmarkExperiment
	if err := server.client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "sizes"}, &recorded); err != nil {
		t.Fatal(err)
	}
	packed, err := boundedjson.Pack(result, "result")
	if err != nil {
		t.Fatal(err)
	}
	at := recorded.Status.Result
	stored := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: inNamespace, Name: at.ConfigMapName}, BinaryData: map[string][]byte{at.Key: packed}}
	if err := server.client.Create(t.Context(), stored); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		done <- wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
			var e v1alpha1.BenchmarkExperiment
			if err := server.client.Get(ctx, client.ObjectKey{Namespace: inNamespace, Name: "sizes"}, &e); err != nil {
				return false, client.IgnoreNotFound(err)
			}
			e.Status = recorded.Status
			e.Status.ObservedGeneration = e.Generation
			return true, server.client.Status().Update(ctx, &e)
		})
	}()
	t.Cleanup(func() {
		if err := <-done; err != nil {
			t.Errorf("complete the experiment: %v", err)
		}
	})
}
