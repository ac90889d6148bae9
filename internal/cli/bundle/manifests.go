package bundle

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/internal/cli/cluster"
	"github.com/benchnet/benchnet/internal/cli/documents"
)

// Result returns the original result: of one experiment, or of one run.
func (b *Bundle) Result() (*documents.File, error) {
	if _, ok := b.files[resultName]; !ok {
		return nil, fmt.Errorf("%s is missing", resultName)
	}
	return documents.DecodeFile(resultName, b.files[resultName])
}

// Manifests returns the objects to apply in a namespace, in order, with images by digest if the bundle has them. It fails if
// one is neither a ConfigMap nor of a benchnet kind, because a bundle must not change anything else in the cluster.
func (b *Bundle) Manifests(namespace string) ([]*unstructured.Unstructured, error) {
	directory := pinnedDirectory
	if _, ok := b.files[directory+kustomizationName]; !ok {
		directory = ""
	}
	var list kustomization
	if err := yaml.UnmarshalStrict(b.files[directory+kustomizationName], &list); err != nil {
		return nil, fmt.Errorf("read %s: %w", directory+kustomizationName, err)
	}
	var objects []*unstructured.Unstructured
	for _, name := range list.Resources {
		content, ok := b.files[directory+name]
		if !ok {
			return nil, fmt.Errorf("%s lists %.100q, which the bundle lacks", directory+kustomizationName, name)
		}
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(content, &object.Object); err != nil {
			return nil, fmt.Errorf("read %s: %w", directory+name, err)
		}
		_, isTarget := cluster.TargetOf(object)
		if !isTarget && object.GroupVersionKind() != corev1.SchemeGroupVersion.WithKind("ConfigMap") {
			return nil, fmt.Errorf("%s is a %.100q, must be a ConfigMap, BenchmarkNetwork, BenchmarkRun or BenchmarkExperiment", directory+name, object.GetKind())
		}
		object.SetNamespace(namespace)
		objects = append(objects, object)
	}
	return objects, nil
}

// RemoveDeliveries removes the uploads and webhooks from a benchnet object, also from the patches of an experiment, and returns
// their paths. It fails if an axis of an experiment sets one.
func RemoveDeliveries(object *unstructured.Unstructured) ([]string, error) {
	if _, ok := cluster.TargetOf(object); !ok {
		return nil, nil
	}
	axes, _, _ := unstructured.NestedSlice(object.Object, "spec", "axes")
	for i, axis := range axes {
		values, _ := axis.(map[string]any)
		path := strings.Split(fmt.Sprint(values["field"]), ".")
		if slices.ContainsFunc(path, isDelivery) {
			return nil, fmt.Errorf("spec.axes[%d].field of %s is %.100q, must not be of an upload or a webhook", i, object.GetName(), values["field"])
		}
	}
	return removeDeliveries(object.Object["spec"], "spec"), nil
}

// isDelivery reports whether a field is an upload or a webhook. The decoder of patches ignores case.
func isDelivery(field string) bool {
	return strings.EqualFold(field, "upload") || strings.EqualFold(field, "webhook")
}

// removeDeliveries removes the fields of deliveries below a value.
func removeDeliveries(value any, path string) []string {
	var removed []string
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if isDelivery(key) {
				delete(v, key)
				removed = append(removed, path+"."+key)
				continue
			}
			if key != "values" { // Those of a chart are not ours.
				removed = append(removed, removeDeliveries(v[key], path+"."+key)...)
			}
		}
	case []any:
		for i := range v {
			removed = append(removed, removeDeliveries(v[i], fmt.Sprintf("%s[%d]", path, i))...)
		}
	}
	return removed
}
