package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/cli/cluster"
)

func (s *session) resetCommand() *cobra.Command {
	var waits bool
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "reset NETWORK",
		Short: "Reset a network to its initial state, with the same identities",
		Long: `Requests a reset of a network to its initial state. Databases and journals are emptied; identities and addresses stay.
What earlier runs wrote to the ledger is lost, but their results stay.`,
		Example:           `  kubectl benchnet reset two-banks --wait`,
		Args:              requireArguments(1, "the name of a network"),
		ValidArgsFunction: s.completeNames(1, cluster.Network),
		RunE: s.forTarget(func(ctx context.Context, c *cluster.Connection, target cluster.Target) error {
			return s.resetNetwork(ctx, c, target, waits, timeout)
		}, cluster.Network),
	}
	cmd.Flags().BoolVar(&waits, "wait", false, "wait until the network is ready again")
	cmd.Flags().DurationVar(&timeout, "timeout", 15*time.Minute, "the longest wait with --wait")
	return cmd
}

func (s *session) resetNetwork(ctx context.Context, c *cluster.Connection, target cluster.Target, waits bool, timeout time.Duration) error {
	begun := time.Now()
	before, err := requestReset(ctx, c, target, begun)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "%s reset requested\n", target)
	if !waits {
		return nil
	}
	if err := awaitReset(ctx, c, target, before, timeout); err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "%s reset, and ready after %s\n", target, time.Since(begun).Round(time.Second))
	return nil
}

// requestReset sets the reset annotation to a unique value, the time, and returns the network's current epoch.
func requestReset(ctx context.Context, c *cluster.Connection, target cluster.Target, at time.Time) (epoch string, err error) {
	network := &v1alpha1.BenchmarkNetwork{}
	if err := c.Client.Get(ctx, target.Key(), network); err != nil {
		return "", err
	}
	if db := network.Spec.DatabaseOrDefault(); db.HasUserSchemas() {
		return "", fmt.Errorf("network %s uses schemas of yours on %s, which benchnet does not empty: empty them and create another network", target.Name, db.Engine)
	}
	before := network.DeepCopy()
	metav1.SetMetaDataAnnotation(&network.ObjectMeta, v1alpha1.AnnotationReset, at.UTC().Format("20060102T150405.000Z"))
	previous := ptr.Deref(before.Status.Epoch, v1alpha1.EpochStatus{}).ID
	return previous, c.Client.Patch(ctx, network, client.MergeFrom(before), client.FieldOwner(cluster.FieldManager))
}

// awaitReset waits until the network has been ready in a new epoch. It fails after timeout.
func awaitReset(ctx context.Context, c *cluster.Connection, target cluster.Target, before string, timeout time.Duration) error {
	message := ""
	err := wait.PollUntilContextTimeout(ctx, time.Second, timeout, true, func(ctx context.Context) (bool, error) {
		network := &v1alpha1.BenchmarkNetwork{}
		if err := c.Client.Get(ctx, target.Key(), network); err != nil {
			return false, err
		}
		ready := meta.FindStatusCondition(network.Status.Conditions, v1alpha1.ConditionReady)
		if ready == nil {
			return false, nil
		}
		message = ready.Message
		epoch := network.Status.Epoch
		return epoch != nil && epoch.ID != before && epoch.ReadyAt != nil, nil // A paused network stops again at once.
	})
	if err != nil {
		return fmt.Errorf("wait for the reset of network %s (%s): %w", target.Name, message, err)
	}
	return nil
}
