// Command evm applies load to Ethereum nodes. It also prepares their network: it funds accounts in a genesis
// and generates the keys and secrets of the nodes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// exitUsage is the exit code for invalid arguments.
const exitUsage = 2

// subcommand is a subcommand of evm. declareFlags declares its flags and returns the action to run after
// parsing.
type subcommand struct {
	name, synopsis, purpose string
	declareFlags            func(*flag.FlagSet) action
}

type action func(ctx context.Context, stdout io.Writer) error

var subcommands = []subcommand{
	{"drive", "", "apply load, as docs/drivers.md says; the orders come by $BENCHNET_WORKLOAD", runDriver},
	{"accounts", "--seed-file FILE --count N [--fund GENESIS]", "print the accounts of a seed, or fund them in a genesis", printOrFundAccounts},
	{"keys", "--count N --out DIR [--address HOST:PORT]", "make the nodes' keys, the secret between validator and execution client, and a seed of accounts",
		writeNodeKeys},
}

// usageError is an error in the arguments.
type usageError struct{ error }

func usageErrorf(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func main() { os.Exit(runSubcommand(os.Args[1:], os.Stdout, os.Stderr)) }

func runSubcommand(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 || slices.Contains([]string{"-h", "--help", "help"}, args[0]) {
		printUsage(stderr)
		return exitUsage
	}
	i := slices.IndexFunc(subcommands, func(c subcommand) bool { return c.name == args[0] })
	if i < 0 {
		fmt.Fprintf(stderr, "evm: no command %q\n", args[0])
		printUsage(stderr)
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	return subcommands[i].parseAndRun(ctx, args[1:], stdout, stderr)
}

func (c subcommand) parseAndRun(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintf(stderr, "evm %s %s\n%s\n", c.name, c.synopsis, c.purpose)
		flags.PrintDefaults()
	}
	act := c.declareFlags(flags)
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return exitUsage
	case flags.NArg() > 0:
		err = usageErrorf("%q is not understood", flags.Arg(0))
	default:
		err = act(ctx, stdout)
	}
	if err == nil {
		return 0
	}
	fmt.Fprintf(stderr, "evm %s: %v\n", c.name, err)
	if errors.As(err, new(usageError)) {
		return exitUsage
	}
	return 1
}

func printUsage(to io.Writer) {
	fmt.Fprintln(to, "evm: load on Ethereum nodes; evm COMMAND -h lists a command's flags")
	for _, c := range subcommands {
		fmt.Fprintf(to, "  evm %s %s\n        %s\n", c.name, c.synopsis, c.purpose)
	}
}
