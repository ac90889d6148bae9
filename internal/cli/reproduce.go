package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/internal/cli/bundle"
	"github.com/benchnet/benchnet/internal/cli/cluster"
	"github.com/benchnet/benchnet/internal/cli/comparison"
	"github.com/benchnet/benchnet/internal/cli/documents"
	"github.com/benchnet/benchnet/internal/cli/table"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/format"
)

type reproduceOptions struct {
	key           string
	marginPercent float64
	timeout       time.Duration
	// yes confirms what the bundle refers to.
	yes                    bool
	allowExternalDatabases bool
}

func (s *session) reproduceCommand() *cobra.Command {
	var o reproduceOptions
	cmd := &cobra.Command{
		Use:   "reproduce FILE",
		Short: "Run a bundle's measurement again, and say whether its numbers were reproduced",
		Long: `Verifies a bundle, applies its manifests in the namespace, where none of its objects may exist, follows the measurement, and
compares throughput and p95 latency at each point with the original by two one-sided tests (TOST, docs/statistics.md). A claim needs
at least five runs of each point on each side. Uploads and webhooks are left out of the manifests.

A bundle is the work of somebody else. The images, charts, test plans, hosts and Secrets that its manifests name are listed, and have to be
confirmed on the terminal or by --yes. A network that logs in to a database server of your own needs --allow-external-databases.

It ends with code 0 if the measurement was reproduced within the margin, with 2 if it was not or the bundle was changed, and with 3 if the
runs are too few or vary too much for either claim. An interruption (ctrl-C) leaves everything running.`,
		Example: `  kubectl benchnet reproduce i1.tar.gz --key minisign.pub -n elsewhere
  kubectl benchnet reproduce i1.tar.gz --margin 20 --timeout 3h`,
		Args: requireArguments(1, "a bundle"),
		RunE: func(cmd *cobra.Command, args []string) error { return s.reproduceBundle(cmd.Context(), args[0], o) },
	}
	cmd.Flags().StringVar(&o.key, "key", "", "file with the public key of minisign; default: no signature is checked")
	cmd.Flags().Float64Var(&o.marginPercent, "margin", 10, "by which the measurements may differ, in percent, from 0.1 to 100")
	cmd.Flags().DurationVar(&o.timeout, "timeout", 0, "stop following after this time; 0 means never")
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "confirm the images, charts, test plans, hosts and Secrets that the manifests name")
	cmd.Flags().BoolVar(&o.allowExternalDatabases, "allow-external-databases", false, "allow database.external, which logs in to a server that the bundle names")
	return cmd
}

func (s *session) reproduceBundle(ctx context.Context, file string, o reproduceOptions) error {
	if !(o.marginPercent >= 0.1 && o.marginPercent <= 100) {
		return fmt.Errorf("--margin %g must be from 0.1 to 100", o.marginPercent)
	}
	b, err := s.verifyBundle(file, o.key)
	if err != nil {
		return err
	}
	original, err := b.Result()
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	baseline, err := comparison.NewSide(original)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if experiment.HasTooFewRunsToReproduce(baseline.Result) {
		fmt.Fprintln(s.ErrOut, "warning: the original has fewer than five runs of each point, so that no claim can be made")
	}
	c, err := s.connect()
	if err != nil {
		return err
	}
	measurement := targetOfResult(original, c.Namespace)
	if err := s.repeatMeasurement(ctx, c, b, measurement, o); err != nil {
		return err
	}
	candidate, err := comparison.FetchSide(ctx, c, measurement)
	if err != nil {
		return err
	}
	return s.concludeReproduction(baseline, candidate, o.marginPercent/100)
}

// targetOfResult returns the experiment or run in a namespace that has the name of a result.
func targetOfResult(file *documents.File, namespace string) cluster.Target {
	if len(file.Experiments) > 0 {
		return cluster.Target{Kind: cluster.Experiment, Namespace: namespace, Name: file.Experiments[0].Experiment.Name}
	}
	return cluster.Target{Kind: cluster.Run, Namespace: namespace, Name: file.Runs[0].Run.Name}
}

// repeatMeasurement applies the manifests of a bundle and follows them until all have ended. It fails if one of the objects
// or the measurement exists, because its result could be the original one, and if a run, network or experiment fails.
func (s *session) repeatMeasurement(ctx context.Context, c *cluster.Connection, b *bundle.Bundle, measurement cluster.Target, o reproduceOptions) error {
	objects, err := b.Manifests(c.Namespace)
	if err != nil {
		return err
	}
	var targets []cluster.Target
	var references bundle.References
	for _, object := range objects {
		if err := checkAbsent(ctx, c, object); err != nil {
			return err
		}
		if bundle.RemoveDelivery(object) {
			fmt.Fprintf(s.ErrOut, "warning: spec.delivery of %s is left out, so that results are not sent to a server that the bundle names\n", object.GetName())
		}
		references.Add(object)
		if target, ok := cluster.TargetOf(object); ok {
			targets = append(targets, target)
		}
	}
	if err := checkNewMeasurement(ctx, c, measurement, targets); err != nil {
		return err
	}
	if err := s.confirmReferences(references, o); err != nil {
		return err
	}
	for _, object := range objects {
		if err := c.Apply(ctx, object, cluster.ApplyPersistent); err != nil {
			return err
		}
		fmt.Fprintf(s.Out, "%s/%s applied\n", strings.ToLower(object.GetKind()), object.GetName())
	}
	outcome, err := s.followTargets(ctx, c, targets, o.timeout)
	if err != nil {
		return err
	}
	for _, failed := range outcome.FailedChecks {
		fmt.Fprintln(s.ErrOut, "warning:", failed)
	}
	if len(outcome.Failures) > 0 {
		return errors.New(strings.Join(outcome.Failures, "\n"))
	}
	return nil
}

// confirmReferences lists what manifests refer to. It fails unless the user confirms it, and allows external databases.
func (s *session) confirmReferences(references bundle.References, o reproduceOptions) error {
	if databases := references.ExternalDatabases; len(databases) > 0 && !o.allowExternalDatabases {
		return fmt.Errorf("the bundle logs in to a database server, which needs --allow-external-databases:\n  %s", strings.Join(databases, "\n  "))
	}
	if len(references.All) == 0 {
		return nil
	}
	list := "the manifests of the bundle name these images, charts, test plans, hosts and Secrets:\n  " + strings.Join(references.All, "\n  ")
	in, isTerminal := s.terminalInput()
	switch {
	case o.yes:
		fmt.Fprintln(s.ErrOut, list)
		return nil
	case !isTerminal:
		return fmt.Errorf("%s\ncheck them, and confirm them with --yes", list)
	}
	fmt.Fprintf(s.ErrOut, "%s\nApply the manifests? [y/N] ", list)
	if answer, _ := bufio.NewReader(in).ReadString('\n'); !strings.EqualFold(strings.TrimSpace(answer), "y") {
		return errors.New("not confirmed, nothing was applied")
	}
	return nil
}

// checkAbsent fails if an object exists.
func checkAbsent(ctx context.Context, c *cluster.Connection, object *unstructured.Unstructured) error {
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(object.GroupVersionKind())
	err := c.Client.Get(ctx, client.ObjectKeyFromObject(object), live)
	if err == nil {
		return fmt.Errorf("%s %s exists in namespace %s: give another namespace with -n, or delete it", object.GetKind(), object.GetName(), object.GetNamespace())
	}
	return client.IgnoreNotFound(err)
}

// checkNewMeasurement fails if the measurement exists, or if the manifests lack the experiment or the network of the run. A
// network creates the runs of its workloads, so a run need not be among the targets of the manifests.
func checkNewMeasurement(ctx context.Context, c *cluster.Connection, measurement cluster.Target, targets []cluster.Target) error {
	isNetwork := func(t cluster.Target) bool { return t.Kind == cluster.Network }
	switch {
	case measurement.Kind == cluster.Experiment && !slices.Contains(targets, measurement):
		return fmt.Errorf("%s is not in the manifests of the bundle", measurement)
	case measurement.Kind == cluster.Run && !slices.ContainsFunc(targets, isNetwork):
		return fmt.Errorf("the network of %s is not in the manifests of the bundle: README.md says why", measurement)
	}
	err := c.Client.Get(ctx, measurement.Key(), measurement.Kind.NewObject())
	if err == nil {
		return fmt.Errorf("%s exists in namespace %s: give another namespace with -n, or delete it", measurement, measurement.Namespace)
	}
	return client.IgnoreNotFound(err)
}

// concludeReproduction prints the comparison and the conclusion. It fails with an error for the exit code unless the
// measurement was reproduced.
func (s *session) concludeReproduction(baseline, candidate *comparison.Side, margin float64) error {
	outcomes := experiment.AssessReproduction(baseline.Result, candidate.Result, margin)
	if err := s.printTables(false, table.ForReproduction(outcomes)); err != nil {
		return err
	}
	within := experiment.FormatMargin(margin)
	verdict, reason := experiment.ConcludeReproduction(outcomes)
	switch {
	case baseline.Run != nil:
		return undecidedError("no claim can be made: two single runs do not show what differs from run to run; bundle an experiment with at least five repetitions")
	case verdict == experiment.NotReproduced:
		return failedChecksError{fmt.Sprintf("not reproduced within %s: %s", within, reason)}
	case verdict == experiment.ReproductionUndecided:
		return undecidedError(fmt.Sprintf("no claim can be made within %s: %s", within, reason))
	}
	fmt.Fprintf(s.Out, "\nreproduced within %s", within)
	if smallest, known := experiment.SmallestReproductionMargin(outcomes); known {
		fmt.Fprintf(s.Out, " (the smallest margin is ±%s %%)", format.Number(100*smallest))
	}
	fmt.Fprintln(s.Out)
	return nil
}
