package pods

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TemplateEdit changes a pod template of the owner. It may set fields and add to them, but not remove any.
type TemplateEdit func(owner client.Object, template *corev1.PodTemplateSpec) error

// EditTemplates edits the pod templates of StatefulSets and Jobs. It also handles the objects of a chart, which
// are unstructured. Objects without pods stay as they are.
func EditTemplates(objects []client.Object, edit TemplateEdit) error {
	for _, object := range objects {
		var err error
		switch o := object.(type) {
		case *appsv1.StatefulSet:
			err = edit(o, &o.Spec.Template)
		case *batchv1.Job:
			err = edit(o, &o.Spec.Template)
		case *unstructured.Unstructured:
			err = editUnstructuredTemplate(o, edit)
		}
		if err != nil {
			return fmt.Errorf("pods of %s: %w", object.GetName(), err)
		}
	}
	return nil
}

// editUnstructuredTemplate writes only the fields that the edit changes, so that the others stay as the chart has
// rendered them.
func editUnstructuredTemplate(o *unstructured.Unstructured, edit TemplateEdit) error {
	content, found, err := unstructured.NestedMap(o.Object, "spec", "template")
	if !found || err != nil {
		return err
	}
	var template corev1.PodTemplateSpec
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, &template); err != nil {
		return err
	}
	before, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&template)
	if err != nil {
		return err
	}
	if err := edit(o, &template); err != nil {
		return err
	}
	after, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&template)
	if err != nil {
		return err
	}
	for _, part := range []string{"metadata", "spec"} {
		was, _ := before[part].(map[string]any)
		is, _ := after[part].(map[string]any)
		for key, value := range is {
			if equality.Semantic.DeepEqual(was[key], value) {
				continue
			}
			if err := unstructured.SetNestedField(o.Object, value, "spec", "template", part, key); err != nil {
				return err
			}
		}
	}
	return nil
}
