package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/cli/cluster"
)

func (s *session) cancelCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "cancel RUN",
		Short: "Stop a run without deleting it",
		Long: `Sets spec.cancelled of a run. The operator stops the load, keeps what the run has, and ends it as Cancelled. Its network stays.
A run that has ended cannot be cancelled.`,
		Example: `  kubectl benchnet cancel two-banks-issue`,
		Args:    requireArguments(1, "the name of a run"), ValidArgsFunction: s.completeNames(1, cluster.Run),
		RunE: s.forTarget(func(ctx context.Context, c *cluster.Connection, target cluster.Target) error {
			if err := cancelRun(ctx, c, target); err != nil {
				return err
			}
			fmt.Fprintf(s.Out, "%s cancelled\n", target)
			return nil
		}, cluster.Run),
	}
}

// cancelRun sets spec.cancelled of a run. It fails if the run has ended, or if the cluster's CRD lacks the field.
func cancelRun(ctx context.Context, c *cluster.Connection, target cluster.Target) error {
	run := &v1alpha1.BenchmarkRun{}
	if err := c.Client.Get(ctx, target.Key(), run); err != nil {
		return err
	}
	if run.IsComplete() {
		return fmt.Errorf("%s has ended already", target)
	}
	patch := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"cancelled":true}}`))
	return c.Client.Patch(ctx, run, patch, &client.PatchOptions{FieldManager: cluster.FieldManager, FieldValidation: "Strict"})
}
