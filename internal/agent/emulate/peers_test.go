package emulate

import (
	"maps"
	"net/netip"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/network/latency"
)

func newPodWithLabels(address, phase string, labels map[string]any) *unstructured.Unstructured {
	status := map[string]any{"phase": phase}
	if address != "" {
		status["podIPs"] = []any{map[string]any{"ip": address}}
	}
	return &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": address, "labels": labels}, "status": status}}
}

func newService(address string, selector map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"clusterIPs": []any{address}, "selector": selector}}}
}

func newMemberPod(name, address string) *unstructured.Unstructured {
	return newPodWithLabels(address, "Running", map[string]any{labelMember: name, "app.kubernetes.io/component": "member"})
}

func TestImpairmentsByAddress(t *testing.T) {
	config := &latency.Config{
		Network: "net",
		Members: map[string]string{"member-0": "LON", "member-1": "NYC", "member-2": "LON", "member-3": "NYC"},
		Runs:    map[string]string{"net-issue": "NYC"},
		Links: []latency.RegionLink{
			{Between: [2]string{"LON", "NYC"}, Link: latency.Link{RoundTripMicros: 72_000, JitterMicros: 2_000, LossPercent: 0.1, BitsPerSecond: 5}},
			{Between: [2]string{"LON", "LON"}, Link: latency.Link{RoundTripMicros: 500}},
		},
		Database: &latency.Link{RoundTripMicros: 3_000},
	}
	pods := []*unstructured.Unstructured{
		newMemberPod("member-0", "10.0.0.10"), newMemberPod("member-1", "10.0.0.11"), newMemberPod("member-2", "fd00::12"), newMemberPod("member-3", "10.0.0.13"),
		newMemberPod("member-1", ""), newPodWithLabels("10.0.0.20", "Succeeded", map[string]any{labelMember: "member-1"}),
		newPodWithLabels("10.0.0.30", "Running", map[string]any{labelDatabase: "net-db", "db": "x"}),
		newPodWithLabels("10.0.0.31", "Running", map[string]any{labelDatabase: "net-db", labelJob: "net-db-setup", "db": "x"}),
		newPodWithLabels("10.0.0.40", "Running", map[string]any{labelRun: "net-issue"}), newPodWithLabels("10.0.0.41", "Running", map[string]any{labelRun: "net-other"}),
		newPodWithLabels("10.0.0.50", "Running", nil),
	}
	services := []*unstructured.Unstructured{
		newService("10.96.0.1", map[string]any{labelMember: "member-1"}),
		newService("10.96.0.2", map[string]any{"app.kubernetes.io/component": "member"}), // Members at different distances, including this one.
		newService("10.96.0.3", map[string]any{"db": "x"}),
		newService("10.96.0.4", map[string]any{labelMember: "member-0"}),
		newService("None", map[string]any{labelMember: "member-1"}),
		newService("10.96.0.5", nil),
		newService("10.96.0.6", map[string]any{labelMember: "member-9"}),
	}
	across := latency.Impairment{Delay: 36 * time.Millisecond, Jitter: time.Millisecond, Loss: 0.001, BitsPerSecond: 5}
	database := latency.Impairment{Delay: 3 * time.Millisecond}
	want := map[string]latency.Impairment{
		"10.0.0.11": across, "10.0.0.13": across, "10.96.0.1": across,
		"fd00::12":  {Delay: 250 * time.Microsecond},
		"10.0.0.30": database, "10.96.0.3": database,
		// A load worker has no sidecar, so the member applies the whole delay.
		"10.0.0.40": {Delay: 72 * time.Millisecond, Jitter: 2 * time.Millisecond, Loss: 0.001, BitsPerSecond: 5},
	}
	got := map[string]latency.Impairment{}
	for a, way := range impairmentsByAddress(func(p latency.Peer) (latency.Impairment, bool) { return config.ImpairmentFor("member-0", p) }, pods, services) {
		got[a.String()] = way
	}
	for a, way := range want {
		if got[a] != way {
			t.Errorf("%s: %+v, want %+v", a, got[a], way)
		}
	}
	for a := range maps.Keys(got) {
		if _, wanted := want[a]; !wanted {
			t.Errorf("%s is at a distance: %+v", a, got[a])
		}
	}
}

// TestLabelsMatchAPI compares the labels with the API, which the agent does not import because its libraries
// would double the agent's size.
func TestLabelsMatchAPI(t *testing.T) {
	for own, label := range map[string]string{labelNetwork: v1alpha1.LabelNetwork, labelMember: v1alpha1.LabelMember,
		labelDatabase: v1alpha1.LabelDatabaseInstance, labelRun: v1alpha1.LabelRun, labelJob: batchv1.JobNameLabel} {
		if own != label {
			t.Errorf("%s is %s", own, label)
		}
	}
}

func TestParseIPHeader(t *testing.T) {
	ip4 := append([]byte{0x45, 0, 5, 220, 0, 0, 0, 0, 64, 6, 0, 0}, 10, 0, 0, 1, 10, 0, 0, 2)
	ip6 := append([]byte{0x60, 0, 0, 0, 4, 0, 6, 64}, netip.MustParseAddr("fd00::1").AsSlice()...)
	ip6 = append(ip6, netip.MustParseAddr("fd00::2").AsSlice()...)
	for _, c := range []struct {
		packet []byte
		toPeer bool
		peer   string
		bytes  int
	}{{ip4, false, "10.0.0.1", 1500}, {ip4, true, "10.0.0.2", 1500}, {ip6, false, "fd00::1", 1064}, {ip6, true, "fd00::2", 1064}} {
		if peer, bytes := parseIPHeader(c.packet, c.toPeer); peer != netip.MustParseAddr(c.peer) || bytes != c.bytes {
			t.Errorf("%v, %d, want %+v", peer, bytes, c)
		}
	}
	for _, short := range [][]byte{nil, {0x45}, ip4[:19], ip6[:39], make([]byte, 40)} {
		if peer, _ := parseIPHeader(short, true); peer.IsValid() {
			t.Errorf("%x has peer %v", short, peer)
		}
	}
}
