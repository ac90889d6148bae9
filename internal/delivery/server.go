package delivery

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/internal/kube/limits"
	"github.com/benchnet/benchnet/internal/network/networkpolicy"
)

// URLError reports a URL that no delivery can use. A retry cannot succeed.
type URLError struct {
	// Field is the path of the URL in the spec.
	Field string
	// Problem says what is wrong, with what is right.
	Problem string
}

// Error returns the field and the problem.
func (e *URLError) Error() string { return e.Field + ": " + e.Problem }

// server is the host of a URL, a name or an address, and its port.
type server struct {
	host string
	port int32
}

// parseServer returns the server of the URL in a field. It returns a URLError for a malformed URL, and for the addresses of the pod
// itself and link-local addresses.
func parseServer(field, text string) (server, error) {
	parsed, err := url.Parse(text)
	if err != nil || parsed.Hostname() == "" {
		return server{}, &URLError{field, fmt.Sprintf("%q must be a URL such as https://example.org", limits.Truncate(text, limits.MaxItem))}
	}
	address, notAddress := netip.ParseAddr(parsed.Hostname())
	switch {
	case notAddress == nil && (address.IsLoopback() || address.IsLinkLocalUnicast() || address.IsUnspecified()):
		return server{}, &URLError{field, address.String() + " is the pod itself or a link-local address, must be another server"}
	case parsed.Port() != "":
		number, err := strconv.ParseUint(parsed.Port(), 10, 16)
		if err != nil || number == 0 {
			return server{}, &URLError{field, "port " + parsed.Port() + " must be from 1 to 65535"}
		}
		return server{parsed.Hostname(), int32(number)}, nil
	case parsed.Scheme == "https":
		return server{parsed.Hostname(), 443}, nil
	}
	return server{parsed.Hostname(), 80}, nil
}

// buildNetworkPolicy allows the pod DNS and the port of the server: at its address, or, if it has a name, which a policy
// cannot express, at any at which no cloud serves the credentials of nodes.
func (d *delivery) buildNetworkPolicy() *networkingv1.NetworkPolicy {
	rule := networkingv1.NetworkPolicyEgressRule{Ports: networkpolicy.Ports([]int32{d.server.port}, corev1.ProtocolTCP)}
	if address, err := netip.ParseAddr(d.server.host); err == nil {
		rule.To = []networkingv1.NetworkPolicyPeer{{IPBlock: &networkingv1.IPBlock{CIDR: netip.PrefixFrom(address, address.BitLen()).String()}}}
	} else {
		rule.To = []networkingv1.NetworkPolicyPeer{
			{IPBlock: &networkingv1.IPBlock{CIDR: "0.0.0.0/0", Except: []string{"169.254.0.0/16", "100.100.100.200/32"}}},
			{IPBlock: &networkingv1.IPBlock{CIDR: "::/0", Except: []string{"fe80::/10", "fd00:ec2::254/128", "fd20:ce::254/128"}}},
		}
	}
	return &networkingv1.NetworkPolicy{ObjectMeta: d.meta, Spec: networkingv1.NetworkPolicySpec{
		PodSelector: metav1.LabelSelector{MatchLabels: d.meta.Labels},
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
		Egress:      []networkingv1.NetworkPolicyEgressRule{networkpolicy.DNSEgress(), rule},
	}}
}
