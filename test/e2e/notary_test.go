//go:build e2e

package e2e_test

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/verdict"
	"github.com/benchnet/benchnet/test/e2e/cluster"
)

//go:embed testdata/raft-notary.yaml
var raftNotaryManifest string

// TestRaftNotary covers payments through a notary service of three replicas. It loses the replica that created the
// cluster while the others notarize, and that replica rejoins from another address.
func TestRaftNotary(t *testing.T) {
	ns := cluster.NewNamespace(t, "raft")
	ns.MustApply(raftNotaryManifest)
	logStages(ns, ns.WaitReady("raft"))
	waitAndAssertRun(ns, "raft-pay")
	first := getMemberPod(ns, "raft", "notary-0")
	mustPass(t, "each role has its size", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		for member, want := range map[string]string{"member-0": "1Gi", "member-1": "1152Mi", "notary-0": "1088Mi", "notary-2": "1088Mi"} {
			if got := getMemberPod(ns, "raft", member).Spec.Containers[0].Resources.Limits.Memory().String(); got != want {
				ns.Errorf("the memory limit of %s is %s, want %s", member, got, want)
			}
		}
	})
	ofRaft := strings.NewReplacer("networkName: one", "networkName: raft", "operation: Issue", "operation: Pay", "drain: 20s", "drain: 3m")
	runs := []string{"lost"}
	mustPass(t, "the others notarize without a replica", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		ns.MustApply(ofRaft.Replace(renderRun(t, "lost", "60s")))
		ns.WaitMeasuring("lost")
		ns.RunKubectl("delete", "pod", first.Name, "--wait=false")
		run := ns.WaitEnded("lost")
		assertDisturbed(ns, run, "notary-0")
		ns.Logf("without notary-0: %s", cluster.RunSummary(run))
	})
	mustPass(t, "the replica rejoins, and all notarize", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		replaced := ns.WaitReplaced(first)
		ns.Logf("notary-0 moved from %s to %s", first.Status.PodIP, replaced.Status.PodIP)
		before := countRaftCommits(ns)
		// The replica is ready before it has joined the cluster again. Until then it holds the requests that it gets,
		// which may be all of a run.
		for attempt := 1; attempt <= 8; attempt++ {
			name := fmt.Sprintf("after-%d", attempt)
			runs = append(runs, name)
			ns.MustApply(ofRaft.Replace(renderRun(t, name, "15s")))
			run := ns.WaitEnded(name)
			after := countRaftCommits(ns)
			ns.Logf("notarizations per replica: %v, then %v; %s", before, after, cluster.RunSummary(run))
			joined := before[0] > 0 && after[0] > before[0] && after[1] > before[1] && after[2] > before[2]
			if joined && !hasReason(run, verdict.ReasonNoCompletions) {
				assertMeasured(ns, run)
				return
			}
		}
		ns.Errorf("every replica should notarize both before and after the loss")
	})
	mustPass(t, "a deleted network leaves nothing but results", func(t *testing.T) { assertDeletedCompletely(ns.ForSubtest(t), "raft", runs...) })
}

// countRaftCommits returns the number of notarizations that each replica logged.
func countRaftCommits(ns *cluster.Namespace) [3]int {
	ns.Helper()
	var all [3]int
	for i := range all {
		text := ns.RunKubectl("exec", naming.MemberPod("raft", "notary-"+strconv.Itoa(i)), "--container=corda", "--", "bash", "-c",
			"cat /var/lib/corda/logs/*.log | grep -c 'have been committed' || true")
		count, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil {
			ns.Fatalf("count notarizations of notary-%d: %v", i, err)
		}
		all[i] = count
	}
	return all
}
