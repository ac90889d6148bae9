//go:build e2e

package e2e_test

import (
	_ "embed"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/verdict"
	"github.com/benchnet/benchnet/test/e2e/cluster"
)

var (
	//go:embed testdata/placement.yaml
	placementManifest string
	//go:embed testdata/placement-nowhere.yaml
	nowhereManifest string
)

// poolLabel divides the nodes for the duration of a test into those for members and those for load workers.
const poolLabel = "benchnet-e2e-pool"

// TestPlacement covers where the pods of a network and of its runs are on three nodes in three zones, one of which has a
// taint for load workers.
func TestPlacement(t *testing.T) {
	ns := cluster.NewNamespace(t, "placement")
	nodes := listNodes(ns)
	if len(nodes) != 3 {
		t.Skipf("needs three nodes, the cluster has %d: set BENCHNET_NODES=3", len(nodes))
	}
	zones := map[string]string{}
	for i := range nodes {
		zones[nodes[i].Name] = "zone-" + strconv.Itoa(i)
	}
	labelNodes(ns, nodes, corev1.LabelTopologyZone, zones)
	tainted := nodes[2].Name
	ns.RunKubectlUntilEnd([]string{"taint", "node", tainted, "dedicated=load:NoSchedule-"},
		"taint", "node", tainted, "dedicated=load:NoSchedule", "--overwrite")
	ns.MustApply(placementManifest)
	ns.WaitReady("val")
	mustPass(t, "members are apart, and the worker is on the tainted node", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		run := ns.WaitEnded("val-blocks")
		on := placementOf(readResult(ns, run))
		if len(on) != 3 || !slices.Equal(on[tainted], []string{"worker-0"}) {
			t.Errorf("two members and a worker should have a node each: %v", on)
		}
		if hasReason(run, verdict.ReasonWorkerColocated) {
			t.Error("no worker shares a node with a member")
		}
	})
	t.Run("the regions are the zones of the nodes", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		result, regions := readResult(ns, ns.WaitEnded("val-blocks")), map[string]string{}
		for node, subjects := range placementOf(result) {
			for _, s := range subjects {
				regions[s] = zones[node]
			}
		}
		if diff := cmp.Diff(regions, result.Environment.Regions); diff != "" {
			t.Errorf("the regions of the result are not the zones (-want +got):\n%s", diff)
		}
		assertPlacementReported(ns, result)
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

// listNodes returns the nodes of the cluster by name.
func listNodes(ns *cluster.Namespace) []corev1.Node {
	ns.Helper()
	var all corev1.NodeList
	if err := ns.Client.List(ns.Context(), &all); err != nil {
		ns.Fatalf("list nodes: %v", err)
	}
	return all.Items
}

// labelNodes sets a label of the nodes for the duration of the test to the values by their names.
func labelNodes(ns *cluster.Namespace, nodes []corev1.Node, key string, values map[string]string) {
	ns.Helper()
	for i := range nodes {
		name, revert := nodes[i].Name, key+"-"
		if old, ok := nodes[i].Labels[key]; ok {
			revert = key + "=" + old
		}
		ns.RunKubectlUntilEnd([]string{"label", "node", name, revert, "--overwrite"}, "label", "node", name, key+"="+values[name], "--overwrite")
	}
}

// placementOf returns the members, databases and workers of a result by node.
func placementOf(r *document.RunResult) map[string][]string {
	on := map[string][]string{}
	for _, h := range r.Environment.Hosts {
		on[h.Name] = slices.Sorted(slices.Values(h.Subjects))
	}
	return on
}

// countPerNode returns the sorted numbers of subjects on a node whose names begin with the prefix.
func countPerNode(on map[string][]string, prefix string) []int {
	var all []int
	for _, subjects := range on {
		n := 0
		for _, s := range subjects {
			if strings.HasPrefix(s, prefix) {
				n++
			}
		}
		all = append(all, n)
	}
	slices.Sort(all)
	return all
}

// assertPlacementReported fails unless the report of the run lists what was on each node and in each region.
func assertPlacementReported(ns *cluster.Namespace, r *document.RunResult) {
	ns.Helper()
	file := filepath.Join(ns.TempDir(), "report.html")
	runPlugin(ns, "report", "brun/"+r.Run.Name, "--output", file)
	report, err := os.ReadFile(file)
	if err != nil {
		ns.Fatal(err)
	}
	places := map[string][]string{}
	for _, subject := range slices.Sorted(maps.Keys(r.Environment.Regions)) {
		region := r.Environment.Regions[subject]
		places[region] = append(places[region], subject)
	}
	for _, h := range r.Environment.Hosts {
		places[h.Name] = h.Subjects
	}
	for place, subjects := range places {
		row := regexp.MustCompile(`<td class="text">` + place + `</td>.*<td class="prose">` + strings.Join(subjects, ", ") + `</td></tr>`)
		if !row.Match(report) {
			ns.Errorf("the report should have a row of %s with %s", place, strings.Join(subjects, ", "))
		}
	}
}

func hasReason(run *v1alpha1.BenchmarkRun, code verdict.ReasonCode) bool {
	return slices.ContainsFunc(run.Status.Reasons, func(r v1alpha1.VerdictReason) bool { return r.Reason == string(code) })
}
