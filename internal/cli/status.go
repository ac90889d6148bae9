package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/benchnet/benchnet/internal/cli/cluster"
	"github.com/benchnet/benchnet/internal/cli/progress"
	"github.com/benchnet/benchnet/internal/cli/table"
)

// maxStatusRuns is the number of runs that status shows, the latest ones, so that its output fits one screen.
const maxStatusRuns = 10

func (s *session) statusCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "status NAME",
		Short: "Show the state of a network, a run or an experiment, and what it waits for",
		Long: `Shows on one screen the progress of a network, run or experiment, what it waits for, its conditions, and the stages, members and
databases of a network, the findings of a run, or the points of an experiment. Of many members it shows those that
are not ready, of many runs the latest.`,
		Example: `  kubectl benchnet status two-banks
  kubectl benchnet status bexp/i1 -o wide`,
		Args:              requireArguments(1, "the name of a network, run or experiment"),
		ValidArgsFunction: s.completeNames(1, cluster.Kinds...),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := validateOutput(output, "wide"); err != nil {
				return err
			}
			c, target, err := s.connectTo(cmd.Context(), args[0], cluster.Kinds...)
			if err != nil {
				return err
			}
			return s.showStatus(cmd.Context(), c, target, output == "wide")
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "wide shows more columns")
	_ = cmd.RegisterFlagCompletionFunc("output", completeValues("wide"))
	return cmd
}

func (s *session) showStatus(ctx context.Context, c *cluster.Connection, target cluster.Target, wide bool) error {
	state, err := progress.ReadState(ctx, c, target)
	if err != nil {
		return err
	}
	now := time.Now()
	s.showProgress(state, now)
	switch target.Kind {
	case cluster.Experiment:
		status := &state.Experiment.Status
		return s.printTables(wide, table.ForConditions(status.Conditions, now), table.ForPartialPoints(status))
	case cluster.Run:
		run := &state.Runs[0]
		if err := s.printTables(wide, table.ForConditions(run.Status.Conditions, now), table.ForRuns(state.Runs)); err != nil {
			return err
		}
		if findings := table.DescribeFindings(state.Runs); len(findings) > 0 {
			fmt.Fprintf(s.Out, "\n%s\n", strings.Join(findings, "\n"))
		}
		return nil
	default:
		return s.showNetworkStatus(state, now, wide)
	}
}

// showProgress prints the progress of the target and of the related objects that have not ended, and what the target
// waits for.
func (s *session) showProgress(state *progress.State, now time.Time) {
	reason, message := progress.WaitReason(state)
	for _, line := range progress.BuildLines(state, now) {
		if line.Name == state.Target.String() {
			fmt.Fprintf(s.Out, "%s  %s\n", line.Name, strings.TrimSuffix(line.Text, " · "+message))
		} else if !line.Ended {
			fmt.Fprintf(s.Out, "%s  %s\n", line.Name, line.Text)
		}
	}
	if reason != "" {
		fmt.Fprintf(s.Out, "Waits for: %s (%s)\n", message, reason)
	}
	fmt.Fprintln(s.Out)
}

func (s *session) showNetworkStatus(state *progress.State, now time.Time, wide bool) error {
	status := &state.Networks[0].Status
	members, omitted := table.ForMembers(status.Members)
	databases, omittedDatabases := table.ForDatabases(status.Databases)
	runs := state.Runs[max(0, len(state.Runs)-maxStatusRuns):]
	err := s.printTables(wide, table.ForConditions(status.Conditions, now), table.ForStages(status.Stages), members, databases, table.ForRuns(runs))
	if err != nil {
		return err
	}
	for _, left := range []struct {
		count int
		what  string
	}{{omitted, "members, all ready"}, {omittedDatabases, "databases, all ready"}, {len(state.Runs) - len(runs), "earlier runs"}} {
		if left.count > 0 {
			fmt.Fprintf(s.Out, "not shown: %d %s\n", left.count, left.what)
		}
	}
	return nil
}
