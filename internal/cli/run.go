package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/benchnet/benchnet/internal/cli/cluster"
)

type runOptions struct {
	files   *genericclioptions.FileNameFlags
	report  string
	timeout time.Duration
	detach  bool
}

func (s *session) runCommand() *cobra.Command {
	o := runOptions{files: newFileFlags("to apply")}
	cmd := &cobra.Command{
		Use:   "run -f FILE",
		Short: "Apply networks, runs and experiments, and follow them until they have ended",
		Long: `Applies the objects of the files as kubectl apply --server-side does, follows the networks, runs and experiments among them until
all have ended, and shows what was measured. With --detach it only applies them, and prints one KIND/NAME per line
for the commands status, watch, results and cancel.

It ends with code 2 if a run is invalid or a gate failed, and with 1 if a run or a network failed or the timeout expired.
An interruption (ctrl-C) leaves everything running.`,
		Example: `  kubectl benchnet run -f network.yaml
  kubectl benchnet run -f experiment.yaml --report report.html --timeout 3h
  kubectl benchnet run -k overlays/nightly
  kubectl benchnet run -f experiment.yaml --detach`,
		Args: requireFiles(o.files),
		RunE: func(cmd *cobra.Command, _ []string) error { return s.applyAndFollow(cmd.Context(), o) },
	}
	o.files.AddFlags(cmd.Flags())
	cmd.Flags().StringVar(&o.report, "report", "", "write the report of what was measured to this file (HTML)")
	cmd.Flags().DurationVar(&o.timeout, "timeout", 0, "stop following after this time; 0 means never")
	cmd.Flags().BoolVar(&o.detach, "detach", false, "apply, print the names, and do not wait")
	cmd.MarkFlagsMutuallyExclusive("detach", "report")
	cmd.MarkFlagsMutuallyExclusive("detach", "timeout")
	return cmd
}

// newFileFlags returns kubectl's flags -f, -k and -R.
func newFileFlags(purpose string) *genericclioptions.FileNameFlags {
	var files []string
	var kustomization string
	var recursive bool
	return &genericclioptions.FileNameFlags{Usage: "files, directories or URLs with what is " + purpose,
		Filenames: &files, Kustomize: &kustomization, Recursive: &recursive}
}

func (s *session) applyAndFollow(ctx context.Context, o runOptions) error {
	c, err := s.connect()
	if err != nil {
		return err
	}
	progressOut := s.Out
	if o.detach {
		progressOut = s.ErrOut
	}
	targets, err := s.applyManifests(ctx, c, o, progressOut)
	if err != nil {
		return err
	}
	if o.detach {
		for _, target := range targets {
			fmt.Fprintln(s.Out, target)
		}
		return nil
	}
	outcome, err := s.followTargets(ctx, c, targets, o.timeout)
	if err != nil {
		return err
	}
	fmt.Fprintln(s.Out)
	for _, target := range targetsToShow(targets) {
		if err := s.showTarget(ctx, c, target, resultsOptions{}); err != nil {
			return err
		}
	}
	judged := outcomeError(outcome)
	if len(outcome.Failures) > 0 {
		s.suggestCommand("diagnose", targetsToShow(targets)...)
	}
	if o.report != "" {
		return errors.Join(judged, s.reportTargets(ctx, c, targetsToShow(targets), reportOptions{output: o.report}))
	}
	return judged
}

// applyManifests applies the objects of the files, writes a line for each to out, and returns the targets to follow. It fails
// if there are none.
func (s *session) applyManifests(ctx context.Context, c *cluster.Connection, o runOptions, out io.Writer) ([]cluster.Target, error) {
	objects, err := c.ReadManifests(o.files.ToOptions(), s.In)
	if err != nil {
		return nil, err
	}
	var targets []cluster.Target
	for _, object := range objects {
		if target, ok := cluster.TargetOf(object); ok {
			targets = append(targets, target)
		}
	}
	if len(targets) == 0 {
		return nil, errors.New("no BenchmarkNetwork, BenchmarkRun or BenchmarkExperiment among what was given")
	}
	for _, object := range objects {
		if err := c.Apply(ctx, object, cluster.ApplyPersistent); err != nil {
			return nil, err
		}
		fmt.Fprintf(out, "%s/%s applied\n", strings.ToLower(object.GetKind()), object.GetName())
	}
	return targets, nil
}

// targetsToShow omits runs if there is a network or an experiment, because those show their runs.
func targetsToShow(targets []cluster.Target) []cluster.Target {
	whole := slices.DeleteFunc(slices.Clone(targets), func(t cluster.Target) bool { return t.Kind == cluster.Run })
	if len(whole) == 0 {
		return targets
	}
	return whole
}
