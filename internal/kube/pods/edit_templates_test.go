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

func newChartObject(kind string, template map[string]any) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{"kind": kind, "spec": map[string]any{}}}
	if template != nil {
		object.Object["spec"].(map[string]any)["template"] = template
	}
	return object
}

// addSecretsAndLabel is an edit of pod and metadata.
func addSecretsAndLabel(_ client.Object, template *corev1.PodTemplateSpec) error {
	pods.AddImagePullSecrets(&template.Spec, []string{"a", "b"})
	template.Labels = pods.AddMissing(template.Labels, map[string]string{"team": "x"})
	return nil
}

func TestEditTemplates(t *testing.T) {
	set, job := &appsv1.StatefulSet{}, &batchv1.Job{}
	job.Spec.Template.Spec.ImagePullSecrets = []corev1.LocalObjectReference{{Name: "own"}, {Name: "b"}}
	job.Spec.Template.Labels = map[string]string{"team": "own"}
	server := newChartObject("StatefulSet", map[string]any{
		"metadata": map[string]any{"labels": map[string]any{"app": "db"}},
		"spec":     map[string]any{"unknownField": "stays", "imagePullSecrets": []any{map[string]any{"name": "own"}}}})
	service := newChartObject("Service", nil)
	if err := pods.EditTemplates([]client.Object{set, job, server, service, &corev1.Secret{}}, addSecretsAndLabel); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ want, got any }{
		"StatefulSet": {[]corev1.LocalObjectReference{{Name: "a"}, {Name: "b"}}, set.Spec.Template.Spec.ImagePullSecrets},
		"Job":         {[]corev1.LocalObjectReference{{Name: "own"}, {Name: "b"}, {Name: "a"}}, job.Spec.Template.Spec.ImagePullSecrets},
		"label":       {map[string]string{"team": "x"}, set.Spec.Template.Labels},
		"own label":   {map[string]string{"team": "own"}, job.Spec.Template.Labels},
		"chart's StatefulSet": {newChartObject("StatefulSet", map[string]any{
			"metadata": map[string]any{"labels": map[string]any{"app": "db", "team": "x"}},
			"spec": map[string]any{"unknownField": "stays", "imagePullSecrets": []any{
				map[string]any{"name": "own"}, map[string]any{"name": "a"}, map[string]any{"name": "b"}}}}), server},
		"chart's Service": {newChartObject("Service", nil), service},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, c.got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
