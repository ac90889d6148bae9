package controllers_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/controllers"
	"github.com/benchnet/benchnet/internal/naming"
)

var queuedExperiment = strings.Replace(gridExperiment, "{name: grid}", "{name: grid, labels: {kueue.x-k8s.io/queue-name: ours}}", 1)

// newTestEnvWithQueuedExperiment returns an environment with the experiment grid, which waits for Kueue.
func newTestEnvWithQueuedExperiment(t *testing.T) *testEnv {
	t.Helper()
	w := newTestEnvWithKueue(t)
	w.createNode("laboratory", "64", "256Gi")
	must(t, w.createFromYAML(queuedExperiment, &v1alpha1.BenchmarkExperiment{}))
	w.reconcileExperiment("grid")
	return w
}

// newTestEnvWithAdmittedExperiment returns an environment in which Kueue has admitted grid, whose first network exists with a pod.
func newTestEnvWithAdmittedExperiment(t *testing.T) *testEnv {
	t.Helper()
	w := newTestEnvWithQueuedExperiment(t)
	w.admitWithKueue("grid")
	w.reconcileExperiment("grid")
	w.reconcileExperiment("grid")
	w.wantNetworks("grid-n1")
	w.createMemberPod("grid-n1")
	return w
}

// createMemberPod creates a pod of a network's first member.
func (w *testEnv) createMemberPod(network string) {
	w.t.Helper()
	set := metav1.OwnerReference{APIVersion: "apps/v1", Kind: "StatefulSet", Name: naming.Member(network, "member-0"), UID: "set", Controller: new(true)}
	w.createPod(naming.MemberPod(network, "member-0"), &set, naming.NetworkSelector(network), corev1.ContainerState{})
}

func (w *testEnv) wantNetworks(want string) {
	w.t.Helper()
	got := namesOf(w.listNetworks(), func(n v1alpha1.BenchmarkNetwork) string { return n.Name })
	if strings.Join(got, " ") != want {
		w.t.Fatalf("the networks are %v, want %s: %+v", got, want, w.getExperiment("grid").Status.Conditions)
	}
}

func (w *testEnv) wantExperimentAdmitted(state metav1.ConditionStatus, reason, message string) {
	w.t.Helper()
	c := meta.FindStatusCondition(w.getExperiment("grid").Status.Conditions, v1alpha1.ConditionAdmitted)
	if c == nil || c.Status != state || c.Reason != reason || !strings.Contains(c.Message, message) {
		w.t.Fatalf("Admitted is %+v, want %s, %s, %s", c, state, reason, message)
	}
}

// TestKueueAdmitsExperiment has one admission for the two networks of an experiment, which do not count towards the operator's limits.
func TestKueueAdmitsExperiment(t *testing.T) {
	w := newTestEnvWithQueuedExperiment(t)
	requested := w.getKueueWorkload("grid")
	cores := resource.Quantity{}
	for _, set := range requested.Spec.PodSets {
		for range set.Count {
			cores.Add(set.Template.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU])
		}
	}
	planned := w.getExperiment("grid").Status.Plan.Cores
	if ref := metav1.GetControllerOf(requested); ref == nil || ref.Kind != "BenchmarkExperiment" || requested.Spec.QueueName != "ours" || cores.Cmp(planned) < 0 {
		t.Errorf("the Workload requests %s of %s cores in queue %q for %+v", &cores, &planned, requested.Spec.QueueName, ref)
	}
	w.wantExperimentAdmitted(metav1.ConditionFalse, v1alpha1.ReasonQueued, "waiting for Kueue")
	w.reconcileExperiment("grid")
	writes := w.writeCount.Load()
	w.reconcileExperiment("grid")
	if e := w.getExperiment("grid"); e.Status.Phase != v1alpha1.PhaseQueued || e.Status.StartTime != nil || w.writeCount.Load() != writes {
		t.Errorf("a waiting experiment should cause no write: %+v", e.Status)
	}
	w.setKueueCondition("grid", kueue.WorkloadQuotaReserved, "QuotaReserved", "in ClusterQueue all")
	w.reconcileExperiment("grid")
	w.reconcileExperiment("grid")
	w.wantNetworks("")

	w.setKueueCondition("grid", kueue.WorkloadAdmitted, "Admitted", "admitted")
	w.reconcileExperiment("grid")
	w.wantExperimentAdmitted(metav1.ConditionTrue, v1alpha1.ReasonAdmittedByKueue, "in ClusterQueue all")
	if !meta.IsStatusConditionTrue(w.getKueueWorkload("grid").Status.Conditions, kueue.WorkloadPodsReady) {
		t.Error("Kueue should not wait for pods")
	}
	w.reconcileExperiment("grid")
	w.wantNetworks("grid-n1")
	w.setLimits(controllers.Limits{MaxNetworks: 1})
	w.createSmallNetwork("b")
	w.reconcileTwice("b", "grid-n1")
	if c := w.admittedCondition("grid-n1"); c.Reason != v1alpha1.ReasonAdmittedByKueue || w.startedNetworks() != "b grid-n1" {
		t.Errorf("the limit should not count the network of an admitted experiment: %s started; %+v", w.startedNetworks(), c)
	}
	must(t, w.client.Delete(w.ctx, w.getNetwork("b")))
	w.deletePods()

	w.reconcileUntilComplete("grid")
	w.createMemberPod("grid-n2")
	w.finalizeNetworks()
	w.reconcileExperiment("grid")
	if !w.hasQuotaReserved("grid") {
		t.Error("the quota came back while a pod exists")
	}
	w.deletePods()
	w.reconcileExperiment("grid")
	w.wantExperimentAdmitted(metav1.ConditionTrue, v1alpha1.ReasonAdmittedByKueue, "in ClusterQueue all")
	if !w.isGone(naming.ExperimentKueueWorkload("grid"), &kueue.Workload{}) {
		t.Errorf("the quota should be returned: %+v", w.getKueueWorkload("grid").ObjectMeta)
	}
}

// TestKueueEvictsExperiment: the networks go, the quota is held until their pods are gone, and the experiment goes on after the next
// admission, whether or not it still has the label.
func TestKueueEvictsExperiment(t *testing.T) {
	for name, labelled := range map[string]bool{"labelled": true, "not labelled": false} {
		t.Run(name, func(t *testing.T) {
			w := newTestEnvWithAdmittedExperiment(t)
			w.setKueueCondition("grid", kueue.WorkloadEvicted, kueue.WorkloadEvictedByPreemption, "preempted by another")
			if !labelled {
				w.mergePatch(w.getExperiment("grid"), `{"metadata": {"labels": null}}`)
			}
			w.reconcileExperiment("grid")
			w.wantExperimentAdmitted(metav1.ConditionFalse, v1alpha1.ReasonEvicted, "preempted by another")
			w.reconcileExperiment("grid")
			w.wantExperimentAdmitted(metav1.ConditionFalse, v1alpha1.ReasonEvicted, "waiting for the deletion of BenchmarkNetwork grid-n1")
			w.finalizeNetworks()
			w.reconcileExperiment("grid")
			w.wantExperimentAdmitted(metav1.ConditionFalse, v1alpha1.ReasonEvicted, "waiting for the deletion of pod grid-n1-member-0-0")
			if !w.hasQuotaReserved("grid") || w.getExperiment("grid").Status.Phase != v1alpha1.PhaseQueued {
				t.Error("the quota must be held while a pod exists")
			}
			w.deletePods()
			w.reconcileExperiment("grid")
			if labelled {
				if w.hasQuotaReserved("grid") {
					t.Error("the quota should be returned")
				}
				w.reconcileExperiment("grid")
				w.wantNetworks("")
				w.admitWithKueue("grid")
			}
			w.reconcileExperiment("grid")
			w.reconcileExperiment("grid")
			w.wantNetworks("grid-n1")
			w.reconcileUntilComplete("grid")
		})
	}
}

// TestOnlyPlannedWorkloadAdmitsExperiment has users with rights on Workloads who would like an experiment to begin with less quota
// than it needs, or with a higher priority.
func TestOnlyPlannedWorkloadAdmitsExperiment(t *testing.T) {
	for name, edit := range map[string]func(*kueue.Workload){
		"fewer pods": func(o *kueue.Workload) { o.Spec.PodSets = o.Spec.PodSets[:len(o.Spec.PodSets)-1] },
		"fewer cores": func(o *kueue.Workload) {
			o.Spec.PodSets[0].Template.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1m")}
		},
		"another queue": func(o *kueue.Workload) { o.Spec.QueueName = "cheap" },
		"a priority":    func(o *kueue.Workload) { o.Spec.Priority = new(int32(1000)) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newTestEnvWithQueuedExperiment(t)
			object := w.getKueueWorkload("grid")
			planned := object.DeepCopy().Spec
			edit(object)
			must(t, w.client.Update(w.ctx, object))
			w.admitWithKueue("grid")
			w.reconcileExperiment("grid")
			w.wantNetworks("")
			w.wantExperimentAdmitted(metav1.ConditionFalse, v1alpha1.ReasonQueued, "did not request what it needs")
			w.reconcileExperiment("grid")
			w.admitWithKueue("grid")
			if got := w.getKueueWorkload("grid").Spec; len(got.PodSets) != len(planned.PodSets) || *got.Priority != 0 || got.QueueName != "ours" {
				t.Errorf("the Workload requests %+v", got)
			}
			w.reconcileExperiment("grid")
			w.reconcileExperiment("grid")
			w.wantNetworks("grid-n1")
		})
	}
}

// TestQueueLabelOfExperiment changes the label of an experiment before and after its begin.
func TestQueueLabelOfExperiment(t *testing.T) {
	t.Run("changed while it waits", func(t *testing.T) {
		w := newTestEnvWithQueuedExperiment(t)
		w.mergePatch(w.getExperiment("grid"), `{"metadata": {"labels": {"kueue.x-k8s.io/queue-name": "theirs"}}}`)
		w.reconcileExperiment("grid")
		if got := w.getKueueWorkload("grid").Spec.QueueName; got != "theirs" {
			t.Errorf("the Workload is in queue %s", got)
		}
	})
	t.Run("removed while it waits", func(t *testing.T) {
		w := newTestEnvWithQueuedExperiment(t)
		w.mergePatch(w.getExperiment("grid"), `{"metadata": {"labels": null}}`)
		w.reconcileExperiment("grid")
		w.wantNetworks("grid-n1")
		if !w.isGone(naming.ExperimentKueueWorkload("grid"), &kueue.Workload{}) {
			t.Error("there should be no Workload")
		}
	})
	t.Run("added after the begin", func(t *testing.T) {
		w := newTestEnvWithKueue(t)
		w.createNode("laboratory", "64", "256Gi")
		must(t, w.createFromYAML(gridExperiment, &v1alpha1.BenchmarkExperiment{}))
		w.reconcileExperiment("grid")
		w.mergePatch(w.getExperiment("grid"), `{"metadata": {"labels": {"kueue.x-k8s.io/queue-name": "ours"}}}`)
		w.reconcileExperiment("grid")
		w.wantNetworks("grid-n1")
		if e := w.getExperiment("grid"); e.Status.Phase != v1alpha1.PhaseRunning || !w.isGone(naming.ExperimentKueueWorkload("grid"), &kueue.Workload{}) {
			t.Errorf("an experiment that began should go on without quota: %+v", e.Status)
		}
	})
	t.Run("removed after the admission", func(t *testing.T) {
		w := newTestEnvWithAdmittedExperiment(t)
		w.mergePatch(w.getExperiment("grid"), `{"metadata": {"labels": null}}`)
		w.reconcileExperiment("grid")
		w.reconcileExperiment("grid")
		w.wantNetworks("grid-n1")
		if !w.hasQuotaReserved("grid") {
			t.Error("the quota came back while the network runs")
		}
	})
}

// TestDeletedExperimentHoldsQuota: also a new experiment of the same name waits until the pods of the deleted one are gone.
func TestDeletedExperimentHoldsQuota(t *testing.T) {
	w := newTestEnvWithAdmittedExperiment(t)
	must(t, w.client.Delete(w.ctx, w.getExperiment("grid")))
	must(t, w.client.DeleteAllOf(w.ctx, &v1alpha1.BenchmarkNetwork{}, client.InNamespace(w.namespace)))
	must(t, w.client.Delete(w.ctx, w.getKueueWorkload("grid")))
	result, err := w.experimentReconciler().Reconcile(w.ctx, w.requestFor("grid"))
	must(t, err)
	if !w.hasQuotaReserved("grid") || result.RequeueAfter == 0 {
		t.Errorf("the quota was released while a pod exists, or no reconcile is requested: %+v", result)
	}
	must(t, w.createFromYAML(queuedExperiment, &v1alpha1.BenchmarkExperiment{}))
	w.reconcileExperiment("grid")
	w.wantExperimentAdmitted(metav1.ConditionFalse, v1alpha1.ReasonQueued, "an earlier experiment of this name holds its quota until the deletion of pod grid-n1-member-0-0")
	w.deletePods()
	w.reconcileExperiment("grid")
	w.reconcileExperiment("grid")
	if ref := metav1.GetControllerOf(w.getKueueWorkload("grid")); ref == nil || ref.UID != w.getExperiment("grid").UID {
		t.Errorf("the new experiment should have a Workload of its own: %+v", ref)
	}
}
