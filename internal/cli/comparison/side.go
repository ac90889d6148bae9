// Package comparison compares two experiments, two variants, two runs, or one of them with a stored document.
package comparison

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/cli/cluster"
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
	content, err := cluster.ReadResultFile(name)
	switch {
	case err != nil:
	case content != nil:
		err = side.decodeDocument(content)
	default:
		err = side.fetchResult(ctx, connect, name)
	}
	if err != nil {
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
		s.Run = document.RunResult
		s.Result, err = splitIntoBatches(s.Run)
		return err
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

// decodeDocument decodes a run's or an experiment's document, as written by kubectl benchnet results -o json.
func (s *Side) decodeDocument(content []byte) error {
	var head struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(content, &head); err != nil {
		return fmt.Errorf("read %s: %w", s.Name, err)
	}
	var err error
	if head.Kind != results.Kind {
		s.Result, err = experiment.Decode(content)
	} else if s.Run, err = results.DecodeRunResult(content); err == nil {
		s.Result, err = splitIntoBatches(s.Run)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", s.Name, err)
	}
	return nil
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
			Verdict: string(results.Valid), Metrics: map[string]float64{string(v1alpha1.MetricThroughput): float64(sum) / float64(size)}})
	}
	return made, nil
}
