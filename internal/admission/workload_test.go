package admission

import (
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment/capacity"
)

func newPod(cpu string, edits ...func(*corev1.PodSpec)) corev1.Pod {
	p := corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}}}}}}
	for _, edit := range edits {
		edit(&p.Spec)
	}
	return p
}

func placeOnMetal(spec *corev1.PodSpec) {
	spec.NodeSelector = map[string]string{"pool": "metal"}
	spec.Tolerations = []corev1.Toleration{{Key: "metal", Operator: corev1.TolerationOpExists}}
	spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{}, PodAntiAffinity: &corev1.PodAntiAffinity{}}
}

// newWorkload returns the Workload of a network with these needs, and the sum of the cores that it requests.
func newWorkload(t *testing.T, needs capacity.Needs) (*kueue.Workload, string) {
	t.Helper()
	n := &v1alpha1.BenchmarkNetwork{}
	n.Name, n.Namespace, n.Labels = "net", "lab", map[string]string{QueueLabel: "ours"}
	w := BuildWorkload("net-kueue", n, &kueue.WorkloadPriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "urgent"}, Value: 7}, needs)
	if len(w.Spec.PodSets) > maxPodSets {
		t.Errorf("there are %d podSets, Kueue takes %d", len(w.Spec.PodSets), maxPodSets)
	}
	var cores resource.Quantity
	for _, s := range w.Spec.PodSets {
		for range s.Count {
			cores.Add(s.Template.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU])
		}
	}
	return w, cores.String()
}

func TestWorkloadRequests(t *testing.T) {
	var many []corev1.Pod
	for i := range 20 {
		many = append(many, newPod(strconv.Itoa(i+1)))
	}
	for name, c := range map[string]struct {
		needs capacity.Needs
		sets  int
		cores string
	}{
		"alike":                           {capacity.Needs{RunningPods: []corev1.Pod{newPod("1"), newPod("1")}}, 1, "2"},
		"on other nodes":                  {capacity.Needs{RunningPods: []corev1.Pod{newPod("1"), newPod("1", placeOnMetal)}}, 2, "2"},
		"a set-up within their resources": {capacity.Needs{RunningPods: []corev1.Pod{newPod("2")}, SetupPods: []corev1.Pod{newPod("1")}}, 1, "2"},
		"a larger set-up":                 {capacity.Needs{RunningPods: []corev1.Pod{newPod("1")}, SetupPods: []corev1.Pod{newPod("1"), newPod("2")}}, 2, "3"},
		"of twenty sizes":                 {capacity.Needs{RunningPods: many}, 7, "210"},
		"and a set-up":                    {capacity.Needs{RunningPods: many, SetupPods: []corev1.Pod{newPod("211")}}, 8, "211"},
	} {
		w, cores := newWorkload(t, c.needs)
		if cores != c.cores || len(w.Spec.PodSets) != c.sets {
			t.Errorf("%s: %s cores are requested in %d podSets, want %s in %d", name, cores, len(w.Spec.PodSets), c.cores, c.sets)
		}
	}
}

func TestWorkloadNamesQueuePriorityAndNodes(t *testing.T) {
	w, _ := newWorkload(t, capacity.Needs{RunningPods: []corev1.Pod{newPod("1", placeOnMetal)}})
	if w.Spec.QueueName != "ours" || *w.Spec.Priority != 7 || w.Name != "net-kueue" || w.Namespace != "lab" {
		t.Errorf("the Workload is %+v", w)
	}
	spec := w.Spec.PodSets[0].Template.Spec
	if spec.NodeSelector["pool"] != "metal" || len(spec.Tolerations) != 1 || spec.Affinity.NodeAffinity == nil || spec.Affinity.PodAntiAffinity != nil {
		t.Errorf("Kueue should see the requested nodes to choose the flavor: %+v", spec)
	}
}

// workloadWithConditions returns a Workload with true conditions and their messages.
func workloadWithConditions(conditions ...string) *kueue.Workload {
	w := &kueue.Workload{}
	w.Status.Admission = &kueue.Admission{ClusterQueue: "all"}
	for _, c := range conditions {
		meta.SetStatusCondition(&w.Status.Conditions, metav1.Condition{Type: c, Status: metav1.ConditionTrue, Reason: c, Message: "it is " + c})
	}
	return w
}

func TestWorkloadState(t *testing.T) {
	for name, c := range map[string]struct {
		of                          *kueue.Workload
		admitted, evicted, reserved bool
		message                     string
	}{
		"new":      {workloadWithConditions(), false, false, false, "the Workload was not processed yet"},
		"reserved": {workloadWithConditions(kueue.WorkloadQuotaReserved), false, false, true, "it is QuotaReserved"},
		"admitted": {workloadWithConditions(kueue.WorkloadQuotaReserved, kueue.WorkloadAdmitted), true, false, true, "it is QuotaReserved"},
		"evicted":  {workloadWithConditions(kueue.WorkloadQuotaReserved, kueue.WorkloadAdmitted, kueue.WorkloadEvicted), false, true, true, "it is Evicted"},
	} {
		if IsAdmitted(c.of) != c.admitted || IsEvicted(c.of) != c.evicted || HasQuotaReserved(c.of) != c.reserved || WorkloadMessage(c.of) != c.message {
			t.Errorf("%s: admitted %v, evicted %v, reserved %v, %q", name, IsAdmitted(c.of), IsEvicted(c.of), HasQuotaReserved(c.of), WorkloadMessage(c.of))
		}
	}
}

func TestReleaseQuota(t *testing.T) {
	for reason, again := range map[string]bool{kueue.WorkloadEvictedByPreemption: true, kueue.WorkloadDeactivated: false} {
		w := workloadWithConditions(kueue.WorkloadQuotaReserved, kueue.WorkloadAdmitted, kueue.WorkloadPodsReady)
		meta.SetStatusCondition(&w.Status.Conditions, metav1.Condition{Type: kueue.WorkloadEvicted, Status: metav1.ConditionTrue, Reason: reason, Message: "go"})
		ReleaseQuota(w)
		if w.Status.Admission != nil || HasQuotaReserved(w) || meta.IsStatusConditionTrue(w.Status.Conditions, kueue.WorkloadAdmitted) ||
			meta.IsStatusConditionTrue(w.Status.Conditions, kueue.WorkloadPodsReady) || !IsEvicted(w) {
			t.Errorf("%s: the evicted Workload still holds quota: %+v", reason, w.Status)
		}
		if got := meta.IsStatusConditionTrue(w.Status.Conditions, kueue.WorkloadRequeued); got != again {
			t.Errorf("%s: requeued immediately: %v, want %v", reason, got, again)
		}
	}
}
