package networkpolicy

import (
	"regexp"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// AllowIngress returns the rule that admits the peers to the ports. Without peers or ports it returns no rule, since
// Kubernetes takes an empty list for all peers or all ports.
func AllowIngress(peers []networkingv1.NetworkPolicyPeer, ports []networkingv1.NetworkPolicyPort) []networkingv1.NetworkPolicyIngressRule {
	if len(peers) == 0 || len(ports) == 0 {
		return nil
	}
	return []networkingv1.NetworkPolicyIngressRule{{From: peers, Ports: ports}}
}

// OwnPods returns the peer that selects the network's pods.
func OwnPods(network string) []networkingv1.NetworkPolicyPeer {
	return []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{MatchLabels: map[string]string{v1alpha1.LabelNetwork: network}}}}
}

// metricsPortPattern matches the names of container ports that Prometheus scrapes, as config/prometheus/pod_monitor.yaml
// does.
var metricsPortPattern = regexp.MustCompile(`^(jmx|(.+-)?(agent|metrics))$`)

// IsMetricsPort reports whether Prometheus scrapes container ports of that name.
func IsMetricsPort(name string) bool { return metricsPortPattern.MatchString(name) }

// Ports returns every combination of the protocols and port numbers.
func Ports(numbers []int32, protocols ...corev1.Protocol) []networkingv1.NetworkPolicyPort {
	var all []networkingv1.NetworkPolicyPort
	for _, protocol := range protocols {
		for _, number := range numbers {
			all = append(all, networkingv1.NetworkPolicyPort{Protocol: new(protocol), Port: new(intstr.FromInt32(number))})
		}
	}
	return all
}

// namedPorts returns the TCP ports of these names.
func namedPorts(names []string) []networkingv1.NetworkPolicyPort {
	var all []networkingv1.NetworkPolicyPort
	for _, name := range names {
		all = append(all, networkingv1.NetworkPolicyPort{Protocol: new(corev1.ProtocolTCP), Port: new(intstr.FromString(name))})
	}
	return all
}
