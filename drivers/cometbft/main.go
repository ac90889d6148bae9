// Command cometbft applies load to CometBFT nodes.
package main

import (
	"flag"
	"log/slog"
	"os"

	"github.com/benchnet/benchnet/drivers/cometbft/internal/drive"
	"github.com/benchnet/benchnet/drivers/internal/worker"
	"github.com/benchnet/benchnet/internal/subcommand"
)

var program = subcommand.Program{Name: "cometbft", Purpose: "load on CometBFT nodes", Commands: []subcommand.Command{
	{Name: "drive", Synopsis: "", Purpose: "apply the workload in the file $BENCHNET_WORKLOAD, as documented in docs/drivers.md",
		DeclareFlags: func(*flag.FlagSet) subcommand.Action { return worker.NewDriveCommand(drive.SetUp) }},
}}

func main() {
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, nil)))
	os.Exit(program.Run(os.Args[1:], os.Stdout, os.Stderr))
}
