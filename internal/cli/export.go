package cli

import (
	"context"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"

	"github.com/benchnet/benchnet/internal/cli/cluster"
	"github.com/benchnet/benchnet/internal/cli/documents"
	"github.com/benchnet/benchnet/internal/cli/export"
	"github.com/benchnet/benchnet/internal/cli/terminal"
)

type exportOptions struct {
	output, format string
}

func (s *session) exportCommand() *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export NAME|FILE",
		Short: "Write all numbers of a run or an experiment as one table, as CSV or Parquet",
		Long: `Writes all numbers of a run, of the runs on a network, or of the runs of an experiment as one table with a row for each value
(docs/export.md).

` + resultFileHelp + ` A file with the result of an experiment only has a few numbers of each run, and no time series.`,
		Example: `  kubectl benchnet export bexp/i1 -o i1.parquet
  kubectl benchnet export brun/two-banks-issue -o issue.csv
  kubectl benchnet export result.json --format csv`,
		Args:              requireArguments(1, "the name of a network, run or experiment, or a result file"),
		ValidArgsFunction: s.completeNamesOrFiles(1, cluster.Kinds...),
		RunE:              func(cmd *cobra.Command, args []string) error { return s.exportResults(cmd.Context(), o, args[0]) },
	}
	cmd.Flags().StringVarP(&o.output, "output", "o", "-", "file of the table, - for standard output")
	cmd.Flags().StringVar(&o.format, "format", "", "csv or parquet; default: parquet if the name of the file ends with .parquet, else csv")
	_ = cmd.RegisterFlagCompletionFunc("format", completeValues(string(export.CSV), string(export.Parquet)))
	return cmd
}

func (s *session) exportResults(ctx context.Context, o exportOptions, name string) error {
	switch {
	case o.format == "" && strings.EqualFold(filepath.Ext(o.output), "."+string(export.Parquet)):
		o.format = string(export.Parquet)
	case o.format == "":
		o.format = string(export.CSV)
	}
	if err := validateChoice("format", o.format, string(export.CSV), string(export.Parquet)); err != nil {
		return err
	}
	file, err := s.loadDocuments(ctx, name)
	if err != nil {
		return err
	}
	write := func(w io.Writer) error {
		return export.Write(w, export.Format(o.format), func(emit export.Emit) error { return exportDocuments(file, emit) })
	}
	switch {
	case o.output == "-" && o.format == string(export.Parquet):
		return write(terminal.Raw(s.Out))
	case o.output == "-":
		return write(s.Out)
	}
	return s.saveFile(o.output, write)
}

// loadDocuments reads the documents of a result file, or of a named object and its runs.
func (s *session) loadDocuments(ctx context.Context, name string) (*documents.File, error) {
	if documents.IsFile(name) {
		return documents.ReadFile(name)
	}
	c, target, err := s.connectTo(ctx, name, cluster.Kinds...)
	if err != nil {
		return nil, err
	}
	file := &documents.File{Name: name}
	if target.Kind == cluster.Experiment {
		document, err := c.GetExperimentDocument(ctx, target)
		if err != nil {
			return nil, err
		}
		file.Experiments = append(file.Experiments, document)
	}
	runs, err := c.ListRuns(ctx, target)
	if err != nil {
		return nil, err
	}
	file.Runs, err = c.ReadRunDocuments(ctx, runs)
	if err == nil && len(file.Runs)+len(file.Experiments) == 0 {
		err = cluster.NoRunResultError(target, runs)
	}
	return file, err
}

// exportDocuments emits the rows of the experiments of a file, and of its runs that belong to none of them.
func exportDocuments(file *documents.File, emit export.Emit) error {
	exported := map[types.NamespacedName]bool{}
	for _, e := range file.Experiments {
		if err := export.Experiment(e.Result, file.RunResults(e.Experiment.Namespace), emit); err != nil {
			return err
		}
		for i := range e.Runs {
			exported[types.NamespacedName{Namespace: e.Experiment.Namespace, Name: e.Runs[i].Name}] = true
		}
	}
	for _, run := range file.Runs {
		if exported[types.NamespacedName{Namespace: run.Run.Namespace, Name: run.Run.Name}] {
			continue
		}
		if err := export.Run(run.RunResult, emit); err != nil {
			return err
		}
	}
	return nil
}
