//go:build e2e

package e2e_test

import (
	_ "embed"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/test/e2e/cluster"
)

var (
	//go:embed testdata/experiment-grid.yaml
	gridManifest string
	//go:embed testdata/experiment-compare.yaml
	compareManifest string
)

// killCount is how often the operator is killed during one experiment.
const killCount = 3

// TestExperimentSurvivesItsOperator checks that an experiment resumes after its operator dies: no run is
// missing or created twice.
func TestExperimentSurvivesItsOperator(t *testing.T) {
	ns := cluster.NewNamespace(t, "grid")
	ns.MustApply(gridManifest)
	seen := map[string]string{}
	for i := range killCount {
		ns.WaitExperiment("grid", fmt.Sprintf("has done %d runs", i), func(*v1alpha1.BenchmarkExperiment) bool {
			recordMilestones(ns, seen)
			return countEnded(seen) >= i
		})
		time.Sleep(rand.N(10 * time.Second))
		recordMilestones(ns, seen)
		t.Logf("killed while %s", describeProgress(ns.GetExperiment("grid")))
		ns.KillOperator()
		recordMilestones(ns, seen)
	}
	e := ns.WaitExperiment("grid", "has ended", func(e *v1alpha1.BenchmarkExperiment) bool {
		recordMilestones(ns, seen)
		return e.IsComplete()
	})
	if e.Status.Phase != "Complete" || e.Status.Display.Runs != "4/4" || e.Status.PointsDone != 2 {
		t.Errorf("the experiment should be complete with 4 of 4 runs and 2 points, but: %s, %d points", describeProgress(e), e.Status.PointsDone)
	}
	want := []string{"grid-p01-r1", "grid-p01-r2", "grid-p02-r1", "grid-p02-r2"}
	if got := slices.Sorted(maps.Keys(ns.ListRuns("grid"))); !slices.Equal(got, want) {
		t.Errorf("the runs are %v, want %v", got, want)
	}
	if len(seen) != 3*len(want) {
		t.Errorf("every run should have been made, begun and ended: %v", seen)
	}
	assertRunsComplete(ns, e, want)
	t.Run("every query of the dashboards gives data", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		assertDashboards(ns, ns.WaitEnded(want[len(want)-1]), systemMalachite, systemExperiment)
	})
	mustPass(t, "a deleted experiment leaves nothing", func(t *testing.T) { assertExperimentDeleted(ns.ForSubtest(t), "grid") })
}

// recordMilestones records the milestones of the runs, and fails if an earlier one has changed.
func recordMilestones(ns *cluster.Namespace, seen map[string]string) {
	ns.Helper()
	now := cluster.RunMilestones(ns.ListRuns("grid"))
	for what, before := range seen {
		if now[what] != before {
			ns.Errorf("%s as %s, and now it is %q", what, before, now[what])
		}
	}
	maps.Copy(seen, now)
}

func countEnded(seen map[string]string) int {
	n := 0
	for what := range seen {
		if strings.HasSuffix(what, " ended") {
			n++
		}
	}
	return n
}

func describeProgress(e *v1alpha1.BenchmarkExperiment) string {
	return fmt.Sprintf("%s, %s runs, under way: %q", e.Status.Phase, e.Status.Display.Runs, e.Status.Display.Current)
}

// assertRunsComplete fails unless the experiment's document has every run once, in the order of creation.
func assertRunsComplete(ns *cluster.Namespace, e *v1alpha1.BenchmarkExperiment, runs []string) *experiment.Result {
	ns.Helper()
	if e.Status.Result == nil {
		ns.Fatalf("experiment %s names no result", e.Name)
	}
	var cm corev1.ConfigMap
	ns.Get(e.Status.Result.ConfigMapName, &cm)
	r, err := experiment.Decode(cm.BinaryData[e.Status.Result.Key])
	if err != nil {
		ns.Fatalf("result of experiment %s: %v", e.Name, err)
	}
	var names []string
	for _, run := range r.Runs {
		names = append(names, run.Name)
		ns.Logf("%s: %s, %s, %.2f/s %v", run.Name, run.Start.Format(time.TimeOnly), run.Verdict, run.Metrics["Throughput"], run.Reasons)
		if run.Verdict == "Failed" || run.Metrics["Throughput"] <= 0 || run.Start.IsZero() {
			ns.Errorf("run %s should have been measured: %+v", run.Name, run)
		}
	}
	if sorted := slices.Sorted(slices.Values(names)); !slices.Equal(sorted, runs) {
		ns.Errorf("the document has the runs %v, want %v", sorted, runs)
	}
	if !slices.IsSortedFunc(r.Runs, func(a, b experiment.Run) int { return a.Start.Compare(b.Start) }) {
		ns.Errorf("the document should have the runs in their order: %v", names)
	}
	if last := string(names[1][len(names[1])-1]); last != "1" {
		ns.Errorf("the variants should take turns, but the order was %v", names)
	}
	return r
}

func assertExperimentDeleted(ns *cluster.Namespace, name string) {
	ns.Helper()
	ns.RunKubectl("delete", "benchmarkexperiment", name, "--wait=false")
	ns.WaitEmpty()
}

// TestComparisonWithItself compares a version with itself on two deployments of one network: a paused experiment starts
// nothing, and two deployments pass no gate.
func TestComparisonWithItself(t *testing.T) {
	t.Parallel()
	ns := cluster.NewNamespace(t, "compare")
	ns.MustApply(compareManifest)
	ns.WaitExperiment("same", "measures", func(e *v1alpha1.BenchmarkExperiment) bool { return e.Status.Display.Current != "" })
	setPaused(ns, true)
	ns.WaitExperiment("same", "is paused", func(e *v1alpha1.BenchmarkExperiment) bool { return e.Status.Phase == "Paused" })
	before := len(ns.ListRuns("same"))
	// The reconcile that counts the end of the last running run would create the next one.
	done := fmt.Sprintf("%d/8", before)
	ns.WaitExperiment("same", "has counted "+done+" runs", func(e *v1alpha1.BenchmarkExperiment) bool { return e.Status.Display.Runs == done })
	if after := len(ns.ListRuns("same")); after != before || after == 8 {
		t.Errorf("there were %d runs when it was paused, and %d when these had ended", before, after)
	}
	setPaused(ns, false)
	e := ns.WaitExperiment("same", "has ended", (*v1alpha1.BenchmarkExperiment).IsComplete)
	r := assertRunsComplete(ns, e, []string{"same-p01-r1", "same-p01-r2", "same-p01-r3", "same-p01-r4",
		"same-p02-r1", "same-p02-r2", "same-p02-r3", "same-p02-r4"})
	for _, run := range r.Runs {
		if want := fmt.Sprintf("same-n%d", (run.Repetition+1)/2); run.Network != want {
			t.Errorf("%s ran on %s, want %s: variants that do not differ share a network of each deployment", run.Name, run.Network, want)
		}
	}
	if len(r.Comparisons) != 1 || len(e.Status.Comparisons) != 1 {
		t.Fatalf("there should be one comparison: %+v", r.Comparisons)
	}
	t.Log(e.Status.Comparisons[0].Message)
	c := meta.FindStatusCondition(e.Status.Conditions, v1alpha1.ConditionGatesPassed)
	if c == nil || c.Reason != v1alpha1.ReasonGateUndecided || !strings.Contains(e.Status.Comparisons[0].Message, "too few pairs of deployments: 2 against 2") {
		t.Errorf("the gate should be undecided: %+v, %s", c, e.Status.Comparisons[0].Message)
	}
	mustPass(t, "a deleted experiment leaves nothing", func(t *testing.T) { assertExperimentDeleted(ns.ForSubtest(t), "same") })
}

func setPaused(ns *cluster.Namespace, yes bool) {
	ns.Helper()
	ns.RunKubectl("patch", "benchmarkexperiment", "same", "--type=merge", "--patch", fmt.Sprintf(`{"spec":{"pauseRuns":%v}}`, yes))
}

// TestExperimentOnEmptyPool checks that an experiment whose nodes do not exist yet waits for them, says what its pods lack,
// and proceeds when there is a node.
func TestExperimentOnEmptyPool(t *testing.T) {
	t.Parallel()
	ns := cluster.NewNamespace(t, "pool")
	label := "benchnet-e2e-pool=" + ns.Name
	ns.MustApply(strings.Replace(gridManifest, "reservation: Minimal",
		"reservation: Minimal, scheduling: {nodeSelector: {"+strings.Replace(label, "=", ": ", 1)+"}}", 1))
	e := ns.WaitExperiment("grid", "names what its pods lack", func(e *v1alpha1.BenchmarkExperiment) bool {
		ready := meta.FindStatusCondition(e.Status.Conditions, v1alpha1.ConditionReady)
		return ready != nil && strings.Contains(ready.Message, "cannot be scheduled")
	})
	if meta.IsStatusConditionTrue(e.Status.Conditions, v1alpha1.ConditionStalled) || e.IsComplete() || e.Status.Phase == v1alpha1.PhaseFailed {
		t.Fatalf("the experiment should wait for a node: %+v", e.Status)
	}
	var nodes corev1.NodeList
	if err := ns.Client.List(ns.Context(), &nodes); err != nil {
		t.Fatal(err)
	}
	for i := range nodes.Items {
		node := nodes.Items[i].Name
		ns.RunKubectlUntilEnd([]string{"label", "node", node, "benchnet-e2e-pool-"}, "label", "node", node, "--overwrite", label)
	}
	ns.WaitExperiment("grid", "has a run", func(e *v1alpha1.BenchmarkExperiment) bool { return e.Status.RunsEnded > 0 })
}
