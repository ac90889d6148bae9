package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/benchnet/benchnet/internal/cli/cluster"
	"github.com/benchnet/benchnet/internal/cli/forecast"
	"github.com/benchnet/benchnet/internal/cli/table"
	"github.com/benchnet/benchnet/internal/images"
	"github.com/benchnet/benchnet/internal/platform/all"
	"github.com/benchnet/benchnet/internal/rehearsal"
)

// planOptions are the flags of plan.
type planOptions struct {
	files  *genericclioptions.FileNameFlags
	output string
	runs   bool
}

func (s *session) plan() *cobra.Command {
	o := planOptions{files: fileFlags("to plan")}
	cmd := &cobra.Command{
		Use:   "plan -f FILE | NAME",
		Short: "Show what a network or an experiment would need and how long it would take, and whether the cluster has room",
		Long: `Shows what networks and experiments need of the cluster at one time, how long they are expected to take, and in which order the
runs are made. The API server checks the manifests as if they were applied; nothing is made.

It ends with code 2 if the cluster cannot hold it.`,
		Example: `  kubectl benchnet plan -f experiment.yaml
  kubectl benchnet plan bexp/i1 --runs`,
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: s.names(1, cluster.Experiment, cluster.Network),
		RunE: func(cmd *cobra.Command, args []string) error { return s.showPlans(cmd.Context(), o, args) },
	}
	o.files.AddFlags(cmd.Flags())
	cmd.Flags().StringVarP(&o.output, "output", "o", "", "json or yaml; default: text")
	cmd.Flags().BoolVar(&o.runs, "runs", false, "list the runs of an experiment in their order")
	_ = cmd.RegisterFlagCompletionFunc("output", values("json", "yaml"))
	return cmd
}

func (s *session) showPlans(ctx context.Context, o planOptions, args []string) error {
	if err := outputOf(o.output, "json", "yaml"); err != nil {
		return err
	}
	c, err := s.connect()
	if err != nil {
		return err
	}
	objects, err := s.planned(ctx, c, o, args)
	if err != nil {
		return err
	}
	version, err := c.KubeVersion()
	if err != nil {
		return err
	}
	forecaster := &forecast.Forecaster{Cluster: c, Rehearsal: rehearsal.Rehearsal{Client: c.Client, Platforms: all.Registry(),
		Images: images.Catalogue{Registry: images.DefaultRegistry, Version: s.version}, KubeVersion: version}}
	var refusals judgement
	shown := 0
	for _, object := range objects {
		target, ok := cluster.TargetOf(object)
		if !ok || target.Kind == cluster.Run {
			continue
		}
		found, err := forecaster.Of(ctx, object, target)
		if err != nil {
			return err
		}
		if err := s.showPlan(found, o, shown > 0); err != nil {
			return err
		}
		if !found.Fits {
			refusals = append(refusals, fmt.Sprintf("%s does not fit: %s", target, found.Room))
		}
		shown++
	}
	switch {
	case shown == 0:
		return errors.New("no BenchmarkNetwork or BenchmarkExperiment among what was given")
	case len(refusals) > 0:
		return refusals
	}
	return nil
}

// planned are the objects of the files, or the one of that name.
func (s *session) planned(ctx context.Context, c *cluster.Cluster, o planOptions, args []string) ([]*unstructured.Unstructured, error) {
	files := o.files.ToOptions()
	if len(args) == 0 {
		return c.Manifests(files, s.In)
	}
	if files.RequireFilenameOrKustomize() == nil {
		return nil, errors.New("give either NAME or -f, not both")
	}
	target, err := c.Find(ctx, args[0], cluster.Experiment, cluster.Network)
	if err != nil {
		return nil, err
	}
	object, err := c.Manifest(ctx, target)
	return []*unstructured.Unstructured{object}, err
}

func (s *session) showPlan(f *forecast.Forecast, o planOptions, another bool) error {
	if o.output != "" {
		if another && o.output == "yaml" {
			fmt.Fprintln(s.Out, "---")
		}
		return s.write(f, o.output)
	}
	if another {
		fmt.Fprintln(s.Out)
	}
	fmt.Fprintln(s.Out, f.Name)
	room := "fits"
	if !f.Fits {
		room = "does not fit"
	}
	if f.Later {
		room += " now"
	}
	for _, line := range [][2]string{
		{"Networks", fmt.Sprintf("%d, %d at one time", f.Networks, f.NetworksAtOnce)},
		{"Runs", fmt.Sprint(f.ExperimentPlan.Runs)},
		{"Pods", fmt.Sprintf("%d at one time", f.Pods)},
		{"Cores", f.Cores.String() + " requested"},
		{"Memory", f.Memory.String() + " requested"},
		{"Volumes", volumes(f)},
		{"Duration", "about " + f.Duration.Duration.String()},
		{"Cluster", strings.TrimSuffix(room+": "+f.Room, ": ")},
	} {
		fmt.Fprintf(s.Out, "  %-10s %s\n", line[0], line[1])
	}
	fmt.Fprintln(s.Out)
	switch {
	case f.Design == nil:
		return planTable(f).Print(s.Out, false)
	case o.runs:
		return table.Turns(f.Experiment, f.Design, f.Groups).Print(s.Out, false)
	}
	return table.Design(f.Experiment, f.Design).Print(s.Out, false)
}

func volumes(f *forecast.Forecast) string {
	if f.Volumes == 0 {
		return "none"
	}
	return fmt.Sprintf("%d of %s in all", f.Volumes, f.Storage.String())
}

// planTable has the stages of a network with their objects.
func planTable(f *forecast.Forecast) *table.Table {
	t := table.New("Stage", "Object")
	for _, stage := range f.Stages {
		for _, object := range stage.Objects {
			t.Add(stage.Name, object)
		}
	}
	for _, run := range f.Runs {
		t.Add("Workloads", "BenchmarkRun/"+run)
	}
	return t
}
