package bundle

import (
	"encoding/json"
	"fmt"
	"path"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/internal/cli/cluster"
	"github.com/benchnet/benchnet/internal/cli/documents"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/run/document"
)

// Result returns the original result: of one experiment, or of one run.
func (b *Bundle) Result() (*documents.File, error) {
	content, ok := b.files[resultName]
	if !ok {
		return nil, fmt.Errorf("%s is missing", resultName)
	}
	var head struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(content, &head); err != nil {
		return nil, fmt.Errorf("read %s: %w", resultName, err)
	}
	if head.Kind != document.Kind && head.Kind != experiment.Kind {
		return nil, fmt.Errorf("kind of %s is %.100q, must be %s or %s", resultName, head.Kind, document.Kind, experiment.Kind)
	}
	return documents.DecodeFile(resultName, content)
}

// maxTargets is the number of objects of benchnet in a bundle: a network and a run, or an experiment.
const maxTargets = 2

// Manifests returns the objects to apply in a namespace, in order, with images by digest if the bundle has them. Of their
// metadata they have only the name. It fails if one is neither of a benchnet kind nor a ConfigMap that another one names, because
// a bundle must not change anything else in the cluster.
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
	listed, configMapNames, targets := map[string]bool{}, map[string]bool{}, 0
	for _, name := range list.Resources {
		content, ok := b.files[directory+name]
		if !ok || listed[name] {
			return nil, fmt.Errorf("%s lists %.100q, which the bundle lacks, or twice", directory+kustomizationName, name)
		}
		listed[name] = true
		decode := decodeConfigMap
		if path.Ext(name) != ".json" {
			if targets++; targets > maxTargets {
				return nil, fmt.Errorf("%s lists more than %d manifests in YAML, a network and a run", directory+kustomizationName, maxTargets)
			}
			decode = decodeTarget
		}
		object, err := decode(content)
		if err != nil {
			return nil, fmt.Errorf("%s %w", directory+name, err)
		}
		collectConfigMapNames(object.Object["spec"], configMapNames)
		object.SetNamespace(namespace)
		objects = append(objects, object)
	}
	for _, object := range objects {
		if isConfigMap(object) && !configMapNames[object.GetName()] {
			return nil, fmt.Errorf("ConfigMap %.100q of the bundle is named by none of its other manifests", object.GetName())
		}
	}
	return objects, nil
}

// decodeTarget decodes an object of a benchnet kind in YAML.
func decodeTarget(content []byte) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(content, &object.Object); err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	if _, ok := cluster.TargetOf(object); !ok {
		return nil, fmt.Errorf("is a %.100q, must be a BenchmarkNetwork, BenchmarkRun or BenchmarkExperiment, or a ConfigMap in JSON", object.GetKind())
	}
	return cluster.ToMinimalManifest(object), nil
}

// decodeConfigMap decodes a ConfigMap in JSON. It decodes the fields that are applied only, so that others take no memory.
func decodeConfigMap(content []byte) (*unstructured.Unstructured, error) {
	var cm struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Metadata   struct {
			Name string `json:"name"`
		} `json:"metadata"`
		Data       map[string]string `json:"data"`
		BinaryData map[string]string `json:"binaryData"`
	}
	if err := json.Unmarshal(content, &cm); err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": cm.APIVersion, "kind": cm.Kind}}
	if !isConfigMap(object) {
		return nil, fmt.Errorf("is a %.100q, must be a ConfigMap", cm.Kind)
	}
	object.SetName(cm.Metadata.Name)
	for field, values := range map[string]map[string]string{"data": cm.Data, "binaryData": cm.BinaryData} {
		if len(values) > maxConfigMapKeys {
			return nil, fmt.Errorf("has %d keys in %s, at most %d are allowed", len(values), field, maxConfigMapKeys)
		}
		if len(values) > 0 {
			_ = unstructured.SetNestedStringMap(object.Object, values, field) // The object is a map.
		}
	}
	return object, nil
}

// maxConfigMapKeys bounds the keys of each field of a ConfigMap in a bundle.
const maxConfigMapKeys = 1000

func isConfigMap(object *unstructured.Unstructured) bool {
	return object.GroupVersionKind() == corev1.SchemeGroupVersion.WithKind("ConfigMap")
}

// RemoveDelivery removes the delivery of a network, a run or an experiment, whose receivers are those of whoever made the bundle. It
// reports whether there was one.
func RemoveDelivery(object *unstructured.Unstructured) bool {
	_, found, _ := unstructured.NestedFieldNoCopy(object.Object, "spec", "delivery")
	unstructured.RemoveNestedField(object.Object, "spec", "delivery")
	return found
}
