package database

import (
	"errors"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// instanceLabels returns the labels of an object of the instance. The component is database, or database- and
// the purpose of a Job.
func (in Input) instanceLabels(instance, component string) map[string]string {
	return map[string]string{
		"app.kubernetes.io/name":       "postgresql",
		"app.kubernetes.io/instance":   instance,
		"app.kubernetes.io/component":  component,
		"app.kubernetes.io/part-of":    "benchnet",
		"app.kubernetes.io/managed-by": v1alpha1.ManagedBy,
		v1alpha1.LabelNetwork:          in.Network.Name,
		InstanceLabel:                  instance,
	}
}

// labelChartObject sets the namespace and the labels of a chart's object. A user's chart may select its pods by
// its own labels, so a pod template keeps them and gets only those of the instance and the network. A
// disruption budget is narrowed to the instance's pods. The volumes of a StatefulSet are deleted with it.
func (in Input) labelChartObject(o *unstructured.Unstructured, instance string) error {
	o.SetNamespace(in.Network.Namespace)
	labels := o.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	maps.Copy(labels, in.instanceLabels(instance, "database"))
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
