package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/benchnet/benchnet/internal/cli/cluster"
	"github.com/benchnet/benchnet/internal/cli/progress"
)

func (s *session) watchCommand() *cobra.Command {
	var timeout time.Duration
	var exitCode bool
	cmd := &cobra.Command{
		Use:   "watch NAME",
		Short: "Follow a network, a run or an experiment until it has ended",
		Long: `Shows the stages of a network with its members, the phases of a run with the throughput so far, and the points of an
experiment with the time left. On a terminal there is a bar for each, and for a run that is being measured the throughput and the 95th percentile of
the latency of the last 100 s as sparklines; elsewhere, such as in CI, a line for each step.`,
		Example: `  kubectl benchnet watch two-banks
  kubectl benchnet watch bexp/i1 --timeout 2h --exit-code`,
		Args:              requireArguments(1, "the name of a network, run or experiment"),
		ValidArgsFunction: s.completeNames(1, cluster.Kinds...),
		RunE: s.forTarget(func(ctx context.Context, c *cluster.Connection, target cluster.Target) error {
			outcome, err := s.followTargets(ctx, c, []cluster.Target{target}, timeout)
			if err != nil {
				return err
			}
			command := "results"
			if len(outcome.Failures) > 0 {
				command = "diagnose"
			}
			s.suggestCommand(command, target)
			if !exitCode && len(outcome.Failures) == 0 {
				return nil
			}
			return outcomeError(outcome)
		}, cluster.Kinds...),
	}
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "give up watching after so long; 0 never does")
	cmd.Flags().BoolVar(&exitCode, "exit-code", false, "end with code 2 if a run is invalid or a gate failed")
	return cmd
}

// followTargets follows targets until they have ended. After an interruption or timeout they continue, and it
// prints how to resume watching.
func (s *session) followTargets(ctx context.Context, c *cluster.Connection, targets []cluster.Target, timeout time.Duration) (progress.Outcome, error) {
	limited, cancel := ctx, context.CancelFunc(func() {})
	if timeout > 0 {
		limited, cancel = context.WithTimeout(ctx, timeout)
	}
	defer cancel()
	outcome, err := progress.Follow(limited, c, targets, progress.NewScreen(limited, s.Out))
	if err == nil || limited.Err() == nil {
		return outcome, err
	}
	for _, target := range targets {
		fmt.Fprintf(s.ErrOut, "%s continues; to resume: kubectl benchnet watch -n %s %s\n", target, target.Namespace, target)
	}
	if errors.Is(limited.Err(), context.DeadlineExceeded) && ctx.Err() == nil {
		return outcome, fmt.Errorf("not ended within --timeout %s", timeout)
	}
	return outcome, errInterrupted
}

// outcomeError returns the error for an outcome. Failures take precedence over failed checks for the exit code.
func outcomeError(o progress.Outcome) error {
	switch {
	case len(o.Failures) > 0:
		return errors.New(failedChecksError(append(o.Failures, o.FailedChecks...)).Error())
	case len(o.FailedChecks) > 0:
		return failedChecksError(o.FailedChecks)
	}
	return nil
}
