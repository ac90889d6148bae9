//go:build e2e

package e2e_test

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/test/e2e/cluster"
)

var (
	//go:embed testdata/executed.yaml
	executedManifest string
	//go:embed testdata/executed-overload.yaml
	executedOverloadManifest string
	//go:embed testdata/executed-run.yaml
	executedRunManifest string
)

const (
	executedMembers     = 4
	executionEnginePort = 8551
)

var executionMeasures = []string{"blockTimeMean", "throughputMean", "buildMean", "executeMean", "finalizeMean"}

// TestExecutedValidators measures transfers on four Malachite validators with geth, kills pods without notice, first one and then
// all, measures again, and overloads them: nothing is lost, and all members have the same blocks.
func TestExecutedValidators(t *testing.T) {
	t.Parallel()
	ns := cluster.NewNamespace(t, "executed")
	ns.MustApply(executedManifest)
	logStages(ns, ns.WaitReady("exec"))
	mustPass(t, "transfers are measured", func(t *testing.T) { assertTransactions(ns.ForSubtest(t), "exec-load", executionMeasures...) })
	t.Run("every query of the dashboards gives data", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		assertDashboards(ns, ns.WaitEnded("exec-load"), systemMalachiteEVM)
	})
	t.Run("only the validator reaches the API that builds blocks", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		for _, method := range []string{"testing_buildBlockV1", "testing_commitBlockV1", "engine_forkchoiceUpdatedV3"} {
			if answer := callExecutionRPC(ns, "member-0", method, "[]"); !strings.Contains(answer, "-32601") {
				t.Errorf("%s on the port of transactions answers %s", method, answer)
			}
		}
		address := podAddress(getMemberPod(ns, "exec", "member-1"), executionEnginePort)
		connect := fmt.Sprintf("timeout 5 bash -c '</dev/tcp/%s' && echo open || echo closed", strings.Replace(address, ":", "/", 1))
		if state := ns.RunKubectl("exec", naming.MemberPod("exec", "member-0"), "--container=malachite", "--", "bash", "-c", connect); strings.TrimSpace(state) != "closed" {
			t.Errorf("for another pod the Engine API at %s is %s", address, state)
		}
	})
	mustPass(t, "killed pods come back to the same chain", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		killMembers(ns, "exec", "member-3")
		killMembers(ns, "exec", "member-0", "member-1", "member-2", "member-3")
		ns.WaitReady("exec")
		assertSameBlocks(ns)
	})
	mustPass(t, "and execute transfers again", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		ns.MustApply(executedRunManifest)
		assertTransactions(ns, "exec-again", executionMeasures...)
		assertSameBlocks(ns)
	})
	mustPass(t, "validators that were overloaded execute all that waits", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		ns.MustApply(executedOverloadManifest)
		ns.WaitEnded("exec-overload")
		for i := range executedMembers {
			member := fmt.Sprintf("member-%d", i)
			ns.Wait("no transaction waits at "+member, func() (bool, string) {
				answer := callExecutionRPC(ns, member, "txpool_status", "[]")
				// Transactions are queued if the driver ended before it sent those that precede them.
				return strings.Contains(answer, `"pending":"0x0"`), answer
			})
		}
		assertSameBlocks(ns)
	})
	mustPass(t, "a paused network resumes with its chain", func(t *testing.T) { assertPauses(ns.ForSubtest(t), "exec") })
	mustPass(t, "a deleted network leaves nothing but results", func(t *testing.T) { assertDeletedCompletely(ns.ForSubtest(t), "exec", "exec-again", "exec-overload") })
}

// assertTransactions fails unless the run is valid, apart from what a small machine causes, its ledger agrees, and the result has the
// measures.
func assertTransactions(ns *cluster.Namespace, name string, measures ...string) {
	ns.Helper()
	run := ns.WaitEnded(name)
	for _, reason := range run.Status.Reasons {
		if reason.Severity == "Invalid" && !slices.Contains(smallMachineReasons, reason.Reason) {
			ns.Errorf("run %s is invalid: %s: %s", name, reason.Reason, reason.Message)
		}
	}
	r := readResult(ns, run)
	if l := r.Ledger; l == nil || !l.Checked || l.Expected == 0 || l.Expected != l.Recorded {
		ns.Fatalf("run %s (%v): ledger %+v", name, run.Status.Reasons, l)
	}
	found := map[string]float64{}
	for _, m := range r.Summary.Measures {
		found[m.Name] = m.Value
	}
	for _, measure := range measures {
		if found[measure] <= 0 {
			ns.Errorf("run %s: %s is %v, of %v", name, measure, found[measure], found)
		}
	}
}

// killMembers kills members of a network without notice and waits until they are back.
func killMembers(ns *cluster.Namespace, network string, members ...string) {
	ns.Helper()
	for _, m := range members {
		pod := getMemberPod(ns, network, m)
		ns.RunKubectl("delete", "pod", pod.Name, "--force", "--grace-period=0", "--wait=false")
		defer ns.WaitReplaced(pod)
	}
}

var blockHash = regexp.MustCompile(`"hash":"(0x[0-9a-f]{64})"`)

// assertSameBlocks compares a block near the head, and so all before it, on all members.
func assertSameBlocks(ns *cluster.Namespace) {
	ns.Helper()
	height := readHeight(ns, "exec", "member-0") - 1
	hashes := map[string]string{}
	for i := range executedMembers {
		member := fmt.Sprintf("member-%d", i)
		ns.Wait(fmt.Sprintf("%s has block %d", member, height), func() (bool, string) {
			answer := callExecutionRPC(ns, member, "eth_getBlockByNumber", fmt.Sprintf(`["0x%x",false]`, height))
			found := blockHash.FindStringSubmatch(answer)
			if found == nil {
				return false, answer
			}
			hashes[found[1]] += " " + member
			return true, ""
		})
	}
	ns.Logf("block %d: %v", height, hashes)
	if height < 1 || len(hashes) != 1 {
		ns.Errorf("block %d differs: %v", height, hashes)
	}
}

// callExecutionRPC calls the JSON-RPC of a member's geth from the container beside it, and returns the answer.
func callExecutionRPC(ns *cluster.Namespace, member, method, params string) string {
	ns.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"%s","params":%s}`, method, params)
	request := fmt.Sprintf(`POST / HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n`, len(body))
	return ns.RunKubectl("exec", naming.MemberPod("exec", member), "--container=malachite", "--", "bash", "-c",
		fmt.Sprintf(`exec 3<>/dev/tcp/127.0.0.1/%d; printf '%s%%s' '%s' >&3; cat <&3`, executionRPCPort, request, body))
}
