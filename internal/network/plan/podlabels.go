package plan

import (
	"fmt"
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// PodLabels returns the pod labels that become labels of Prometheus series: the platform of the network and its
// experiment, if any.
func PodLabels(network *v1alpha1.BenchmarkNetwork) map[string]string {
	return podLabels(network, network.Labels[v1alpha1.LabelExperiment])
}

func podLabels(network *v1alpha1.BenchmarkNetwork, experiment string) map[string]string {
	labels := map[string]string{v1alpha1.LabelPlatform: string(network.Spec.Platform.Type)}
	if experiment != "" {
		labels[v1alpha1.LabelExperiment] = experiment
	}
	return labels
}

// labelPods adds PodLabels to the pods of members and databases.
func labelPods(in Input, p *Plan) error {
	labels := podLabels(in.Network, in.experimentName())
	for _, stage := range p.Stages {
		for _, object := range stage.Objects {
			switch set := object.(type) {
			case *appsv1.StatefulSet:
				pod := &set.Spec.Template
				pod.Labels = mergeLabels(pod.Labels, labels)
			case *unstructured.Unstructured:
				if set.GetKind() != "StatefulSet" {
					continue
				}
				path := []string{"spec", "template", "metadata", "labels"}
				own, _, err := unstructured.NestedStringMap(set.Object, path...)
				if err == nil {
					err = unstructured.SetNestedStringMap(set.Object, mergeLabels(own, labels), path...)
				}
				if err != nil {
					return fmt.Errorf("label the pods of StatefulSet %s: %w", set.GetName(), err)
				}
			}
		}
	}
	return nil
}

func mergeLabels(own, more map[string]string) map[string]string {
	all := maps.Clone(more)
	maps.Copy(all, own)
	return all
}
