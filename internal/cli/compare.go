package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/cli/cluster"
	"github.com/benchnet/benchnet/internal/cli/comparison"
	"github.com/benchnet/benchnet/internal/cli/table"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/run/document"
)

// compareOutputs are the output formats of compare, besides the default.
var compareOutputs = []string{"json", "yaml", "markdown", "junit", "wide"}

type compareOptions struct {
	metrics, gates []string
	confidence     int32
	output         string
}

func (s *session) compareCommand() *cobra.Command {
	var o compareOptions
	cmd := &cobra.Command{
		Use:   "compare BASELINE CANDIDATE",
		Short: "Compare two experiments, two variants, or two runs",
		Long: `Compares a candidate with a baseline: the difference with its confidence interval, the exact p-value corrected for the number
of comparisons, the effect size, the smallest difference that could have been seen, and the shares of failed runs (docs/statistics.md).

Each is an experiment, EXPERIMENT:VARIANT, a run, or a file with one result. Experiments are compared at points with equal
parameters. Two single runs are no comparison: their numbers are shown beside each other, without a verdict, and no gate is judged.

` + resultFileHelp + `

markdown is a table for a pull request. junit is a test suite for a CI system, with a test case for each comparison: a failed
gate is a failure, an undecided gate an error, and a comparison without a gate is skipped.

It ends with code 2 if a gate failed or could not be judged.`,
		Example: `  kubectl benchnet compare i1:default i1:compressed
  kubectl benchnet compare baseline.json i1 --gate throughput=5% --gate p95=10%
  kubectl benchnet compare baseline.json result.json --gate throughput=5% -o junit > junit.xml
  kubectl benchnet compare brun/two-banks-issue brun/two-banks-again`,
		Args:              requireArguments(2, "a baseline and a candidate: experiments, EXPERIMENT:VARIANT, runs, or result files"),
		ValidArgsFunction: s.completeNamesOrFiles(2, cluster.Experiment, cluster.Run),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.showComparison(cmd.Context(), o, args[0], args[1])
		},
	}
	cmd.Flags().StringArrayVar(&o.metrics, "metric", nil, "metric to compare; may be given several times; default: Throughput, LatencyMean, LatencyP95")
	cmd.Flags().StringArrayVar(&o.gates, "gate", nil, "METRIC=PERCENT by which the candidate may be worse; may be given several times")
	cmd.Flags().Int32Var(&o.confidence, "confidence", 95, "of the intervals, in percent")
	cmd.Flags().StringVarP(&o.output, "output", "o", "", "json, yaml, markdown, junit or wide; default: a table")
	_ = cmd.RegisterFlagCompletionFunc("output", completeValues(compareOutputs...))
	return cmd
}

func (o compareOptions) comparisonOptions() (comparison.Options, error) {
	q := comparison.Options{ConfidencePercent: o.confidence}
	if o.confidence < 50 || o.confidence > 99 {
		return q, fmt.Errorf("--confidence %d must be from 50 to 99", o.confidence)
	}
	if err := validateOutput(o.output, compareOutputs...); err != nil {
		return q, err
	}
	for _, text := range o.metrics {
		metric, err := comparison.ParseMetric(text)
		if err != nil {
			return q, fmt.Errorf("--metric %w", err)
		}
		q.Metrics = append(q.Metrics, metric)
	}
	for _, text := range o.gates {
		gate, err := comparison.ParseGate(text)
		if err != nil {
			return q, fmt.Errorf("--gate %w", err)
		}
		q.Gates = append(q.Gates, gate)
	}
	return q, nil
}

func (s *session) showComparison(ctx context.Context, o compareOptions, first, second string) error {
	question, err := o.comparisonOptions()
	if err != nil {
		return err
	}
	baseline, err := comparison.LoadSide(ctx, s.connect, first)
	if err != nil {
		return err
	}
	candidate, err := comparison.LoadSide(ctx, s.connect, second)
	if err != nil {
		return err
	}
	outcomes, err := comparison.Compare(question, baseline, candidate)
	if err != nil {
		return err
	}
	s.warnAboutSingleRuns(baseline.Run, candidate.Run)
	if err := s.writeComparison(o, outcomes, baseline, candidate); err != nil {
		return err
	}
	return checkGates(outcomes)
}

// warnAboutSingleRuns says that single runs are no comparison, and warns about invalid ones.
func (s *session) warnAboutSingleRuns(runs ...*document.RunResult) {
	if runs[0] == nil {
		return
	}
	fmt.Fprintln(s.ErrOut, "two single runs are no comparison: what differs from run to run is unknown; compare experiments with repetitions")
	for _, run := range runs {
		if !run.Verdict.IsValid() {
			fmt.Fprintf(s.ErrOut, "warning: run %s is invalid\n", run.Run.Name)
		}
	}
}

func (s *session) writeComparison(o compareOptions, outcomes []experiment.ComparisonOutcome, baseline, candidate *comparison.Side) error {
	switch o.output {
	case "json", "yaml":
		return s.writeDocument(outcomes, o.output)
	case "junit":
		return comparison.WriteJUnit(s.Out, baseline.Name, outcomes)
	}
	tables := []*table.Table{table.ForComparisons(outcomes)}
	if baseline.Run != nil {
		tables = append(tables, table.ForLatencies(baseline.Run, candidate.Run))
	}
	if o.output == "markdown" {
		return comparison.WriteMarkdown(s.Out, baseline.Name, candidate.Name, outcomes, tables...)
	}
	return s.printTables(o.output == "wide", tables...)
}

// checkGates returns a failedChecksError with the gates that failed or could not be decided.
func checkGates(outcomes []experiment.ComparisonOutcome) error {
	var failed failedChecksError
	for _, o := range outcomes {
		if o.Gate == v1alpha1.GateFailed || o.Gate == v1alpha1.GateUndecided {
			failed = append(failed, fmt.Sprintf("gate %s: %s: %s", strings.ToLower(string(o.Gate)), o.Candidate, o.Message))
		}
	}
	if len(failed) == 0 {
		return nil
	}
	return failed
}
