package corda

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// Components of a network.
const (
	componentMember  = "member"
	componentGenesis = "genesis"
)

// labels of an object of the network. Prometheus and people tell a member's pod by its label for members.
func labels(network, component string) map[string]string {
	return map[string]string{
		"app.kubernetes.io/name":       "corda",
		"app.kubernetes.io/instance":   network,
		"app.kubernetes.io/component":  component,
		"app.kubernetes.io/part-of":    "benchnet",
		"app.kubernetes.io/managed-by": v1alpha1.ManagedBy,
		v1alpha1.LabelNetwork:          network,
	}
}

func memberLabels(network, member string) map[string]string {
	all := labels(network, componentMember)
	all[v1alpha1.LabelMember] = member
	return all
}

// membersOf selects the pods of all members, the notary included.
func membersOf(network string) map[string]string {
	return map[string]string{
		v1alpha1.LabelNetwork:         network,
		"app.kubernetes.io/component": componentMember,
	}
}

func meta(network *v1alpha1.BenchmarkNetwork, name, component string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: network.Namespace, Labels: labels(network.Name, component)}
}
