package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"aead.dev/minisign"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/benchnet/benchnet/internal/cli/bundle"
	"github.com/benchnet/benchnet/internal/cli/cluster"
)

func (s *session) bundleCommand() *cobra.Command {
	var output, key string
	cmd := &cobra.Command{
		Use:   "bundle RUN|EXPERIMENT",
		Short: "Write everything needed to judge and repeat a run or an experiment into one file",
		Long: `Writes a gzipped tar with manifests including all defaults, images by their digests, the results with their histograms and
environments, the report, and the SHA-256 of each file. With --key these are signed by a private key of minisign; minisign -G makes a
key pair. Equal results give equal bundles.`,
		Example: `  kubectl benchnet bundle i1 -o i1.tar.gz --key ~/.minisign/minisign.key
  kubectl benchnet bundle brun/two-banks-issue`,
		Args:              requireArguments(1, "the name of a run or an experiment"),
		ValidArgsFunction: s.completeNames(1, cluster.Experiment, cluster.Run),
		RunE: func(cmd *cobra.Command, args []string) error {
			private, err := s.readPrivateKey(key)
			if err != nil {
				return err
			}
			c, target, err := s.connectTo(cmd.Context(), args[0], cluster.Experiment, cluster.Run)
			if err != nil {
				return err
			}
			return s.writeBundle(cmd.Context(), c, target, output, private)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "file, or - for standard output; default: NAME-bundle.tar.gz")
	cmd.Flags().StringVar(&key, "key", "", "file with the private key of minisign; default: the bundle is not signed")
	return cmd
}

func (s *session) writeBundle(ctx context.Context, c *cluster.Connection, target cluster.Target, output string, key *minisign.PrivateKey) error {
	kit, err := bundle.Collect(ctx, c, target)
	if err != nil {
		return err
	}
	for _, object := range kit.LeftOut {
		fmt.Fprintf(s.ErrOut, "warning: %s, so the bundle lacks it\n", object)
	}
	return s.writeArchive(output, target.Name+"-bundle.tar.gz", func(w io.Writer) error { return kit.Write(w, key) })
}

// readPrivateKey reads a private key, or returns nil without a file. It asks for the password of an encrypted key.
func (s *session) readPrivateKey(file string) (*minisign.PrivateKey, error) {
	if file == "" {
		return nil, nil
	}
	return bundle.ReadPrivateKey(file, func() (string, error) {
		in, ok := s.terminalInput()
		if !ok {
			return "", errors.New("standard input is no terminal: use a key without password, which minisign -G -W makes")
		}
		fmt.Fprintf(s.ErrOut, "Password of %s: ", file)
		defer fmt.Fprintln(s.ErrOut)
		password, err := term.ReadPassword(int(in.Fd()))
		return string(password), err
	})
}

// terminalInput returns the standard input if it is a terminal.
func (s *session) terminalInput() (in *os.File, ok bool) {
	in, ok = s.In.(*os.File)
	return in, ok && term.IsTerminal(int(in.Fd()))
}

func (s *session) verifyCommand() *cobra.Command {
	var key string
	cmd := &cobra.Command{
		Use:   "verify FILE",
		Short: "Check that a bundle is complete, unchanged and signed by a key",
		Long: `Checks a bundle without a cluster: the signature of its index by the key, the SHA-256 of each file, and that it holds these files
only. Without --key it checks no signature, which shows damage, but no forgery.

It ends with code 2 and a line for each difference if the bundle is not what was signed, and with 1 if it cannot be unpacked.`,
		Example: `  kubectl benchnet verify i1.tar.gz --key minisign.pub`,
		Args:    requireArguments(1, "a bundle"),
		RunE: func(_ *cobra.Command, args []string) error {
			_, err := s.verifyBundle(args[0], key)
			return err
		},
	}
	cmd.Flags().StringVar(&key, "key", "", "file with the public key of minisign; default: no signature is checked")
	return cmd
}

// verifyBundle reads a bundle and compares it with its index and, with a file of a public key, with its signature. It fails
// with a failedChecksError if they differ.
func (s *session) verifyBundle(file, keyFile string) (*bundle.Bundle, error) {
	var key *minisign.PublicKey
	if keyFile != "" {
		var err error
		if key, err = bundle.ReadPublicKey(keyFile); err != nil {
			return nil, err
		}
	}
	in, err := os.Open(file)
	if err != nil {
		return nil, err // It names the file.
	}
	defer in.Close()
	b, err := bundle.Read(in)
	if err != nil {
		return nil, fmt.Errorf("%s is no bundle: %w", file, err)
	}
	comment, differences := b.FindDifferences(key)
	if len(differences) > 0 {
		return nil, failedChecksError(differences)
	}
	fmt.Fprintf(s.Out, "%s: %d files as in their index\n", file, b.Count())
	if key == nil {
		fmt.Fprintln(s.ErrOut, "warning: no signature was checked: give --key")
	} else {
		fmt.Fprintf(s.Out, "signed by key %s: %q\n", bundle.FormatKeyID(key.ID()), comment)
	}
	return b, nil
}
