package apply

import (
	"reflect"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// upToDate tells whether the live object was applied from the same intent and nobody changed a field of it since.
func upToDate(intent *unstructured.Unstructured, live client.Object) bool {
	if live.GetAnnotations()[v1alpha1.AnnotationAppliedHash] != intent.GetAnnotations()[v1alpha1.AnnotationAppliedHash] {
		return false
	}
	if u, ok := live.(*unstructured.Unstructured); ok {
		return contains(u.Object, intent.Object)
	}
	typed, ok := live.DeepCopyObject().(client.Object)
	if !ok {
		return false
	}
	wanted := reflect.New(reflect.TypeOf(typed).Elem()).Interface()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(intent.Object, wanted); err != nil {
		return false
	}
	// A typed object from the cache may or may not carry its kind.
	typed.GetObjectKind().SetGroupVersionKind(intent.GroupVersionKind())
	return equality.Semantic.DeepDerivative(wanted, typed)
}

// contains tells whether every field of the wanted value is in the live one with the same value.
func contains(live, wanted any) bool {
	switch want := wanted.(type) {
	case map[string]any:
		have, ok := live.(map[string]any)
		if !ok {
			return len(want) == 0
		}
		for k, v := range want {
			if !contains(have[k], v) {
				return false
			}
		}
		return true
	case []any:
		have, ok := live.([]any)
		if !ok || len(have) != len(want) {
			return false
		}
		for i := range want {
			if !contains(have[i], want[i]) {
				return false
			}
		}
		return true
	default:
		return equality.Semantic.DeepEqual(live, wanted)
	}
}
