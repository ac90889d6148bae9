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
	"slices"
	"strconv"
	"strings"

	"github.com/benchnet/benchnet/internal/subcommand"
)

// version is set by the linker.
var version = "development"

var program = subcommand.Program{Name: "cometbft-bench", Purpose: "a CometBFT validator to be measured", Commands: []subcommand.Command{
	{Name: "init", Synopsis: "{--validators N | --powers P,...} --out DIR",
		Purpose: "generate the keys and the genesis file of validators; overwrites nothing", DeclareFlags: newInitCommand},
	{Name: "start", Synopsis: "--config FILE", Purpose: "run a validator until SIGTERM or SIGINT", DeclareFlags: newStartCommand},
	{Name: "version", Synopsis: "", Purpose: "print the version", DeclareFlags: newVersionCommand},
}}

func main() { os.Exit(program.Run(os.Args[1:], os.Stdout, os.Stderr)) }

func newInitCommand(flags *flag.FlagSet) subcommand.Action {
	count := flags.Int("validators", 0, fmt.Sprintf("number of validators: 1 to %d; each has the voting power %d", maxValidators, defaultPower))
	list := flags.String("powers", "", fmt.Sprintf("voting powers of the validators in place of their number, such as 70,10,10,10: each 1 to %d", maxPower))
	out := flags.String("out", "", "the directory for genesis.json, nodes.json and validators/<index>")
	return subcommand.WithoutArguments(func(context.Context, io.Writer) error {
		if err := subcommand.RequireFlags("out", *out); err != nil {
			return err
		}
		powers, err := parsePowers(*count, *list)
		if err != nil {
			return err
		}
		return initNetwork(*out, powers)
	})
}

// parsePowers returns the voting powers in a list, or the default for each of count validators. Either the list or the count is given.
func parsePowers(count int, list string) ([]int64, error) {
	if list == "" {
		if count < 1 || count > maxValidators {
			return nil, subcommand.UsageErrorf("--validators: %d is out of range: 1 to %d", count, maxValidators)
		}
		return slices.Repeat([]int64{defaultPower}, count), nil
	}
	if count != 0 {
		return nil, subcommand.UsageErrorf("--validators: %d is not allowed with --powers, which has one power for each", count)
	}
	texts := strings.Split(list, ",")
	if len(texts) > maxValidators {
		return nil, subcommand.UsageErrorf("--powers: %d powers are out of range: 1 to %d", len(texts), maxValidators)
	}
	var powers []int64
	for _, text := range texts {
		power, err := strconv.ParseInt(text, 10, 64)
		if err != nil || power < 1 || power > maxPower {
			return nil, subcommand.UsageErrorf("--powers: %q is not a power: 1 to %d", text, maxPower)
		}
		powers = append(powers, power)
	}
	return powers, nil
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
