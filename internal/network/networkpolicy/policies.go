// Package networkpolicy builds the NetworkPolicies that isolate the pods of one network, whatever its platform.
// The policies of members' ports are built next to these ports (internal/platform/members).
//
// By default, nothing reaches a network's pods, and they reach only DNS servers. Each further policy allows one
// kind of traffic.
package networkpolicy

import (
	"net/netip"
	"regexp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/destination"
	"github.com/benchnet/benchnet/internal/naming"
)

// Mode says whether networks are isolated.
type Mode string

// The modes.
const (
	// ModeEnforced creates the policies. Whether they take effect depends on the cluster's network plug-in.
	ModeEnforced Mode = "Enforced"
	// ModeNone creates no policies, for plug-ins that cannot work with them.
	ModeNone Mode = "None"
)

// dnsPorts are the ports of DNS servers: 53, and 5353 in clusters whose servers listen there behind their
// Service.
var dnsPorts = []int32{53, 5353}

// ExternalDatabase is a database server outside the network.
type ExternalDatabase struct {
	// Host is a host name or an address.
	Host string
	Port int32
}

// Input is the input of Build.
type Input struct {
	Network *v1alpha1.BenchmarkNetwork
	// External are the databases outside the network.
	External []ExternalDatabase
	// Scrapers may read metrics; empty means every client.
	Scrapers Scrapers
	// APIServerPorts are the ports of the API servers; empty means DefaultAPIServerPorts. API servers have host addresses,
	// which no policy can select by labels.
	APIServerPorts []int32
	// MetricsPorts are the names of the metrics ports of members and databases.
	MetricsPorts []string
	// DatabasePorts are all ports of the databases in the network.
	DatabasePorts []networkingv1.NetworkPolicyPort
}

// Build returns the policies of the network. Their names start with the network's name.
func Build(in Input) []client.Object {
	network := in.Network
	labels := naming.NetworkLabels(network.Name, naming.ComponentNetworkPolicy)
	b := policyBuilder{network: network.Name, meta: metav1.ObjectMeta{Namespace: network.Namespace, Labels: labels}}
	callers := []naming.Component{naming.ComponentGenesis, naming.ComponentWorker}
	if network.Spec.HasSidecars() {
		callers = append(callers, naming.ComponentMember) // The latency sidecar watches the pods of its peers.
	}
	all := []client.Object{b.defaultDenyPolicy(), b.internalEgressPolicy(), b.apiServerPolicy(callers, in.APIServerPorts),
		b.databasePolicy(in.DatabasePorts), b.metricsPolicy(in.MetricsPorts, in.Scrapers)}
	if len(in.External) > 0 {
		all = append(all, b.externalDatabasePolicy(in.External))
	}
	return all
}

type policyBuilder struct {
	network string
	meta    metav1.ObjectMeta
}

func (b policyBuilder) newPolicy(purpose string, spec networkingv1.NetworkPolicySpec) *networkingv1.NetworkPolicy {
	meta := *b.meta.DeepCopy()
	meta.Name = naming.NetworkPolicy(b.network, purpose)
	return &networkingv1.NetworkPolicy{ObjectMeta: meta, Spec: spec}
}

// podSelector selects the pods of the network that meet the requirements, if any.
func (b policyBuilder) podSelector(some ...metav1.LabelSelectorRequirement) metav1.LabelSelector {
	return metav1.LabelSelector{MatchLabels: map[string]string{v1alpha1.LabelNetwork: b.network}, MatchExpressions: some}
}

func componentRequirement(operator metav1.LabelSelectorOperator, components ...naming.Component) metav1.LabelSelectorRequirement {
	requirement := metav1.LabelSelectorRequirement{Key: naming.LabelComponent, Operator: operator}
	for _, c := range components {
		requirement.Values = append(requirement.Values, string(c))
	}
	return requirement
}

// defaultDenyPolicy denies all ingress, and all egress except DNS.
func (b policyBuilder) defaultDenyPolicy() client.Object {
	return b.newPolicy("isolated", networkingv1.NetworkPolicySpec{
		PodSelector: b.podSelector(),
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
		Egress:      []networkingv1.NetworkPolicyEgressRule{DNSEgress()},
	})
}

// internalEgressPolicy lets the network's pods call each other, except for the genesis pod, which needs no
// peers. The ingress policies of the called pods decide about ports.
func (b policyBuilder) internalEgressPolicy() client.Object {
	return b.newPolicy("within", networkingv1.NetworkPolicySpec{
		PodSelector: b.podSelector(componentRequirement(metav1.LabelSelectorOpNotIn, naming.ComponentGenesis)),
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeEgress},
		Egress:      []networkingv1.NetworkPolicyEgressRule{{To: OwnPods(b.network)}},
	})
}

// apiServerPolicy lets the components that publish or report to the API server call it.
func (b policyBuilder) apiServerPolicy(callers []naming.Component, ports []int32) client.Object {
	if len(ports) == 0 {
		ports = DefaultAPIServerPorts
	}
	return b.newPolicy("api", networkingv1.NetworkPolicySpec{
		PodSelector: b.podSelector(componentRequirement(metav1.LabelSelectorOpIn, callers...)),
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeEgress},
		Egress:      []networkingv1.NetworkPolicyEgressRule{{Ports: Ports(ports, corev1.ProtocolTCP)}},
	})
}

// databasePolicy lets only the network's pods reach its databases, at every port of theirs, since a database of a user's
// chart may consist of several pods that replicate to each other.
func (b policyBuilder) databasePolicy(ports []networkingv1.NetworkPolicyPort) client.Object {
	return b.newPolicy("databases", networkingv1.NetworkPolicySpec{
		PodSelector: b.podSelector(metav1.LabelSelectorRequirement{Key: v1alpha1.LabelDatabaseInstance, Operator: metav1.LabelSelectorOpExists}),
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
		Ingress:     AllowIngress(OwnPods(b.network), ports),
	})
}

// metricsPolicy opens the metrics ports of all pods to the network's pods and to scrapers.
func (b policyBuilder) metricsPolicy(ports []string, scrapers Scrapers) client.Object {
	return b.newPolicy("metrics", networkingv1.NetworkPolicySpec{
		PodSelector: b.podSelector(),
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
		Ingress:     AllowIngress(slices.Concat(OwnPods(b.network), scrapers.toPeers()), namedPorts(ports)),
	})
}

// externalDatabasePolicy lets members, and the Jobs that create and drop their schemas, call external
// servers.
func (b policyBuilder) externalDatabasePolicy(servers []ExternalDatabase) client.Object {
	var rules []networkingv1.NetworkPolicyEgressRule
	for _, server := range servers {
		rules = append(rules, HostEgress(server.Host, server.Port))
	}
	return b.newPolicy("external-database", networkingv1.NetworkPolicySpec{
		PodSelector: b.podSelector(
			componentRequirement(metav1.LabelSelectorOpIn, naming.ComponentMember,
				naming.ComponentDatabaseSetup, naming.ComponentDatabaseReset, naming.ComponentDatabaseTeardown),
		),
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeEgress},
		Egress:      rules,
	})
}

// HostEgress returns the rule that allows calls to a TCP port of a host: at its address, or, if it has a name, which a
// policy cannot express, at any pod and at any address that is not a forbidden destination.
func HostEgress(host string, port int32) networkingv1.NetworkPolicyEgressRule {
	rule := networkingv1.NetworkPolicyEgressRule{Ports: Ports([]int32{port}, corev1.ProtocolTCP)}
	if address, err := netip.ParseAddr(host); err == nil {
		address = address.Unmap()
		block := netip.PrefixFrom(address, address.BitLen()).String()
		rule.To = []networkingv1.NetworkPolicyPeer{{IPBlock: &networkingv1.IPBlock{CIDR: block}}}
		return rule
	}
	ipv4, ipv6 := destination.Exceptions()
	rule.To = []networkingv1.NetworkPolicyPeer{
		{IPBlock: &networkingv1.IPBlock{CIDR: "0.0.0.0/0", Except: ipv4}},
		{IPBlock: &networkingv1.IPBlock{CIDR: "::/0", Except: ipv6}},
		{NamespaceSelector: &metav1.LabelSelector{}}, // Some plug-ins match no pods by IP blocks.
	}
	return rule
}

// DNSEgress returns the rule that allows calls to DNS servers.
func DNSEgress() networkingv1.NetworkPolicyEgressRule {
	return networkingv1.NetworkPolicyEgressRule{Ports: Ports(dnsPorts, corev1.ProtocolUDP, corev1.ProtocolTCP)}
}

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
