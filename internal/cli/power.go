package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/benchnet/benchnet/internal/cli/comparison"
	"github.com/benchnet/benchnet/internal/cli/table"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/format"
)

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
