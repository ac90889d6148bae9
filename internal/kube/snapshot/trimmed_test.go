package snapshot

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/kinds"
)

// TestTrimKeepsReportedFields checks that trimming a pod does not change what is reported about it.
func TestTrimKeepsReportedFields(t *testing.T) {
	pod := corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "n-member-0-0", Labels: map[string]string{v1alpha1.LabelMember: "member-0"}},
		Spec: corev1.PodSpec{NodeName: "a", Volumes: []corev1.Volume{{Name: "v"}}, Containers: []corev1.Container{{
			Name: "malachite", Env: []corev1.EnvVar{{Name: "SECRET", Value: "x"}},
			Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2")}}}}},
		Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodInitialized, Status: corev1.ConditionTrue},
			{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: "no room"},
			{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: "Preempted"}, {Type: corev1.PodReady, Status: corev1.ConditionTrue}},
			ContainerStatuses: []corev1.ContainerStatus{{Name: "malachite", ImageID: "sha256:1", RestartCount: 2}}},
	}
	before := pod.DeepCopy()
	kinds.Trim(&pod)
	if len(pod.Spec.Volumes) > 0 || len(pod.Spec.Containers[0].Env) > 0 {
		t.Errorf("fields that are never read should be removed, got %+v", pod.Spec)
	}
	if len(pod.Status.Conditions) != 3 || PodProblem(&pod) != PodProblem(before) || IsPodReady(&pod) != IsPodReady(before) || disruptionReason(&pod) != disruptionReason(before) {
		t.Errorf("conditions are %+v, were %+v", pod.Status.Conditions, before.Status.Conditions)
	}
	all, trimmed := []corev1.Pod{*before}, []corev1.Pod{pod}
	if got, want := DescribeContainers(trimmed), DescribeContainers(all); !equality.Semantic.DeepEqual(got, want) {
		t.Errorf("containers are %+v, want %+v", got, want)
	}
	if got, want := DescribeImages(trimmed), DescribeImages(all); !equality.Semantic.DeepEqual(got, want) {
		t.Errorf("images are %+v, want %+v", got, want)
	}
	if CountRestarts(&pod) != 2 || len(NodeNames(trimmed)) != 1 {
		t.Errorf("restarts or node were removed: %+v", pod)
	}
}
