package observe

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Trim takes from an object what the operator never reads, before the cache keeps it: who wrote which field, the contents of a
// network's material and credentials, and of a pod's spec all but its place and the resources of its containers. It is a cache's transform.
func Trim(object any) (any, error) {
	if o, ok := object.(metav1.Object); ok {
		o.SetManagedFields(nil)
	}
	switch o := object.(type) {
	case *corev1.Secret:
		if private(o.Labels) {
			o.Data = nil
		}
	case *corev1.Pod:
		o.Spec = trimmed(&o.Spec)
	}
	return object, nil
}

// private are the Secrets that the operator makes without ever looking into them. One that a chart brings is compared with what
// the chart says.
func private(labels map[string]string) bool {
	component := labels["app.kubernetes.io/component"]
	return labels["app.kubernetes.io/name"] == "benchnet-network" && (component == "material" || component == "credentials")
}

func trimmed(spec *corev1.PodSpec) corev1.PodSpec {
	kept := corev1.PodSpec{NodeName: spec.NodeName, Containers: make([]corev1.Container, len(spec.Containers))}
	for i, c := range spec.Containers {
		kept.Containers[i] = corev1.Container{Name: c.Name, Resources: c.Resources}
	}
	return kept
}
