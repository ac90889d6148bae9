package cli

import (
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
)

// resultFileHelp describes result files on the help pages of the commands that read them.
const resultFileHelp = `A FILE needs no cluster. It is the output of results -o json or -o yaml, or a ConfigMap or Secret with a result as kubectl get -o yaml
prints it, or a list of these.`

// requireArguments returns a validator for exactly n arguments. Its error says what the command needs.
func requireArguments(n int, needed string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < n:
			return fmt.Errorf("%s needs %s", cmd.Name(), needed)
		case len(args) > n:
			return fmt.Errorf("%s needs %s: %q is one argument too many", cmd.Name(), needed, args[n])
		}
		return nil
	}
}

// requireFiles returns a validator for a command that reads only the files of its flags.
func requireFiles(files *genericclioptions.FileNameFlags) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) > 0:
			return fmt.Errorf("%s takes no argument such as %q: give files as -f FILE", cmd.Name(), args[0])
		case isWithoutFiles(files):
			return fmt.Errorf("%s needs -f FILE or -k DIRECTORY", cmd.Name())
		}
		return nil
	}
}

// requireFilesOr returns a validator for a command that reads either files or one named object.
func requireFilesOr(files *genericclioptions.FileNameFlags, object string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch none := isWithoutFiles(files); {
		case none && len(args) != 1:
			return fmt.Errorf("%s needs -f FILE, -k DIRECTORY or %s", cmd.Name(), object)
		case !none && len(args) > 0:
			return fmt.Errorf("%s needs either files or %s, not both", cmd.Name(), object)
		}
		return nil
	}
}

func isWithoutFiles(files *genericclioptions.FileNameFlags) bool {
	o := files.ToOptions()
	return o.RequireFilenameOrKustomize() != nil
}

// refuseArguments returns a validator for a command without arguments. Its error says what the command takes instead.
func refuseArguments(instead string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return fmt.Errorf("%s takes no argument such as %q, %s", cmd.Name(), args[0], instead)
	}
}
