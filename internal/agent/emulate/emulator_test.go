package emulate

import (
	"context"
	"encoding/json"
	"maps"
	"net/netip"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/fake"

	"github.com/benchnet/benchnet/internal/agent/kube"
	"github.com/benchnet/benchnet/internal/network/latency"
)

// recordingBackend is a backend that records its peers.
type recordingBackend struct {
	mutex       sync.Mutex
	impairments map[netip.Addr]latency.Impairment
}

func (*recordingBackend) mechanismName() latency.Mechanism { return latency.UserSpace }
func (*recordingBackend) packetCounts() *packetCounters    { return nil }

func (*recordingBackend) runUntilCancelled(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

func (n *recordingBackend) setPeers(ways map[netip.Addr]latency.Impairment) error {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.impairments = ways
	return nil
}

func (n *recordingBackend) delaysByAddress() map[string]time.Duration {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	all := map[string]time.Duration{}
	for a, way := range n.impairments {
		all[a.String()] = way.Delay
	}
	return all
}

// newFakeNamespace returns a namespace of a fake API server that contains the report's ConfigMap.
func newFakeNamespace(t *testing.T) (*kube.NamespaceClient, func(resource string) dynamic.ResourceInterface) {
	t.Helper()
	resources := map[schema.GroupVersionResource]string{}
	for resource, list := range map[string]string{"pods": "PodList", "services": "ServiceList", "configmaps": "ConfigMapList"} {
		resources[schema.GroupVersionResource{Version: "v1", Resource: resource}] = list
	}
	report := newObject("ConfigMap", "net-emulation-report")
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), resources, report)
	of := func(resource string) dynamic.ResourceInterface {
		return client.Resource(schema.GroupVersionResource{Version: "v1", Resource: resource}).Namespace("ns")
	}
	return &kube.NamespaceClient{ConfigMaps: of("configmaps"), Name: "ns", Client: client}, of
}

func newObject(kind, name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": kind,
		"metadata": map[string]any{"name": name, "namespace": "ns", "labels": map[string]any{labelNetwork: "net"}}}}
}

func newMemberPodObject(name, member, address string) *unstructured.Unstructured {
	p := newObject("Pod", name)
	p.SetLabels(map[string]string{labelNetwork: "net", labelMember: member})
	p.Object["status"] = map[string]any{"phase": "Running", "podIPs": []any{map[string]any{"ip": address}}}
	return p
}

func waitUntil(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within two minutes", what)
		}
	}
}

// TestFollowsPods checks that the peers match the existing pods, in whatever order these come and go, and that
// the member is ready only when its peers can see it.
func TestFollowsPods(t *testing.T) {
	cluster, of := newFakeNamespace(t)
	config := &latency.Config{Network: "net", Members: map[string]string{"member-0": "NYC", "member-1": "LON"},
		Links: []latency.RegionLink{{Between: [2]string{"LON", "NYC"}, Link: latency.Link{RoundTripMicros: 72_000}}}}
	peers := &recordingBackend{}
	e := &Emulator{config: config, member: "member-0", backend: peers}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- e.Run(ctx, MemberPod{Namespace: cluster, Name: "net-member-0-0", UID: "uid-0", ReportName: "net-emulation-report"})
	}()
	create := func(resource string, o *unstructured.Unstructured) {
		t.Helper()
		if _, err := of(resource).Create(ctx, o, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	peersAre := func(what string, addresses ...string) {
		t.Helper()
		want := map[string]time.Duration{}
		for _, a := range addresses {
			want[a] = 36 * time.Millisecond
		}
		waitUntil(t, what, func() bool { return maps.Equal(peers.delaysByAddress(), want) })
	}
	create("pods", newMemberPodObject("net-member-1-0", "member-1", "10.0.0.1"))
	peersAre("a peer comes", "10.0.0.1")
	if e.ready.Load() {
		t.Fatal("ready before its own address is known to its peers")
	}
	create("pods", newMemberPodObject("net-member-0-0", "member-0", "10.0.0.9"))
	waitUntil(t, "ready", e.ready.Load)
	var report latency.SidecarStatus
	configMap, err := of("configmaps").Get(ctx, "net-emulation-report", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ := unstructured.NestedString(configMap.Object, "data", "member-0")
	if err := json.Unmarshal([]byte(text), &report); err != nil || report != (latency.SidecarStatus{Pod: "uid-0", Mechanism: latency.UserSpace}) {
		t.Errorf("reported %q: %v", text, err)
	}
	s := newObject("Service", "member-1")
	s.Object["spec"] = map[string]any{"clusterIPs": []any{"10.96.0.1"}, "selector": map[string]any{labelMember: "member-1"}}
	create("services", s)
	peersAre("a service comes", "10.0.0.1", "10.96.0.1")
	if err := of("pods").Delete(ctx, "net-member-1-0", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	peersAre("the peer goes")
	create("pods", newMemberPodObject("net-member-1-0", "member-1", "10.0.0.2"))
	peersAre("the peer is back elsewhere", "10.0.0.2", "10.96.0.1")
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
