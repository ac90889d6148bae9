package controllers_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/controllers"
	"github.com/benchnet/benchnet/internal/naming"
)

// newTestEnvWithKueue returns an environment whose API server has Kueue's CRDs, from the module whose types the
// operator uses.
func newTestEnvWithKueue(t *testing.T) *testEnv {
	t.Helper()
	w := newTestEnv(t)
	directory, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/kueue").Output()
	must(t, err)
	_, err = envtest.InstallCRDs(config, envtest.CRDInstallOptions{ErrorIfPathMissing: true,
		Paths: []string{filepath.Join(strings.TrimSpace(string(directory)), "config", "components", "crd", "bases")}})
	must(t, err)
	kube, err := discovery.NewDiscoveryClientForConfig(config)
	must(t, err)
	w.kueueMode, err = controllers.DetectKueue(controllers.KueueHonor, kube)
	must(t, err)
	if w.kueueMode != controllers.KueueHonor {
		t.Fatalf("Kueue should be found once it is installed, but it is %s", w.kueueMode)
	}
	w.useConnection(sharedConnection(t, w.client, w.kueueMode))
	return w
}

// withQueueLabel returns replacements that add the label of a LocalQueue to the small network.
func withQueueLabel(name, queueName string) []string {
	return []string{"metadata: {name: " + name + "}", "metadata: {name: " + name + ", labels: {kueue.x-k8s.io/queue-name: " + queueName + "}}"}
}

// getKueueWorkload returns the Workload of a network, or else of an experiment.
func (w *testEnv) getKueueWorkload(owner string) *kueue.Workload {
	w.t.Helper()
	object := &kueue.Workload{}
	if w.isGone(naming.KueueWorkload(owner), object) {
		w.mustGet(naming.ExperimentKueueWorkload(owner), object)
	}
	return object
}

// setKueueCondition sets a condition of a network's Workload, as Kueue does.
func (w *testEnv) setKueueCondition(network, condition, reason, message string) {
	w.t.Helper()
	object := w.getKueueWorkload(network)
	meta.SetStatusCondition(&object.Status.Conditions, metav1.Condition{Type: condition, Status: metav1.ConditionTrue, Reason: reason, Message: message})
	must(w.t, w.client.Status().Update(w.ctx, object))
}

func TestKueueIgnored(t *testing.T) {
	w := newTestEnvWithKueue(t)
	w.kueueMode = controllers.KueueIgnore
	w.createSmallNetwork("a", withQueueLabel("a", "ours")...)
	w.reconcileNetwork("a")
	w.reconcileNetwork("a")
	if w.startedNetworks() != "a" {
		t.Error("the label should have no effect when Kueue is ignored")
	}
	if err := w.client.Get(w.ctx, client.ObjectKey{Namespace: w.namespace, Name: "a-kueue"}, &kueue.Workload{}); client.IgnoreNotFound(err) != nil || err == nil {
		t.Errorf("there should be no Workload: %v", err)
	}
}

func TestKueueAdmission(t *testing.T) {
	w := newTestEnvWithKueue(t)
	w.setLimits(controllers.Limits{MaxNetworks: 1})
	w.createSmallNetwork("a", withQueueLabel("a", "ours")...)
	w.createSmallNetwork("b")
	w.reconcileTwice("a", "b")
	w.reconcileTwice("a", "b")
	if got := w.startedNetworks(); got != "b" {
		t.Fatalf("networks that Kueue admits should not count towards the operator's limit and start when Kueue admits them; but %q started", got)
	}
	requested := w.getKueueWorkload("a")
	if ref := metav1.GetControllerOf(requested); requested.Spec.QueueName != "ours" || ref == nil || ref.UID != w.getNetwork("a").UID {
		t.Errorf("the Workload should have the network's queue and owner: %s, %+v", requested.Spec.QueueName, ref)
	}
	if c := w.admittedCondition("a"); c.Reason != v1alpha1.ReasonQueued || !strings.Contains(c.Message, "waiting for Kueue") {
		t.Errorf("Admitted should report that Kueue decides: %+v", c)
	}
	must(t, w.client.Patch(w.ctx, w.getNetwork("a"), client.RawPatch("application/merge-patch+json",
		[]byte(`{"metadata": {"labels": {"kueue.x-k8s.io/queue-name": "theirs", "kueue.x-k8s.io/priority-class": "`+w.namespace+`"}}}`))))
	_, _ = w.networkReconciler().Reconcile(w.ctx, w.requestFor("a"))
	if c := w.admittedCondition("a"); !strings.Contains(c.Message, `label kueue.x-k8s.io/priority-class: workloadpriorityclasses.kueue.x-k8s.io "`+w.namespace+`" not found`) {
		t.Errorf("Admitted should name the missing class: %+v", c)
	}
	must(t, w.client.Create(w.ctx, &kueue.WorkloadPriorityClass{ObjectMeta: metav1.ObjectMeta{Name: w.namespace}, Value: 5}))
	w.reconcileNetwork("a")
	if requested = w.getKueueWorkload("a"); requested.Spec.QueueName != "theirs" || *requested.Spec.Priority != 5 {
		t.Errorf("a waiting network may change the queue and the priority: %s, %d", requested.Spec.QueueName, *requested.Spec.Priority)
	}
	w.setKueueCondition("a", kueue.WorkloadQuotaReserved, "QuotaReserved", "in ClusterQueue all")
	w.reconcileNetwork("a")
	if w.startedNetworks() != "b" {
		t.Error("a reservation is not an admission")
	}
	w.setKueueCondition("a", kueue.WorkloadAdmitted, "Admitted", "admitted")
	w.reconcileNetwork("a")
	w.reconcileNetwork("a")
	if c := w.admittedCondition("a"); c.Status != metav1.ConditionTrue || !strings.Contains(c.Message, "in ClusterQueue all") || w.startedNetworks() != "a b" {
		t.Fatalf("the network should start: %+v", c)
	}
	w.reconcileNetwork("a") // It records the Secrets that the pass before created.
	writes := w.writeCount.Load()
	w.reconcileNetwork("a")
	if w.writeCount.Load() != writes {
		t.Error("an unchanged network must cause no write")
	}
}

func TestKueueEviction(t *testing.T) {
	w := newTestEnvWithKueue(t)
	w.createSmallNetwork("a", append(withQueueLabel("a", "ours"), "spec:", "spec:\n  workloads: [{name: load, type: Blocks, blocks: {observe: member-0}, measure: {warmUp: 1s, window: 10s}}]")...)
	w.reconcileNetwork("a")
	w.setKueueCondition("a", kueue.WorkloadQuotaReserved, "QuotaReserved", "in ClusterQueue all")
	w.setKueueCondition("a", kueue.WorkloadAdmitted, "Admitted", "admitted")
	w.reconcileNetwork("a")
	w.bringUp("a")
	w.reconcileNetwork("a")
	if !meta.IsStatusConditionTrue(w.getKueueWorkload("a").Status.Conditions, kueue.WorkloadPodsReady) {
		t.Errorf("the Workload should report that the network is ready: %+v", w.getKueueWorkload("a").Status.Conditions)
	}
	run := w.getRun("a-load")
	w.setKueueCondition("a", kueue.WorkloadEvicted, kueue.WorkloadEvictedByPreemption, "a network with a higher priority arrived")
	w.reconcileNetwork("a")
	c := w.admittedCondition("a")
	if c.Status != metav1.ConditionFalse || c.Reason != v1alpha1.ReasonEvicted || !strings.Contains(c.Message, "a network with a higher priority") {
		t.Errorf("the network should report the eviction's reason: %+v", c)
	}
	w.reconcileNetwork("a")
	if phase := w.getNetwork("a").Status.Phase; phase != "Queued" {
		t.Errorf("the network should wait: %s", phase)
	}
	for range 2 {
		w.reconcileNetwork("a")
	}
	for _, name := range w.listObjectNames() {
		if !strings.Contains(name, "Run ") {
			t.Errorf("only runs of the evicted network should remain, but there is %s", name)
		}
	}
	if w.getRun("a-load").UID != run.UID {
		t.Error("runs should remain")
	}
	reserved := func() bool {
		return meta.IsStatusConditionTrue(w.getKueueWorkload("a").Status.Conditions, kueue.WorkloadQuotaReserved)
	}
	if c := w.admittedCondition("a"); !reserved() || !strings.Contains(c.Message, "waiting for the deletion of pod a-member-0-0") {
		t.Errorf("the quota must be held while pods exist, and the status must name one: %+v", c)
	}
	must(t, w.client.DeleteAllOf(w.ctx, &corev1.Pod{}, client.InNamespace(w.namespace), client.GracePeriodSeconds(0)))
	w.reconcileNetwork("a")
	conditions := w.getKueueWorkload("a").Status.Conditions
	if reserved() || !meta.IsStatusConditionTrue(conditions, kueue.WorkloadRequeued) {
		t.Errorf("the quota should be released and the Workload requeued: %+v", conditions)
	}
}

func TestQueueLabelRemoval(t *testing.T) {
	w := newTestEnvWithKueue(t)
	w.setLimits(controllers.Limits{MaxNetworks: 1})
	w.createSmallNetwork("a", withQueueLabel("a", "ours")...)
	w.reconcileNetwork("a")
	w.getKueueWorkload("a")
	must(t, w.client.Patch(w.ctx, w.getNetwork("a"), client.RawPatch("application/merge-patch+json", []byte(`{"metadata": {"labels": {"kueue.x-k8s.io/queue-name": null}}}`))))
	for range 3 {
		w.reconcileNetwork("a")
	}
	if err := w.client.Get(w.ctx, client.ObjectKey{Namespace: w.namespace, Name: "a-kueue"}, &kueue.Workload{}); client.IgnoreNotFound(err) != nil || err == nil || w.startedNetworks() != "a" {
		t.Errorf("the network should start within the operator's limit and without a Workload: %v", err)
	}
}
