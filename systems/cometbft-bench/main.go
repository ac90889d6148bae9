// Command cometbft-bench runs a CometBFT validator with an application in the same process, made to be measured. It
// also generates the keys and the genesis of a network.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/benchnet/benchnet/internal/subcommand"
)

// version is set by the linker.
var version = "development"

var program = subcommand.Program{Name: "cometbft-bench", Purpose: "a CometBFT validator to be measured", Commands: []subcommand.Command{
	{Name: "init", Synopsis: "--validators N --out DIR",
		Purpose: "generate the keys and the genesis file of N validators; overwrites nothing", DeclareFlags: newInitCommand},
	{Name: "start", Synopsis: "--config FILE", Purpose: "run a validator until SIGTERM or SIGINT", DeclareFlags: newStartCommand},
	{Name: "version", Synopsis: "", Purpose: "print the version", DeclareFlags: newVersionCommand},
}}

func main() { os.Exit(program.Run(os.Args[1:], os.Stdout, os.Stderr)) }

func newInitCommand(flags *flag.FlagSet) subcommand.Action {
	validators := flags.Int("validators", 0, fmt.Sprintf("number of validators: 1 to %d", maxValidators))
	out := flags.String("out", "", "the directory for genesis.json, nodes.json and validators/<index>")
	return subcommand.WithoutArguments(func(context.Context, io.Writer) error {
		if err := subcommand.RequireFlags("out", *out); err != nil {
			return err
		}
		if *validators < 1 || *validators > maxValidators {
			return subcommand.UsageErrorf("--validators: %d is out of range: 1 to %d", *validators, maxValidators)
		}
		return initNetwork(*out, *validators)
	})
}

func newStartCommand(flags *flag.FlagSet) subcommand.Action {
	path := flags.String("config", "", "the configuration file (TOML)")
	return func(ctx context.Context, args []string, _ io.Writer) (int, error) {
		if len(args) > 0 {
			return 0, subcommand.UsageErrorf("%q is not understood", args[0])
		}
		if err := subcommand.RequireFlags("config", *path); err != nil {
			return 0, err
		}
		c, err := readConfig(*path)
		if err != nil {
			return subcommand.ExitUsage, err
		}
		id, err := readIdentity(c)
		if err != nil {
			return subcommand.ExitUsage, err
		}
		return 0, runValidator(ctx, c, id)
	}
}

func newVersionCommand(*flag.FlagSet) subcommand.Action {
	return subcommand.WithoutArguments(func(_ context.Context, stdout io.Writer) error {
		_, err := fmt.Fprintf(stdout, "cometbft-bench %s (CometBFT %s)\n", version, cometVersion())
		return err
	})
}

// cometVersion returns the version of the CometBFT module. The constant in CometBFT 0.40.0 says 0.39.0.
func cometVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == "github.com/cometbft/cometbft" {
				return strings.TrimPrefix(module.Version, "v")
			}
		}
	}
	return "of an unknown version"
}
