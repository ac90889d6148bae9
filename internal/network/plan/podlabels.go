package plan

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
)

// labelPods adds naming.PodLabels to the pods of members and databases.
func labelPods(in Input, p *Plan) error {
	labels := naming.PodLabels(in.Network, in.experimentName())
	return pods.EditTemplates(p.Objects(), func(owner client.Object, template *corev1.PodTemplateSpec) error {
		if _, isJob := owner.(*batchv1.Job); !isJob {
			template.Labels = pods.AddMissing(template.Labels, labels)
		}
		return nil
	})
}

// labelUnobservedPods labels the pods of a network without observation, so that Prometheus does not scrape them.
func labelUnobservedPods(in Input, p *Plan) error {
	if in.Network.Spec.Observation != v1alpha1.ObservationNone {
		return nil
	}
	return pods.EditTemplates(p.objectsWithPods(), func(_ client.Object, template *corev1.PodTemplateSpec) error {
		template.Labels = pods.AddMissing(template.Labels, map[string]string{v1alpha1.LabelObservation: string(v1alpha1.ObservationNone)})
		return nil
	})
}

// addCommonLabels adds spec.commonLabels to the pods and to the claims of StatefulSets. All other objects get them when they are applied.
func addCommonLabels(in Input, p *Plan) error {
	labels := in.Network.Spec.CommonLabels
	if len(labels) == 0 {
		return nil
	}
	return pods.EditTemplates(p.objectsWithPods(), func(owner client.Object, template *corev1.PodTemplateSpec) error {
		pods.AddCommonLabels(template, labels)
		switch o := owner.(type) {
		case *appsv1.StatefulSet:
			for i := range o.Spec.VolumeClaimTemplates {
				claim := &o.Spec.VolumeClaimTemplates[i]
				claim.Labels = pods.AddMissing(claim.Labels, labels)
			}
		case *unstructured.Unstructured:
			return labelUnstructuredClaims(o, labels)
		}
		return nil
	})
}

// labelUnstructuredClaims adds labels to the claim templates of a StatefulSet that a chart has rendered.
func labelUnstructuredClaims(o *unstructured.Unstructured, labels map[string]string) error {
	claims, found, err := unstructured.NestedSlice(o.Object, "spec", "volumeClaimTemplates")
	if !found || err != nil {
		return err
	}
	for i := range claims {
		claim := &unstructured.Unstructured{Object: claims[i].(map[string]any)}
		claim.SetLabels(pods.AddMissing(claim.GetLabels(), labels))
	}
	return unstructured.SetNestedSlice(o.Object, claims, "spec", "volumeClaimTemplates")
}

// addPodMetadata adds spec.podTemplate to all pods.
func addPodMetadata(in Input, p *Plan) error {
	if in.Network.Spec.PodTemplate == nil {
		return nil
	}
	return pods.EditTemplates(p.objectsWithPods(), func(_ client.Object, template *corev1.PodTemplateSpec) error {
		pods.AddMetadata(template, in.Network.Spec.PodTemplate)
		return nil
	})
}
