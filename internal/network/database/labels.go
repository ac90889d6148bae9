package database

import (
	"errors"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
)

// labelChartObject sets the namespace and the labels of a chart's object. A user's chart may select its pods by
// its own labels, so a pod template keeps them and gets only those of the instance and the network. A
// disruption budget is narrowed to the instance's pods. The volumes of a StatefulSet are deleted with it.
func (in Input) labelChartObject(o *unstructured.Unstructured, instance string) error {
	o.SetNamespace(in.Network.Namespace)
	labels := o.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	maps.Copy(labels, naming.DatabaseLabels(in.Network.Name, instance))
	o.SetLabels(labels)
	switch o.GetKind() {
	case "StatefulSet":
		return errors.Join(
			unstructured.SetNestedField(o.Object, instance, "spec", "template", "metadata", "labels", InstanceLabel),
			unstructured.SetNestedField(o.Object, in.Network.Name, "spec", "template", "metadata", "labels", v1alpha1.LabelNetwork),
			unstructured.SetNestedField(o.Object, map[string]any{"whenDeleted": "Delete", "whenScaled": "Retain"},
				"spec", "persistentVolumeClaimRetentionPolicy"))
	case "PodDisruptionBudget":
		return unstructured.SetNestedField(o.Object, instance, "spec", "selector", "matchLabels", InstanceLabel)
	}
	return nil
}
