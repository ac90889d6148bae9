package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/benchnet/benchnet/internal/cli/cluster"
	"github.com/benchnet/benchnet/internal/cli/comparison"
	"github.com/benchnet/benchnet/internal/cli/forecast"
	"github.com/benchnet/benchnet/internal/cli/table"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/experiment/preflight"
	"github.com/benchnet/benchnet/internal/format"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform/registry"
)

type planOptions struct {
	files  *genericclioptions.FileNameFlags
	output string
	runs   bool
	// power is the difference in percent that an experiment should show, and pilot the experiment or file with the spread.
	power float64
	pilot string
}

func (s *session) planCommand() *cobra.Command {
	o := planOptions{files: newFileFlags("to plan")}
	cmd := &cobra.Command{
		Use:   "plan -f FILE | NAME | --power PERCENT --pilot FILE|EXPERIMENT",
		Short: "Show the capacity and time that a network or an experiment needs, or the runs that show a difference",
		Long: `Shows the capacity that networks and experiments need at one time, their expected duration, and the order of their runs. The API
server checks the manifests as if they were applied; nothing is created.

Segments of load profiles and faults are shown in the seconds of the window; those of an experiment are the template's.

The capacity of the cluster is a forecast: it compares the sum of the requests with what all schedulable nodes can allocate, and the
largest pod with the largest node, whatever else runs there. An experiment begins in any case, and its pods wait for nodes.

With --power, it shows the deployments and pairs of runs with which a comparison claims a difference of PERCENT in at least 80 % of all
cases, for a system that varies like that of a pilot: a finished experiment, or a FILE with its result. Only a pilot with deployments
shows what differs between two deployments.

It ends with code 2 if the nodes are too small.`,
		Example: `  kubectl benchnet plan -f experiment.yaml
  kubectl benchnet plan bexp/i1 --runs
  kubectl benchnet plan --power 5 --pilot i1.json`,
		ValidArgsFunction: s.completeNames(1, cluster.Experiment, cluster.Network),
	}
	cmd.Args = o.validateArguments
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if cmd.Flags().Changed("power") {
			return s.showPower(cmd.Context(), o, args)
		}
		return s.showPlans(cmd.Context(), o, args)
	}
	o.files.AddFlags(cmd.Flags())
	cmd.Flags().StringVarP(&o.output, "output", "o", "", "json or yaml; default: text")
	cmd.Flags().BoolVar(&o.runs, "runs", false, "list the runs of an experiment in their order")
	cmd.Flags().Float64Var(&o.power, "power", 0, "difference in percent, from 0.1 to 100, that a comparison has to show")
	cmd.Flags().StringVar(&o.pilot, "pilot", "", "experiment, EXPERIMENT:VARIANT or file with the spread of runs for --power; default: NAME")
	_ = cmd.RegisterFlagCompletionFunc("output", completeValues("json", "yaml"))
	return cmd
}

func (s *session) showPlans(ctx context.Context, o planOptions, args []string) error {
	if err := validateOutput(o.output, "json", "yaml"); err != nil {
		return err
	}
	c, err := s.connect()
	if err != nil {
		return err
	}
	objects, err := s.loadPlanObjects(ctx, c, o, args)
	if err != nil {
		return err
	}
	version, err := c.ServerVersion()
	if err != nil {
		return err
	}
	forecaster := &forecast.Forecaster{Connection: c, Checker: preflight.Checker{Client: c.Client, Platforms: registry.New(),
		Images: naming.ImageCatalogue{Registry: naming.DefaultImageRegistry, Version: s.version}, KubeVersion: version}}
	var refusals failedChecksError
	shown := 0
	for _, object := range objects {
		target, ok := cluster.TargetOf(object)
		if !ok || target.Kind == cluster.Run {
			continue
		}
		found, err := forecaster.ForecastObject(ctx, object, target)
		if err != nil {
			return err
		}
		if err := s.showPlan(found, o, shown > 0); err != nil {
			return err
		}
		if !found.Fits {
			refusals = append(refusals, fmt.Sprintf("%s does not fit: %s", target, found.CapacityMessage))
		}
		shown++
	}
	switch {
	case shown == 0:
		return errors.New("no BenchmarkNetwork or BenchmarkExperiment among what was given")
	case o.output == "":
		s.suggestPlanned(o.files, len(refusals) == 0)
	}
	if len(refusals) > 0 {
		return refusals
	}
	return nil
}

// loadPlanObjects returns the objects of the files, or the named object.
func (s *session) loadPlanObjects(ctx context.Context, c *cluster.Connection, o planOptions, args []string) ([]*unstructured.Unstructured, error) {
	files := o.files.ToOptions()
	if len(args) == 0 {
		return c.ReadManifests(files, s.In)
	}
	target, err := c.FindTarget(ctx, args[0], cluster.Experiment, cluster.Network)
	if err != nil {
		return nil, err
	}
	object, err := c.GetManifest(ctx, target)
	return []*unstructured.Unstructured{object}, err
}

func (s *session) showPlan(f *forecast.Forecast, o planOptions, another bool) error {
	if o.output != "" {
		if another && o.output == "yaml" {
			fmt.Fprintln(s.Out, "---")
		}
		return s.writeDocument(f, o.output)
	}
	if another {
		fmt.Fprintln(s.Out)
	}
	fmt.Fprintln(s.Out, f.Name)
	fit := "fits"
	if !f.Fits {
		fit = "does not fit"
	}
	for _, line := range [][2]string{
		{"Networks", fmt.Sprintf("%d, %d at one time", f.Networks, f.NetworksAtOnce)},
		{"Runs", fmt.Sprint(f.ExperimentPlan.Runs)},
		{"Pods", fmt.Sprintf("%d at one time", f.Pods)},
		{"Cores", f.Cores.String() + " requested"},
		{"Memory", f.Memory.String() + " requested"},
		{"Volumes", formatVolumes(f)},
		{"Duration", "about " + f.Duration.Duration.String()},
		{"Cluster", fit + ": " + f.CapacityMessage},
	} {
		fmt.Fprintf(s.Out, "  %-10s %s\n", line[0], line[1])
	}
	fmt.Fprintln(s.Out)
	var objects *table.Table
	switch {
	case f.Design == nil:
		objects = newStageTable(f)
	case o.runs:
		objects = table.ForRunOrder(f.Experiment, f.Design, f.Groups)
	default:
		objects = table.ForDesign(f.Experiment, f.Design)
	}
	return s.printTables(false, objects, newTimelineTable(f))
}

// newTimelineTable returns a table of the segments and faults of the workloads, in seconds of the window.
func newTimelineTable(f *forecast.Forecast) *table.Table {
	t := table.New("Workload", "From s", "Until s", "Scope", "Description")
	for _, e := range f.Timeline {
		t.AddRow(e.Workload, strconv.Itoa(e.FromSeconds), strconv.Itoa(e.UntilSeconds), e.Scope, e.Description)
	}
	return t
}

func formatVolumes(f *forecast.Forecast) string {
	if f.Volumes == 0 {
		return "none"
	}
	return fmt.Sprintf("%d of %s in all", f.Volumes, f.Storage.String())
}

// newStageTable returns a table of a network's stages, objects and runs.
func newStageTable(f *forecast.Forecast) *table.Table {
	t := table.New("Stage", "Object")
	for _, stage := range f.Stages {
		for _, object := range stage.Objects {
			t.AddRow(stage.Name, object)
		}
	}
	for _, run := range f.Runs {
		t.AddRow("Workloads", "BenchmarkRun/"+run)
	}
	return t
}

// validateArguments checks the arguments and flags of plan.
func (o *planOptions) validateArguments(cmd *cobra.Command, args []string) error {
	switch {
	case !cmd.Flags().Changed("power") && o.pilot != "":
		return errors.New("--pilot needs --power")
	case !cmd.Flags().Changed("power"):
		return requireFilesOr(o.files, "the name of a network or experiment")(cmd, args)
	case !isWithoutFiles(o.files) || o.runs:
		return errors.New("plan --power takes neither manifests nor --runs")
	case !(o.power >= 0.1 && o.power <= 100):
		return fmt.Errorf("--power %g must be from 0.1 to 100", o.power)
	case o.pilot == "" && len(args) != 1, o.pilot != "" && len(args) > 0:
		return errors.New("plan --power needs either --pilot or the name of an experiment")
	}
	return nil
}

// showPower shows the deployments and pairs that show a difference, by the spread of a pilot.
func (s *session) showPower(ctx context.Context, o planOptions, args []string) error {
	if err := validateOutput(o.output, "json", "yaml"); err != nil {
		return err
	}
	name := o.pilot
	if name == "" {
		name = args[0]
	}
	pilot, err := comparison.LoadSide(ctx, s.connect, name)
	switch {
	case err != nil:
		return err
	case pilot.Run != nil:
		return fmt.Errorf("%s is a single run, which does not show what differs from run to run: give an experiment with repetitions", name)
	}
	plan := experiment.PlanPower(pilot.Result, pilot.Variant, o.power/100)
	if plan.SingleDeployment {
		fmt.Fprintln(s.ErrOut, "warning: the pilot deployed each network once: what differs between two deployments is unknown (spec.deployments)")
	}
	if o.output != "" {
		return s.writeDocument(plan, o.output)
	}
	fmt.Fprintf(s.Out, "a difference of %s is claimed in at least 80 %% of all cases, at %s for %s, with:\n\n",
		format.Percent(plan.Difference), format.WholePercent(plan.Confidence), format.Count(plan.Claims, "comparison"))
	return s.printTables(false, table.ForPower(plan))
}
