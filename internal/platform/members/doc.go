// Package members builds the objects that run the members of a network in the same way for every platform:
// Services, NetworkPolicy, and for each member a ConfigMap and a StatefulSet with one pod, its spread and
// its volume. The platform supplies the containers of the pod.
package members

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/sizing"
)

// Name returns the name of the member with the given ordinal.
func Name(ordinal int32) string { return platform.MemberName(ordinal) }

// Topology returns spec.members.count members that reach each other at port. identity returns the
// platform's identity of a member; if it is nil, the identity is the member's name.
func Topology(network *v1alpha1.BenchmarkNetwork, role string, port int32, identity func(ordinal int32) string) platform.Topology {
	t := platform.Topology{Network: network.Name}
	for i := range network.Spec.Members.Count {
		m := New(network, Name(i), role, port)
		m.Spec = network.Spec.ForMember(Name(i))
		if identity != nil {
			m.Identity = identity(i)
		}
		t.Members = append(t.Members, m)
	}
	return t
}

// New returns a member without overrides that its peers reach at port.
func New(network *v1alpha1.BenchmarkNetwork, name, role string, port int32) platform.Member {
	host := naming.MemberHost(network.Name, network.Namespace, name)
	return platform.Member{Name: name, Role: role, Identity: name, Host: host, Address: HostPort(host, port), Spec: &network.Spec}
}

// HostPort returns host:port. An empty host means all addresses.
func HostPort(host string, port int32) string { return fmt.Sprintf("%s:%d", host, port) }

// MetricsURL returns the URL of a member's metrics at a port.
func MetricsURL(m platform.Member, port int32) string {
	return "http://" + HostPort(m.Host, port) + "/metrics"
}

// ObjectMeta returns the metadata of an object of the network.
func ObjectMeta(network *v1alpha1.BenchmarkNetwork, name string, component naming.Component) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: network.Namespace, Labels: naming.PlatformLabels(network, component)}
}

func memberMeta(network *v1alpha1.BenchmarkNetwork, m platform.Member) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: naming.Member(network.Name, m.Name), Namespace: network.Namespace, Labels: naming.MemberLabels(network, m.Name)}
}

// Resources returns the limits and requests of a member, derived from its size and reservation.
func Resources(spec *v1alpha1.BenchmarkNetworkSpec) corev1.ResourceRequirements {
	return sizing.MachineOf(&spec.Members).Resources(spec.ReservationOrDefault())
}
