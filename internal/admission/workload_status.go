package admission

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

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
