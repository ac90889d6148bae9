package apply

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/kinds"
)

// ownAnnotations stand for what a comparison of fields cannot see. The hash covers fields that the last intent
// had and the present one lacks. The generation covers the specs that the cache drops.
var ownAnnotations = []string{v1alpha1.AnnotationAppliedHash, v1alpha1.AnnotationAppliedGeneration}

// findDrift returns the paths of the fields in which the live object differs from the intent, such as
// data.node.conf; none if the live object was applied from the same intent and has not been changed since. It
// never returns values, which may be secret. It ignores the drift of kinds with DriftIgnored.
func findDrift(intent *unstructured.Unstructured, live client.Object) []string {
	mode := kinds.DriftOf(intent.GroupVersionKind().GroupKind())
	if mode == kinds.DriftIgnored {
		return nil
	}
	byGeneration := mode == kinds.DriftByGeneration
	have, want, err := comparedFields(intent, live)
	if err != nil {
		return []string{err.Error()}
	}
	added := findAdditions(intent, have, want)
	for _, annotation := range ownAnnotations {
		unstructured.RemoveNestedField(want, "metadata", "annotations", annotation)
	}
	paths := append(differingPaths("", have, want), added...)
	sameHash := live.GetAnnotations()[v1alpha1.AnnotationAppliedHash] == intent.GetAnnotations()[v1alpha1.AnnotationAppliedHash]
	switch {
	case byGeneration && !(sameHash && hasAppliedGeneration(live)):
		paths = append(paths, "spec")
	case !sameHash && len(paths) == 0:
		paths = append(paths, "(removed fields)")
	}
	return paths
}

// comparedFields returns the fields of the live object that the cache keeps, and those that the intent wants: only the metadata of
// kinds with DriftByGeneration.
func comparedFields(intent *unstructured.Unstructured, live client.Object) (have, want map[string]any, err error) {
	if have, err = trimmedFields(live.DeepCopyObject()); err != nil {
		return nil, nil, err
	}
	if kinds.DriftOf(intent.GroupVersionKind().GroupKind()) == kinds.DriftByGeneration {
		return have, map[string]any{"metadata": runtime.DeepCopyJSONValue(intent.Object["metadata"])}, nil
	}
	if want, err = normalizeIntent(intent, live); err != nil {
		return nil, nil, err
	}
	for _, field := range []string{"apiVersion", "kind", "status"} { // A Go type may serialize an empty status.
		delete(want, field)
	}
	return have, want, nil
}

// hasAppliedGeneration reports whether the spec of the live object has the generation of the last apply.
func hasAppliedGeneration(live client.Object) bool {
	return live.GetAnnotations()[v1alpha1.AnnotationAppliedGeneration] == strconv.FormatInt(live.GetGeneration(), 10)
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

// predictGeneration annotates an intent with the generation that its object will have after the apply: the next
// one, since something differs. It returns that generation, or 0 for kinds that are compared field by field.
func predictGeneration(intent *unstructured.Unstructured, live client.Object) int64 {
	if kinds.DriftOf(intent.GroupVersionKind().GroupKind()) != kinds.DriftByGeneration {
		return 0
	}
	next := int64(1)
	if live != nil {
		next = live.GetGeneration() + 1
	}
	setAppliedGeneration(intent, next)
	return next
}

func setAppliedGeneration(intent *unstructured.Unstructured, generation int64) {
	intent.SetAnnotations(mergeMaps(intent.GetAnnotations(),
		map[string]string{v1alpha1.AnnotationAppliedGeneration: strconv.FormatInt(generation, 10)}))
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
			if _, stored := have[k]; !stored && (k == "kind" || k == "apiVersion") {
				continue // The API server does not store the kind of an embedded object such as a volume claim template.
			}
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
