package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/cli/cluster"
	"github.com/benchnet/benchnet/internal/cli/documents"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/report"
	"github.com/benchnet/benchnet/internal/run/document"
)

type reportOptions struct {
	output, charts, format, browser, csv, grafana string
	// grafanaURL is nil without grafana.
	grafanaURL *url.URL
}

func (s *session) reportCommand() *cobra.Command {
	var o reportOptions
	cmd := &cobra.Command{
		Use:   "report NAME|FILE",
		Short: "Write the report of a run or an experiment: one HTML file, its charts, its numbers",
		Long: `Writes the report of a run or an experiment as one self-contained HTML file. A network gets one report for each of its runs.
The page draws its charts itself; below each are buttons that save it. Files of all charts (--charts) need Chromium, Chrome or
Edge on this machine.

` + resultFileHelp + ` A file with the result of an experiment only has no results of its single runs, so the report lacks their
environment.`,
		Example: `  kubectl benchnet report i1
  kubectl benchnet report brun/two-banks-issue -o report.html --charts charts --format png
  kubectl benchnet report i1 --csv numbers --grafana https://grafana.example.com
  kubectl benchnet report result.json`,
		Args: requireArguments(1, "the name of a network, run or experiment, or a result file"), ValidArgsFunction: s.completeNamesOrFiles(1, cluster.Kinds...),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := validateChoice("format", o.format, string(report.SVG), string(report.PNG)); err != nil {
				return err
			}
			if err := errors.Join(o.parseGrafanaURL(), o.findBrowser()); err != nil {
				return err
			}
			if documents.IsFile(args[0]) {
				return s.reportFile(cmd.Context(), args[0], o)
			}
			c, target, err := s.connectTo(cmd.Context(), args[0], cluster.Kinds...)
			if err != nil {
				return err
			}
			return s.reportTargets(cmd.Context(), c, []cluster.Target{target}, o)
		},
	}
	cmd.Flags().StringVarP(&o.output, "output", "o", "", "file of the report, - for standard output; default: NAME.html")
	cmd.Flags().StringVar(&o.charts, "charts", "", "directory for the charts, each in a file; needs a browser")
	cmd.Flags().StringVar(&o.format, "format", string(report.SVG), "of the charts: svg or png")
	cmd.Flags().StringVar(&o.browser, "browser", "", "command of the browser that draws the files of --charts; default: Chromium, Chrome or Edge")
	cmd.Flags().StringVar(&o.csv, "csv", "", "directory for the numbers as CSV")
	cmd.Flags().StringVar(&o.grafana, "grafana", "", "URL of the Grafana with the dashboards, to link to the time of the run")
	_ = cmd.RegisterFlagCompletionFunc("format", completeValues(string(report.SVG), string(report.PNG)))
	return cmd
}

func (o *reportOptions) parseGrafanaURL() (err error) {
	if o.grafana != "" {
		o.grafanaURL, err = report.ParseGrafanaURL(o.grafana)
	}
	return err
}

// findBrowser finds the browser before anything is read or written, if charts are wanted.
func (o *reportOptions) findBrowser() (err error) {
	if o.charts != "" {
		o.browser, err = report.FindBrowser(o.browser)
	}
	return err
}

type reportSource struct {
	name      string
	writePage func(io.Writer, ...report.Link) error
	// grafanaLink returns the link to the dashboard.
	grafanaLink func(*url.URL) report.Link
	// tables holds writers of CSV files by file name.
	tables map[string]func(io.Writer) error
}

// reportTargets writes the reports of all targets. If there are several, their names become part of the file names.
func (s *session) reportTargets(ctx context.Context, c *cluster.Connection, targets []cluster.Target, o reportOptions) error {
	var subjects []reportSource
	for _, target := range targets {
		found, err := loadReportSources(ctx, c, target)
		if err != nil {
			return err
		}
		subjects = append(subjects, found...)
	}
	if len(subjects) == 0 {
		runs, err := c.ListRuns(ctx, targets[0])
		if err != nil {
			return err
		}
		return cluster.NoRunResultError(targets[0], runs)
	}
	return s.writeReports(ctx, subjects, o)
}

// reportFile writes the reports of the documents in a file: of its experiments, else of its runs. The runs of an
// experiment in the same file become part of the experiment's report.
func (s *session) reportFile(ctx context.Context, name string, o reportOptions) error {
	file, err := documents.ReadFile(name)
	if err != nil {
		return err
	}
	var subjects []reportSource
	for _, e := range file.Experiments {
		subjects = append(subjects, newExperimentSource(e.Experiment.Name, e.Result, file.RunResults(e.Experiment.Namespace)))
	}
	if len(subjects) == 0 {
		for _, run := range file.Runs {
			subjects = append(subjects, newRunSource(run.Run.Name, run.RunResult))
		}
	}
	for _, of := range subjects { // Names become parts of paths.
		if problems := validation.IsDNS1123Subdomain(of.name); len(problems) > 0 {
			return fmt.Errorf("read %s: name %q: %s", name, of.name, problems[0])
		}
	}
	return s.writeReports(ctx, subjects, o)
}

func (s *session) writeReports(ctx context.Context, subjects []reportSource, o reportOptions) error {
	for _, of := range subjects {
		if err := s.writeReport(ctx, of, o, len(subjects) > 1); err != nil {
			return fmt.Errorf("report of %s: %w", of.name, err)
		}
	}
	return nil
}

func loadReportSources(ctx context.Context, c *cluster.Connection, target cluster.Target) ([]reportSource, error) {
	runs, err := c.ListRuns(ctx, target)
	if err != nil {
		return nil, err
	}
	if target.Kind == cluster.Experiment {
		found, err := loadExperimentSource(ctx, c, target, runs)
		return []reportSource{found}, err
	}
	var all []reportSource
	for i := range runs {
		if runs[i].Status.Result == nil && target.Kind == cluster.Network {
			continue
		}
		document, err := c.ReadRunDocument(ctx, &runs[i])
		if err != nil {
			return nil, err
		}
		all = append(all, newRunSource(runs[i].Name, document.RunResult))
	}
	return all, nil
}

func newRunSource(name string, r *document.RunResult) reportSource {
	return reportSource{name: name,
		writePage:   func(w io.Writer, links ...report.Link) error { return report.WriteRunPage(w, r, links...) },
		grafanaLink: func(base *url.URL) report.Link { return report.GrafanaRunLink(base, r) },
		tables: map[string]func(io.Writer) error{
			"summary.csv":    func(w io.Writer) error { return report.WriteRunCSV(w, r) },
			"series.csv":     func(w io.Writer) error { return report.WriteSeriesCSV(w, r) },
			"blocks.csv":     func(w io.Writer) error { return report.WriteBlocksCSV(w, r) },
			"phases.csv":     func(w io.Writer) error { return report.WritePhasesCSV(w, r) },
			"segments.csv":   func(w io.Writer) error { return report.WriteSegmentsCSV(w, r) },
			"operations.csv": func(w io.Writer) error { return report.WriteOperationsCSV(w, r) },
			"faults.csv":     func(w io.Writer) error { return report.WriteFaultsCSV(w, r) },
		}}
}

func loadExperimentSource(ctx context.Context, c *cluster.Connection, target cluster.Target, runs []v1alpha1.BenchmarkRun) (reportSource, error) {
	stored, err := c.GetExperimentDocument(ctx, target)
	if err != nil {
		return reportSource{}, err
	}
	file := documents.File{}
	if file.Runs, err = c.ReadRunDocuments(ctx, runs); err != nil {
		return reportSource{}, err
	}
	return newExperimentSource(target.Name, stored.Result, file.RunResults(target.Namespace)), nil
}

// newExperimentSource returns the report source of an experiment. runs holds the known results of its runs by name.
func newExperimentSource(name string, e *experiment.Result, runs map[string]*document.RunResult) reportSource {
	return reportSource{name: name,
		writePage:   func(w io.Writer, links ...report.Link) error { return report.WriteExperimentPage(w, e, runs, links...) },
		grafanaLink: func(base *url.URL) report.Link { return report.GrafanaExperimentLink(base, e) },
		tables: map[string]func(io.Writer) error{
			"points.csv": func(w io.Writer) error { return report.WritePointsCSV(w, e) },
			"runs.csv":   func(w io.Writer) error { return report.WriteRunsCSV(w, e, runs) },
		}}
}

func (s *session) writeReport(ctx context.Context, of reportSource, o reportOptions, several bool) error {
	var links []report.Link
	if o.grafanaURL != nil {
		links = append(links, of.grafanaLink(o.grafanaURL))
	}
	output, writePage := o.output, func(w io.Writer) error { return of.writePage(w, links...) }
	switch {
	case output == "-":
		return writePage(s.Out)
	case output == "":
		output = of.name + ".html"
	case several:
		extension := filepath.Ext(output)
		output = strings.TrimSuffix(output, extension) + "-" + of.name + extension
	}
	if err := s.saveFile(output, writePage); err != nil {
		return err
	}
	if o.csv != "" {
		for name, write := range of.tables {
			if err := s.saveFile(filepath.Join(o.csv, of.name+"-"+name), write); err != nil {
				return err
			}
		}
	}
	if o.charts == "" {
		return nil
	}
	var page bytes.Buffer
	if err := writePage(&page); err != nil {
		return err
	}
	files, err := report.DrawChartFiles(ctx, o.browser, page.Bytes(), report.Format(o.format))
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file := filepath.Join(o.charts, of.name+"-"+name+"."+o.format)
		if err := s.saveFile(file, func(w io.Writer) error { _, err := w.Write(files[name]); return err }); err != nil {
			return err
		}
	}
	return nil
}

// saveFile renders a file before writing it, and prints its path. It skips empty content.
func (s *session) saveFile(path string, write func(io.Writer) error) error {
	var content bytes.Buffer
	if err := write(&content); err != nil {
		return err
	}
	if content.Len() == 0 {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path, content.Bytes(), 0o644); err != nil {
		return err
	}
	fmt.Fprintln(s.ErrOut, "wrote", path)
	return nil
}
