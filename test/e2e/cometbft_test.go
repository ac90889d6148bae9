//go:build e2e

package e2e_test

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/verdict"
	"github.com/benchnet/benchnet/test/e2e/cluster"
)

var (
	//go:embed testdata/cometbft.yaml
	cometBFTManifest string
	//go:embed testdata/cometbft-run.yaml
	cometBFTRunManifest string
)

// TestCometBFT measures transactions on four CometBFT validators and, beside them, blocks that four others make by themselves. It
// kills pods without notice, first one and then all, and measures again, with declared faults: nothing is lost, and all members have the same
// blocks. At the end it pauses and resumes the network.
func TestCometBFT(t *testing.T) {
	ns := cluster.NewNamespace(t, "cometbft")
	ns.AllowPrivilegedPods() // Network faults need NET_ADMIN.
	ns.MustApply(cometBFTManifest)
	logStages(ns, ns.WaitReady("kv"))
	mustPass(t, "transactions at a changing rate are measured by segment", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		assertTransactions(ns, "kv-load", "blockTimeMean", "throughputMean")
		r := readResult(ns, ns.WaitEnded("kv-load"))
		assertSegments(ns, r, []string{"low", "up", "high"}, []int64{200, 800, 600})
		if len(r.Objectives) != 1 || r.Objectives[0].Metric != "Throughput of segment/high" || r.Objectives[0].Outcome == verdict.ObjectiveFailed {
			t.Errorf("the objectives are %+v", r.Objectives)
		}
	})
	mustPass(t, "blocks of a set size are measured", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		run := ns.WaitEnded("own-blocks")
		assertBlocks(ns, run, 1024)
		assertRunScraped(ns, run)
		ns.RunKubectl("delete", "benchmarknetwork", "own", "--wait=false")
	})
	t.Run("every query of the dashboards gives data", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		assertDashboards(ns, ns.WaitEnded("kv-load"), systemCometBFT, systemKVStore)
	})
	t.Run("every recording rule gives data, and the page of metrics is right", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		assertRules(ns, ns.WaitEnded("kv-load"), systemCometBFT)
		assertMetricsDocumented(ns, systemCometBFT)
	})
	mustPass(t, "killed pods come back to the same chain", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		killMembers(ns, "kv", "member-3")
		killMembers(ns, "kv", "member-0", "member-1", "member-2", "member-3")
		ns.WaitReady("kv")
	})
	t.Run("a disk that its host shares is not filled", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		ns.MustApply(strings.NewReplacer("kv-again", "kv-full", "type: Pause", "type: FillDisk").Replace(cometBFTRunManifest))
		const want = "fault no-quorum cannot be injected into member-1: the volume shares the file system of its host"
		if got := cluster.RunSummary(ns.WaitEnded("kv-full")); !strings.Contains(got, want) {
			ns.Errorf("the run should fail since %s: %s", want, got)
		}
	})
	mustPass(t, "faults are proved and scored", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		ns.MustApply(cometBFTRunManifest)
		assertTransactions(ns, "kv-again", "throughputMean")
		r := readResult(ns, ns.WaitEnded("kv-again"))
		assertFaults(ns, r, map[string]int{"crash": 0, "no-quorum": 5, "halves": 7, "far": 0, "short": 0, "container": 0, "pod": 0, "evicted": 0})
		if crash := r.Faults[0].Targets; len(crash) != 1 || !strings.HasPrefix(crash[0].Before, "Proposer ") {
			t.Errorf("the killed proposer is %+v", crash)
		}
	})
	mustPass(t, "a paused network resumes with its chain", func(t *testing.T) { assertPauses(ns.ForSubtest(t), "kv") })
	mustPass(t, "a deleted network leaves nothing but results", func(t *testing.T) { assertDeletedCompletely(ns.ForSubtest(t), "kv", "kv-again") })
}

// restartSeconds bounds the return of a container or a pod on a loaded machine.
const restartSeconds = 60

// assertFaults fails unless every fault is proved on its targets and healed in time, and the network recovered from it after an outage of at
// least the given seconds.
func assertFaults(ns *cluster.Namespace, r *document.RunResult, outages map[string]int) {
	ns.Helper()
	if len(r.Faults) != len(outages) {
		ns.Fatalf("the faults are %+v", r.Faults)
	}
	for _, f := range r.Faults {
		assertProved(ns, f)
		switch s := f.Score; {
		case s == nil:
			ns.Errorf("fault %s has no score", f.Name)
		case s.OutageSeconds < outages[f.Name]:
			ns.Errorf("fault %s: the outage is %d s, want at least %d: %+v", f.Name, s.OutageSeconds, outages[f.Name], *s)
		default:
			ns.Logf("the score of %s is %+v", f.Name, *s)
		}
	}
}

// assertProved fails unless a fault is proved on its targets and healed in time.
func assertProved(ns *cluster.Namespace, f document.FaultResult) {
	ns.Helper()
	for _, target := range f.Targets {
		ns.Logf("%s of %s: before: %s; during: %s; after: %s", f.Name, target.Member, target.Before, target.During, target.After)
		if target.Problem != "" {
			ns.Errorf("fault %s of %s is not proved: %s", f.Name, target.Member, target.Problem)
			continue
		}
		most := float64(f.DurationSeconds) + 2
		if f.DurationSeconds == 0 {
			most = restartSeconds
		}
		if lasted := target.Healed.FromSeconds - target.Injected.ToSeconds; lasted > most || lasted < float64(f.DurationSeconds)-1 {
			ns.Errorf("fault %s of %s lasted %.1f s, want %d", f.Name, target.Member, lasted, f.DurationSeconds)
		}
	}
}

// assertPauses pauses a network and fails if its members do not stop, or resume below their height.
func assertPauses(ns *cluster.Namespace, network string) {
	ns.Helper()
	height := readHeight(ns, network, "member-0")
	ns.RunKubectl("patch", "benchmarknetwork", network, "--type=merge", "--patch", `{"spec":{"pause":"Now"}}`)
	ns.Wait("network "+network+" is paused", func() (bool, string) {
		var pods corev1.PodList
		if err := ns.Client.List(ns.Context(), &pods, client.InNamespace(ns.Name), client.MatchingLabels(naming.MembersSelector(network))); err != nil {
			return false, err.Error()
		}
		phase := ns.GetNetwork(network).Status.Phase
		return len(pods.Items) == 0 && phase == v1alpha1.PhasePaused, fmt.Sprintf("%d pods, phase %s", len(pods.Items), phase)
	})
	ns.RunKubectl("patch", "benchmarknetwork", network, "--type=merge", "--patch", `{"spec":{"pause":"Never"}}`)
	ns.WaitReady(network)
	resumed := readHeight(ns, network, "member-0")
	ns.Logf("paused at height %d, ready at height %d", height, resumed)
	if resumed < height {
		ns.Errorf("member-0 resumed at height %d, below %d", resumed, height)
	}
}
