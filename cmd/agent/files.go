package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"

	"github.com/benchnet/benchnet/internal/agent/files"
	"github.com/benchnet/benchnet/internal/kube/termination"
	"github.com/benchnet/benchnet/internal/subcommand"
)

func newInstallCommand(flags *flag.FlagSet) subcommand.Action {
	to := flags.String("to", "", "`folder` to copy to")
	renew := flags.String("renew", "", "`folder` to empty if its content is from another epoch")
	epoch := flags.String("epoch", "", "`name` of the current epoch; empty in the first epoch, which empties nothing")
	return subcommand.WithoutArguments(func(_ context.Context, _ io.Writer) error {
		if err := subcommand.RequireFlags("to", *to); err != nil {
			return err
		}
		self, err := os.Executable()
		if err != nil {
			return fmt.Errorf("find this program: %w", err)
		}
		if _, err := files.CopyAtomic(self, filepath.Join(*to, "agent")); err != nil {
			return fmt.Errorf("install into %s: %w", *to, err)
		}
		if *renew == "" {
			return nil
		}
		renewed, err := files.EmptyOnNewEpoch(*renew, *epoch)
		if renewed {
			slog.Info("folder emptied for a new epoch", "folder", *renew, "epoch", *epoch)
		}
		return err
	})
}

func newCopyCommand(flags *flag.FlagSet) subcommand.Action {
	from := flags.String("from", "", "`folder` to copy")
	to := flags.String("to", "", "`folder` to copy to; created if it does not exist")
	return subcommand.WithoutArguments(func(_ context.Context, stdout io.Writer) error {
		if err := subcommand.RequireFlags("from", *from, "to", *to); err != nil {
			return err
		}
		tally, err := files.CopyTree(*from, *to)
		if err != nil {
			return fmt.Errorf("copy to %s: %w", *to, err)
		}
		fmt.Fprintf(stdout, "%d files, %d bytes copied from %s to %s\n", tally.Files, tally.Bytes, *from, *to)
		return nil
	})
}

func newReadinessCommand(flags *flag.FlagSet) subcommand.Action {
	file := flags.String("file", "", "`file` that must exist; empty for none")
	reason := flags.String("reason", "", "`URL` on this pod whose content says why the file does not exist yet; empty for none")
	url := flags.String("get", "", "`URL` on this pod whose content must match --match; empty for none")
	pattern := flags.String("match", "", "regular `expression` for the content of --get")
	return subcommand.WithoutArguments(func(ctx context.Context, _ io.Writer) error {
		if *url == "" {
			if err := subcommand.RequireFlags("file", *file); err != nil {
				return err
			}
		}
		if (*url == "") != (*pattern == "") {
			return subcommand.UsageErrorf("--get and --match belong together")
		}
		expression, err := regexp.Compile(*pattern)
		if err != nil {
			return subcommand.UsageErrorf("--match: %w", err)
		}
		if *file != "" {
			if _, err := os.Stat(*file); err != nil {
				return explainMissingFile(ctx, *reason, err)
			}
		}
		if *url == "" {
			return nil
		}
		return matchContent(ctx, *url, expression)
	})
}

// explainMissingFile returns the content at url as an error, which the kubelet reports in an event. It returns err
// without a URL or an answer.
func explainMissingFile(ctx context.Context, url string, err error) error {
	if url == "" || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	content, problem := getContent(ctx, url)
	if problem != nil || len(content) == 0 {
		return err
	}
	return errors.New(termination.Clean(string(content)))
}

// matchContent fails unless the content at url matches the expression.
func matchContent(ctx context.Context, url string, expression *regexp.Regexp) error {
	content, err := getContent(ctx, url)
	if err != nil {
		return err
	}
	return checkMatch(url, content, expression)
}

// checkMatch fails unless the content at url matches the expression.
func checkMatch(url string, content []byte, expression *regexp.Regexp) error {
	if !expression.Match(content) {
		return fmt.Errorf("%s does not match %s: %s", url, expression, termination.Clean(string(content)))
	}
	return nil
}

// getContent returns what a program of this pod answers at url, whatever the status of the answer is.
func getContent(ctx context.Context, url string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, subcommand.UsageErrorf("invalid URL: %w", err)
	}
	return readContent(request)
}
