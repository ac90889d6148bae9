package delivery

import (
	"fmt"
	"net/url"
	"strconv"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/internal/destination"
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

// parseServer returns the server of the URL in a field. It returns a URLError for a malformed URL and for a forbidden destination.
func parseServer(field, text string) (server, error) {
	parsed, err := url.Parse(text)
	if err != nil || parsed.Hostname() == "" {
		return server{}, &URLError{field, fmt.Sprintf("%q must be a URL such as https://example.org", limits.Truncate(text, limits.MaxItem))}
	}
	if err := destination.CheckHost(parsed.Hostname()); err != nil {
		return server{}, &URLError{field, err.Error()}
	}
	switch {
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

// buildNetworkPolicy allows the pod DNS and the port of the server.
func (d *delivery) buildNetworkPolicy() *networkingv1.NetworkPolicy {
	rule := networkpolicy.HostEgress(d.server.host, d.server.port)
	return &networkingv1.NetworkPolicy{ObjectMeta: d.meta, Spec: networkingv1.NetworkPolicySpec{
		PodSelector: metav1.LabelSelector{MatchLabels: d.meta.Labels},
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
		Egress:      []networkingv1.NetworkPolicyEgressRule{networkpolicy.DNSEgress(), rule},
	}}
}
