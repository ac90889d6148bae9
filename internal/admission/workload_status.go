package admission

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta1"
)

// IsAdmitted tells whether the network of the Workload may stand.
func IsAdmitted(w *kueue.Workload) bool {
	return meta.IsStatusConditionTrue(w.Status.Conditions, kueue.WorkloadAdmitted) && !IsEvicted(w)
}

// IsEvicted tells whether the network has to go, or has gone and waits again.
func IsEvicted(w *kueue.Workload) bool {
	return meta.IsStatusConditionTrue(w.Status.Conditions, kueue.WorkloadEvicted)
}

// HasQuotaReserved tells whether quota is held for the Workload: it cannot be changed then.
func HasQuotaReserved(w *kueue.Workload) bool {
	return meta.IsStatusConditionTrue(w.Status.Conditions, kueue.WorkloadQuotaReserved)
}

// WorkloadMessage is what Kueue says of a Workload.
func WorkloadMessage(w *kueue.Workload) string {
	said := meta.FindStatusCondition(w.Status.Conditions, kueue.WorkloadQuotaReserved)
	if IsEvicted(w) && HasQuotaReserved(w) {
		said = meta.FindStatusCondition(w.Status.Conditions, kueue.WorkloadEvicted)
	}
	if said == nil {
		return "it has not looked at it yet"
	}
	return said.Message
}

// MarkPodsReady tells Kueue that all of the network stands; changed whether that is news. A Kueue that waits for pods takes the place back from
// who is not ready in time.
func MarkPodsReady(w *kueue.Workload) (changed bool) {
	return meta.SetStatusCondition(&w.Status.Conditions, metav1.Condition{Type: kueue.WorkloadPodsReady, Status: metav1.ConditionTrue,
		Reason: "PodsReady", Message: "All of the network is ready", ObservedGeneration: w.Generation})
}

// ReleaseQuota gives the quota of an evicted Workload back, now that its network is gone. Kueue queues it again: at once if it gave way to
// another, else when the cause has passed.
func ReleaseQuota(w *kueue.Workload) {
	cause := meta.FindStatusCondition(w.Status.Conditions, kueue.WorkloadEvicted)
	if cause == nil {
		return
	}
	requeued := metav1.ConditionFalse
	if cause.Reason == kueue.WorkloadEvictedByPreemption {
		requeued = metav1.ConditionTrue
	}
	why := *cause // SetStatusCondition may move the list that cause lies in.
	w.Status.Admission = nil
	for _, c := range []metav1.Condition{
		{Type: kueue.WorkloadRequeued, Status: requeued, Reason: why.Reason, Message: why.Message},
		{Type: kueue.WorkloadQuotaReserved, Status: metav1.ConditionFalse, Reason: "Pending", Message: why.Message},
		{Type: kueue.WorkloadAdmitted, Status: metav1.ConditionFalse, Reason: "NoReservation", Message: "The workload has no reservation"},
		{Type: kueue.WorkloadPodsReady, Status: metav1.ConditionFalse, Reason: "PodsReady", Message: "The network is not there"},
	} {
		c.ObservedGeneration = w.Generation
		meta.SetStatusCondition(&w.Status.Conditions, c)
	}
}
