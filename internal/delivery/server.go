package delivery

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/internal/network/networkpolicy"
)

// ErrForbiddenServer reports a URL whose server the pod may not reach.
var ErrForbiddenServer = errors.New("is the pod itself or a link-local address")

// server is the host of a URL, a name or an address, and its port.
type server struct {
	host string
	port int32
}

// parseServer returns the server of the URL in a field. It fails for the addresses of the pod itself and for link-local addresses.
func parseServer(field, text string) (server, error) {
	parsed, err := url.Parse(text)
	if err != nil {
		return server{}, fmt.Errorf("%s: %w", field, err)
	}
	address, notAddress := netip.ParseAddr(parsed.Hostname())
	switch {
	case notAddress == nil && (address.IsLoopback() || address.IsLinkLocalUnicast() || address.IsUnspecified()):
		return server{}, fmt.Errorf("%s: %s %w", field, address, ErrForbiddenServer)
	case parsed.Port() != "":
		number, err := strconv.ParseUint(parsed.Port(), 10, 16)
		if err != nil {
			return server{}, fmt.Errorf("%s: port %s must be from 1 to 65535", field, parsed.Port())
		}
		return server{parsed.Hostname(), int32(number)}, nil
	case parsed.Scheme == "https":
		return server{parsed.Hostname(), 443}, nil
	}
	return server{parsed.Hostname(), 80}, nil
}

// buildNetworkPolicy allows the pod DNS and the port of the server: at its address, or, if it has a name, which a policy
// cannot express, at any that is not link-local. Clouds serve the credentials of nodes at link-local addresses.
func (d *delivery) buildNetworkPolicy() *networkingv1.NetworkPolicy {
	rule := networkingv1.NetworkPolicyEgressRule{Ports: networkpolicy.Ports([]int32{d.server.port}, corev1.ProtocolTCP)}
	if address, err := netip.ParseAddr(d.server.host); err == nil {
		rule.To = []networkingv1.NetworkPolicyPeer{{IPBlock: &networkingv1.IPBlock{CIDR: netip.PrefixFrom(address, address.BitLen()).String()}}}
	} else {
		rule.To = []networkingv1.NetworkPolicyPeer{
			{IPBlock: &networkingv1.IPBlock{CIDR: "0.0.0.0/0", Except: []string{"169.254.0.0/16"}}},
			{IPBlock: &networkingv1.IPBlock{CIDR: "::/0", Except: []string{"fe80::/10"}}},
		}
	}
	return &networkingv1.NetworkPolicy{ObjectMeta: d.meta, Spec: networkingv1.NetworkPolicySpec{
		PodSelector: metav1.LabelSelector{MatchLabels: d.meta.Labels},
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
		Egress:      []networkingv1.NetworkPolicyEgressRule{networkpolicy.DNSEgress(), rule},
	}}
}
