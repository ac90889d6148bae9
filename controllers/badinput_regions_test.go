package controllers_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/network/latency"
)

// validRegionsNetwork is a network in two regions. Each case of TestBadRegions makes its spec.regions invalid.
const validRegionsNetwork = `
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkNetwork
metadata: {name: banks}
spec:
  platform: {type: Corda, corda: {version: "4.10"}}
  members: {count: 2}
  database: {engine: PostgreSQL, topology: Shared}
  regions:
    items: [{name: NYC, members: [notary], workloads: [issue]}, {name: LON, count: 2}]
    roundTrips: [{between: [NYC, LON], roundTrip: 72ms, jitter: 1ms, lossPercent: "0.1", bandwidth: 1G}]
    defaults: {sameRegionRoundTrip: 0.5ms}
    databaseRoundTrip: 1500us
  workloads:
  - name: issue
    type: Corda
    corda: {finance: {operation: Issue}}
    load: {clients: 4}
`

var badRegions = []badInputCase{
	{"missing member", "[notary]", "[member-7]", []string{"spec.regions.items[0].members[0]", "member-7", "member-0, member-1, notary"}},
	{"count above the members", "count: 2}]", "count: 3}]", []string{"spec.regions.items[1].count", "3", "only 2 of the 3 members"}},
	{"members without a region", "count: 2}]", "count: 1}]", []string{"spec.regions.items", "member-1", "every member must be in a region"}},
	{"members and count", "members: [notary]", "members: [notary], count: 1", []string{"regions.items[0]", "not both"}},
	{"empty region", "members: [notary], workloads: [issue]", "", []string{"regions.items[0]", "needs members, count or workloads"}},
	{"the same region twice", "name: LON", "name: NYC", []string{"spec.regions.items[1]", "Duplicate"}},
	{"invalid region name", "name: LON", "name: New York", []string{"spec.regions.items[1].name", "New York"}},
	{"region without a round trip", "name: LON", "name: Mars", []string{"roundTrips[].between must name regions"}},
	{"pair without a round trip", "count: 2}]\n    roundTrips: [{between: [NYC, LON]", "count: 2}, {name: Mars, workloads: [x]}]\n    roundTrips: [{between: [NYC, LON]",
		[]string{"no figure for Mars and NYC", "{between: [Mars, NYC], roundTrip: ...}"}},
	{"three regions in a pair", "[NYC, LON]", "[NYC, LON, NYC]", []string{"spec.regions.roundTrips[0].between", "2"}},
	{"round trip that is not a duration", "72ms", `"72"`, []string{"roundTrips[0].roundTrip", "must be at most 10s", "1.5ms"}},
	{"round trip too long", "72ms", "11s", []string{"roundTrips[0].roundTrip", "must be at most 10s"}},
	{"negative round trip", "72ms", "-1ms", []string{"roundTrips[0].roundTrip", "must be at most 10s"}},
	{"jitter above the round trip", "jitter: 1ms", "jitter: 73ms", []string{"spec.regions.roundTrips", "73ms", "cannot exceed", "72ms"}},
	{"loss of 100 %", `"0.1"`, "100", []string{"spec.regions.roundTrips[0].lossPercent", "100", "between 0 and 50"}},
	{"no bandwidth", "1G", "\"0\"", []string{"spec.regions.roundTrips[0].bandwidth", "between 64k and 32G"}},
	{"database in the member", "database: {engine: PostgreSQL, topology: Shared}", "database: {engine: H2}",
		[]string{"spec.regions.databaseRoundTrip", "1.5ms", "engine PostgreSQL"}},
	{"empty network", validRegionsNetwork[strings.Index(validRegionsNetwork, "    items"):strings.Index(validRegionsNetwork, "  workloads:")], "    {}\n", []string{"regions needs items, databaseRoundTrip or both, or instead source NodeZone"}},
	{"unknown source of regions", "    items:", "    source: Zone\n    items:", []string{"spec.regions.source", "Zone", "NodeZone"}},
	{"emulation between zones", "    items:", "    source: NodeZone\n    items:", []string{"spec.regions", "instead source NodeZone, which emulates nothing"}},
	{"zones and a distant database", validRegionsNetwork[strings.Index(validRegionsNetwork, "    items"):strings.Index(validRegionsNetwork, "    databaseRoundTrip")],
		"    source: NodeZone\n", []string{"spec.regions", "instead source NodeZone, which emulates nothing"}},
	{"source without regions", validRegionsNetwork[strings.Index(validRegionsNetwork, "    items"):strings.Index(validRegionsNetwork, "  workloads:")],
		"    source: Spec\n", []string{"regions needs items"}},
	{"round trips without regions", validRegionsNetwork[strings.Index(validRegionsNetwork, "    items"):strings.Index(validRegionsNetwork, "    roundTrips")], "", []string{"need regions.items"}},
}

func TestBadRegions(t *testing.T) {
	expectRejections(t, validRegionsNetwork, badRegions)
}

func TestImmutableRegions(t *testing.T) {
	for name, change := range map[string][2]string{
		"moved":   {"72ms", "80ms"},
		"removed": {validRegionsNetwork[strings.Index(validRegionsNetwork, "  regions:"):strings.Index(validRegionsNetwork, "  workloads:")], ""},
	} {
		w := newTestEnv(t)
		must(t, w.createFromYAML(validRegionsNetwork, &v1alpha1.BenchmarkNetwork{}))
		err := w.replaceNetwork(strings.Replace(validRegionsNetwork, change[0], change[1], 1))
		if err == nil || !strings.Contains(err.Error(), "spec.regions cannot change") {
			t.Errorf("%s: the change should be refused, but: %v", name, err)
		}
	}
}

// TestMembersHaveLatencySidecars: every member has the sidecar as its first init container, and the condition
// waits for all members.
func TestMembersHaveLatencySidecars(t *testing.T) {
	w := newTestEnv(t)
	must(t, w.createFromYAML(validRegionsNetwork, &v1alpha1.BenchmarkNetwork{}))
	w.bringUp("banks")
	for _, name := range []string{"banks-notary", "banks-member-0", "banks-member-1", "banks-db"} {
		set := &appsv1.StatefulSet{}
		w.mustGet(name, set)
		first := set.Spec.Template.Spec.InitContainers
		if has := len(first) > 0 && first[0].Name == latency.SidecarContainer; has != (name != "banks-db") {
			t.Errorf("%s: sidecar %v", name, has)
		}
	}
	w.expectEmulated(metav1.ConditionFalse, v1alpha1.ReasonWaitingForMembers, "member-0, member-1, notary")
	before := w.writeCount.Load()
	w.reconcileNetwork("banks")
	if wrote := w.writeCount.Load() - before; wrote != 0 {
		t.Errorf("a pass over an unchanged network wrote %d times", wrote)
	}
}

// TestPodCreationFailureIsReported: a StatefulSet reports a rejected pod only in an event.
func TestPodCreationFailureIsReported(t *testing.T) {
	w := newTestEnv(t)
	must(t, w.createFromYAML(validRegionsNetwork, &v1alpha1.BenchmarkNetwork{}))
	w.bringUp("banks")
	set := &appsv1.StatefulSet{}
	w.mustGet("banks-member-1", set)
	must(t, w.client.Delete(w.ctx, &corev1.Pod{ObjectMeta: w.objectMeta("banks-member-1-0")}))
	set.Status.ObservedGeneration, set.Status.Replicas, set.Status.ReadyReplicas = set.Generation, 0, 0
	must(t, w.client.Status().Update(w.ctx, set))
	event := &corev1.Event{ObjectMeta: w.objectMeta("refused"), Reason: "FailedCreate", Type: corev1.EventTypeWarning,
		InvolvedObject: corev1.ObjectReference{Kind: "StatefulSet", Namespace: w.namespace, Name: set.Name, UID: set.UID},
		Message:        `create Pod banks-member-1-0 failed error: pods "banks-member-1-0" is forbidden: violates PodSecurity "restricted:latest": ...`}
	must(t, w.client.Create(w.ctx, event))
	w.now = w.now.Add(time.Minute) // Events are not read for a new StatefulSet.
	again := w.reconcileNetwork("banks")
	if again.RequeueAfter == 0 {
		t.Error("no event reports that the pod is allowed now, so the network must be requeued")
	}
	w.expectEmulated(metav1.ConditionFalse, v1alpha1.ReasonCapabilityMissing, "enforce=privileged", "member-1", "NET_ADMIN", w.namespace)
	ready := meta.FindStatusCondition(w.getNetwork("banks").Status.Conditions, v1alpha1.ConditionReady)
	if !strings.Contains(ready.Message, "violates PodSecurity") {
		t.Errorf("Ready should contain the reason for the missing pod: %s", ready.Message)
	}
}

func (w *testEnv) expectEmulated(want metav1.ConditionStatus, reason string, parts ...string) {
	w.t.Helper()
	c := meta.FindStatusCondition(w.getNetwork("banks").Status.Conditions, v1alpha1.ConditionLatencyEmulated)
	missing := func(part string) bool { return c == nil || !strings.Contains(c.Message, part) }
	if c == nil || c.Status != want || c.Reason != reason || slices.ContainsFunc(parts, missing) {
		w.t.Errorf("%+v, want %s %s with %q", c, want, reason, parts)
	}
}
