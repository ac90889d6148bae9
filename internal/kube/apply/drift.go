package apply

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/kinds"
)

// findDrift returns the paths of the fields in which the live object differs from the intent, such as
// data.node.conf; none if the live object was applied from the same intent and has not been changed since. It
// never returns values, which may be secret. It ignores the specs of kinds with DriftByDryRun if the hash is the same.
func findDrift(intent *unstructured.Unstructured, live client.Object) []string {
	have, want, err := comparedFields(intent, live)
	if err != nil {
		return []string{err.Error()}
	}
	added := findAdditions(intent, live, have, want)
	unstructured.RemoveNestedField(want, "metadata", "annotations", v1alpha1.AnnotationAppliedHash)
	paths := append(differingPaths("", have, want), added...)
	switch {
	case hasSameHash(intent, live), driftOf(intent) == kinds.DriftByMutableFields:
	case hasDryRun(intent):
		paths = append(paths, "spec")
	case len(paths) == 0: // The hash covers fields that the last intent had and the present one lacks.
		paths = append(paths, "(removed fields)")
	}
	return paths
}

func driftOf(intent *unstructured.Unstructured) kinds.Drift {
	return kinds.DriftOf(intent.GroupVersionKind().GroupKind())
}

func hasDryRun(intent *unstructured.Unstructured) bool { return driftOf(intent) == kinds.DriftByDryRun }

func hasSameHash(intent *unstructured.Unstructured, live client.Object) bool {
	return live.GetAnnotations()[v1alpha1.AnnotationAppliedHash] == intent.GetAnnotations()[v1alpha1.AnnotationAppliedHash]
}

// comparedFields returns the fields of the live object that the cache keeps, and those that the intent wants: only the metadata of
// kinds with DriftByDryRun.
func comparedFields(intent *unstructured.Unstructured, live client.Object) (have, want map[string]any, err error) {
	if have, err = trimmedFields(live.DeepCopyObject()); err != nil {
		return nil, nil, err
	}
	if hasDryRun(intent) {
		return have, map[string]any{"metadata": runtime.DeepCopyJSONValue(intent.Object["metadata"])}, nil
	}
	if want, err = normalizeIntent(intent, live); err != nil {
		return nil, nil, err
	}
	for _, field := range []string{"apiVersion", "kind", "status"} { // A Go type may serialize an empty status.
		delete(want, field)
	}
	if driftOf(intent) == kinds.DriftByMutableFields { // Its annotations are those of the template with which it was created.
		unstructured.RemoveNestedField(want, "metadata", "annotations")
	}
	return have, want, nil
}

// differingPaths returns the paths below the prefix at which live lacks a wanted value, in alphabetical order. Lists count as one value.
func differingPaths(prefix string, live, wanted any) []string {
	if containsFields(live, wanted) {
		return nil
	}
	have, isMap := live.(map[string]any)
	want, ok := wanted.(map[string]any)
	if !ok || !isMap {
		return []string{strings.TrimPrefix(prefix, ".")}
	}
	var paths []string
	for _, name := range slices.Sorted(maps.Keys(want)) {
		paths = append(paths, differingPaths(prefix+"."+name, have[name], want[name])...)
	}
	return paths
}

// normalizeIntent converts the intent through the live object's Go type and trims it as the cache does.
// Quantities get their canonical form.
func normalizeIntent(intent *unstructured.Unstructured, live client.Object) (map[string]any, error) {
	if _, ok := live.(*unstructured.Unstructured); ok {
		return runtime.DeepCopyJSON(intent.Object), nil
	}
	typed := reflect.New(reflect.TypeOf(live).Elem()).Interface()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(intent.Object, typed); err != nil {
		return nil, err
	}
	return trimmedFields(typed)
}

// trimmedFields trims the object in place, as the cache does, and returns its fields. Digests replace large ones.
func trimmedFields(object any) (map[string]any, error) {
	kinds.Trim(object)
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, err
	}
	unstructured.RemoveNestedField(fields, "metadata", "managedFields")
	if o, ok := object.(client.Object); ok {
		for field, digest := range kinds.FieldDigests(o) {
			fields[field] = digest
		}
	}
	return fields, nil
}

// containsFields reports whether every wanted field has the same value in the live object. Unset fields and
// items that another field manager appended to a list make no difference, since server-side apply would keep
// them.
func containsFields(live, wanted any) bool {
	switch want := wanted.(type) {
	case nil:
		return true
	case map[string]any:
		have, ok := live.(map[string]any)
		if !ok {
			return isEmptyMap(want)
		}
		for k, v := range want {
			if !containsFields(have[k], v) {
				return false
			}
		}
		return true
	case []any:
		have, _ := live.([]any)
		if len(have) < len(want) {
			return false
		}
		for i := range want {
			if !containsFields(have[i], want[i]) {
				return false
			}
		}
		return true
	default:
		return reflect.DeepEqual(live, wanted) || live == nil && reflect.ValueOf(wanted).IsZero()
	}
}

// isEmptyMap reports whether a map sets nothing at any depth.
func isEmptyMap(m map[string]any) bool {
	for _, v := range m {
		if !containsFields(nil, v) {
			return false
		}
	}
	return true
}
