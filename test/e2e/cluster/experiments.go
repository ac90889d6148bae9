package cluster

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// GetExperiment returns an experiment.
func (n *Namespace) GetExperiment(name string) *v1alpha1.BenchmarkExperiment {
	n.Helper()
	e := &v1alpha1.BenchmarkExperiment{}
	n.Get(name, e)
	return e
}

// WaitExperiment waits until wanted returns true for an experiment; what describes that state.
func (n *Namespace) WaitExperiment(name, what string, wanted func(*v1alpha1.BenchmarkExperiment) bool) *v1alpha1.BenchmarkExperiment {
	n.Helper()
	var e *v1alpha1.BenchmarkExperiment
	n.Wait("experiment "+name+" "+what, func() (bool, string) {
		e = n.GetExperiment(name)
		state := fmt.Sprintf("%s, %s runs, under way: %q", e.Status.Phase, e.Status.Display.Runs, e.Status.Display.Current)
		if c := meta.FindStatusCondition(e.Status.Conditions, v1alpha1.ConditionAccepted); c != nil && c.Status != "True" {
			state += ": " + c.Message
		}
		return wanted(e), state
	})
	return e
}

// ListRuns returns the experiment's runs by name.
func (n *Namespace) ListRuns(experiment string) map[string]*v1alpha1.BenchmarkRun {
	n.Helper()
	var list v1alpha1.BenchmarkRunList
	if err := n.Client.List(n.Context(), &list, client.InNamespace(n.Name), client.MatchingLabels{v1alpha1.LabelExperiment: experiment}); err != nil {
		n.Fatalf("list runs of experiment %s: %v", experiment, err)
	}
	runs := map[string]*v1alpha1.BenchmarkRun{}
	for i := range list.Items {
		runs[list.Items[i].Name] = &list.Items[i]
	}
	return runs
}

// RunMilestones returns facts that would change if a run were created, started or ended twice. It omits pending
// milestones.
func RunMilestones(runs map[string]*v1alpha1.BenchmarkRun) map[string]string {
	history := map[string]string{}
	for name, run := range runs {
		history[name+" was made"] = string(run.UID)
		if t := run.Status.StartTime; t != nil {
			history[name+" began"] = t.UTC().Format(time.RFC3339Nano)
		}
		if t := run.Status.CompletionTime; t != nil {
			history[name+" ended"] = t.UTC().Format(time.RFC3339)
		}
	}
	return history
}
