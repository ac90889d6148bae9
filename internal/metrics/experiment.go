package metrics

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

var (
	experimentInfo  = newGauge("benchnet_experiment_info", "An experiment and its strategy; always 1.", "namespace", "experiment", "strategy")
	experimentPhase = newGauge("benchnet_experiment_phase", "The phase of the experiment; always 1.", "namespace", "experiment", "phase")
	experimentRuns  = newGauge("benchnet_experiment_runs",
		"Runs of the experiment by state: Planned (the maximum, for a search), UnderWay, Valid, Invalid, Failed.", "namespace", "experiment", "state")
	experimentPoints = newGauge("benchnet_experiment_points",
		"Points of the experiment by state: Done when all their runs have ended, otherwise Open.", "namespace", "experiment", "state")
	experimentProgress = newGauge("benchnet_experiment_progress_timestamp_seconds",
		"Time at which the last run ended or the first network was created, in seconds since 1970.", "namespace", "experiment")
	experimentRunSeconds = newGauge("benchnet_experiment_planned_run_seconds", "Planned duration of one run including its network.",
		"namespace", "experiment")

	experimentMetrics = []*Metric{experimentInfo, experimentPhase, experimentRuns, experimentPoints, experimentProgress, experimentRunSeconds}
)

// runTally counts the runs of one experiment by state.
type runTally struct {
	underWay, valid, invalid, failed int
	// last is when the last completed run ended.
	last time.Time
}

// tallyRuns counts the runs of each experiment.
func tallyRuns(runs []v1alpha1.BenchmarkRun) map[types.NamespacedName]runTally {
	all := map[types.NamespacedName]runTally{}
	for i := range runs {
		r := &runs[i]
		name := r.Labels[v1alpha1.LabelExperiment]
		if name == "" {
			continue
		}
		key := types.NamespacedName{Namespace: r.Namespace, Name: name}
		t := all[key]
		t.countRun(r)
		all[key] = t
	}
	return all
}

func (t *runTally) countRun(r *v1alpha1.BenchmarkRun) {
	switch {
	case !r.IsComplete():
		t.underWay++
		return
	case r.Status.Verdict == v1alpha1.VerdictValid:
		t.valid++
	case r.Status.Verdict == v1alpha1.VerdictInvalid:
		t.invalid++
	default:
		t.failed++
	}
	if ended := r.Status.CompletionTime; ended != nil && ended.After(t.last) {
		t.last = ended.Time
	}
}

func (s sampleWriter) writeExperiment(e *v1alpha1.BenchmarkExperiment, runs runTally) {
	s.writeSample(experimentInfo, 1, e.Namespace, e.Name, string(e.Spec.Strategy))
	if e.Status.Phase != "" {
		s.writeSample(experimentPhase, 1, e.Namespace, e.Name, string(e.Status.Phase))
	}
	if p := e.Status.Plan; p != nil && p.Runs > 0 {
		created := runs.underWay + runs.valid + runs.invalid + runs.failed
		s.writeSample(experimentRuns, float64(max(0, int(p.Runs)-created)), e.Namespace, e.Name, "Planned")
		s.writeSample(experimentRunSeconds, p.Duration.Seconds()/float64(p.Runs), e.Namespace, e.Name)
	}
	s.writeSample(experimentRuns, float64(runs.underWay), e.Namespace, e.Name, "UnderWay")
	s.writeSample(experimentRuns, float64(runs.valid), e.Namespace, e.Name, "Valid")
	s.writeSample(experimentRuns, float64(runs.invalid), e.Namespace, e.Name, "Invalid")
	s.writeSample(experimentRuns, float64(runs.failed), e.Namespace, e.Name, "Failed")
	s.writeSample(experimentPoints, float64(e.Status.PointsDone), e.Namespace, e.Name, "Done")
	s.writeSample(experimentPoints, float64(max(0, e.Status.PointsTotal-e.Status.PointsDone)), e.Namespace, e.Name, "Open")
	if started := e.Status.StartTime; started != nil {
		last := started.Time
		if runs.last.After(last) {
			last = runs.last
		}
		s.writeSample(experimentProgress, float64(last.Unix()), e.Namespace, e.Name)
	}
}
