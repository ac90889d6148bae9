//go:build e2e

package e2e_test

import (
	_ "embed"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/verdict"
	"github.com/benchnet/benchnet/test/e2e/cluster"
)

var (
	//go:embed testdata/one-h2.yaml
	h2Manifest string
	//go:embed testdata/one-h2-run.yaml.tmpl
	h2RunTemplate string
	//go:embed testdata/vault.sh
	vaultScript string
)

// distributedWorkers are the three workers of run fresh, which only the constraint spreads over the nodes of their pool.
const distributedWorkers = `    workers:
      count: 3
      cores: "2"
      separation: Required
      scheduling:
        nodeSelector: {benchnet-e2e-pool: load}
        topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: DoNotSchedule
          labelSelector: {matchLabels: {benchnet.dev/run: fresh}}
`

// TestOneMemberOnH2 covers one member on H2: losing its node during a run only invalidates that run, and the
// member returns with its identity and ledger. On three nodes it also covers three workers on the two without the member.
func TestOneMemberOnH2(t *testing.T) {
	ns := cluster.NewNamespace(t, "h2")
	nodes := listNodes(ns)
	pools := map[string]string{nodes[0].Name: "ledger"}
	for _, n := range nodes[1:] {
		pools[n.Name] = "load"
	}
	labelNodes(ns, nodes, poolLabel, pools)
	ns.MustApply(h2Manifest)
	logStages(ns, ns.WaitReady("one"))
	assertMeasured(ns, ns.WaitEnded("one-before"))

	before := readMemberFacts(ns)
	pod := getMemberPod(ns, "one", "member-0")
	mustPass(t, "a member lost in mid-run makes the run invalid", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		ns.MustApply(renderRun(t, "disturbed", "30s"))
		ns.WaitMeasuring("disturbed")
		ns.RunKubectl("delete", "pod", pod.Name, "--wait=false")
		assertDisturbed(ns, ns.WaitEnded("disturbed"), "member-0")
	})
	mustPass(t, "the member comes back with its identity and its data", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		assertSameMember(ns, before, ns.WaitReplaced(pod))
	})
	mustPass(t, "the next run resets, which keeps the identity, without the ledger", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		manifest := strings.Replace(renderRun(t, "fresh", "10s"), "operation: Issue}}\n", "operation: Issue}}\n    reset: Reset\n", 1)
		if len(nodes) == 3 {
			manifest = strings.Replace(manifest, "    workers: {cores: \"2\"}\n", distributedWorkers, 1)
		}
		ns.MustApply(manifest)
		run := ns.WaitEnded("fresh")
		assertMeasured(ns, run)
		assertLedgerReset(ns, before, run)
		if len(nodes) == 3 {
			assertDistributed(ns, run)
		}
	})
	mustPass(t, "a deleted network leaves nothing but results", func(t *testing.T) { assertDeletedCompletely(ns.ForSubtest(t), "one", "disturbed", "fresh") })
}

func renderRun(t *testing.T, name, window string) string {
	t.Helper()
	return renderTemplate(t, h2RunTemplate, struct{ Name, Window string }{name, window})
}

// assertDisturbed fails unless the run is invalid because it lost the member.
func assertDisturbed(ns *cluster.Namespace, run *v1alpha1.BenchmarkRun, member string) {
	ns.Helper()
	if run.Status.Verdict != v1alpha1.VerdictInvalid {
		ns.Errorf("the verdict should be Invalid: %s", cluster.RunSummary(run))
	}
	lost := []verdict.ReasonCode{verdict.ReasonMemberReplaced, verdict.ReasonMemberRestarted}
	judged := readResult(ns, run).Verdict
	if !slices.ContainsFunc(judged.Reasons, func(r verdict.Reason) bool { return slices.Contains(lost, r.Code) && r.Subject == member }) {
		ns.Errorf("a reason should name the lost %s: %+v", member, judged.Reasons)
	}
}

// assertDistributed fails unless three workers on the two nodes without members shared the load.
func assertDistributed(ns *cluster.Namespace, run *v1alpha1.BenchmarkRun) {
	ns.Helper()
	r := readResult(ns, run)
	if on := placementOf(r); !slices.Equal(countPerNode(on, "worker-"), []int{0, 1, 2}) || hasReason(run, verdict.ReasonWorkerColocated) {
		ns.Errorf("three workers should have the two nodes without member and notary: %v", on)
	}
	var completed int64
	for _, w := range r.Workers {
		completed += w.Completed
		if w.Completed == 0 {
			ns.Errorf("worker %d completed nothing", w.Worker)
		}
	}
	if completed != r.Summary.Completed {
		ns.Errorf("the workers completed %d requests, the result has %d", completed, r.Summary.Completed)
	}
	assertPlacementReported(ns, r)
}

// memberFacts are what a member keeps while its network exists.
type memberFacts struct {
	Identity    string
	Keys        map[string][]byte
	Volume      types.UID
	OldestState string
	// States is the number of states, which grows with each run.
	States int
}

func readMemberFacts(ns *cluster.Namespace) memberFacts {
	ns.Helper()
	var keys corev1.Secret
	ns.Get(naming.IdentitySecret("one", "member-0"), &keys)
	var claim corev1.PersistentVolumeClaim
	ns.Get("base-"+naming.MemberPod("one", "member-0"), &claim)
	facts := memberFacts{Keys: keys.Data, Volume: claim.UID, Identity: registeredName(ns)}
	vault := ns.RunKubectl("exec", naming.MemberPod("one", "member-0"), "--container=corda", "--", "bash", "-c", vaultScript)
	match := regexp.MustCompile(`states=(\d+) oldest=(.*)`).FindStringSubmatch(vault)
	if match == nil {
		ns.Fatalf("vault of member-0: %q", vault)
	}
	facts.States, _ = strconv.Atoi(match[1])
	facts.OldestState = strings.TrimSpace(match[2])
	if len(facts.Keys) < 3 || facts.States == 0 || facts.Identity == "" {
		ns.Fatalf("member-0 should have keys, states and a name: %d keys, %d states, name %q", len(facts.Keys), facts.States, facts.Identity)
	}
	return facts
}

// registeredName returns the name with which the member's node registered, according to its log.
func registeredName(ns *cluster.Namespace) string {
	ns.Helper()
	match := regexp.MustCompile(`Node for "(.+)" started up and registered`).FindStringSubmatch(
		ns.RunKubectl("logs", naming.MemberPod("one", "member-0"), "--container=corda"))
	if match == nil {
		return ""
	}
	return match[1]
}

func assertSameMember(ns *cluster.Namespace, before memberFacts, pod *corev1.Pod) {
	ns.Helper()
	after := readMemberFacts(ns)
	ns.Logf("states before %d, after %d; the oldest is of %s", before.States, after.States, after.OldestState)
	if after.States < before.States {
		ns.Errorf("the vault had %d states, now %d", before.States, after.States)
	}
	before.States, after.States = 0, 0
	if diff := cmp.Diff(before, after); diff != "" {
		ns.Errorf("member-0 is another one (-before +after):\n%s", diff)
	}
	if said := ns.RunKubectl("logs", pod.Name, "--container=prepare"); !strings.Contains(said, "database: kept") {
		ns.Errorf("the new pod should keep the database, but it says:\n%s", said)
	}
}

// assertLedgerReset checks that the member kept its identity and volume, and that its vault has no states older
// than the run.
func assertLedgerReset(ns *cluster.Namespace, before memberFacts, run *v1alpha1.BenchmarkRun) {
	ns.Helper()
	result, after := readResult(ns, run), readMemberFacts(ns)
	created := run.CreationTimestamp.UTC().Format(time.DateTime)
	ns.Logf("states before %d, after %d, recorded by the run %d; epoch %s", before.States, after.States, result.Ledger.Recorded, result.Environment.State.Epoch)
	if after.States == 0 || after.OldestState <= created {
		ns.Errorf("the vault should only hold states of the run, which was created at %s, but holds %d, the oldest of %s", created, after.States, after.OldestState)
	}
	if s := result.Environment.State; !s.Fresh || s.Epoch == "" {
		ns.Errorf("the result should record a fresh network with its own epoch, but has %+v", s)
	}
	after.States, after.OldestState = before.States, before.OldestState
	if diff := cmp.Diff(before, after); diff != "" {
		ns.Errorf("member-0 is another one (-before +after):\n%s", diff)
	}
}
