package bundle

import (
	"fmt"

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
