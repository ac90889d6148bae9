package members

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
)

// PortAccess says who may connect to a port.
type PortAccess string

// The reaches.
const (
	// AccessNetwork is the network's own pods: members and load workers.
	AccessNetwork PortAccess = "Network"
	// AccessScrapers is for metrics: the network's own pods and the scrapers that the operator's configuration names.
	AccessScrapers PortAccess = "Scrapers"
)

// Port of a member's pod.
type Port struct {
	Name   string
	Number int32
	// Protocol; empty: TCP.
	Protocol corev1.Protocol
	Access   PortAccess
}

func (p Port) protocolOrTCP() corev1.Protocol {
	if p.Protocol == "" {
		return corev1.ProtocolTCP
	}
	return p.Protocol
}

// ContainerPort is the port of a container.
func (p Port) ContainerPort() corev1.ContainerPort {
	return corev1.ContainerPort{Name: p.Name, ContainerPort: p.Number, Protocol: p.protocolOrTCP()}
}

// ContainerPorts are the ports of a container.
func ContainerPorts(ports []Port) []corev1.ContainerPort {
	all := make([]corev1.ContainerPort, 0, len(ports))
	for _, p := range ports {
		all = append(all, p.ContainerPort())
	}
	return all
}

func servicePorts(ports []Port) []corev1.ServicePort {
	all := make([]corev1.ServicePort, 0, len(ports))
	for _, p := range ports {
		all = append(all, corev1.ServicePort{Name: p.Name, Port: p.Number, TargetPort: intstr.FromString(p.Name), Protocol: p.protocolOrTCP()})
	}
	return all
}

// Service gives every member a host name, also before it is ready: members look each other up while they start. The name goes
// with the pod; AddressService is for members whose peers must never fail to resolve them.
func Service(network *v1alpha1.BenchmarkNetwork, ports []Port) *corev1.Service {
	return &corev1.Service{ObjectMeta: ObjectMeta(network, network.Name, memberComponent), Spec: corev1.ServiceSpec{
		ClusterIP:                corev1.ClusterIPNone,
		PublishNotReadyAddresses: true,
		Selector:                 AllMembersSelector(network.Name),
		Ports:                    servicePorts(ports),
	}}
}

// AddressService is a name and an address of a member's own, which stay while its pod is replaced: <network>-<member>.
func AddressService(network *v1alpha1.BenchmarkNetwork, m platform.Member, ports []Port) *corev1.Service {
	return &corev1.Service{ObjectMeta: memberMeta(network, m), Spec: corev1.ServiceSpec{
		PublishNotReadyAddresses: true,
		Selector:                 memberSelector(network.Name, m.Name),
		Ports:                    servicePorts(ports),
	}}
}

// AddressHost is the DNS name of a member's AddressService.
func AddressHost(network *v1alpha1.BenchmarkNetwork, member string) string {
	return naming.Member(network.Name, member) + "." + network.Namespace + ".svc"
}

func memberSelector(network, member string) map[string]string {
	return map[string]string{v1alpha1.LabelNetwork: network, v1alpha1.LabelMember: member}
}

// NetworkPolicy lets each port be reached by whom it is for. What the members reach is left open: they need the cluster's DNS and
// may need a database that lies anywhere.
func NetworkPolicy(network *v1alpha1.BenchmarkNetwork, ports []Port) *networkingv1.NetworkPolicy {
	own := networkingv1.NetworkPolicyPeer{PodSelector: &metav1.LabelSelector{
		MatchLabels: map[string]string{v1alpha1.LabelNetwork: network.Name}}}
	return &networkingv1.NetworkPolicy{ObjectMeta: ObjectMeta(network, network.Name, memberComponent), Spec: networkingv1.NetworkPolicySpec{
		PodSelector: metav1.LabelSelector{MatchLabels: AllMembersSelector(network.Name)},
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
		Ingress: []networkingv1.NetworkPolicyIngressRule{
			{From: []networkingv1.NetworkPolicyPeer{own}, Ports: policyPorts(ports, AccessNetwork)},
			{Ports: policyPorts(ports, AccessScrapers)}, // From everybody, until isolation.Scrapers.Limit narrows it.
		},
	}}
}

func policyPorts(ports []Port, reach PortAccess) []networkingv1.NetworkPolicyPort {
	var all []networkingv1.NetworkPolicyPort
	for _, p := range ports {
		if p.Access == reach {
			all = append(all, networkingv1.NetworkPolicyPort{Protocol: new(p.protocolOrTCP()), Port: new(intstr.FromString(p.Name))})
		}
	}
	return all
}
