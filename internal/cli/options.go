package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

// usageTemplate is cobra's template without the inherited flags. The options command lists these.
const usageTemplate = `Usage:{{if .Runnable}}
  {{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}
  {{.CommandPath}} [command]{{end}}{{if .HasExample}}

Examples:
{{.Example}}{{end}}{{if .HasAvailableSubCommands}}

Commands:{{range .Commands}}{{if (or .IsAvailableCommand (eq .Name "help"))}}
  {{rpad .Name .NamePadding }} {{.Short}}{{end}}{{end}}{{end}}{{with .LocalNonPersistentFlags.FlagUsages}}

Flags:
{{. | trimTrailingWhitespaces}}{{end}}

{{if .HasAvailableSubCommands}}Use "{{.CommandPath}} [command] --help" for more information about a command.
{{end}}Use "{{.Root.DisplayName}} options" for a list of kubectl's flags, such as --namespace, which all commands take.
`

func (s *session) optionsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "options", Short: "List kubectl's flags, which all commands take", Args: refuseArguments("it lists all flags"),
		Example: "  kubectl benchnet options",
		Run: func(cmd *cobra.Command, _ []string) {
			fmt.Fprintf(s.Out, "All commands take these flags:\n\n%s", cmd.InheritedFlags().FlagUsages())
		},
	}
}
