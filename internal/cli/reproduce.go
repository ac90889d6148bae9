package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/benchnet/benchnet/internal/cli/bundle"
	"github.com/benchnet/benchnet/internal/cli/cluster"
)

func (s *session) reproduceCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "reproduce RUN|EXPERIMENT",
		Short: "Write everything needed to repeat a run or an experiment",
		Long: `Writes a directory with manifests including all defaults, images by their digests, versions and seeds, the hashes of the networks'
plans, the result to compare with, and a README with instructions.`,
		Example: `  kubectl benchnet reproduce brun/two-banks-issue
  kubectl benchnet reproduce i1 -o -`,
		Args:              requireArguments(1, "the name of a run or an experiment"),
		ValidArgsFunction: s.completeNames(1, cluster.Experiment, cluster.Run),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, target, err := s.connectTo(cmd.Context(), args[0], cluster.Experiment, cluster.Run)
			if err != nil {
				return err
			}
			return s.writeKit(cmd.Context(), c, target, output)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "directory, or - for only the manifests on standard output; default: NAME")
	return cmd
}

func (s *session) writeKit(ctx context.Context, c *cluster.Connection, target cluster.Target, output string) error {
	b, err := bundle.Collect(ctx, c, target)
	if err != nil {
		return err
	}
	for _, missing := range b.Missing {
		fmt.Fprintf(s.ErrOut, "warning: %s is gone, the bundle lacks it\n", missing)
	}
	if output == "-" {
		text, err := b.Manifests()
		if err != nil {
			return err
		}
		_, err = s.Out.Write(text)
		return err
	}
	if output == "" {
		output = target.Name
	}
	files, err := b.Files()
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		write := func(w io.Writer) error {
			_, err := w.Write(files[name])
			return err
		}
		if err := s.saveFile(filepath.Join(output, name), write); err != nil {
			return err
		}
	}
	return nil
}
