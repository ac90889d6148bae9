package cli

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/benchnet/benchnet/internal/cli/cluster"
)

// versionTimeout is how long the version command waits for a cluster, unless --request-timeout says otherwise.
const versionTimeout = 5 * time.Second

func (s *session) versionCommand() *cobra.Command {
	var client bool
	cmd := &cobra.Command{
		Use: "version", Short: "Print the versions of the plugin and of the cluster's operator",
		Long: `Prints the version of the plugin, and the version of the operator if a cluster answers. The version of the operator is that of the image
of its Deployment.`,
		Args:    refuseArguments("--client omits the operator"),
		Example: "  kubectl benchnet version",
		RunE: func(cmd *cobra.Command, _ []string) error {
			fmt.Fprintf(s.Out, "plugin    %s (%s %s/%s)\n", s.version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			if client {
				return nil
			}
			s.printOperatorVersion(cmd.Context())
			return nil
		},
	}
	cmd.Flags().BoolVar(&client, "client", false, "print only the version of the plugin, without contacting a cluster")
	return cmd
}

// printOperatorVersion prints the version of the operator, or why it is unknown. That is not an error, because the
// plugin also works without a cluster.
func (s *session) printOperatorVersion(ctx context.Context) {
	if *s.flags.Timeout == "0" {
		*s.flags.Timeout = versionTimeout.String()
	}
	c, err := s.connect()
	if err != nil {
		fmt.Fprintf(s.Out, "operator  unknown: %s\n", err)
		return
	}
	operators, err := cluster.ListOperators(ctx, c.Client)
	switch {
	case err != nil:
		fmt.Fprintf(s.Out, "operator  unknown: %s\n", err)
	case len(operators) == 0:
		fmt.Fprintln(s.Out, "operator  not found in the cluster")
	}
	for _, operator := range operators {
		fmt.Fprintf(s.Out, "operator  %s (Deployment %s/%s)\n", operator.Version, operator.Namespace, operator.Name)
	}
}
