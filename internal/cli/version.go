package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

func (s *session) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version of the plugin", Args: cobra.NoArgs,
		Example: "  kubectl benchnet version",
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprintf(s.Out, "benchnet %s (%s %s/%s)\n", s.version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return nil
		},
	}
}
