package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/cli/cluster"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/report"
	"github.com/benchnet/benchnet/internal/results"
)

// reportOptions are the flags of report.
type reportOptions struct {
	output, charts, format, csv string
}

func (s *session) reportCommand() *cobra.Command {
	var o reportOptions
	cmd := &cobra.Command{
		Use:   "report NAME|FILE",
		Short: "Write the report of a run or an experiment: one HTML file, its charts, its numbers",
		Long: `Writes the report of a run or an experiment as one HTML file that needs nothing besides itself. Of a network, each of its runs has
a file of its own.

Of a FILE with a result, as results -o json writes it, no cluster is needed. The file of an experiment has no results of its single runs, so
the report lacks what they say of the environment.`,
		Example: `  kubectl benchnet report i1
  kubectl benchnet report brun/two-banks-issue -o report.html --charts charts --format png
  kubectl benchnet report i1 --csv numbers
  kubectl benchnet report result.json`,
		Args: cobra.ExactArgs(1), ValidArgsFunction: s.names(1, cluster.Kinds...),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneOf("format", o.format, string(report.SVG), string(report.PNG)); err != nil {
				return err
			}
			content, err := cluster.ReadResultFile(args[0])
			if err != nil {
				return err
			}
			if content != nil {
				return s.reportOnFile(args[0], content, o)
			}
			c, err := s.connect()
			if err != nil {
				return err
			}
			target, err := c.Find(cmd.Context(), args[0], cluster.Kinds...)
			if err != nil {
				return err
			}
			return s.reportOn(cmd.Context(), c, []cluster.Target{target}, o)
		},
	}
	cmd.Flags().StringVarP(&o.output, "output", "o", "", "file of the report, - for standard output; default: NAME.html")
	cmd.Flags().StringVar(&o.charts, "charts", "", "directory for the charts, each in a file")
	cmd.Flags().StringVar(&o.format, "format", string(report.SVG), "of the charts: svg or png")
	cmd.Flags().StringVar(&o.csv, "csv", "", "directory for the numbers as CSV")
	_ = cmd.RegisterFlagCompletionFunc("format", values(string(report.SVG), string(report.PNG)))
	return cmd
}

// subject is what has a report of its own.
type subject struct {
	name   string
	page   func(io.Writer) error
	charts func() ([]report.Chart, error)
	// tables by the name of their file.
	tables map[string]func(io.Writer) error
}

// reportOn writes the reports of the targets. Where there are several, their names become parts of the files' names.
func (s *session) reportOn(ctx context.Context, c *cluster.Cluster, targets []cluster.Target, o reportOptions) error {
	var subjects []subject
	for _, target := range targets {
		found, err := subjectsOf(ctx, c, target)
		if err != nil {
			return err
		}
		subjects = append(subjects, found...)
	}
	if len(subjects) == 0 {
		return fmt.Errorf("%s has no run with a result yet: kubectl benchnet watch shows how far it is", targets[0])
	}
	return s.writeReports(subjects, o)
}

// reportOnFile writes the reports of the documents in a file.
func (s *session) reportOnFile(file string, content []byte, o reportOptions) error {
	subjects, err := readSubjects(content)
	if err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	if len(subjects) == 0 {
		return fmt.Errorf("%s has no result", file)
	}
	for _, of := range subjects { // Names become parts of paths.
		if problems := validation.IsDNS1123Subdomain(of.name); len(problems) > 0 {
			return fmt.Errorf("read %s: name %q: %s", file, of.name, problems[0])
		}
	}
	return s.writeReports(subjects, o)
}

func (s *session) writeReports(subjects []subject, o reportOptions) error {
	for _, of := range subjects {
		if err := s.writeReport(of, o, len(subjects) > 1); err != nil {
			return fmt.Errorf("report of %s: %w", of.name, err)
		}
	}
	return nil
}

func subjectsOf(ctx context.Context, c *cluster.Cluster, target cluster.Target) ([]subject, error) {
	runs, err := c.RunsOf(ctx, target)
	if err != nil {
		return nil, err
	}
	if target.Kind == cluster.Experiment {
		found, err := ofExperiment(ctx, c, target, runs)
		return []subject{found}, err
	}
	var all []subject
	for i := range runs {
		if runs[i].Status.Result == nil && target.Kind == cluster.Network {
			continue
		}
		document, err := c.RunDocument(ctx, &runs[i])
		if err != nil {
			return nil, err
		}
		all = append(all, ofRun(runs[i].Name, document.Result))
	}
	return all, nil
}

// readSubjects returns the subjects of the reports on a document: a run, an experiment, or each item of a list of runs.
func readSubjects(content []byte) ([]subject, error) {
	var head struct {
		Kind  string            `json:"kind"`
		Items []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(content, &head); err != nil {
		return nil, err
	}
	switch head.Kind {
	case results.Kind:
		run, err := results.Decode(content)
		if err != nil {
			return nil, err
		}
		return []subject{ofRun(run.Run.Name, run)}, nil
	case experiment.Kind:
		result, err := experiment.Decode(content)
		if err != nil {
			return nil, err
		}
		return []subject{experimentSubject(result.Experiment.Name, result, nil)}, nil
	case "List":
		var all []subject
		for i, item := range head.Items {
			run, err := results.Decode(item)
			if err != nil {
				return nil, fmt.Errorf("items[%d]: %w", i, err)
			}
			all = append(all, ofRun(run.Run.Name, run))
		}
		return all, nil
	}
	return nil, fmt.Errorf("kind is %q, must be %s, %s or List", head.Kind, results.Kind, experiment.Kind)
}

func ofRun(name string, r *results.Result) subject {
	return subject{name: name,
		page:   func(w io.Writer) error { return report.Run(w, r) },
		charts: func() ([]report.Chart, error) { return report.RunCharts(r) },
		tables: map[string]func(io.Writer) error{
			"summary.csv": func(w io.Writer) error { return report.RunCSV(w, r) },
			"series.csv":  func(w io.Writer) error { return report.SeriesCSV(w, r) },
			"blocks.csv":  func(w io.Writer) error { return report.BlocksCSV(w, r) },
		}}
}

func ofExperiment(ctx context.Context, c *cluster.Cluster, target cluster.Target, runs []v1alpha1.BenchmarkRun) (subject, error) {
	var e v1alpha1.BenchmarkExperiment
	if err := c.Client.Get(ctx, target.Key(), &e); err != nil {
		return subject{}, err
	}
	document, err := c.ExperimentDocument(ctx, &e)
	if err != nil {
		return subject{}, err
	}
	byName := map[string]*results.Result{}
	documents, err := c.RunDocuments(ctx, runs)
	if err != nil {
		return subject{}, err
	}
	for _, run := range documents {
		byName[run.Run.Name] = run.Result
	}
	return experimentSubject(target.Name, document.Result, byName), nil
}

// experimentSubject returns the subject of the report on an experiment. runs are the results of its runs by name, as far as they are
// known.
func experimentSubject(name string, e *experiment.Result, runs map[string]*results.Result) subject {
	return subject{name: name,
		page:   func(w io.Writer) error { return report.Experiment(w, e, runs) },
		charts: func() ([]report.Chart, error) { return report.ExperimentCharts(e, runs) },
		tables: map[string]func(io.Writer) error{
			"points.csv": func(w io.Writer) error { return report.PointsCSV(w, e) },
			"runs.csv":   func(w io.Writer) error { return report.RunsCSV(w, e, runs) },
		}}
}

func (s *session) writeReport(of subject, o reportOptions, several bool) error {
	output := o.output
	switch {
	case output == "-":
		return of.page(s.Out)
	case output == "":
		output = of.name + ".html"
	case several:
		extension := filepath.Ext(output)
		output = strings.TrimSuffix(output, extension) + "-" + of.name + extension
	}
	if err := s.save(output, of.page); err != nil {
		return err
	}
	if o.csv != "" {
		for name, write := range of.tables {
			if err := s.save(filepath.Join(o.csv, of.name+"-"+name), write); err != nil {
				return err
			}
		}
	}
	if o.charts == "" {
		return nil
	}
	charts, err := of.charts()
	if err != nil {
		return err
	}
	for _, chart := range charts {
		file := filepath.Join(o.charts, of.name+"-"+chart.Name+"."+o.format)
		if err := s.save(file, func(w io.Writer) error { return chart.Write(w, report.Format(o.format)) }); err != nil {
			return err
		}
	}
	return nil
}

// save writes a file, whole or not at all, and says so.
func (s *session) save(path string, write func(io.Writer) error) error {
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
