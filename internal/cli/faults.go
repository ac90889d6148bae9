package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/benchnet/benchnet/internal/cli/cluster"
	"github.com/benchnet/benchnet/internal/cli/documents"
	"github.com/benchnet/benchnet/internal/cli/table"
	"github.com/benchnet/benchnet/internal/report"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/resilience"
)

// faultsOutputs are the output formats of faults, besides the default.
var faultsOutputs = []string{"json", "yaml", "csv"}

// faultsDocument is the part of a result that is about faults.
type faultsDocument struct {
	Run          document.RunIdentity     `json:"run"`
	Faults       []document.FaultResult   `json:"faults"`
	Availability *resilience.Availability `json:"availability,omitempty"`
	Ledger       *measurement.Ledger      `json:"ledger,omitempty"`
}

func (s *session) faultsCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "faults RUN|FILE",
		Short: "Show the faults of a run: what proves them, and what they did",
		Long: `Shows of each declared fault and target when it was planned, injected and healed, in seconds of the window, with the evidence before,
during and after it; then its scores, and for the whole run the availability and the operations that the ledger lost or doubled
(docs/faults.md).

` + resultFileHelp,
		Example: `  kubectl benchnet faults two-banks-pay
  kubectl benchnet faults result.json -o yaml`,
		Args:              requireArguments(1, "the name of a run, or a result file"),
		ValidArgsFunction: s.completeNamesOrFiles(1, cluster.Run),
		RunE:              func(cmd *cobra.Command, args []string) error { return s.showFaults(cmd.Context(), output, args[0]) },
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "json, yaml or csv; default: tables")
	_ = cmd.RegisterFlagCompletionFunc("output", completeValues(faultsOutputs...))
	return cmd
}

func (s *session) showFaults(ctx context.Context, output, name string) error {
	if err := validateOutput(output, faultsOutputs...); err != nil {
		return err
	}
	run, err := s.loadRun(ctx, name)
	switch {
	case err != nil:
		return err
	case output == "csv":
		return report.WriteFaultsCSV(s.Out, run.RunResult)
	case output != "":
		return s.writeDocument(faultsDocument{run.Run, run.Faults, run.Availability, run.Ledger}, output)
	case len(run.Faults) == 0:
		fmt.Fprintf(s.ErrOut, "run %s has no faults\n", run.Run.Name)
		return nil
	}
	of := []*documents.Run{run}
	return s.printTables(false, table.ForFaults(of), table.ForFaultScores(of), table.ForResilience(of))
}

// loadRun reads the result of a run, or of the only run of a result file.
func (s *session) loadRun(ctx context.Context, name string) (*documents.Run, error) {
	if documents.IsFile(name) {
		file, err := documents.ReadFile(name)
		if err == nil && len(file.Runs) != 1 {
			err = fmt.Errorf("%s has the results of %d runs: give a file with one", name, len(file.Runs))
		}
		if err != nil {
			return nil, err
		}
		return file.Runs[0], nil
	}
	c, target, err := s.connectTo(ctx, name, cluster.Run)
	if err != nil {
		return nil, err
	}
	runs, err := c.ListRuns(ctx, target)
	if err != nil {
		return nil, err
	}
	return c.ReadRunDocument(ctx, &runs[0])
}
