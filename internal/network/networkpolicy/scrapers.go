package networkpolicy

import (
	"bytes"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

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

// toPeers returns the scrapers, or peers that select every client if there are none.
func (s Scrapers) toPeers() []networkingv1.NetworkPolicyPeer {
	if len(s) > 0 {
		return s
	}
	return []networkingv1.NetworkPolicyPeer{{NamespaceSelector: &metav1.LabelSelector{}},
		{IPBlock: &networkingv1.IPBlock{CIDR: "0.0.0.0/0"}}, {IPBlock: &networkingv1.IPBlock{CIDR: "::/0"}}}
}

// CheckLabels fails for labels of a pod by which a scraper is selected. A selector that selects pods without labels is
// ignored.
func (s Scrapers) CheckLabels(pod map[string]string) error {
	for _, peer := range s {
		selector, err := metav1.LabelSelectorAsSelector(peer.PodSelector)
		if err != nil {
			return fmt.Errorf("--metrics-scrapers: %w", err)
		}
		if selector.Matches(labels.Set(pod)) && !selector.Matches(labels.Set{}) {
			return fmt.Errorf("the labels match %q, by which NetworkPolicies admit Prometheus (--metrics-scrapers); use other labels", selector)
		}
	}
	return nil
}
