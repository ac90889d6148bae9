package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/cli/cluster"
	"github.com/benchnet/benchnet/internal/cli/podlogs"
)

// logsPollInterval is the time between two looks for new pods with --follow.
const logsPollInterval = 2 * time.Second

type logsOptions struct {
	podlogs.Selection
	follow, timestamps, previous bool
	since                        time.Duration
	tail                         int64
}

func (s *session) logsCommand() *cobra.Command {
	var o logsOptions
	cmd := &cobra.Command{
		Use:   "logs NAME",
		Short: "Print the logs of all pods of a network or a run, merged",
		Long: `Prints the logs of all pods of a network, or of the load workers of a run, in the order of their timestamps. Each line begins with its pod
and container. The container is chosen as by kubectl logs: the default container of each pod, unless a flag
selects others.

With --follow it prints lines as they arrive, also of pods that start later, until the run has ended, the network is deleted,
or the user interrupts it.`,
		Example: `  kubectl benchnet logs two-banks --since 5m
  kubectl benchnet logs two-banks --role database
  kubectl benchnet logs brun/two-banks-issue -f`,
		Args:              requireArguments(1, "the name of a network or a run"),
		ValidArgsFunction: s.completeNames(1, cluster.Network, cluster.Run),
		RunE: s.forTarget(func(ctx context.Context, c *cluster.Connection, target cluster.Target) error {
			return s.printLogs(ctx, c, target, o)
		}, cluster.Network, cluster.Run),
	}
	cmd.Flags().BoolVarP(&o.follow, "follow", "f", false, "print lines as they arrive")
	cmd.Flags().DurationVar(&o.since, "since", 0, "only lines newer than this, such as 5m")
	cmd.Flags().Int64Var(&o.tail, "tail", -1, "only the last lines of each container; -1 means all")
	cmd.Flags().BoolVar(&o.timestamps, "timestamps", false, "print the timestamp of each line")
	cmd.Flags().BoolVarP(&o.previous, "previous", "p", false, "the logs of the previous instances of restarted containers")
	cmd.Flags().StringVar(&o.Role, "role", "", "only pods of this role: member, worker, database, genesis")
	cmd.Flags().StringVarP(&o.Container, "container", "c", "", "the container; default: the default container of each pod")
	cmd.Flags().BoolVar(&o.AllContainers, "all-containers", false, "all containers, including init containers")
	cmd.MarkFlagsMutuallyExclusive("container", "all-containers")
	cmd.MarkFlagsMutuallyExclusive("follow", "previous")
	_ = cmd.RegisterFlagCompletionFunc("role", completeValues("member", "worker", "database", "genesis"))
	return cmd
}

func (s *session) printLogs(ctx context.Context, c *cluster.Connection, target cluster.Target, o logsOptions) error {
	printer := &podlogs.Printer{Options: o.podLogOptions(), ShowTimestamps: o.timestamps, Out: s.Out, ErrOut: s.ErrOut,
		Open: func(ctx context.Context, pod string, options *corev1.PodLogOptions) (io.ReadCloser, error) {
			return c.OpenLog(ctx, target.Namespace, pod, options)
		}}
	pods, err := listPods(ctx, c, target)
	if err != nil {
		return err
	}
	if !o.follow {
		sources, err := o.FindSources(pods)
		if err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		return interruptedError(ctx, printer.PrintMerged(ctx, sources))
	}
	ticks := time.NewTicker(logsPollInterval)
	defer ticks.Stop()
	return interruptedError(ctx, printer.Follow(ctx, ticks.C, func(ctx context.Context) ([]podlogs.Source, bool, error) {
		done, err := hasEnded(ctx, c, target)
		if err != nil {
			return nil, false, err
		}
		pods, err := listPods(ctx, c, target)
		if err != nil {
			return nil, false, err
		}
		// Pods with the selected role or container may start later.
		sources, _ := o.FindSources(pods)
		return sources, done, nil
	}))
}

// podLogOptions returns the options that the API server interprets.
func (o logsOptions) podLogOptions() corev1.PodLogOptions {
	options := corev1.PodLogOptions{Previous: o.previous}
	if o.since > 0 {
		options.SinceSeconds = new(max(1, int64(o.since.Round(time.Second)/time.Second)))
	}
	if o.tail >= 0 {
		options.TailLines = &o.tail
	}
	return options
}

// listPods returns the pods of a network, including the load workers of its runs, or the load workers of a run.
func listPods(ctx context.Context, c *cluster.Connection, target cluster.Target) ([]corev1.Pod, error) {
	label := v1alpha1.LabelNetwork
	if target.Kind == cluster.Run {
		label = v1alpha1.LabelRun
	}
	var list corev1.PodList
	err := c.Client.List(ctx, &list, client.InNamespace(target.Namespace), client.MatchingLabels{label: target.Name})
	return list.Items, err
}

// hasEnded reports whether a target writes no more logs: a run has ended, or the object is deleted.
func hasEnded(ctx context.Context, c *cluster.Connection, target cluster.Target) (bool, error) {
	object := target.Kind.NewObject()
	err := c.Client.Get(ctx, target.Key(), object)
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	if run, ok := object.(*v1alpha1.BenchmarkRun); ok && err == nil {
		return run.IsComplete(), nil
	}
	return false, err
}

// interruptedError returns errInterrupted if the user interrupted the command.
func interruptedError(ctx context.Context, err error) error {
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return errInterrupted
	}
	return err
}
