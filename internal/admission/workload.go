// Package admission builds the Kueue Workload (kueue.x-k8s.io) of a network or an experiment and reads Kueue's decision. It is
// pure.
//
// A network has one Workload, and an experiment has one for all of its networks. Kueue admits it when a ClusterQueue has
// quota for everything that exists at one time. To reclaim the quota, Kueue marks the Workload as evicted; its creator then
// stops the pods and releases the quota, which queues the Workload again.
package admission

import (
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	resourcehelper "k8s.io/component-helpers/resource"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/benchnet/benchnet/internal/experiment/capacity"
)

// Labels on a network or experiment.
const (
	// QueueLabel names the LocalQueue in its namespace that admits it.
	QueueLabel = "kueue.x-k8s.io/queue-name"
	// PriorityClassLabel names the WorkloadPriorityClass of its Workload.
	PriorityClassLabel = "kueue.x-k8s.io/priority-class"
)

// maxPodSets is Kueue's maximum number of pod sets in a Workload.
const maxPodSets = 8

// BuildWorkload returns a Workload of a name that requests what its owner, a network or an experiment, needs at one time, in
// the queue of the owner's label. class is the WorkloadPriorityClass of the owner's label; without one the priority is 0.
func BuildWorkload(name string, owner metav1.Object, class *kueue.WorkloadPriorityClass, needs capacity.Needs) *kueue.Workload {
	w := &kueue.Workload{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: owner.GetNamespace()},
		Spec: kueue.WorkloadSpec{QueueName: kueue.LocalQueueName(owner.GetLabels()[QueueLabel]), Priority: new(int32(0)),
			PodSets: buildPodSets(needs)},
	}
	if class != nil {
		w.Spec.Priority, w.Spec.PriorityClassRef = &class.Value, kueue.NewWorkloadPriorityClassRef(class.Name)
	}
	return w
}

// RequestsSame reports whether a Workload requests the same as the planned one, in the same queue with the same priority.
func RequestsSame(w, planned *kueue.Workload) bool {
	return w.Spec.QueueName == planned.Spec.QueueName && equality.Semantic.DeepEqual(w.Spec.PodSets, planned.Spec.PodSets) &&
		equality.Semantic.DeepEqual(w.Spec.Priority, planned.Spec.Priority) &&
		equality.Semantic.DeepEqual(w.Spec.PriorityClassRef, planned.Spec.PriorityClassRef)
}

// IsQueuedAs reports whether a Workload has the queue of its owner's label and the priority of the class.
func IsQueuedAs(w *kueue.Workload, owner metav1.Object, class *kueue.WorkloadPriorityClass) bool {
	queued := kueue.WorkloadSpec{QueueName: w.Spec.QueueName, Priority: w.Spec.Priority, PriorityClassRef: w.Spec.PriorityClassRef}
	return RequestsSame(&kueue.Workload{Spec: queued}, BuildWorkload(w.Name, owner, class, capacity.Needs{}))
}

// buildPodSets returns pod sets for the pods that run at one time, and one for what the setup needs beyond
// them. Pods with equal requests and node constraints share a set. If there are more kinds of pods than a
// Workload may have sets, the last ones are summed up.
func buildPodSets(needs capacity.Needs) []kueue.PodSet {
	var sets []kueue.PodSet
	rest := corev1.ResourceList{}
	for i := range needs.RunningPods {
		template := buildPodTemplate(&needs.RunningPods[i].Spec, podRequests(&needs.RunningPods[i]))
		known := slices.IndexFunc(sets, func(s kueue.PodSet) bool { return equality.Semantic.DeepEqual(s.Template, template) })
		switch {
		case known >= 0:
			sets[known].Count++
		case len(sets) < maxPodSets-2:
			sets = append(sets, kueue.PodSet{Name: kueue.PodSetReference("pods-" + strconv.Itoa(len(sets)+1)), Count: 1, Template: template})
		default:
			capacity.AddResources(rest, podRequests(&needs.RunningPods[i]))
		}
	}
	sets = appendPodSet(sets, "others", rest)
	setUp := excessRequests(capacity.SumRequests(needs.SetupPods), capacity.SumRequests(needs.RunningPods))
	delete(setUp, corev1.ResourcePods)
	return appendPodSet(sets, "set-up", setUp)
}

// appendPodSet appends a set of one pod with the wanted requests, unless they are empty.
func appendPodSet(sets []kueue.PodSet, name kueue.PodSetReference, wanted corev1.ResourceList) []kueue.PodSet {
	if len(wanted) == 0 {
		return sets
	}
	return append(sets, kueue.PodSet{Name: name, Count: 1, Template: buildPodTemplate(&corev1.PodSpec{}, wanted)})
}

// buildPodTemplate returns a pod template with the wanted requests and the node constraints of the spec: Kueue
// considers nothing else.
func buildPodTemplate(spec *corev1.PodSpec, wanted corev1.ResourceList) corev1.PodTemplateSpec {
	podSpec := corev1.PodSpec{NodeSelector: spec.NodeSelector, Tolerations: spec.Tolerations, RestartPolicy: corev1.RestartPolicyNever,
		Containers: []corev1.Container{{Name: "all", Image: "none", Resources: corev1.ResourceRequirements{Requests: wanted}}}}
	if spec.Affinity != nil && spec.Affinity.NodeAffinity != nil {
		podSpec.Affinity = &corev1.Affinity{NodeAffinity: spec.Affinity.NodeAffinity}
	}
	return corev1.PodTemplateSpec{Spec: podSpec}
}

func podRequests(pod *corev1.Pod) corev1.ResourceList {
	return resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
}

// excessRequests returns by how much the requests exceed the others.
func excessRequests(all, other corev1.ResourceList) corev1.ResourceList {
	more := corev1.ResourceList{}
	for name, q := range all {
		left := q.DeepCopy()
		left.Sub(other[name])
		if left.Cmp(resource.Quantity{}) > 0 {
			more[name] = left
		}
	}
	return more
}

// IsAdmitted reports whether Kueue has admitted the Workload and not evicted it.
func IsAdmitted(w *kueue.Workload) bool {
	return meta.IsStatusConditionTrue(w.Status.Conditions, kueue.WorkloadAdmitted) && !IsEvicted(w)
}

// IsEvicted reports whether Kueue has evicted the Workload, including while it is queued again.
func IsEvicted(w *kueue.Workload) bool {
	return meta.IsStatusConditionTrue(w.Status.Conditions, kueue.WorkloadEvicted)
}

// HasQuotaReserved reports whether quota is reserved for the Workload. It is immutable then.
func HasQuotaReserved(w *kueue.Workload) bool {
	return meta.IsStatusConditionTrue(w.Status.Conditions, kueue.WorkloadQuotaReserved)
}

// WorkloadMessage returns Kueue's message about a Workload.
func WorkloadMessage(w *kueue.Workload) string {
	condition := meta.FindStatusCondition(w.Status.Conditions, kueue.WorkloadQuotaReserved)
	if IsEvicted(w) && HasQuotaReserved(w) {
		condition = meta.FindStatusCondition(w.Status.Conditions, kueue.WorkloadEvicted)
	}
	if condition == nil {
		return "the Workload was not processed yet"
	}
	return condition.Message
}

// MarkPodsReady sets the condition PodsReady and reports whether it changed. If Kueue waits for pods, it evicts
// a Workload that is not ready in time.
func MarkPodsReady(w *kueue.Workload) (changed bool) {
	return meta.SetStatusCondition(&w.Status.Conditions, metav1.Condition{Type: kueue.WorkloadPodsReady, Status: metav1.ConditionTrue,
		Reason: "PodsReady", Message: "The networks are ready, or wait for nodes by themselves", ObservedGeneration: w.Generation})
}

// ReleaseQuota releases the quota of an evicted Workload after its owner's objects are deleted. After a
// preemption or the failure of a node Kueue queues it again at once, otherwise when the cause has passed.
func ReleaseQuota(w *kueue.Workload) {
	cause := meta.FindStatusCondition(w.Status.Conditions, kueue.WorkloadEvicted)
	if cause == nil {
		return
	}
	requeued := metav1.ConditionFalse
	if cause.Reason == kueue.WorkloadEvictedByPreemption || cause.Reason == kueue.WorkloadEvictedDueToNodeFailures {
		requeued = metav1.ConditionTrue
	}
	why := *cause // SetStatusCondition may reallocate the slice that cause points into.
	w.Status.Admission = nil
	for _, c := range []metav1.Condition{
		{Type: kueue.WorkloadRequeued, Status: requeued, Reason: why.Reason, Message: why.Message},
		{Type: kueue.WorkloadQuotaReserved, Status: metav1.ConditionFalse, Reason: "Pending", Message: why.Message},
		{Type: kueue.WorkloadAdmitted, Status: metav1.ConditionFalse, Reason: "NoReservation", Message: "The workload has no reservation"},
		{Type: kueue.WorkloadPodsReady, Status: metav1.ConditionFalse, Reason: "PodsReady", Message: "No network exists"},
	} {
		c.ObservedGeneration = w.Generation
		meta.SetStatusCondition(&w.Status.Conditions, c)
	}
}
