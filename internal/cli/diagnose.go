package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/benchnet/benchnet/internal/cli/cluster"
	"github.com/benchnet/benchnet/internal/cli/diagnose"
	"github.com/benchnet/benchnet/internal/cli/progress"
	"github.com/benchnet/benchnet/internal/cli/terminal"
)

func (s *session) diagnoseCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "diagnose NAME",
		Short: "Collect an archive for a bug report, without Secrets",
		Long: `Writes a gzipped tar archive with the objects, events and logs of a network, run or experiment, the logs of the operator, and all versions.

It contains no Secrets. It also replaces their values wherever else they occur, if the user may read the Secrets of the namespace. Review
the archive before you publish it: it contains names of nodes, addresses and the logs of your applications.
What the user may not read is missing, and listed in problems.txt.`,
		Example:           `  kubectl benchnet diagnose two-banks`,
		Args:              requireArguments(1, "the name of a network, run or experiment"),
		ValidArgsFunction: s.completeNames(1, cluster.Kinds...),
		RunE: s.forTarget(func(ctx context.Context, c *cluster.Connection, target cluster.Target) error {
			return s.writeDiagnosis(ctx, c, target, output)
		}, cluster.Kinds...),
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "file, or - for standard output; default: benchnet-NAME.tar.gz")
	return cmd
}

func (s *session) writeDiagnosis(ctx context.Context, c *cluster.Connection, target cluster.Target, output string) error {
	state, err := progress.ReadState(ctx, c, target)
	if err != nil {
		return err
	}
	kubernetes, err := c.ServerVersion()
	if err != nil {
		return err
	}
	collector := &diagnose.Collector{Reader: c.Client, OpenLog: c.OpenLog, Now: time.Now(),
		Versions: fmt.Sprintf("plugin     %s (%s/%s)\nkubernetes %s\n", s.version, runtime.GOOS, runtime.GOARCH, kubernetes)}
	name := "benchnet-" + target.Name
	var problems []string
	write := func(w io.Writer) error {
		problems, err = collector.Collect(ctx, diagnosisSubject(state), name, w)
		return err
	}
	err = s.writeArchive(output, name+".tar.gz", write)
	for _, problem := range problems {
		fmt.Fprintln(s.ErrOut, "warning:", problem)
	}
	if err == nil {
		s.suggest("review the archive, then attach it to a bug report")
	}
	return err
}

// writeArchive writes an archive to a file, or to standard output if output is -. An empty output is the default file.
func (s *session) writeArchive(output, defaultFile string, write func(io.Writer) error) error {
	if output == "-" {
		return write(terminal.Raw(s.Out))
	}
	return s.createFile(cmp.Or(output, defaultFile), write)
}

// createFile writes a file as it is produced, because an archive may be large. It removes a file that is incomplete.
func (s *session) createFile(name string, write func(io.Writer) error) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(write(file), file.Close()); err != nil {
		os.Remove(name)
		return err
	}
	fmt.Fprintln(s.ErrOut, "wrote", name)
	return nil
}

// diagnosisSubject returns the names of a target and its related objects.
func diagnosisSubject(state *progress.State) diagnose.Subject {
	subject := diagnose.Subject{Namespace: state.Target.Namespace}
	if state.Experiment != nil {
		subject.Experiments = []string{state.Experiment.Name}
	}
	for i := range state.Networks {
		subject.Networks = append(subject.Networks, state.Networks[i].Name)
	}
	for i := range state.Runs {
		subject.Runs = append(subject.Runs, state.Runs[i].Name)
	}
	return subject
}
