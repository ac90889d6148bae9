// Package cli implements the commands of the kubectl plugin: flags, output and exit codes.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/benchnet/benchnet/internal/cli/cluster"
	"github.com/benchnet/benchnet/internal/cli/terminal"
)

// Exit codes. They are documented in docs/kubectl-plugin.md and do not change.
const (
	exitOK = 0
	// exitError means that the command failed, or that a run or network failed and has no result.
	exitError = 1
	// exitChecksFailed means that there is a result, but a gate failed or a run is invalid, or that a bundle was changed.
	exitChecksFailed = 2
	// exitUndecided means that a repeated measurement has a result, but too few runs to say whether it was reproduced.
	exitUndecided = 3
	// exitInterrupted means that the user interrupted the command, with the code that shells use.
	exitInterrupted = 130
)

// failedChecksError is an error that leads to exitChecksFailed.
type failedChecksError []string

func (f failedChecksError) Error() string { return strings.Join(f, "\n") }

// undecidedError is an error that leads to exitUndecided.
type undecidedError string

func (u undecidedError) Error() string { return string(u) }

// errInterrupted leads to exitInterrupted without a further message.
var errInterrupted = errors.New("interrupted")

// session holds the state that all commands share.
type session struct {
	genericiooptions.IOStreams
	flags   *genericclioptions.ConfigFlags
	version string
}

// connect connects to the cluster that the flags and the kubeconfig select.
func (s *session) connect() (*cluster.Connection, error) { return cluster.Connect(s.flags) }

// connectTo connects to the cluster and finds the object of one of the kinds that a user named.
func (s *session) connectTo(ctx context.Context, name string, kinds ...cluster.Kind) (*cluster.Connection, cluster.Target, error) {
	c, err := s.connect()
	if err != nil {
		return nil, cluster.Target{}, err
	}
	target, err := c.FindTarget(ctx, name, kinds...)
	return c, target, err
}

// forTarget returns a command's RunE that passes the object named by the first argument, which is of one of the kinds, to run.
func (s *session) forTarget(run func(ctx context.Context, c *cluster.Connection, target cluster.Target) error, kinds ...cluster.Kind,
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		c, target, err := s.connectTo(cmd.Context(), args[0], kinds...)
		if err != nil {
			return err
		}
		return run(cmd.Context(), c, target)
	}
}

// Run runs a command line and returns the exit code.
func Run(ctx context.Context, version string, in io.Reader, out, errOut io.Writer, args []string) int {
	// The commands return what client-go and controller-runtime log, such as failed discovery, as errors.
	klog.SetLogger(logr.Discard())
	log.SetLogger(logr.Discard())
	s := newSession(version, genericiooptions.IOStreams{In: in, Out: out, ErrOut: errOut})
	root := s.rootCommand()
	root.SetArgs(args)
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.ErrOut)
	return s.reportError(root.ExecuteContext(ctx))
}

// NewCommand returns the plugin's root command with all subcommands.
func NewCommand(version string, streams genericiooptions.IOStreams) *cobra.Command {
	return newSession(version, streams).rootCommand()
}

// newSession returns a session. Its output is escaped, because clusters and files of others determine what is printed.
func newSession(version string, streams genericiooptions.IOStreams) *session {
	flags := genericclioptions.NewConfigFlags(true).WithDeprecatedPasswordFlag().WithWrapConfigFn(configureRESTClient)
	streams.Out, streams.ErrOut = terminal.NewWriter(streams.Out), terminal.NewWriter(streams.ErrOut)
	return &session{IOStreams: streams, flags: flags, version: version}
}

func (s *session) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "kubectl-benchnet",
		Short: "Benchmark networks of distributed ledgers",
		Long: `Plans, runs, follows, shows, compares, bundles and reproduces benchmarks of distributed ledgers on Kubernetes.

It works with any cluster that runs the benchnet operator, and uses kubectl's kubeconfig and flags.
Name a resource as NAME, or as bexp/NAME (experiment), bnet/NAME (network) or brun/NAME (run).

Exit codes: 0 success; 1 an error, or a network or run failed; 2 a result exists, but a gate failed or a run is invalid, or a
bundle was changed; 3 too few runs to say whether a measurement was reproduced; 130 interrupted.`,
		Version: s.version,
		Example: `  kubectl benchnet plan -f experiment.yaml
  kubectl benchnet run -f experiment.yaml --report report.html
  kubectl benchnet results i1`,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl benchnet"},
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	s.flags.AddFlags(root.PersistentFlags())
	s.registerFlagCompletions(root)
	root.SetUsageTemplate(usageTemplate)
	root.Flags().Bool("version", false, "print the version of the plugin") // Without cobra's shorthand -v, kubectl's verbosity.
	root.SetVersionTemplate("benchnet {{.Version}}\n")
	for _, newCommand := range []func() *cobra.Command{
		s.planCommand, s.runCommand, s.statusCommand, s.watchCommand, s.logsCommand, s.cancelCommand, s.resetCommand,
		s.resultsCommand, s.faultsCommand, s.reportCommand, s.exportCommand, s.compareCommand, s.bundleCommand, s.verifyCommand, s.reproduceCommand,
		s.diagnoseCommand, s.optionsCommand, s.versionCommand,
	} {
		root.AddCommand(newCommand())
	}
	return root
}

// reportError prints an error like kubectl and returns the exit code.
func (s *session) reportError(err error) int {
	var failedChecks failedChecksError
	var undecided undecidedError
	var status apierrors.APIStatus
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case errors.As(err, &failedChecks):
		fmt.Fprintln(s.ErrOut, failedChecks)
		return exitChecksFailed
	case errors.As(err, &undecided):
		fmt.Fprintln(s.ErrOut, undecided)
		return exitUndecided
	case errors.As(err, &status) && status.Status().Reason != "":
		fmt.Fprintf(s.ErrOut, "Error from server (%s): %s\n", status.Status().Reason, err)
	case errors.As(err, &status):
		fmt.Fprintf(s.ErrOut, "Error from server: %s\n", err)
	default:
		fmt.Fprintf(s.ErrOut, "error: %s\n", err)
	}
	return exitError
}
