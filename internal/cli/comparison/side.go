// Package comparison compares two experiments, two variants, two runs, or one of them with a stored document.
package comparison

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/cli/cluster"
	"github.com/benchnet/benchnet/internal/cli/documents"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/run/results"
)

// Side is one side of a comparison.
type Side struct {
	// Name is the name that the user gave.
	Name string
	// Variant is the selected variant of an experiment; empty for all.
	Variant string
	// Result is the result of an experiment, or the batches of a run.
	Result *experiment.Result
	// Run is the run of a single-run side, or nil.
	Run *results.RunResult
}

// LoadSide loads a file with a document, or an experiment or run by NAME. An experiment may have the suffix
// :VARIANT. It calls connect only for names, because a file needs no cluster.
func LoadSide(ctx context.Context, connect func() (*cluster.Connection, error), text string) (*Side, error) {
	name, variant, _ := strings.Cut(text, ":")
	side := &Side{Name: text, Variant: variant}
	load := func() error { return side.fetchResult(ctx, connect, name) }
	if documents.IsFile(name) {
		load = func() error { return side.readFile(name) }
	}
	if err := load(); err != nil {
		return nil, err
	}
	if variant != "" && !slices.Contains(side.Result.Variants, variant) {
		return nil, fmt.Errorf("%s has no variant %q; there are: %s", name, variant, strings.Join(side.Result.Variants, ", "))
	}
	return side, nil
}

func (s *Side) fetchResult(ctx context.Context, connect func() (*cluster.Connection, error), name string) error {
	c, err := connect()
	if err != nil {
		return err
	}
	target, err := c.FindTarget(ctx, name, cluster.Experiment, cluster.Run)
	if err != nil {
		return err
	}
	if target.Kind == cluster.Run {
		var run v1alpha1.BenchmarkRun
		if err := c.Client.Get(ctx, target.Key(), &run); err != nil {
			return err
		}
		document, err := c.ReadRunDocument(ctx, &run)
		if err != nil {
			return err
		}
		return s.setRun(document.RunResult)
	}
	var e v1alpha1.BenchmarkExperiment
	if err := c.Client.Get(ctx, target.Key(), &e); err != nil {
		return err
	}
	document, err := c.ReadExperimentDocument(ctx, &e)
	if err != nil {
		return err
	}
	s.Result = document.Result
	return nil
}

func (s *Side) readFile(name string) error {
	file, err := documents.ReadFile(name)
	if err != nil {
		return err
	}
	return s.setFile(file)
}

// setFile makes the only experiment of a file the side's result, or else its only run.
func (s *Side) setFile(file *documents.File) error {
	switch {
	case len(file.Experiments) == 1:
		s.Result = file.Experiments[0].Result
	case len(file.Experiments) == 0 && len(file.Runs) == 1:
		return s.setRun(file.Runs[0].RunResult)
	default:
		return fmt.Errorf("%s has %d experiments and %d runs: give a file with one", file.Name, len(file.Experiments), len(file.Runs))
	}
	return nil
}

// setRun makes the batches of one run the side's result.
func (s *Side) setRun(run *results.RunResult) (err error) {
	s.Run = run
	s.Result, err = splitIntoBatches(run)
	return err
}

// minBatchCount is the minimum number of batches in the window of a single run. With many more, the batches
// would be too short to be independent.
const minBatchCount = 10

// SecondsPerBatch returns the length of a run's batches in seconds; 0 if its window is too short.
func SecondsPerBatch(r *results.RunResult) int {
	return len(r.Series.CompletedPerSecond) / minBatchCount
}

// splitIntoBatches returns an experiment result with the throughput of each batch of one run. Its spread covers
// only the variation within the run. It fails if the window is shorter than minBatchCount seconds.
func splitIntoBatches(r *results.RunResult) (*experiment.Result, error) {
	size := SecondsPerBatch(r)
	if size == 0 {
		return nil, fmt.Errorf(
			"run %s: its window of %d s is too short to be compared, which takes %d s",
			r.Run.Name,
			len(r.Series.CompletedPerSecond),
			minBatchCount,
		)
	}
	made := &experiment.Result{Points: []experiment.Point{{Name: r.Run.Name, Parameters: []experiment.Parameter{}, Unit: r.Summary.Unit}}}
	for i := range len(r.Series.CompletedPerSecond) / size {
		sum := int64(0)
		for _, n := range r.Series.CompletedPerSecond[i*size : (i+1)*size] {
			sum += n
		}
		made.Runs = append(made.Runs, experiment.Run{Name: fmt.Sprintf("%s second %d", r.Run.Name, i*size), Point: r.Run.Name, Repetition: i + 1,
			Verdict: experiment.RunValid, Metrics: map[string]float64{string(v1alpha1.MetricThroughput): float64(sum) / float64(size)}})
	}
	return made, nil
}
