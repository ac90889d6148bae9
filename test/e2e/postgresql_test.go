//go:build e2e

package e2e_test

import (
	_ "embed"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/test/e2e/cluster"
)

//go:embed testdata/two-banks.yaml
var twoBanksManifest string

// countNotarizations counts the requests that each replica recorded in the shared tables.
const countNotarizations = `PGPASSWORD=$(cat /etc/postgresql-superuser/password) psql --no-psqlrc -At -h 127.0.0.1 -U postgres -d corda \
  -c 'SELECT worker_node_x500_name, count(*) FROM notary_0.node_notary_request_log GROUP BY 1 ORDER BY 1'`

// showIOTiming prints a setting that the default server does not have.
const showIOTiming = `psql --no-psqlrc -At -c 'SHOW track_io_timing' -U postgres`

// TestTwoBanksOnPostgreSQL covers two members on a PostgreSQL of each host, and a notary of two replicas on one of its own: metrics,
// configuration, every flow and load, both replicas at work, an operator that dies during a run, and complete deletion.
func TestTwoBanksOnPostgreSQL(t *testing.T) {
	ns := cluster.NewNamespace(t, "postgresql")
	ns.MustApply(twoBanksManifest)
	network := ns.WaitReady("banks")
	logStages(ns, network)
	judge := startNodeConfJudge(ns, network)
	t.Run("members run on the hosts of their databases", func(t *testing.T) { assertOnDatabaseHosts(ns.ForSubtest(t)) })
	t.Run("a paused network runs nothing", func(t *testing.T) { assertNoLoad(ns.ForSubtest(t)) })
	t.Run("Prometheus scrapes all of it", func(t *testing.T) { assertScraped(ns.ForSubtest(t), network, cordaSeries) })
	t.Run("who reaches whom", func(t *testing.T) { testCordaReach(t, ns.ForSubtest(t), "banks") })
	t.Run("Prometheus scrapes the operator", func(t *testing.T) { assertOperatorScraped(ns.ForSubtest(t)) })
	t.Run("Corda accepts the node.conf of every member", func(t *testing.T) { assertNodeConfs(ns.ForSubtest(t), network, judge) })

	ns.RunKubectl("patch", "benchmarknetwork", "banks", "--type=merge", "--patch", `{"spec":{"pauseRuns":false}}`)

	mustPass(t, "issue, closed loop", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		assertRunScraped(ns, waitAndAssertRun(ns, "banks-issue"))
	})
	t.Run("every query of the dashboards gives data", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		assertDashboards(ns, ns.WaitEnded("banks-issue"), systemCorda, systemPostgreSQL)
	})
	mustPass(t, "pay, closed loop, two workers", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		assertPhases(ns, waitAndAssertRun(ns, "banks-pay"))
	})
	t.Run("both replicas of the notary notarize", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		recorded := ns.RunKubectl("exec", naming.DedicatedDatabase("banks", "notary")+"-0", "--container=postgresql", "--", "bash", "-c", countNotarizations)
		ns.Logf("notarizations per replica:\n%s", recorded)
		for _, replica := range []string{"O=Notary 0", "O=Notary 1"} {
			if !strings.Contains(recorded, replica) {
				ns.Errorf("%s recorded no request", replica)
			}
		}
	})
	t.Run("the server has the settings of the spec", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		if got := strings.TrimSpace(ns.RunKubectl("exec", naming.DatabaseInstance("banks", 0)+"-0", "--container=postgresql", "--", "bash", "-c", showIOTiming)); got != "on" {
			ns.Errorf("track_io_timing is %s, want on", got)
		}
	})
	mustPass(t, "issue and pay, the operator dies in mid-run", func(t *testing.T) { assertSurvivesOperator(ns.ForSubtest(t)) })
	mustPass(t, "mix, open loop in steps, then with a slow database", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		r := readResult(ns, waitAndAssertRun(ns, "banks-mix-open"))
		assertSegments(ns, r, []string{"level-1", "level-2", "level-3", "slow"}, []int64{10, 20, 30, 20})
		if len(r.Faults) != 1 {
			ns.Fatalf("the faults are %+v", r.Faults)
		}
		assertProved(ns, r.Faults[0])
		requests := map[string]float64{}
		for _, o := range r.Operations {
			requests[o.Name] = math.Round(o.Share * 80)
			ns.Logf("%s: share %.4f, %d completed, %d failed, mean latency %.0f ms", o.Name, o.Share, o.Completed, o.Failed, o.Latency.Mean)
		}
		if want := map[string]float64{"issue": 32, "pay": 32, "issue-random": 16}; !maps.Equal(requests, want) {
			ns.Errorf("the operations have %v of 80 requests, want %v", requests, want)
		}
		assertNoDuplicates(ns)
	})
	t.Run("every recording rule gives data, no alert fires, the page of metrics is right", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		run := ns.WaitEnded("banks-mix-open")
		assertRules(ns, run, systemCorda, systemPostgreSQL, systemOpenLoad)
		assertNoAlerts(ns, run)
		assertMetricsDocumented(ns, systemCorda, systemPostgreSQL)
	})
	t.Run("the status of the network has its last run", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		ns.Wait("the network has finished", func() (bool, string) {
			s := ns.GetNetwork("banks").Status
			return s.Phase == "Finished" && s.LastRun != nil && s.LastRun.Name == "banks-mix-open", fmt.Sprintf("phase %s, last run %+v", s.Phase, s.LastRun)
		})
	})
	t.Run("the content of Secrets is nowhere else", func(t *testing.T) { assertSecretsNotExposed(ns.ForSubtest(t), "banks-mix-open") })
	mustPass(t, "a deleted network leaves nothing", func(t *testing.T) { assertDeletedCompletely(ns.ForSubtest(t), "banks") })
}

// assertOnDatabaseHosts fails unless each member runs on the host of its database. These differ if the cluster has several nodes.
func assertOnDatabaseHosts(ns *cluster.Namespace) {
	ns.Helper()
	var hosts [2]string
	for i := range hosts {
		hosts[i] = ns.GetPod(naming.DatabaseInstance("banks", i) + "-0").Spec.NodeName
	}
	for member, i := range map[string]int{"member-0": 0, "member-1": 1} {
		if got := getMemberPod(ns, "banks", member).Spec.NodeName; got != hosts[i] {
			ns.Errorf("%s runs on %s, its database on %s", member, got, hosts[i])
		}
	}
	if hosts[0] == hosts[1] && len(listNodes(ns)) > 1 {
		ns.Errorf("both databases run on %s", hosts[0])
	}
}

func waitAndAssertRun(ns *cluster.Namespace, name string) *v1alpha1.BenchmarkRun {
	ns.Helper()
	run := ns.WaitEnded(name)
	assertMeasured(ns, run)
	return run
}

// assertSegments fails unless the result has the segments, with the numbers of operations that were due in them. All must have succeeded.
func assertSegments(ns *cluster.Namespace, r *document.RunResult, names []string, planned []int64) {
	ns.Helper()
	if len(r.Segments) != len(names) {
		ns.Fatalf("the segments are %+v, want %s", r.Segments, names)
	}
	for i, s := range r.Segments {
		ns.Logf("segment %s: %d of %d planned, %.1f/s, mean latency %.0f ms", s.Name, s.Summary.Requests, s.Planned, s.Summary.ThroughputPerSecond, s.Summary.Latency.Mean)
		if s.Name != names[i] || s.Planned != planned[i] || s.Summary.Requests != planned[i] || s.Summary.Errors != 0 {
			ns.Errorf("segment %s has %d operations, %d errors and %d planned; want %s with %d", s.Name, s.Summary.Requests, s.Summary.Errors, s.Planned, names[i], planned[i])
		}
	}
}

// assertPhases fails unless the clients followed every payment, up to its notarization and distribution.
func assertPhases(ns *cluster.Namespace, run *v1alpha1.BenchmarkRun) {
	ns.Helper()
	result := readResult(ns, run)
	succeeded := result.Summary.Requests - result.Summary.Errors
	if p := result.Phases; p == nil || p.Operations != succeeded {
		ns.Fatalf("the phases of %d payments should be known: %+v", succeeded, p)
	}
	operations := map[string]int64{}
	for _, p := range result.Phases.Phases {
		operations[p.Name] = p.Operations
		ns.Logf("%s: %d payments, mean %.1f ms, %.0f %%", p.Name, p.Operations, p.Mean, 100*p.Share)
	}
	for _, name := range []string{"Start", "Notarization", "Signature check and recording", "Distribution to participants"} {
		if operations[name] != succeeded {
			ns.Errorf("%d of %d payments have the phase %s: %v", operations[name], succeeded, name, operations)
		}
	}
	if all, phases := result.Summary.Latency.Mean, result.Phases.MeanMillis; math.Abs(all-phases) > 0.01*all {
		ns.Errorf("the phases add up to %.1f ms, the mean latency is %.1f ms", phases, all)
	}
}

// listLoadPods returns the load pods of a run, or of all runs, by UID.
func listLoadPods(ns *cluster.Namespace, run string) map[types.UID]corev1.Pod {
	ns.Helper()
	var pods corev1.PodList
	if err := ns.Client.List(ns.Context(), &pods, client.InNamespace(ns.Name), client.HasLabels{v1alpha1.LabelRun}); err != nil {
		ns.Fatal(err)
	}
	found := map[types.UID]corev1.Pod{}
	for _, pod := range pods.Items {
		if run == "" || pod.Labels[v1alpha1.LabelRun] == run {
			found[pod.UID] = pod
		}
	}
	return found
}

func assertNoLoad(ns *cluster.Namespace) {
	ns.Helper()
	if pods := listLoadPods(ns, ""); len(pods) > 0 {
		ns.Errorf("there are %d load workers", len(pods))
	}
}

// assertSurvivesOperator kills the operator during a run: the same workers continue, and one run has one result.
func assertSurvivesOperator(ns *cluster.Namespace) {
	ns.Helper()
	const name = "banks-issue-and-pay"
	begun := ns.WaitMeasuring(name)
	workers := listLoadPods(ns, name)
	ns.KillOperator()
	run := waitAndAssertRun(ns, name)
	if !run.Status.StartTime.Equal(begun.Status.StartTime) || run.UID != begun.UID {
		ns.Errorf("the run should be the one that began at %s, not another one of %s", begun.Status.StartTime, run.Status.StartTime)
	}
	for uid, pod := range listLoadPods(ns, name) {
		if _, ok := workers[uid]; !ok {
			ns.Errorf("worker %s was restarted", pod.Name)
		}
	}
	if readResult(ns, run).Run.UID != string(begun.UID) {
		ns.Error("the result is of another run")
	}
}

// assertNoDuplicates fails unless there is one run per workload, and at most one Job and one result per run. The last run
// must have been created.
func assertNoDuplicates(ns *cluster.Namespace) {
	ns.Helper()
	var runs v1alpha1.BenchmarkRunList
	var jobs batchv1.JobList
	var maps corev1.ConfigMapList
	for _, list := range []client.ObjectList{&runs, &jobs, &maps} {
		if err := ns.Client.List(ns.Context(), list, client.InNamespace(ns.Name)); err != nil {
			ns.Fatal(err)
		}
	}
	var wanted, found []string
	for _, w := range ns.GetNetwork("banks").Spec.Workloads {
		wanted = append(wanted, naming.WorkloadRun("banks", w.Name))
	}
	for _, r := range runs.Items {
		found = append(found, r.Name)
	}
	slices.Sort(wanted)
	slices.Sort(found)
	if !slices.Equal(wanted, found) {
		ns.Errorf("runs %v, want %v", found, wanted)
	}
	for _, j := range jobs.Items {
		if of := j.Labels[v1alpha1.LabelRun]; of != "" && j.Name != of {
			ns.Errorf("run %s has Job %s", of, j.Name)
		}
	}
	for _, cm := range maps.Items {
		if strings.HasSuffix(cm.Name, "-result") && !slices.Contains(wanted, strings.TrimSuffix(cm.Name, "-result")) {
			ns.Errorf("there is a result without a run: %s", cm.Name)
		}
	}
}
