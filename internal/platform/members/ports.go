package members

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/network/networkpolicy"
	"github.com/benchnet/benchnet/internal/platform"
)

// Port is a port of a member's pod.
type Port struct {
	Name   string
	Number int32
	// Protocol defaults to TCP.
	Protocol corev1.Protocol
}

func (p Port) protocolOrTCP() corev1.Protocol { return cmp.Or(p.Protocol, corev1.ProtocolTCP) }

// ContainerPort returns the port as a container port.
func (p Port) ContainerPort() corev1.ContainerPort {
	return corev1.ContainerPort{Name: p.Name, ContainerPort: p.Number, Protocol: p.protocolOrTCP()}
}

// ContainerPorts returns ports as container ports.
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

// Service gives every member a DNS name even before it is ready, because members resolve each other while they
// start. The name disappears with the pod. Use AddressService if the peers must always be able to resolve it.
func Service(network *v1alpha1.BenchmarkNetwork, ports []Port) *corev1.Service {
	return &corev1.Service{ObjectMeta: ObjectMeta(network, naming.MembersService(network.Name), naming.ComponentMember), Spec: corev1.ServiceSpec{
		ClusterIP:                corev1.ClusterIPNone,
		PublishNotReadyAddresses: true,
		Selector:                 naming.MembersSelector(network.Name),
		Ports:                    servicePorts(ports),
	}}
}

// AddressService gives a member a name and a cluster IP that persist while its pod is replaced. The name is
// <network>-<member>.
func AddressService(network *v1alpha1.BenchmarkNetwork, m platform.Member, ports []Port) *corev1.Service {
	return &corev1.Service{ObjectMeta: memberMeta(network, m), Spec: corev1.ServiceSpec{
		PublishNotReadyAddresses: true,
		Selector:                 naming.MemberSelector(network.Name, m.Name),
		Ports:                    servicePorts(ports),
	}}
}

// AddressHost returns the DNS name of a member's AddressService.
func AddressHost(network *v1alpha1.BenchmarkNetwork, member string) string {
	return naming.Member(network.Name, member) + "." + network.Namespace + ".svc"
}

// NetworkPolicy admits the network's own pods, members and load workers, to the ports of its members. It does not restrict egress:
// members need the cluster's DNS and may need a database outside the network.
func NetworkPolicy(network *v1alpha1.BenchmarkNetwork, ports []Port) *networkingv1.NetworkPolicy {
	all := metav1.LabelSelector{MatchLabels: naming.MembersSelector(network.Name)}
	return IngressPolicy(network, "members", all, networkpolicy.OwnPods(network.Name), ports)
}

// IngressPolicy admits peers to the ports of some members, except for metrics, which networkpolicy.Build opens to them and to
// scrapers.
func IngressPolicy(network *v1alpha1.BenchmarkNetwork, name string, some metav1.LabelSelector, peers []networkingv1.NetworkPolicyPeer,
	ports []Port) *networkingv1.NetworkPolicy {
	var open []networkingv1.NetworkPolicyPort
	for _, p := range ports {
		if !networkpolicy.IsMetricsPort(p.Name) {
			open = append(open, networkingv1.NetworkPolicyPort{Protocol: new(p.protocolOrTCP()), Port: new(intstr.FromString(p.Name))})
		}
	}
	metadata := ObjectMeta(network, naming.NetworkPolicy(network.Name, name), naming.ComponentMember)
	return &networkingv1.NetworkPolicy{ObjectMeta: metadata, Spec: networkingv1.NetworkPolicySpec{
		PodSelector: some,
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
		Ingress:     networkpolicy.AllowIngress(peers, open),
	}}
}
