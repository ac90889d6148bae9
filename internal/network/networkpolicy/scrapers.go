package networkpolicy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
)

// Scrapers are the peers that may read the metrics of networks. If empty, every client may. It implements
// flag.Value.
type Scrapers []networkingv1.NetworkPolicyPeer

// defaultScraperNamespace is the usual namespace of Prometheus.
const defaultScraperNamespace = "monitoring"

// DefaultScrapers returns the pods of defaultScraperNamespace with the label that the Prometheus Operator and the
// Prometheus charts set. It names a namespace, because users can set any label on pods in theirs.
func DefaultScrapers() Scrapers {
	return Scrapers{{
		NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: defaultScraperNamespace}},
		PodSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
			{Key: naming.LabelName, Operator: metav1.LabelSelectorOpIn, Values: []string{"prometheus"}}}},
	}}
}

// String returns the scrapers as JSON.
func (s *Scrapers) String() string {
	text, err := json.Marshal(*s)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Set replaces the scrapers with a JSON list of NetworkPolicy peers. It fails for unknown fields and for peers
// that are not valid.
func (s *Scrapers) Set(text string) error {
	var peers Scrapers
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&peers); err != nil {
		return fmt.Errorf("it must be a JSON list of NetworkPolicy peers: %w", err)
	}
	for i, peer := range peers {
		switch selects := peer.NamespaceSelector != nil || peer.PodSelector != nil; {
		case peer.IPBlock == nil && !selects:
			return fmt.Errorf("peer %d selects nothing: it needs ipBlock, namespaceSelector or podSelector", i)
		case peer.IPBlock != nil && selects:
			return fmt.Errorf("peer %d has ipBlock and a selector: it needs either ipBlock, or namespaceSelector and podSelector or one of them", i)
		}
	}
	*s = peers
	return nil
}

// RestrictIngress restricts ingress rules that allow every peer, which are those for metrics, to the scrapers
// and the network's own pods. It does nothing if there are no scrapers.
func (s Scrapers) RestrictIngress(network string, objects []client.Object) {
	if len(s) == 0 {
		return
	}
	own := networkingv1.NetworkPolicyPeer{PodSelector: &metav1.LabelSelector{MatchLabels: map[string]string{v1alpha1.LabelNetwork: network}}}
	for _, object := range objects {
		policy, ok := object.(*networkingv1.NetworkPolicy)
		if !ok {
			continue
		}
		for i := range policy.Spec.Ingress {
			if rule := &policy.Spec.Ingress[i]; len(rule.From) == 0 {
				rule.From = slices.Concat([]networkingv1.NetworkPolicyPeer{own}, s)
			}
		}
	}
}
