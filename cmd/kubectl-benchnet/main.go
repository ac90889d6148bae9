// Command kubectl-benchnet is a kubectl plugin that plans, runs, follows, shows, compares and reproduces benchmarks.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/benchnet/benchnet/internal/cli"
)

// version is set by the linker.
var version = "0.1.0"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := cli.Run(ctx, version, os.Stdin, os.Stdout, os.Stderr, os.Args[1:])
	stop()
	os.Exit(code)
}
