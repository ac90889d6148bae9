package controllers_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/controllers"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

const gridExperiment = `
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkExperiment
metadata: {name: grid}
spec:
  repetitions: 2
  template:
    network:
      platform: {type: Malachite, malachite: {blockSize: 1Ki}}
      members: {count: 4, cores: 200m, memory: 200Mi, storage: {type: Ephemeral}}
    workload:
      name: blocks
      type: Blocks
      blocks: {}
      measure: {warmUp: 1s, window: 10s}
  axes:
  - {name: block, field: network.platform.malachite.blockSize, values: [1Ki, 2Ki]}
`

// newTestEnvWithExperiment returns an environment with a node that has capacity, and one experiment.
func newTestEnvWithExperiment(t *testing.T, text string) *testEnv {
	t.Helper()
	w := newTestEnv(t)
	w.createNode("laboratory", "64", "256Gi")
	must(t, w.createFromYAML(text, &v1alpha1.BenchmarkExperiment{}))
	return w
}

// createNode creates a node; all tests share the nodes.
func (w *testEnv) createNode(name, cores, memory string) {
	w.t.Helper()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}}}
	if err := w.client.Create(w.ctx, node); err != nil && !apierrors.IsAlreadyExists(err) {
		w.t.Fatal(err)
	}
	// A new node has a taint until its kubelet reports; this one has no kubelet.
	must(w.t, w.client.Patch(w.ctx, node, client.RawPatch(types.MergePatchType, []byte(`{"spec": {"taints": null}}`))))
	node.Status.Allocatable = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cores), corev1.ResourceMemory: resource.MustParse(memory),
		corev1.ResourcePods: resource.MustParse("500")}
	must(w.t, w.client.Status().Patch(w.ctx, node, client.MergeFrom(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}})))
}

func (w *testEnv) experimentReconciler() *controllers.ExperimentReconciler {
	w.awaitWrites()
	return &controllers.ExperimentReconciler{Dependencies: w.newDependencies()}
}

func (w *testEnv) getExperiment(name string) *v1alpha1.BenchmarkExperiment {
	w.t.Helper()
	e := &v1alpha1.BenchmarkExperiment{}
	w.mustGet(name, e)
	return e
}

// reconcileUntilComplete makes passes, each by a restarted operator, until the experiment is complete.
// Meanwhile runs end and deleted networks are removed.
func (w *testEnv) reconcileUntilComplete(name string) *v1alpha1.BenchmarkExperiment {
	w.t.Helper()
	for range 200 {
		_, err := w.experimentReconciler().Reconcile(w.ctx, w.requestFor(name))
		if err != nil && !errors.Is(err, errDied) {
			w.t.Fatal(err)
		}
		e := w.getExperiment(name)
		if meta.IsStatusConditionTrue(e.Status.Conditions, v1alpha1.ConditionComplete) {
			return e
		}
		w.completeAllRuns(100)
		w.finalizeNetworks()
	}
	w.t.Fatal("the experiment does not end")
	return nil
}

func (w *testEnv) listRuns() []v1alpha1.BenchmarkRun {
	w.t.Helper()
	var runs v1alpha1.BenchmarkRunList
	must(w.t, w.client.List(w.ctx, &runs, client.InNamespace(w.namespace)))
	return runs.Items
}

// completeAllRuns simulates the run controller: every unfinished run gets a result of that many operations.
func (w *testEnv) completeAllRuns(completed int) {
	w.t.Helper()
	runs := w.listRuns()
	for i := range runs {
		run := &runs[i]
		if run.Status.Verdict != "" {
			continue
		}
		result := &document.RunResult{APIVersion: document.APIVersion, Kind: document.Kind, SchemaVersion: document.SchemaVersion,
			Run: document.RunIdentity{Name: run.Name}, Verdict: verdict.Verdict{},
			Summary: measurement.Summary{ThroughputPerSecond: float64(completed) / 10, Completed: int64(completed), Requests: int64(completed), Unit: "blocks"}}
		result.Times.Start, result.Times.End = w.now, w.now
		packed, err := document.EncodeRunResult(result)
		must(w.t, err)
		must(w.t, w.client.Create(w.ctx, &corev1.ConfigMap{ObjectMeta: w.objectMeta(naming.ResultConfigMap(run.Name)), BinaryData: map[string][]byte{protocol.ResultKey: packed}}))
		before := run.DeepCopy()
		run.Status.Verdict, run.Status.Release = v1alpha1.VerdictValid, w.newRelease(run)
		run.Status.Result = &v1alpha1.ResultReference{ConfigMapName: naming.ResultConfigMap(run.Name), Key: protocol.ResultKey, Digest: document.Digest(packed)}
		meta.SetStatusCondition(&run.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue, Reason: "ResultWritten"})
		must(w.t, w.client.Status().Patch(w.ctx, run, client.MergeFrom(before)))
	}
}

func (w *testEnv) listNetworks() []v1alpha1.BenchmarkNetwork {
	w.t.Helper()
	var networks v1alpha1.BenchmarkNetworkList
	must(w.t, w.client.List(w.ctx, &networks, client.InNamespace(w.namespace)))
	return networks.Items
}

// finalizeNetworks simulates the garbage collector after the dependents of a network are deleted.
func (w *testEnv) finalizeNetworks() {
	w.t.Helper()
	networks := w.listNetworks()
	for i := range networks {
		if n := &networks[i]; n.DeletionTimestamp != nil {
			n.Finalizers = nil
			must(w.t, w.client.Update(w.ctx, n))
		}
	}
}

func (w *testEnv) joinedRunNames() string {
	w.t.Helper()
	var all []string
	runs := w.listRuns()
	for i := range runs {
		all = append(all, runs[i].Name)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func (w *testEnv) experimentResult(e *v1alpha1.BenchmarkExperiment) *experiment.Result {
	w.t.Helper()
	cm := &corev1.ConfigMap{}
	w.mustGet(e.Status.Result.ConfigMapName, cm)
	result, err := experiment.Decode(cm.BinaryData[e.Status.Result.Key])
	must(w.t, err)
	return result
}

func TestExperimentPlanPrecedesNetworks(t *testing.T) {
	w := newTestEnvWithExperiment(t, gridExperiment)
	if len(w.listNetworks()) != 0 {
		t.Fatal("the preflight creates networks")
	}
	_, err := w.experimentReconciler().Reconcile(w.ctx, w.requestFor("grid"))
	must(t, err)
	p := w.getExperiment("grid").Status.Plan
	if p == nil || p.Networks != 2 || p.NetworksAtOnce != 1 || p.Runs != 4 || p.Pods != 5 || p.Cores.String() == "0" || p.Duration.Seconds() < 4*11 {
		t.Errorf("the plan is %+v, want two networks of four members with a worker, one at a time, and four runs", p)
	}
}

// TestExperimentLargerThanCluster: capacity is only forecast. An experiment begins on nodes that are too small, since others
// may be added, and says what its pods lack.
func TestExperimentLargerThanCluster(t *testing.T) {
	w := newTestEnvWithExperiment(t, strings.Replace(gridExperiment, "cores: 200m", `cores: "70"`, 1))
	reconciler, recorder := w.experimentReconciler(), events.NewFakeRecorder(10)
	reconciler.Recorder = recorder
	_, err := reconciler.Reconcile(w.ctx, w.requestFor("grid"))
	must(t, err)
	e := w.getExperiment("grid")
	c := meta.FindStatusCondition(e.Status.Conditions, v1alpha1.ConditionFits)
	if c == nil || c.Status != metav1.ConditionFalse || c.Reason != v1alpha1.ReasonClusterTooSmall || !strings.Contains(c.Message, "no node has the 70") {
		t.Errorf("Fits should forecast that no node has 70 cores, but is %+v", c)
	}
	if !meta.IsStatusConditionTrue(e.Status.Conditions, v1alpha1.ConditionAccepted) || e.Status.Phase == v1alpha1.PhaseFailed || len(w.listNetworks()) != 1 {
		t.Errorf("the experiment should begin nevertheless, but has %d networks and the status %+v", len(w.listNetworks()), e.Status)
	}
	select {
	case event := <-recorder.Events:
		if !strings.HasPrefix(event, "Warning ClusterTooSmall") {
			t.Errorf("the first event should be a warning of the forecast, but is %q", event)
		}
	default:
		t.Error("no event reports the forecast")
	}
	if w.reconcileUntilComplete("grid").Status.Phase != v1alpha1.PhaseComplete {
		t.Error("the experiment should complete when its runs have ended")
	}
}

func TestExperimentOfTwoNetworks(t *testing.T) {
	w := newTestEnvWithExperiment(t, gridExperiment)
	e := w.reconcileUntilComplete("grid")
	if got := w.joinedRunNames(); got != "grid-p01-r1 grid-p01-r2 grid-p02-r1 grid-p02-r2" {
		t.Errorf("runs are %s", got)
	}
	s := e.Status
	if s.Display.Runs != "4/4" || s.RunsEnded != 4 || s.PointsDone != 2 || s.PointsTotal != 2 || s.Points[1].Parameters["block"] != "2Ki" || *s.Points[1].ThroughputMilliPerSecond != 10_000 {
		t.Errorf("status is %+v", s)
	}
	result := w.experimentResult(e)
	if len(result.Runs) != 4 || result.Points[0].Valid != 2 || result.Points[0].Metrics["Throughput"].Mean != 10 {
		t.Errorf("the result is %+v", result)
	}
	for _, n := range w.listNetworks() {
		if n.DeletionTimestamp == nil {
			t.Errorf("network %s still exists", n.Name)
		}
	}
	w.writeCount.Store(0)
	_, err := w.experimentReconciler().Reconcile(w.ctx, w.requestFor("grid"))
	must(t, err)
	if n := w.writeCount.Load(); n != 0 {
		t.Errorf("a complete experiment causes %d writes", n)
	}
	must(t, w.client.Patch(w.ctx, e, client.RawPatch(types.MergePatchType, []byte(`{"spec": {"ttlSecondsAfterFinished": 3600}}`))))
	_, err = w.experimentReconciler().Reconcile(w.ctx, w.requestFor("grid"))
	must(t, err)
	if e = w.getExperiment("grid"); e.Status.ObservedGeneration != e.Generation || e.Status.Conditions[0].ObservedGeneration != e.Generation {
		t.Errorf("a complete experiment should acknowledge its generation %d: %+v", e.Generation, e.Status)
	}
}

// TestExperimentSizesVolumes checks that a network of an experiment has volumes for all planned runs.
func TestExperimentSizesVolumes(t *testing.T) {
	w := newTestEnvWithExperiment(t, `
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkExperiment
metadata: {name: grid}
spec:
  repetitions: 4
  template:
    network:
      platform: {type: Corda, corda: {}}
      members: {count: 2, reservation: Minimal}
    workload:
      name: issue
      type: Corda
      corda: {finance: {operation: Issue}}
      load: {model: Open, ratePerSecond: "10", clients: 50}
      measure: {warmUp: 1s, window: 4999s}
`)
	for range 2 {
		w.reconcileExperiment("grid")
	}
	networks := w.listNetworks()
	if len(networks) != 1 {
		t.Fatalf("there are %d networks, want 1", len(networks))
	}
	w.reconcileNetwork(networks[0].Name)
	settings := w.getNetwork(networks[0].Name).Status.Settings
	// Four runs of 50,000 issues of 100 KB, and 2Gi for logs.
	if !slices.ContainsFunc(settings, func(s v1alpha1.DerivedSetting) bool { return s.Name == "memberStorage" && s.Value == "21Gi" }) {
		t.Errorf("a member should have 21Gi: %+v", settings)
	}
}

func TestExperimentWaitsWithoutWriting(t *testing.T) {
	w := newTestEnvWithExperiment(t, gridExperiment)
	for range 3 {
		w.writeCount.Store(0)
		_, err := w.experimentReconciler().Reconcile(w.ctx, w.requestFor("grid"))
		must(t, err)
	}
	if n := w.writeCount.Load(); n != 0 {
		t.Errorf("a pass without changes causes %d writes", n)
	}
}

// TestExperimentSurvivesDeath makes the operator crash before each of its writes in turn.
func TestExperimentSurvivesDeath(t *testing.T) {
	for at := int64(1); ; at++ {
		w := newTestEnvWithExperiment(t, strings.Replace(gridExperiment, "[1Ki, 2Ki]", "[1Ki]", 1))
		w.failAtWrite = at
		e := w.reconcileUntilComplete("grid")
		if got := w.joinedRunNames(); got != "grid-p01-r1 grid-p01-r2" || len(w.experimentResult(e).Runs) != 2 {
			t.Fatalf("after a crash before write %d there are runs %s", at, got)
		}
		if w.writeCount.Load() < at {
			t.Logf("the whole experiment needs %d writes", at-1)
			return
		}
	}
}

func TestRunNameConflict(t *testing.T) {
	w := newTestEnv(t)
	w.createNode("laboratory", "64", "256Gi")
	must(t, w.createFromYAML(`{apiVersion: benchnet.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: grid-p01-r1}, spec: {networkName: other, workload: {name: b, type: Blocks, blocks: {}}}}`, &v1alpha1.BenchmarkRun{}))
	must(t, w.client.Create(w.ctx, &corev1.ConfigMap{ObjectMeta: w.objectMeta("owner")}))
	owner := &corev1.ConfigMap{}
	w.mustGet("owner", owner)
	run := w.getRun("grid-p01-r1")
	before := run.DeepCopy()
	run.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(owner, corev1.SchemeGroupVersion.WithKind("ConfigMap"))}
	must(t, w.client.Patch(w.ctx, run, client.MergeFrom(before)))
	must(t, w.createFromYAML(gridExperiment, &v1alpha1.BenchmarkExperiment{}))
	_, err := w.experimentReconciler().Reconcile(w.ctx, w.requestFor("grid"))
	if err == nil {
		t.Fatal("the run of another owner is adopted")
	}
	c := meta.FindStatusCondition(w.getExperiment("grid").Status.Conditions, v1alpha1.ConditionReady)
	if c.Reason != v1alpha1.ReasonProblem || !strings.Contains(c.Message, "grid-p01-r1") {
		t.Errorf("the condition is %+v, want the conflicting name", c)
	}
	if got := w.getRun("grid-p01-r1").Spec.NetworkName; got != "other" {
		t.Errorf("the run of another owner was changed: it is on %s", got)
	}
}
