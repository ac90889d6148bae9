package controllers_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// TestPause pauses and resumes networks.
func TestPause(t *testing.T) {
	t.Run("when finished", testPauseWhenFinished)
	t.Run("during a run", testPauseDuringRun)
	t.Run("during provisioning", testPauseDuringProvisioning)
}

func testPauseWhenFinished(t *testing.T) {
	w := newTestEnvWithUsedNetwork(t)
	w.patchNetworkSpec(`{"pause": "WhenFinished"}`)
	w.reconcileNetwork("banks")
	w.wantMembers("/0")
	w.reconcileNetwork("banks")
	if c := w.networkReady(); c.Reason != v1alpha1.ReasonPaused || !strings.Contains(c.Message, "have not stopped yet") {
		t.Errorf("Ready should name the members that have not stopped, but is %+v", c)
	}
	w.wantPaused("another run or workload resumes them")
	server := &appsv1.StatefulSet{}
	if w.mustGet("banks-db", server); *server.Spec.Replicas != 1 {
		t.Error("the database should go on running")
	}
	must(t, w.client.Delete(w.ctx, &corev1.ConfigMap{ObjectMeta: w.objectMeta("banks-epoch")}))
	w.reconcileNetwork("banks")
	w.wantMembers("/0")
	w.wantNoWrites()

	w.createRunWithReset("later", "Keep")
	w.reconcileRun("later")
	w.wantReason("later", v1alpha1.ReasonWaitingForNetwork, "the members are paused")
	w.reconcileNetwork("banks")
	w.wantMembers("/1")
	if n := w.getNetwork("banks"); n.Status.Phase != v1alpha1.PhaseProvisioning || n.Status.Epoch.Turn != "" {
		t.Errorf("the members should start before the run, but the phase is %s and the turn is of %q", n.Status.Phase, n.Status.Epoch.Turn)
	}
	w.reconcileRun("later")
	w.wantReason("later", v1alpha1.ReasonWaitingForNetwork, "stage Members")
	w.markStatefulSetsReady()
	w.reconcileNetwork("banks")
	w.reconcileRun("later")
	w.mustGet("later", &batchv1.Job{})
	w.markRunComplete("later")
	w.reconcileNetwork("banks")
	w.wantMembers("/0")
	w.wantPaused("another run or workload resumes them")

	w.patchNetworkSpec(`{"workloads": [` + platformWorkloads["Corda"][0] + `]}`)
	w.reconcileNetwork("banks")
	w.wantMembers("/1")
	if runs := w.runNames(); slices.Contains(runs, "banks-first") {
		t.Errorf("the run of the workload should follow when the members are ready, but there are %v", runs)
	}
	w.markStatefulSetsReady()
	w.reconcileNetwork("banks")
	w.getRun("banks-first")
}

func testPauseDuringRun(t *testing.T) {
	w := newTestEnvWithRun(t, twoWorkerRun)
	w.reconcileRun("extra")
	w.mustGet("extra", &batchv1.Job{})
	w.patchNetworkSpec(`{"pause": "Now"}`)
	must(t, w.createFromYAML(strings.NewReplacer("name: extra}", "name: later}", "spec:", "spec:\n  startTimeout: 1m").Replace(twoWorkerRun), &v1alpha1.BenchmarkRun{}))
	w.reconcileNetwork("banks")
	w.wantMembers("/1")
	if c := w.networkReady(); c.Status != metav1.ConditionTrue || !strings.Contains(c.Message, "spec.pause Now waits for BenchmarkRun extra to end") {
		t.Errorf("the run should go on, but: %+v", c)
	}
	w.reconcileRun("later")
	w.wantReason("later", v1alpha1.ReasonPaused, "spec.pause of BenchmarkNetwork banks is Now")
	w.markRunComplete("extra")
	w.reconcileNetwork("banks")
	w.wantMembers("/0")
	w.wantPaused("set it to Never")

	w.annotateReset("1")
	w.reconcileThroughReset()
	w.reconcileThroughReset()
	epoch := w.getNetwork("banks").Status.Epoch.ID
	if w.wantMembers(epoch + "/0"); epoch == "" {
		t.Error("the paused network should be reset")
	}
	w.wantPaused("set it to Never")

	w.now = w.now.Add(time.Hour)
	w.reconcileRun("later")
	w.wantReason("later", v1alpha1.ReasonPaused, "spec.pause of BenchmarkNetwork banks is Now")
	w.patchNetworkSpec(`{"pause": "Never"}`)
	w.reconcileNetwork("banks")
	w.wantMembers(epoch + "/1")
	w.reconcileRun("later")
	w.wantReason("later", v1alpha1.ReasonWaitingForNetwork, "stage Members")
	w.markStatefulSetsReady()
	w.reconcileNetwork("banks")
	w.reconcileRun("later")
	w.mustGet("later", &batchv1.Job{})
}

func testPauseDuringProvisioning(t *testing.T) {
	w := newTestEnv(t)
	must(t, w.createFromYAML(strings.Replace(cordaNetwork, "spec:", "spec:\n  pause: Now", 1), &v1alpha1.BenchmarkNetwork{}))
	w.bringUp("banks")
	w.wantMembers("/0")
	w.wantPaused("set it to Never")
	if runs := w.runNames(); len(runs) > 0 {
		t.Errorf("a paused network should start no runs, but there are %v", runs)
	}
	w.patchNetworkSpec(`{"pause": null}`)
	w.reconcileNetwork("banks")
	w.markStatefulSetsReady()
	w.reconcileNetwork("banks")
	w.getRun("banks-issue")
}

// patchNetworkSpec changes the spec of the network banks by a JSON merge patch.
func (w *testEnv) patchNetworkSpec(patch string) {
	w.t.Helper()
	must(w.t, w.client.Patch(w.ctx, w.getNetwork("banks"), mergePatch(`{"spec": `+patch+`}`)))
}

// wantMembers checks that all three members have that epoch/replicas.
func (w *testEnv) wantMembers(want string) {
	w.t.Helper()
	if got := w.memberSets(); !slices.Equal(got, []string{want, want, want}) {
		w.t.Fatalf("the members should be %s, but are %v", want, got)
	}
}

// wantPaused stops the pods of the paused network and checks its status, which must contain the message.
func (w *testEnv) wantPaused(message string) {
	w.t.Helper()
	w.stopPods()
	w.reconcileNetwork("banks")
	n := w.getNetwork("banks")
	c := meta.FindStatusCondition(n.Status.Conditions, v1alpha1.ConditionReady)
	if c.Reason != v1alpha1.ReasonPaused || !strings.Contains(c.Message, message) || strings.Contains(c.Message, "stage") || n.Status.Phase != v1alpha1.PhasePaused {
		w.t.Errorf("the network should be paused, but is %s: %+v", n.Status.Phase, c)
	}
	if n.Status.Display.Members != "0/3" || meta.FindStatusCondition(n.Status.Conditions, v1alpha1.ConditionReconciling) != nil {
		w.t.Errorf("the members should have stopped, but: %+v", n.Status)
	}
	w.wantNoWrites()
}
