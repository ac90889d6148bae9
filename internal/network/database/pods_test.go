package database

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/internal/kube/pods"
)

// serverContainer gets the user's resources. schemaContainer belongs to the platform, and the platform's tests
// check it.
const serverContainer, schemaContainer = "postgresql", "schema"

// TestPodSecurity checks every pod of servers and of setup, reset and teardown Jobs with the code that enforces
// restrictedLevel in API servers. It also checks that each container has requests and limits, which a
// ResourceQuota may require.
func TestPodSecurity(t *testing.T) {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, in := range map[string]Input{"chart": newPerHostInput(), "external": newExternalInput()} {
		in.Epoch = "b"
		in.Requirements.Template[0].SecurityContext = pods.RestrictedSecurityContext()
		in.Requirements.Volumes[0].EmptyDir = &corev1.EmptyDirVolumeSource{}
		seen := map[string]int{}
		for _, i := range mustBuild(t, in).Instances {
			for part, objects := range map[string][]client.Object{"instance": i.Objects(), "reset": i.ResetObjects, "teardown": i.TeardownObjects} {
				for _, template := range podTemplates(t, objects) {
					seen[part]++
					where := name + ", " + part + " of " + i.Name
					result := policy.AggregateCheckResults(evaluator.EvaluatePod(restrictedLevel, &template.ObjectMeta, &template.Spec))
					if !result.Allowed {
						t.Errorf("%s breaks the level restricted: %s", where, result.ForbiddenDetail())
					}
					if token := template.Spec.AutomountServiceAccountToken; token == nil || *token {
						t.Errorf("%s has a token of an account", where)
					}
					checkContainers(t, where, &template.Spec)
				}
			}
		}
		if seen["instance"] == 0 || seen["reset"] == 0 || name == "external" && seen["teardown"] == 0 {
			t.Errorf("%s: there are pods of %v only", name, seen)
		}
	}
}

func checkContainers(t *testing.T, where string, pod *corev1.PodSpec) {
	t.Helper()
	for _, c := range append(append([]corev1.Container{}, pod.InitContainers...), pod.Containers...) {
		if s := c.SecurityContext; s == nil || s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem {
			t.Errorf("%s, container %s can write its root file system", where, c.Name)
		}
		if c.Name == serverContainer || c.Name == schemaContainer {
			continue
		}
		for _, r := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
			limit, request := c.Resources.Limits[r], c.Resources.Requests[r]
			if limit.IsZero() || request.IsZero() || request.Cmp(limit) > 0 {
				t.Errorf("%s, container %s requests %s of %s and is limited to %s", where, c.Name, request.String(), r, limit.String())
			}
		}
	}
}

// podTemplates returns the pod templates of the objects; those of a chart are unstructured.
func podTemplates(t *testing.T, objects []client.Object) []corev1.PodTemplateSpec {
	t.Helper()
	var all []corev1.PodTemplateSpec
	for _, o := range objects {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
		if err != nil {
			t.Fatal(err)
		}
		part, found, err := unstructured.NestedMap(content, "spec", "template")
		if err != nil {
			t.Fatal(err)
		}
		if !found {
			continue
		}
		var template corev1.PodTemplateSpec
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(part, &template); err != nil {
			t.Fatal(err)
		}
		all = append(all, template)
	}
	return all
}
