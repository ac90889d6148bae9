package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/benchnet/benchnet/internal/cli/cluster"
)

// runOptions are the flags of run.
type runOptions struct {
	files   *genericclioptions.FileNameFlags
	report  string
	timeout time.Duration
}

func (s *session) runCommand() *cobra.Command {
	o := runOptions{files: newFileFlags("to apply")}
	cmd := &cobra.Command{
		Use:   "run -f FILE",
		Short: "Apply networks, runs and experiments, and follow them until they have ended",
		Long: `Applies what is in the files on the server's side, as kubectl apply --server-side does, follows the networks, runs and
experiments among it until all have ended, and shows what was measured.

It ends with code 2 if a run is invalid or a gate failed, and with 1 if a run or a network failed or the time is over.
An interruption (ctrl-C) leaves everything running.`,
		Example: `  kubectl benchnet run -f network.yaml
  kubectl benchnet run -f experiment.yaml --report report.html --timeout 3h
  kubectl benchnet run -k overlays/nightly`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.applyAndFollow(cmd.Context(), o) },
	}
	o.files.AddFlags(cmd.Flags())
	cmd.Flags().StringVar(&o.report, "report", "", "write the report of what was measured to this file (HTML)")
	cmd.Flags().DurationVar(&o.timeout, "timeout", 0, "give up following after so long; 0 never does")
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
	targets, err := s.applyAll(ctx, c, o)
	if err != nil {
		return err
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
	if o.report != "" {
		return errors.Join(judged, s.reportTargets(ctx, c, targetsToShow(targets), reportOptions{output: o.report}))
	}
	return judged
}

// applyAll applies the objects of the files and returns the targets to follow. It fails if there are none.
func (s *session) applyAll(ctx context.Context, c *cluster.Connection, o runOptions) ([]cluster.Target, error) {
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
		fmt.Fprintf(s.Out, "%s/%s applied\n", strings.ToLower(object.GetKind()), object.GetName())
	}
	return targets, nil
}

// targetsToShow omits runs if there is a network or an experiment, because those show their runs.
func targetsToShow(targets []cluster.Target) []cluster.Target {
	var whole []cluster.Target
	for _, target := range targets {
		if target.Kind != cluster.Run {
			whole = append(whole, target)
		}
	}
	if len(whole) == 0 {
		return targets
	}
	return whole
}
