package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/benchnet/benchnet/internal/agent/files"
)

func installAgent(flags *flag.FlagSet) action {
	to := flags.String("to", "", "`folder` to copy to")
	renew := flags.String("renew", "", "`folder` to empty when what is in it is of another epoch")
	epoch := flags.String("epoch", "", "`name` of the present epoch; empty in the first, in which nothing is emptied")
	return func(context.Context, []string) (int, error) {
		if err := requireFlags("to", *to); err != nil {
			return 0, err
		}
		self, err := os.Executable()
		if err != nil {
			return 0, fmt.Errorf("find this program: %w", err)
		}
		if _, err := files.CopyAtomic(self, filepath.Join(*to, "agent")); err != nil {
			return 0, fmt.Errorf("install into %s: %w", *to, err)
		}
		if *renew == "" {
			return 0, nil
		}
		renewed, err := files.EmptyOnNewEpoch(*renew, *epoch)
		if renewed {
			logToStderr("%s is empty: epoch %s begins", *renew, *epoch)
		}
		return 0, err
	}
}

func copyFiles(flags *flag.FlagSet) action {
	from := flags.String("from", "", "`folder` to copy")
	to := flags.String("to", "", "`folder` to copy to; it is made if it does not exist")
	return func(context.Context, []string) (int, error) {
		if err := requireFlags("from", *from, "to", *to); err != nil {
			return 0, err
		}
		tally, err := files.CopyTree(*from, *to)
		if err != nil {
			return 0, fmt.Errorf("copy to %s: %w", *to, err)
		}
		fmt.Printf("%d files, %d bytes copied from %s to %s\n", tally.Files, tally.Bytes, *from, *to)
		return 0, nil
	}
}

func checkFileExists(flags *flag.FlagSet) action {
	file := flags.String("file", "", "`file` that must exist")
	return func(context.Context, []string) (int, error) {
		if err := requireFlags("file", *file); err != nil {
			return 0, err
		}
		_, err := os.Stat(*file)
		return 0, err
	}
}
