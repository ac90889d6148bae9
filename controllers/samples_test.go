package controllers_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// TestSampleExperiments checks that the API server and the platforms accept every point of every sample
// experiment: the preflight dry-runs all networks and runs.
func TestSampleExperiments(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "config", "samples", "experiment_*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no samples of experiments: %v", err)
	}
	list, err := os.ReadFile(filepath.Join("..", "config", "samples", "kustomization.yaml"))
	must(t, err)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			if !strings.Contains(string(list), "- "+filepath.Base(file)+"\n") {
				t.Errorf("%s is not in kustomization.yaml", file)
			}
			text, err := os.ReadFile(file)
			must(t, err)
			w := newTestEnvWithExperiment(t, string(text))
			w.createNode("hall", "4000", "16Ti")
			// The sample C5 selects nodes by these labels.
			hall := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "hall"}}
			labels := `{"metadata": {"labels": {"ledger-host": "true", "database-host": "true"}}}`
			must(t, w.client.Patch(w.ctx, hall, client.RawPatch(types.MergePatchType, []byte(labels))))
			e := &v1alpha1.BenchmarkExperiment{}
			must(t, w.client.Get(w.ctx, w.requestFor(w.decodeYAML(string(text)).GetName()).NamespacedName, e))
			w.reconcileExperiment(e.Name)
			w.mustGet(e.Name, e)
			accepted := meta.FindStatusCondition(e.Status.Conditions, v1alpha1.ConditionAccepted)
			if accepted == nil || accepted.Status != "True" {
				t.Fatalf("the experiment should be accepted, but Accepted is %+v", accepted)
			}
			if e.Status.Plan == nil || e.Status.Plan.Runs < 2 {
				t.Errorf("the plan should have runs, but is %+v", e.Status.Plan)
			}
			t.Logf("%+v", *e.Status.Plan)
		})
	}
}
