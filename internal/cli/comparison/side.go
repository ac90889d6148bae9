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
	"github.com/benchnet/benchnet/internal/run/document"
)

// Side is one side of a comparison.
type Side struct {
	// Name is the name that the user gave.
	Name string
	// Variant is the selected variant of an experiment; empty for all.
	Variant string
	// Result is the result of an experiment, or of one with a single run.
	Result *experiment.Result
	// Run is the run of a single-run side, or nil.
	Run *document.RunResult
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

// FetchSide returns a side with the result of an experiment or run of the cluster.
func FetchSide(ctx context.Context, c *cluster.Connection, target cluster.Target) (*Side, error) {
	side := &Side{Name: target.String()}
	return side, side.fetchTarget(ctx, c, target)
}

// NewSide returns a side with the only experiment of a file, or else its only run.
func NewSide(file *documents.File) (*Side, error) {
	side := &Side{Name: file.Name}
	return side, side.setFile(file)
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
	return s.fetchTarget(ctx, c, target)
}

func (s *Side) fetchTarget(ctx context.Context, c *cluster.Connection, target cluster.Target) error {
	if target.Kind == cluster.Run {
		var run v1alpha1.BenchmarkRun
		if err := c.Client.Get(ctx, target.Key(), &run); err != nil {
			return err
		}
		document, err := c.ReadRunDocument(ctx, &run)
		if err != nil {
			return err
		}
		s.setRun(document.RunResult)
		return nil
	}
	document, err := c.GetExperimentDocument(ctx, target)
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
		s.setRun(file.Runs[0].RunResult)
	default:
		return fmt.Errorf("%s has %d experiments and %d runs: give a file with one", file.Name, len(file.Experiments), len(file.Runs))
	}
	return nil
}

// setRun makes a single run the side's result, as a point with one run.
func (s *Side) setRun(run *document.RunResult) {
	s.Run = run
	only := experiment.SummarizeRun(run)
	// The numbers of an invalid run are shown too, with a warning.
	only.Point, only.Repetition, only.Verdict = run.Run.Name, 1, experiment.RunValid
	s.Result = &experiment.Result{Points: []experiment.Point{{Name: run.Run.Name, Parameters: []experiment.Parameter{}, Unit: run.Summary.Unit}},
		Runs: []experiment.Run{only}}
}
