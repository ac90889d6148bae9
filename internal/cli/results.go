package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/cli/cluster"
	"github.com/benchnet/benchnet/internal/cli/comparison"
	"github.com/benchnet/benchnet/internal/cli/documents"
	"github.com/benchnet/benchnet/internal/cli/progress"
	"github.com/benchnet/benchnet/internal/cli/table"
	"github.com/benchnet/benchnet/internal/report"
	"github.com/benchnet/benchnet/internal/run/document"
)

// resultsOutputs are the output formats of results, besides the default.
var resultsOutputs = []string{"json", "yaml", "csv", "junit", "wide"}

type resultsOptions struct {
	output   string
	runs     bool
	exitCode bool
}

func (s *session) resultsCommand() *cobra.Command {
	var o resultsOptions
	cmd := &cobra.Command{
		Use:   "results NAME|FILE",
		Short: "Show what was measured",
		Long: `Shows the result of a run, of the runs on a network, or of the points of an experiment. For a run of Corda this includes the
phases of its flows, with load.profile the segments of the window, and with faults what proves each of them and what it did to the
throughput.

A table has means over the valid runs with their confidence interval [low, high], or of fewer than five runs with the lowest and the
highest (low to high), latencies in milliseconds, the verdict, and the resource that was at its limit. json and yaml print whole
documents (docs/results.md, docs/experiments.md); csv prints the numbers with their units in the header. junit is a test suite
for a CI system, with a test case for each objective and gate: a failed one is a failure, an undecided one an error.

` + resultFileHelp,
		Example: `  kubectl benchnet results two-banks
  kubectl benchnet results bexp/i1 --runs -o wide
  kubectl benchnet results brun/two-banks-issue -o json > result.json
  kubectl benchnet results result.json`,
		Args:              requireArguments(1, "the name of a network, run or experiment, or a result file"),
		ValidArgsFunction: s.completeNamesOrFiles(1, cluster.Kinds...),
		RunE:              func(cmd *cobra.Command, args []string) error { return s.showResults(cmd.Context(), o, args[0]) },
	}
	cmd.Flags().StringVarP(&o.output, "output", "o", "", "json, yaml, csv, junit or wide; default: a table")
	cmd.Flags().BoolVar(&o.runs, "runs", false, "the single runs of an experiment")
	cmd.Flags().BoolVar(&o.exitCode, "exit-code", false, "end with code 2 if a run is invalid or a gate failed")
	_ = cmd.RegisterFlagCompletionFunc("output", completeValues(resultsOutputs...))
	return cmd
}

func (s *session) showResults(ctx context.Context, o resultsOptions, name string) error {
	if err := validateOutput(o.output, resultsOutputs...); err != nil {
		return err
	}
	if documents.IsFile(name) {
		return s.showResultFile(o, name)
	}
	c, target, err := s.connectTo(ctx, name, cluster.Kinds...)
	if err != nil {
		return err
	}
	if err := s.showTarget(ctx, c, target, o); err != nil || !o.exitCode {
		return err
	}
	state, err := progress.ReadState(ctx, c, target)
	if err != nil {
		return err
	}
	return outcomeError(progress.JudgeState(state))
}

func (s *session) showTarget(ctx context.Context, c *cluster.Connection, target cluster.Target, o resultsOptions) error {
	if target.Kind == cluster.Experiment && !o.runs {
		return s.showExperiment(ctx, c, target, o)
	}
	return s.showRuns(ctx, c, target, o)
}

func (s *session) showRuns(ctx context.Context, c *cluster.Connection, target cluster.Target, o resultsOptions) error {
	runs, err := c.ListRuns(ctx, target)
	if err != nil {
		return err
	}
	if o.output == "" || o.output == "wide" {
		if len(runs) == 0 {
			fmt.Fprintf(s.ErrOut, "%s has no runs yet\n", target)
			return nil
		}
		var read []*documents.Run
		if target.Kind == cluster.Run {
			if read, err = c.ReadRunDocuments(ctx, runs); err != nil {
				return err
			}
		}
		if err := s.printRuns(runs, read, o); err != nil {
			return err
		}
		if slices.ContainsFunc(runs, func(r v1alpha1.BenchmarkRun) bool { return r.Status.Result != nil }) {
			s.suggestCommand("report", target)
		}
		return nil
	}
	if target.Kind == cluster.Run {
		document, err := c.ReadRunDocument(ctx, &runs[0])
		if err != nil {
			return err
		}
		return s.writeRunDocuments([]*documents.Run{document}, document.Text, o)
	}
	found, err := c.ReadRunDocuments(ctx, runs)
	if err != nil {
		return err
	}
	return s.writeRunDocuments(found, documents.NewRunList(found), o)
}

// printRuns prints a table of runs, their objectives, the segments, faults, calibrations, kinds of operations, phases and labels in the results that were read,
// and the findings about them.
func (s *session) printRuns(runs []v1alpha1.BenchmarkRun, read []*documents.Run, o resultsOptions) error {
	tables := []*table.Table{table.ForRuns(runs), table.ForRunObjectives(runs), table.ForSegments(read), table.ForFaults(read), table.ForFaultScores(read),
		table.ForResilience(read), table.ForCalibration(read), table.ForOperations(read), table.ForSegmentOperations(read), table.ForPhases(read),
		table.ForLabels(read)}
	if err := s.printTables(o.output == "wide", tables...); err != nil {
		return err
	}
	if findings := table.DescribeFindings(runs); len(findings) > 0 {
		fmt.Fprintf(s.Out, "\n%s\n", strings.Join(findings, "\n"))
	}
	return nil
}

// writeRunDocuments writes the numbers of runs as CSV, their objectives as JUnit, or the document that holds their
// results.
func (s *session) writeRunDocuments(runs []*documents.Run, text any, o resultsOptions) error {
	switch o.output {
	case "csv":
		var results []*document.RunResult
		for _, run := range runs {
			results = append(results, run.RunResult)
		}
		return report.WriteRunCSV(s.Out, results...)
	case "junit":
		var judged []comparison.JudgedSubject
		for _, run := range runs {
			judged = append(judged, comparison.JudgedSubject{Name: run.Run.Name, Objectives: run.Objectives})
		}
		return comparison.WriteObjectivesJUnit(s.Out, "runs", judged, nil)
	}
	return s.writeDocument(text, o.output)
}

func (s *session) showExperiment(ctx context.Context, c *cluster.Connection, target cluster.Target, o resultsOptions) error {
	var e v1alpha1.BenchmarkExperiment
	if err := c.Client.Get(ctx, target.Key(), &e); err != nil {
		return err
	}
	asTable := o.output == "" || o.output == "wide"
	if e.Status.Result == nil && asTable {
		return s.showPartialResults(&e)
	}
	d, err := c.ReadExperimentDocument(ctx, &e)
	if err != nil {
		return err
	}
	if err := s.showExperimentDocument(d, o); err != nil || !asTable {
		return err
	}
	s.suggestCommand("report", target)
	return nil
}

func (s *session) showExperimentDocument(d *documents.Experiment, o resultsOptions) error {
	switch o.output {
	case "json", "yaml":
		return s.writeDocument(d.Text, o.output)
	case "csv":
		return report.WritePointsCSV(s.Out, d.Result)
	case "junit":
		var judged []comparison.JudgedSubject
		for i := range d.Points {
			judged = append(judged, comparison.JudgedSubject{Name: d.Points[i].Name + " " + d.Points[i].Label(), Objectives: d.Points[i].Objectives})
		}
		return comparison.WriteObjectivesJUnit(s.Out, d.Experiment.Name, judged, d.Comparisons)
	}
	return s.printTables(
		o.output == "wide",
		table.ForPoints(d.Result),
		table.ForPointObjectives(d.Points),
		table.ForPointSegments(d.Points),
		table.ForFaultTimes(d.Points),
		table.ForPointNotes(d.Points),
		table.ForSaturation(d.Saturation),
		table.ForComparisons(d.Comparisons),
	)
}

// showPartialResults prints the points of an unfinished experiment.
func (s *session) showPartialResults(e *v1alpha1.BenchmarkExperiment) error {
	fmt.Fprintf(s.ErrOut, "%s; %s runs have ended\n", cluster.NoResultError("experiment "+e.Name, e.Status.Conditions), e.Status.Display.Runs)
	return s.printTables(false, table.ForPartialPoints(&e.Status))
}

// printTables prints the tables that have rows, separated by empty lines.
func (s *session) printTables(wide bool, tables ...*table.Table) error {
	first := true
	for _, t := range tables {
		if t.Len() == 0 {
			continue
		}
		if !first {
			fmt.Fprintln(s.Out)
		}
		first = false
		if err := t.Print(s.Out, wide); err != nil {
			return err
		}
	}
	return nil
}

// writeDocument writes a document as indented JSON or as YAML.
func (s *session) writeDocument(document any, format string) error {
	text, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the result: %w", err)
	}
	if format == "yaml" {
		if text, err = yaml.JSONToYAML(text); err != nil {
			return fmt.Errorf("encode the result: %w", err)
		}
	}
	fmt.Fprintln(s.Out, strings.TrimRight(string(text), "\n"))
	return nil
}
