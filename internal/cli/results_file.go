package cli

import (
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/cli/cluster"
	"github.com/benchnet/benchnet/internal/cli/documents"
	"github.com/benchnet/benchnet/internal/cli/progress"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/verdict"
	"github.com/benchnet/benchnet/internal/status"
)

// showResultFile shows the experiment of a file, or else its runs, as showResults shows those of a cluster.
func (s *session) showResultFile(o resultsOptions, name string) error {
	file, err := documents.ReadFile(name)
	switch {
	case err != nil:
		return err
	case o.runs && len(file.Runs) == 0:
		return fmt.Errorf("%s has no results of single runs, only that of an experiment", name)
	case o.runs || len(file.Experiments) == 0:
		return s.showRunFile(file.Runs, o)
	case len(file.Experiments) > 1:
		return fmt.Errorf("%s has %d experiments: give a file with one", name, len(file.Experiments))
	}
	e := file.Experiments[0]
	if err := s.showExperimentDocument(e, o); err != nil {
		return err
	}
	if failed := checkExperiment(e); o.exitCode && len(failed) > 0 {
		return failed
	}
	return nil
}

// checkExperiment returns the failed checks of a finished experiment: gates that did not pass, points without a
// valid run.
func checkExperiment(e *documents.Experiment) failedChecksError {
	var failed failedChecksError
	errors.As(checkGates(e.Comparisons), &failed)
	for i := range e.Points {
		p := &e.Points[i]
		for _, objective := range p.Objectives {
			if objective.Outcome != verdict.ObjectivePassed {
				failed = append(failed, fmt.Sprintf("objective %s: point %s (%s): %s", strings.ToLower(objective.Outcome), p.Name, p.Label(), objective.Message))
			}
		}
		if p.Valid == 0 {
			failed = append(failed, fmt.Sprintf("experiment %s: point %s (%s) has no valid run", e.Experiment.Name, p.Name, p.Label()))
		}
	}
	return failed
}

func (s *session) showRunFile(runs []*documents.Run, o resultsOptions) error {
	objects := make([]v1alpha1.BenchmarkRun, 0, len(runs))
	var outcome progress.Outcome
	for _, run := range runs {
		object := runObject(run.RunResult)
		objects = append(objects, object)
		judged := progress.JudgeState(&progress.State{Target: cluster.Target{Kind: cluster.Run}, Runs: []v1alpha1.BenchmarkRun{object}})
		outcome.FailedChecks = append(outcome.FailedChecks, judged.FailedChecks...)
	}
	if err := s.showRunObjects(runs, objects, o); err != nil || !o.exitCode {
		return err
	}
	return outcomeError(outcome)
}

func (s *session) showRunObjects(runs []*documents.Run, objects []v1alpha1.BenchmarkRun, o resultsOptions) error {
	switch {
	case o.output == "" || o.output == "wide":
		return s.printRuns(objects, runs, o)
	case len(runs) == 1:
		return s.writeRunDocuments(runs, runs[0].Text, o)
	}
	return s.writeRunDocuments(runs, documents.NewRunList(runs), o)
}

// runObject returns a run with the status that the operator derives from its result.
func runObject(result *document.RunResult) v1alpha1.BenchmarkRun {
	run := v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: result.Run.Namespace, Name: result.Run.Name},
		Spec: v1alpha1.BenchmarkRunSpec{NetworkName: result.Run.Network}}
	run.Status = status.ComputeRun(status.RunInput{Run: &run, Result: result, Now: result.Times.End})
	return run
}
