package plan

import (
	"fmt"
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/benchnet/benchnet/internal/naming"
)

// labelPods adds naming.PodLabels to the pods of members and databases.
func labelPods(in Input, p *Plan) error {
	labels := naming.PodLabels(in.Network, in.experimentName())
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
