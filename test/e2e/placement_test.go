//go:build e2e

package e2e_test

import (
	_ "embed"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/results"
	"github.com/benchnet/benchnet/test/e2e/cluster"
)

var (
	//go:embed testdata/placement.yaml
	placementManifest string
	//go:embed testdata/placement-nowhere.yaml
	nowhereManifest string
)

// TestPlacement covers where the pods of a network and of its runs are on three nodes, one of which has a taint for load
// workers.
func TestPlacement(t *testing.T) {
	ns := cluster.NewNamespace(t, "placement")
	tainted := taintNodeForLoad(ns)
	ns.MustApply(placementManifest)
	ns.WaitReady("val")
	mustPass(t, "members are apart, and the worker is on the tainted node", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		run := ns.WaitEnded("val-blocks")
		on := placementOf(readResult(ns, run))
		if len(on) != 3 || !slices.Equal(on[tainted], []string{"worker-0"}) {
			t.Errorf("two members and a worker should have a node each: %v", on)
		}
		if hasReason(run, results.WorkerColocated) {
			t.Error("no worker shares a node with a member")
		}
	})
	t.Run("a worker without a node names the reason", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		ns.MustApply(nowhereManifest)
		run := ns.WaitEnded("val-nowhere")
		for _, want := range []string{"not all workers had a node", "untolerated taint", "anti-affinity"} {
			if text := cluster.RunSummary(run); !strings.Contains(text, want) {
				t.Errorf("the run should say %q: %s", want, text)
			}
		}
	})
}

// taintNodeForLoad taints the last node for the duration of the test and returns its name. It skips the test unless the
// cluster has exactly three nodes.
func taintNodeForLoad(ns *cluster.Namespace) string {
	ns.Helper()
	var all corev1.NodeList
	if err := ns.Client.List(ns.Context(), &all); err != nil {
		ns.Fatalf("list nodes: %v", err)
	}
	if len(all.Items) != 3 {
		ns.Skipf("needs three nodes, the cluster has %d: set BENCHNET_NODES=3", len(all.Items))
	}
	name := all.Items[len(all.Items)-1].Name
	ns.RunKubectlUntilEnd([]string{"taint", "node", name, "dedicated=load:NoSchedule-"}, "taint", "node", name, "dedicated=load:NoSchedule", "--overwrite")
	return name
}

// placementOf returns the members, databases and workers of a result by node.
func placementOf(r *results.RunResult) map[string][]string {
	on := map[string][]string{}
	for _, h := range r.Environment.Hosts {
		on[h.Name] = slices.Sorted(slices.Values(h.Subjects))
	}
	return on
}

func hasReason(run *v1alpha1.BenchmarkRun, code results.ReasonCode) bool {
	return slices.ContainsFunc(run.Status.Reasons, func(r v1alpha1.VerdictReason) bool { return r.Reason == string(code) })
}
