package plan

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
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
