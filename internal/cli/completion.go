package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/client-go/rest"

	"github.com/benchnet/benchnet/internal/cli/cluster"
)

// configureRESTClient hides the API server's warnings and raises the rate limit, so that commands can read a
// few dozen objects at once.
func configureRESTClient(config *rest.Config) *rest.Config {
	config.WarningHandler = rest.NoWarnings{}
	config.QPS, config.Burst = 50, 100
	return config
}

type completionFunc = func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective)

// completeNames completes the first arguments, up to the given number, with the names of objects of the given kinds.
func (s *session) completeNames(arguments int, kinds ...cluster.Kind) completionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) >= arguments {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		c, err := s.connect()
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		names, err := c.ListNames(cmd.Context(), kinds...)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeNamesOrFiles completes like completeNames, and with files if no name matches.
func (s *session) completeNamesOrFiles(arguments int, kinds ...cluster.Kind) completionFunc {
	complete := s.completeNames(arguments, kinds...)
	return func(cmd *cobra.Command, args []string, text string) ([]cobra.Completion, cobra.ShellCompDirective) {
		names, _ := complete(cmd, args, text)
		return names, cobra.ShellCompDirectiveDefault
	}
}

// registerFlagCompletions registers completions for the values of kubectl's flags.
func (s *session) registerFlagCompletions(root *cobra.Command) {
	complete := func(flag string, find func(cmd *cobra.Command) ([]string, error)) {
		_ = root.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			found, err := find(cmd)
			if err != nil {
				return nil, cobra.ShellCompDirectiveError
			}
			return found, cobra.ShellCompDirectiveNoFileComp
		})
	}
	complete("namespace", func(cmd *cobra.Command) ([]string, error) {
		c, err := s.connect()
		if err != nil {
			return nil, err
		}
		return c.ListNamespaces(cmd.Context())
	})
	complete("context", func(*cobra.Command) ([]string, error) {
		config, err := s.flags.ToRawKubeConfigLoader().RawConfig()
		if err != nil {
			return nil, err
		}
		return slices.Sorted(maps.Keys(config.Contexts)), nil
	})
}

// completeValues completes an argument or a flag with fixed words.
func completeValues(words ...string) completionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// validateChoice returns an error if the value of a flag is not one of words.
func validateChoice(flag, value string, words ...string) error {
	if slices.Contains(words, value) {
		return nil
	}
	return fmt.Errorf("--%s %q is none of %s", flag, value, strings.Join(words, ", "))
}

// validateOutput returns an error if an output format is neither empty, the command's default, nor one of words.
func validateOutput(value string, words ...string) error {
	if value == "" {
		return nil
	}
	return validateChoice("output", value, words...)
}
