// Package networkpolicy keeps networks apart: the NetworkPolicies around all pods of one network, whatever its platform. Who may reach
// a member at which port is said beside the member's ports (internal/platform/members); here is all else.
//
// By default nothing reaches a network's pods, and they reach nothing but the cluster's names. Each further policy adds one way.
package networkpolicy

import (
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
)

// Mode says whether networks are kept apart.
type Mode string

// The modes.
const (
	// ModeEnforced makes the policies; whether they hold is up to the cluster's network plug-in.
	ModeEnforced Mode = "Enforced"
	// ModeNone makes none, for plug-ins that cannot do with them.
	ModeNone Mode = "None"
)

const (
	componentLabel = "app.kubernetes.io/component"

	// Components of a network's pods, as their labels say.
	componentMember           = "member"
	componentWorker           = "worker"
	componentGenesis          = "genesis"
	componentDatabase         = "database"
	componentDatabaseSetup    = "database-setup"
	componentDatabaseReset    = "database-reset"
	componentDatabaseTeardown = "database-teardown"
)

// dnsPorts are those of DNS servers: 53, and 5353 where the cluster's servers listen there behind their Service.
var dnsPorts = []int32{53, 5353}

// apiServerPorts are those on which API servers listen. Their addresses are those of hosts, which no policy can select by labels.
var apiServerPorts = []int32{443, 6443}

// metricsPortNames are the container ports, by name, that Prometheus reads of databases and workers. Members list their own.
var metricsPortNames = []string{"agent", "metrics"}

// ExternalDatabase is a database server outside of the network.
type ExternalDatabase struct {
	// Host name or address.
	Host string
	Port int32
}

// Build around the network. The labels are those of an object of the network that belongs to no member. Names begin with the
// network's own.
func Build(network *v1alpha1.BenchmarkNetwork, labels map[string]string, external *ExternalDatabase) []client.Object {
	b := policyBuilder{network: network.Name, meta: metav1.ObjectMeta{Namespace: network.Namespace, Labels: labels}}
	callers := []string{componentGenesis, componentWorker}
	if network.Spec.Network != nil {
		callers = append(callers, componentMember) // The emulation's sidecar follows its peers' pods.
	}
	all := []client.Object{b.defaultDenyPolicy(), b.internalEgressPolicy(), b.apiServerPolicy(callers), b.databasePolicy(), b.metricsPolicy()}
	if external != nil {
		all = append(all, b.externalDatabasePolicy(*external))
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

// podSelector of the network; with requirements some of them.
func (b policyBuilder) podSelector(some ...metav1.LabelSelectorRequirement) metav1.LabelSelector {
	return metav1.LabelSelector{MatchLabels: map[string]string{v1alpha1.LabelNetwork: b.network}, MatchExpressions: some}
}

func (b policyBuilder) networkPeers() []networkingv1.NetworkPolicyPeer {
	return []networkingv1.NetworkPolicyPeer{{PodSelector: new(b.podSelector())}}
}

func componentRequirement(operator metav1.LabelSelectorOperator, names ...string) metav1.LabelSelectorRequirement {
	return metav1.LabelSelectorRequirement{Key: componentLabel, Operator: operator, Values: names}
}

// defaultDenyPolicy lets nothing in, and nothing out but questions for names.
func (b policyBuilder) defaultDenyPolicy() client.Object {
	return b.newPolicy("isolated", networkingv1.NetworkPolicySpec{
		PodSelector: b.podSelector(),
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
		Egress:      []networkingv1.NetworkPolicyEgressRule{{Ports: policyPorts(dnsPorts, corev1.ProtocolUDP, corev1.ProtocolTCP)}},
	})
}

// internalEgressPolicy lets the network's pods call each other, but for the maker of the keys, which has nobody to call. What is called has
// its own say in which ports.
func (b policyBuilder) internalEgressPolicy() client.Object {
	return b.newPolicy("within", networkingv1.NetworkPolicySpec{
		PodSelector: b.podSelector(componentRequirement(metav1.LabelSelectorOpNotIn, componentGenesis)),
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeEgress},
		Egress:      []networkingv1.NetworkPolicyEgressRule{{To: b.networkPeers()}},
	})
}

// apiServerPolicy lets those call the API server that publish or report to it.
func (b policyBuilder) apiServerPolicy(callers []string) client.Object {
	return b.newPolicy("api", networkingv1.NetworkPolicySpec{
		PodSelector: b.podSelector(componentRequirement(metav1.LabelSelectorOpIn, callers...)),
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeEgress},
		Egress:      []networkingv1.NetworkPolicyEgressRule{{Ports: policyPorts(apiServerPorts, corev1.ProtocolTCP)}},
	})
}

// databasePolicy are reached by the network alone. One of a user's own chart may consist of several pods that copy each other, so all
// policyPorts are open to the network.
func (b policyBuilder) databasePolicy() client.Object {
	return b.newPolicy("databases", networkingv1.NetworkPolicySpec{
		PodSelector: b.podSelector(metav1.LabelSelectorRequirement{Key: v1alpha1.LabelDatabaseInstance, Operator: metav1.LabelSelectorOpExists}),
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
		Ingress:     []networkingv1.NetworkPolicyIngressRule{{From: b.networkPeers()}},
	})
}

// metricsPolicy opens the metrics ports of databases and workers to every pod. Scrapers.Limit narrows that.
func (b policyBuilder) metricsPolicy() client.Object {
	rule := networkingv1.NetworkPolicyIngressRule{}
	for _, name := range metricsPortNames {
		rule.Ports = append(rule.Ports, networkingv1.NetworkPolicyPort{Protocol: new(corev1.ProtocolTCP), Port: new(intstr.FromString(name))})
	}
	return b.newPolicy("metrics", networkingv1.NetworkPolicySpec{
		PodSelector: b.podSelector(componentRequirement(metav1.LabelSelectorOpIn, componentDatabase, componentWorker)),
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
		Ingress:     []networkingv1.NetworkPolicyIngressRule{rule},
	})
}

// externalDatabasePolicy lets members, and the Jobs that make and drop their schemas, call a server that is not the network's own: at its address,
// or, since a policy knows no names, at its port anywhere.
func (b policyBuilder) externalDatabasePolicy(server ExternalDatabase) client.Object {
	rule := networkingv1.NetworkPolicyEgressRule{Ports: policyPorts([]int32{server.Port}, corev1.ProtocolTCP)}
	if address, err := netip.ParseAddr(server.Host); err == nil {
		block := netip.PrefixFrom(address, address.BitLen()).String()
		rule.To = []networkingv1.NetworkPolicyPeer{{IPBlock: &networkingv1.IPBlock{CIDR: block}}}
	}
	return b.newPolicy("external-database", networkingv1.NetworkPolicySpec{
		PodSelector: b.podSelector(
			componentRequirement(metav1.LabelSelectorOpIn, componentMember, componentDatabaseSetup, componentDatabaseReset, componentDatabaseTeardown),
		),
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeEgress},
		Egress:      []networkingv1.NetworkPolicyEgressRule{rule},
	})
}

func policyPorts(numbers []int32, protocols ...corev1.Protocol) []networkingv1.NetworkPolicyPort {
	var all []networkingv1.NetworkPolicyPort
	for _, protocol := range protocols {
		for _, number := range numbers {
			all = append(all, networkingv1.NetworkPolicyPort{Protocol: new(protocol), Port: new(intstr.FromInt32(number))})
		}
	}
	return all
}
