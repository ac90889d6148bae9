package controllers_test

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/controllers"
	"github.com/benchnet/benchnet/internal/naming"
)

// newNetworkInQuota returns an environment with the ready network a, which Kueue has admitted.
func newNetworkInQuota(t *testing.T) *testEnv {
	t.Helper()
	w := newTestEnvWithKueue(t)
	w.createSmallNetwork("a", withQueueLabel("a", "ours")...)
	w.reconcileNetwork("a")
	w.admitWithKueue("a")
	w.reconcileNetwork("a")
	w.bringUp("a")
	return w
}

// setQueueLabel sets the queue label of a network; null removes it.
func (w *testEnv) setQueueLabel(network, queue string) {
	w.t.Helper()
	must(w.t, w.client.Patch(w.ctx, w.getNetwork(network), client.RawPatch("application/merge-patch+json",
		[]byte(`{"metadata": {"labels": {"kueue.x-k8s.io/queue-name": `+queue+`}}}`))))
}

// deleteNetworkInBackground deletes a network and, as the garbage collector does, its Workload and what has pods.
func (w *testEnv) deleteNetworkInBackground(name string) {
	w.t.Helper()
	must(w.t, w.client.Delete(w.ctx, w.getNetwork(name)))
	for _, kind := range []client.Object{&kueue.Workload{}, &appsv1.StatefulSet{}, &batchv1.Job{}} {
		must(w.t, w.client.DeleteAllOf(w.ctx, kind, client.InNamespace(w.namespace), client.PropagationPolicy("Background")))
	}
}

// TestQuotaIsHeldWhileNetworkRuns: whatever users do to the queue label, the Workload and the network, Kueue counts the
// quota until the last pod is gone.
func TestQuotaIsHeldWhileNetworkRuns(t *testing.T) {
	for name, c := range map[string]struct {
		act func(*testEnv)
		// stops reports that the network stops by itself.
		stops bool
	}{
		"nothing":          {act: func(*testEnv) {}},
		"label removed":    {act: func(w *testEnv) { w.setQueueLabel("a", "null") }},
		"label changed":    {act: func(w *testEnv) { w.setQueueLabel("a", `"theirs"`) }},
		"Workload deleted": {act: func(w *testEnv) { must(w.t, w.client.Delete(w.ctx, w.getKueueWorkload("a"))) }},
		"evicted, not labelled": {stops: true, act: func(w *testEnv) {
			w.setKueueCondition("a", kueue.WorkloadEvicted, kueue.WorkloadEvictedByPreemption, "preempted")
			w.reconcileNetwork("a")
			w.setQueueLabel("a", "null")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newNetworkInQuota(t)
			c.act(w)
			for range 3 {
				w.reconcileNetwork("a")
			}
			if !c.stops && w.startedNetworks() != "a" {
				t.Error("only an eviction stops a network")
			}
			if !c.stops {
				w.deleteNetworkInBackground("a")
				w.reconcileNetwork("a")
			}
			if !w.hasQuotaReserved("a") {
				t.Error("the quota came back while pods exist")
			}
			w.deletePods()
			w.reconcileNetwork("a")
			if !w.isGone("a-kueue", &kueue.Workload{}) {
				t.Errorf("the quota should come back now: %+v", w.getKueueWorkload("a").ObjectMeta)
			}
		})
	}
}

// TestRecreatedNetworkWaitsForQuota: a network of the same name waits for the Workload of the deleted one, with a reason.
func TestRecreatedNetworkWaitsForQuota(t *testing.T) {
	w := newNetworkInQuota(t)
	w.deleteNetworkInBackground("a")
	time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(time.Second))) // Creation times have whole seconds.
	w.createSmallNetwork("a", withQueueLabel("a", "ours")...)
	w.reconcileNetwork("a")
	if c := w.admittedCondition("a"); !strings.Contains(c.Message, "an earlier network of this name holds its quota until the deletion of pod a-member-0-0") {
		t.Errorf("Admitted should say what the network waits for: %+v", c)
	}
	w.deletePods()
	w.reconcileNetwork("a")
	w.reconcileNetwork("a")
	if ref := metav1.GetControllerOf(w.getKueueWorkload("a")); ref == nil || ref.UID != w.getNetwork("a").UID {
		t.Errorf("the network should have a Workload of its own: %+v", ref)
	}
}

// TestOnlyPlannedWorkloadAdmits has users with rights on Workloads, but not on their status, who would like a network to begin with
// less quota than it needs.
func TestOnlyPlannedWorkloadAdmits(t *testing.T) {
	edit := func(change func(*kueue.Workload)) func(*testEnv) {
		return func(w *testEnv) {
			object := w.getKueueWorkload("a")
			change(object)
			must(w.t, w.client.Update(w.ctx, object))
		}
	}
	cheap := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1m")}
	forge := func(owned, labelled bool) func(*testEnv) {
		return func(w *testEnv) {
			network := w.getNetwork("a")
			object := w.getKueueWorkload("a")
			must(w.t, w.client.Delete(w.ctx, object.DeepCopy()))
			object.ObjectMeta = w.objectMeta("a-kueue")
			if labelled {
				object.Labels = naming.NetworkSelector("a")
			}
			if owned {
				object.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(network, v1alpha1.GroupVersion.WithKind("BenchmarkNetwork"))}
			}
			object.Spec.PodSets = object.Spec.PodSets[:1]
			object.Spec.PodSets[0].Template.Spec.Containers[0].Resources.Requests = cheap
			must(w.t, w.client.Create(w.ctx, object))
		}
	}
	for name, c := range map[string]struct {
		act func(*testEnv)
		// refused is in the message if the network is stalled; otherwise the Workload is replaced.
		refused string
	}{
		"created without owner":           {act: forge(false, true), refused: "Workload a-kueue already exists and was not created by the operator"},
		"created without owner and label": {act: forge(false, false), refused: "Workload a-kueue already exists and was not created by the operator"},
		"created with forged owner":       {act: forge(true, true)},
		"requests edited": {act: edit(func(o *kueue.Workload) {
			o.Spec.PodSets[0].Template.Spec.Containers[0].Resources.Requests = cheap
		})},
		"fewer pods suffice": {act: edit(func(o *kueue.Workload) { o.Spec.PodSets[0].MinCount = new(int32(1)) })},
		"queue edited":       {act: edit(func(o *kueue.Workload) { o.Spec.QueueName = "cheap" })},
		"queue label changed after the reservation": {act: func(w *testEnv) {
			w.setKueueCondition("a", kueue.WorkloadQuotaReserved, "QuotaReserved", "in ClusterQueue all")
			w.setQueueLabel("a", `"theirs"`)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newTestEnvWithKueue(t)
			w.createSmallNetwork("a", withQueueLabel("a", "ours")...)
			w.reconcileNetwork("a")
			planned := w.getKueueWorkload("a").Spec.PodSets
			c.act(w)
			w.admitWithKueue("a")
			for range 3 {
				_, _ = w.networkReconciler().Reconcile(w.ctx, w.requestFor("a"))
			}
			admitted := w.admittedCondition("a")
			if admitted.Status == metav1.ConditionTrue || w.startedNetworks() != "" {
				t.Fatalf("the network began: %+v", admitted)
			}
			if c.refused != "" {
				if !strings.Contains(admitted.Message, c.refused) {
					t.Errorf("Admitted should name the Workload: %+v", admitted)
				}
				return
			}
			replaced := w.getKueueWorkload("a")
			if !equality.Semantic.DeepEqual(replaced.Spec.PodSets, planned) || string(replaced.Spec.QueueName) != w.getNetwork("a").Labels["kueue.x-k8s.io/queue-name"] {
				t.Errorf("the Workload requests %+v, want %+v", replaced.Spec, planned)
			}
			w.admitWithKueue("a")
			w.reconcileTwice("a")
			if got := w.startedNetworks(); got != "a" {
				t.Errorf("the planned Workload should admit the network: %+v", w.admittedCondition("a"))
			}
		})
	}
}

// TestForeignWorkloadDoesNotStopNetwork: a network that began within the limits goes on, whoever has the name of its Workload.
func TestForeignWorkloadDoesNotStopNetwork(t *testing.T) {
	w := newTestEnvWithKueue(t)
	w.createSmallNetwork("a")
	w.reconcileTwice("a")
	must(t, w.client.Create(w.ctx, &kueue.Workload{ObjectMeta: w.objectMeta("a-kueue"), Spec: kueue.WorkloadSpec{PodSets: []kueue.PodSet{{Name: "x", Count: 1,
		Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c"}}}}}}}}))
	w.setQueueLabel("a", `"ours"`)
	w.bringUp("a")
	if c := w.admittedCondition("a"); c.Status != metav1.ConditionTrue || w.getNetwork("a").Status.Phase != v1alpha1.PhaseReady {
		t.Errorf("the network should be ready: %s, %+v", w.getNetwork("a").Status.Phase, c)
	}
}

// TestQueueLabelFreesNoPlace: a network counts where it was admitted. Otherwise, a label with the name of any queue would free a
// place of the limit while the network runs.
func TestQueueLabelFreesNoPlace(t *testing.T) {
	w := newTestEnvWithKueue(t)
	w.setLimits(controllers.Limits{MaxNetworks: 1})
	w.createSmallNetwork("a")
	w.reconcileTwice("a")
	w.setQueueLabel("a", `"nowhere"`)
	w.createSmallNetwork("b")
	w.reconcileTwice("a", "b")
	if got := w.startedNetworks(); got != "a" {
		t.Errorf("%q started, but there is one place", got)
	}
	w.createSmallNetwork("c", withQueueLabel("c", "ours")...)
	w.reconcileNetwork("c")
	w.admitWithKueue("c")
	w.reconcileTwice("c")
	w.setQueueLabel("c", "null")
	must(t, w.client.Delete(w.ctx, w.getNetwork("a")))
	w.reconcileTwice("c", "b")
	if c := w.admittedCondition("b"); c.Status != metav1.ConditionTrue {
		t.Errorf("a network in Kueue's quota should take no place of the limit: %+v", c)
	}
}

// TestEvictionEndsRun: an eviction waits for the load workers, which wait for members that are gone. So the run ends, whether it was
// released or not, and even if it notices the eviction when the network is admitted again.
func TestEvictionEndsRun(t *testing.T) {
	setAdmitted := func(w *testEnv, status metav1.ConditionStatus, reason string) {
		w.t.Helper()
		network := w.getNetwork("banks")
		before := network.DeepCopy()
		meta.SetStatusCondition(&network.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionAdmitted, Status: status, Reason: reason})
		must(w.t, w.client.Status().Patch(w.ctx, network, client.MergeFrom(before)))
	}
	for name, released := range map[string]bool{"before the release": false, "under load": true} {
		t.Run(name, func(t *testing.T) {
			w := newTestEnvWithReadyRun(t)
			if released {
				w.reconcileRun("extra")
			}
			setAdmitted(w, metav1.ConditionFalse, v1alpha1.ReasonEvicted)
			w.reconcileRun("extra")
			w.wantReason("extra", v1alpha1.ReasonWaitingForNetwork, "Kueue evicted BenchmarkNetwork banks during the run: its workers are being stopped")
			job := &batchv1.Job{}
			w.mustGet("extra", job)
			if job.Spec.Suspend == nil || !*job.Spec.Suspend || (w.getRun("extra").Status.Release != nil) != released {
				t.Fatalf("the Job of the workers should be suspended, and nothing released again: %+v", w.getRun("extra").Status)
			}
			before := job.DeepCopy()
			job.Status.Conditions = append(job.Status.Conditions, batchv1.JobCondition{Type: batchv1.JobSuspended, Status: corev1.ConditionTrue})
			must(t, w.client.Status().Patch(w.ctx, job, client.MergeFrom(before)))
			w.reconcileRun("extra")
			if w.getRun("extra").IsComplete() {
				t.Error("the run must not end while workers exist")
			}
			w.deletePods()
			setAdmitted(w, metav1.ConditionTrue, v1alpha1.ReasonAdmittedByKueue)
			w.reconcileRun("extra")
			w.wantReason("extra", v1alpha1.ReasonRunFailed, "Kueue evicted BenchmarkNetwork banks during the run")
		})
	}
}
