package snapshot

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// OutdatedPod returns a pod of a StatefulSet that has an older template and is not ready, or nil. Its controller waits until such a
// pod is ready before it replaces it, so a pod with a bad image would keep it after the image was corrected.
func (s *Snapshot) OutdatedPod(set *appsv1.StatefulSet) *corev1.Pod {
	for _, pod := range s.podsByController[set.UID] {
		revision := pod.Labels[appsv1.ControllerRevisionHashLabelKey]
		if revision != "" && set.Status.UpdateRevision != "" && revision != set.Status.UpdateRevision && pod.DeletionTimestamp == nil && !IsPodReady(pod) {
			return pod
		}
	}
	return nil
}

// ScaleToZero returns the planned StatefulSet, which may come from a chart, without its pod. It returns nil if the
// StatefulSet has several pods, or if its volumes are deleted with the pod.
func ScaleToZero(planned client.Object) *unstructured.Unstructured {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(planned)
	if err != nil {
		return nil
	}
	scaled := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(content)}
	scaled.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("StatefulSet"))
	whenScaled, _, _ := unstructured.NestedString(content, "spec", "persistentVolumeClaimRetentionPolicy", "whenScaled")
	if plannedReplicas(planned) != 1 || whenScaled == string(appsv1.DeletePersistentVolumeClaimRetentionPolicyType) {
		return nil
	}
	if err := unstructured.SetNestedField(scaled.Object, int64(0), "spec", "replicas"); err != nil {
		return nil
	}
	return scaled
}

func plannedReplicas(planned client.Object) int32 {
	switch o := planned.(type) {
	case *appsv1.StatefulSet:
		return ptr.Deref(o.Spec.Replicas, 1)
	case *unstructured.Unstructured:
		if n, ok, _ := unstructured.NestedInt64(o.Object, "spec", "replicas"); ok {
			return int32(n)
		}
	}
	return 1
}

// IsStuck reports whether a Job has failed, or no container of it runs and the cause is known.
func (s *Snapshot) IsStuck(job *batchv1.Job) bool {
	switch {
	case job.DeletionTimestamp != nil, jobCondition(job, batchv1.JobComplete) != nil:
		return false
	case jobCondition(job, batchv1.JobFailed) != nil:
		return true
	}
	runs := slices.ContainsFunc(s.podsByController[job.UID], func(pod *corev1.Pod) bool {
		return slices.ContainsFunc(slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses), func(c corev1.ContainerStatus) bool {
			return c.State.Running != nil
		})
	})
	return !runs && s.FirstPodProblem(job) != ""
}
