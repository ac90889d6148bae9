package pods_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/internal/kube/pods"
)

func newChartObject(kind string, pod map[string]any) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{"kind": kind, "spec": map[string]any{}}}
	if pod != nil {
		object.Object["spec"].(map[string]any)["template"] = map[string]any{"spec": pod}
	}
	return object
}

func TestAddImagePullSecrets(t *testing.T) {
	set, job := &appsv1.StatefulSet{}, &batchv1.Job{}
	job.Spec.Template.Spec.ImagePullSecrets = []corev1.LocalObjectReference{{Name: "own"}}
	server := newChartObject("StatefulSet", map[string]any{"imagePullSecrets": []any{map[string]any{"name": "own"}}})
	service := newChartObject("Service", nil)
	all := []client.Object{set, job, server, service, &corev1.Secret{}}

	pods.AddImagePullSecrets(all, nil)
	if set.Spec.Template.Spec.ImagePullSecrets != nil {
		t.Errorf("no Secrets became %v", set.Spec.Template.Spec.ImagePullSecrets)
	}
	pods.AddImagePullSecrets(all, []string{"a", "b"})
	if diff := cmp.Diff([]corev1.LocalObjectReference{{Name: "a"}, {Name: "b"}}, set.Spec.Template.Spec.ImagePullSecrets); diff != "" {
		t.Errorf("of the StatefulSet (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]corev1.LocalObjectReference{{Name: "own"}, {Name: "a"}, {Name: "b"}}, job.Spec.Template.Spec.ImagePullSecrets); diff != "" {
		t.Errorf("of the Job (-want +got):\n%s", diff)
	}
	want := newChartObject("StatefulSet", map[string]any{"imagePullSecrets": []any{
		map[string]any{"name": "own"}, map[string]any{"name": "a"}, map[string]any{"name": "b"}}})
	if diff := cmp.Diff(want, server); diff != "" {
		t.Errorf("of the chart's StatefulSet (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(newChartObject("Service", nil), service); diff != "" {
		t.Errorf("a Service has no pods (-want +got):\n%s", diff)
	}
}
