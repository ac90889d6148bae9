package networkpolicy

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// TestNoRuleWithoutPeersOrPorts checks that empty lists open nothing.
func TestNoRuleWithoutPeersOrPorts(t *testing.T) {
	own, ports := OwnPods("net"), Ports([]int32{80}, corev1.ProtocolTCP)
	for name, c := range map[string]struct {
		peers []networkingv1.NetworkPolicyPeer
		ports []networkingv1.NetworkPolicyPort
		want  int
	}{
		"both":     {own, ports, 1},
		"no ports": {own, nil, 0},
		"no peers": {nil, ports, 0},
		"neither":  {nil, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := AllowIngress(c.peers, c.ports); len(got) != c.want {
				t.Errorf("rules %v, want %d", got, c.want)
			}
		})
	}
}

// TestEveryIngressRuleNamesPeersAndPorts covers networks without databases, metrics or scrapers.
func TestEveryIngressRuleNamesPeersAndPorts(t *testing.T) {
	network := &v1alpha1.BenchmarkNetwork{ObjectMeta: metav1.ObjectMeta{Name: "net"}}
	for name, in := range map[string]Input{
		"nothing":      {},
		"no scrapers":  {MetricsPorts: []string{"metrics"}, DatabasePorts: Ports([]int32{5432}, corev1.ProtocolTCP)},
		"no databases": {MetricsPorts: []string{"metrics"}, Scrapers: DefaultScrapers()},
	} {
		t.Run(name, func(t *testing.T) {
			in.Network = network
			for _, object := range Build(in) {
				for _, rule := range object.(*networkingv1.NetworkPolicy).Spec.Ingress {
					if len(rule.From) == 0 || len(rule.Ports) == 0 {
						t.Errorf("%s: %+v", object.GetName(), rule)
					}
				}
			}
		})
	}
}

func TestScrapersCheckLabels(t *testing.T) {
	everyPod := Scrapers{{NamespaceSelector: &metav1.LabelSelector{}}, {PodSelector: &metav1.LabelSelector{}}, {IPBlock: &networkingv1.IPBlock{CIDR: "10.0.0.0/8"}}}
	app := Scrapers{everyPod[0], {PodSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "prom"}}}}
	for name, c := range map[string]struct {
		scrapers Scrapers
		labels   map[string]string
		refused  bool
	}{
		"the default's label": {DefaultScrapers(), map[string]string{"app.kubernetes.io/name": "prometheus"}, true},
		"another name":        {DefaultScrapers(), map[string]string{"app.kubernetes.io/name": "postgresql"}, false},
		"another selector":    {app, map[string]string{"app": "prom", "x": "y"}, true},
		"selectors of all":    {everyPod, map[string]string{"app": "prom"}, false},
		"no scrapers":         {nil, map[string]string{"app": "prom"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if err := c.scrapers.CheckLabels(c.labels); (err != nil) != c.refused {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestAPIServerPorts(t *testing.T) {
	slice := func(ports ...int32) (s discoveryv1.EndpointSlice) {
		for _, port := range ports {
			s.Ports = append(s.Ports, discoveryv1.EndpointPort{Port: &port})
		}
		return s
	}
	for name, c := range map[string]struct {
		endpoints []discoveryv1.EndpointSlice
		want      []int32
	}{
		"unknown":       {nil, nil},
		"without ports": {[]discoveryv1.EndpointSlice{{Ports: []discoveryv1.EndpointPort{{}}}}, nil},
		"usual":         {[]discoveryv1.EndpointSlice{slice(6443)}, []int32{443, 6443}},
		"same":          {[]discoveryv1.EndpointSlice{slice(443)}, []int32{443}},
		"several":       {[]discoveryv1.EndpointSlice{slice(16443, 8443), slice(8443)}, []int32{443, 8443, 16443}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := APIServerPorts(c.endpoints); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestPortList(t *testing.T) {
	for text, want := range map[string]string{"443,6443": "443,6443", " 7443": "7443", "0": `port "0"`, "65536": `port "65536"`, "": `port ""`, "https": `port "https"`} {
		t.Run(text, func(t *testing.T) {
			var list PortList
			got := ""
			if err := list.Set(text); err != nil {
				got = err.Error()
			} else {
				got = list.String()
			}
			if !strings.HasPrefix(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
