//go:build e2e

package e2e_test

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/network/latency"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/test/e2e/cluster"
)

//go:embed testdata/regions.yaml
var regionsManifest string

const (
	// Members of regions.yaml at a distance, and the round trips between them.
	inNYC, alsoInNYC, inLON, alsoInLON = "member-0", "member-1", "member-2", "member-3"

	nycToLON  = 72 * time.Millisecond
	withinNYC = 5 * time.Millisecond
	withinLON = latency.SameRegionRoundTrip
	// pathOverhead is the round trip between pods without emulation, plus the emulation's error.
	pathOverhead = 500 * time.Microsecond
)

// TestRegions covers a network in two regions. A namespace that refuses the capability is reported. Otherwise
// every round trip matches the matrix, also to a member that was away, and block times match the distance.
func TestRegions(t *testing.T) {
	t.Parallel()
	ns := cluster.NewNamespace(t, "regions")
	ns.MustApply(regionsManifest)
	mustPass(t, "a namespace that refuses the capability is named", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		c := waitEmulatedCondition(ns, metav1.ConditionFalse, v1alpha1.ReasonCapabilityMissing)
		for _, want := range []string{"NET_ADMIN", "kubectl label namespace " + ns.Name, "violates PodSecurity"} {
			if !strings.Contains(c.Message, want) {
				t.Errorf("the message should say %q: %s", want, c.Message)
			}
		}
	})
	ns.AllowPrivilegedPods()
	logStages(ns, ns.WaitReady("geo"))
	c := getEmulatedCondition(ns)
	if c.Status != metav1.ConditionTrue || c.Reason != string(latency.Netem) && c.Reason != string(latency.UserSpace) {
		t.Fatalf("LatencyEmulated is %s, %s: %s", c.Status, c.Reason, c.Message)
	}
	t.Logf("%s: %s", c.Reason, c.Message)
	mustPass(t, "blocks take the distance", func(t *testing.T) { assertBlockTime(ns.ForSubtest(t)) })
	mustPass(t, "round trips are those of the matrix", func(t *testing.T) { assertRoundTripMatrix(ns.ForSubtest(t)) })
	mustPass(t, "a member that comes back is as far away as before", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		pod := getMemberPod(ns, "geo", alsoInLON)
		ns.RunKubectl("delete", "pod", pod.Name, "--wait=false")
		if again := ns.WaitReplaced(pod); again.Status.PodIP == pod.Status.PodIP {
			t.Logf("it has the address %s again", pod.Status.PodIP)
		}
		assertRoundTrip(ns, inNYC, alsoInLON, nycToLON)
		assertRoundTrip(ns, alsoInLON, inNYC, nycToLON)
		assertRoundTrip(ns, inLON, alsoInLON, withinLON)
	})
	mustPass(t, "a deleted network leaves nothing", func(t *testing.T) { assertDeletedCompletely(ns.ForSubtest(t), "geo") })
}

func getEmulatedCondition(ns *cluster.Namespace) metav1.Condition {
	ns.Helper()
	c := meta.FindStatusCondition(ns.GetNetwork("geo").Status.Conditions, v1alpha1.ConditionLatencyEmulated)
	if c == nil {
		return metav1.Condition{Reason: "not seen by the operator yet"}
	}
	return *c
}

func waitEmulatedCondition(ns *cluster.Namespace, status metav1.ConditionStatus, reason string) metav1.Condition {
	ns.Helper()
	var c metav1.Condition
	ns.Wait("LatencyEmulated is "+reason, func() (bool, string) {
		c = getEmulatedCondition(ns)
		return c.Status == status && c.Reason == reason, c.Reason + ": " + c.Message
	})
	return c
}

// assertRoundTripMatrix measures every pair from both sides.
func assertRoundTripMatrix(ns *cluster.Namespace) {
	ns.Helper()
	for _, pair := range []struct {
		a, b string
		want time.Duration
	}{
		{inNYC, alsoInNYC, withinNYC}, {inLON, alsoInLON, withinLON},
		{inNYC, inLON, nycToLON}, {inNYC, alsoInLON, nycToLON}, {alsoInNYC, inLON, nycToLON}, {alsoInNYC, alsoInLON, nycToLON},
	} {
		assertRoundTrip(ns, pair.a, pair.b, pair.want)
		assertRoundTrip(ns, pair.b, pair.a, pair.want)
	}
}

// assertRoundTrip measures until the shortest round trip exceeds the wanted one by at most a tenth or pathOverhead.
// None may be shorter. The median is only logged, because on a busy machine most round trips wait for a core.
func assertRoundTrip(ns *cluster.Namespace, from, to string, want time.Duration) {
	ns.Helper()
	const tries = 20
	for range tries {
		all := measureRoundTrips(ns, from, to)
		least, median := all[0], all[len(all)/2]
		ns.Logf("%s to %s: least %v, median %v, wanted %v", from, to, least, median, want)
		if least < want {
			ns.Fatalf("a round trip from %s to %s takes %v, less than %v", from, to, least, want)
		}
		if least <= want+max(want/10, pathOverhead) {
			return
		}
	}
	ns.Errorf("round trips from %s to %s take longer than %v", from, to, want)
}

// measureRoundTrips returns the sorted connect times from one member's pod to another's.
func measureRoundTrips(ns *cluster.Namespace, from, to string) []time.Duration {
	ns.Helper()
	address := fmt.Sprintf("%s:%d", getMemberPod(ns, "geo", to).Status.PodIP, validatorMetricsPort)
	out := ns.RunKubectl("exec", naming.MemberPod("geo", from), "--container", latency.SidecarContainer, "--", "/agent", "ping", "--to", address, "--count", "21")
	var all []time.Duration
	for _, line := range strings.Fields(out) {
		micros, err := strconv.Atoi(line)
		if err != nil {
			ns.Fatalf("ping from %s to %s printed %q", from, to, out)
		}
		all = append(all, time.Duration(micros)*time.Microsecond)
	}
	slices.Sort(all)
	return all
}

// assertBlockTime checks the minimum block time with two of four validators on each side, where each decision needs a
// vote of the other side. The proposing side decides after one round trip, the other side half of one later. If one
// side proposes twice and then the other, four blocks take five round trips; if they alternate, six.
func assertBlockTime(ns *cluster.Namespace) {
	ns.Helper()
	run := ns.WaitEnded("geo-blocks")
	r := readResult(ns, run)
	least := 5 * nycToLON.Seconds() * 1000 / 4
	ns.Logf("block time: mean %.1f, p50 %.1f, p99 %.1f ms; the distance accounts for %.1f ms",
		r.Summary.Latency.Mean, measurement.ValueOrMissing(r.Summary.Latency.P50), measurement.ValueOrMissing(r.Summary.Latency.P99), least)
	if r.Summary.Latency.Mean < least {
		ns.Errorf("blocks take %.1f ms on average, want at least %.1f ms", r.Summary.Latency.Mean, least)
	}
	e := r.Environment.EmulatedLatency
	if e == nil || e.Mechanism == "" || e.Members[inLON] != "LON" || len(e.Links) != 3 {
		ns.Errorf("the result should contain the distances: %+v", e)
	}
}
