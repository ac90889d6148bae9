// Command agent is benchnet's helper inside pods. It starts members and load workers as the first process of
// their container, publishes genesis files into Secrets and results into ConfigMaps, and serves its container's
// usage as metrics.
//
// It is one static program and runs in any image: "agent install" copies it to a shared volume.
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
	"strings"
	"syscall"
)

// exitUsage is the exit code for invalid arguments.
const exitUsage = 2

// subcommand is one subcommand. declareFlags returns the action to run after the flags are parsed.
type subcommand struct {
	name, synopsis, purpose string
	declareFlags            func(*flag.FlagSet) action
}

// action runs a subcommand with the positional arguments and returns the exit code.
type action func(ctx context.Context, args []string) (int, error)

var subcommands = []subcommand{
	{"install", "--to DIR [--renew DIR --epoch ID]", "copy this program to DIR/agent, and empty a folder of another epoch", installAgent},
	{"copy", "--from DIR --to DIR", "copy the files of a folder, as of a user's image", copyFiles},
	{"supervise", "[flags] -- COMMAND ARG...", "run COMMAND as the first process of a container", superviseCommand},
	{"check", "--file FILE", "exit with 0 if FILE exists, for an exec probe", checkFileExists},
	{"publish", "--namespace NS --secret NAME=DIR... --complete-annotation KEY=VALUE", "put files into existing Secrets, as one whole", publishFiles},
	{"work", "[--metrics-addr ADDRESS] --namespace NS --barrier NAME --report NAME [--plan FILE.jmx] -- COMMAND ARG... | --stream URL",
		"run a load driver as the first process of a worker, or observe a network that makes its own load", runWorker},
	{"emulate", "--config FILE --member NAME --namespace NS --report NAME", "keep the peers of this pod at a distance, as its sidecar", emulateNetwork},
	{"ping", "--to HOST:PORT [--count N]", "print the round trips to a peer in microseconds, as connecting takes them", pingPeer},
}

// usageError is an error in the arguments.
type usageError struct{ error }

func usageErrorf(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func main() { os.Exit(runSubcommand(os.Args[1:], os.Stderr)) }

func runSubcommand(args []string, stderr io.Writer) int {
	if len(args) == 0 || slices.Contains([]string{"-h", "--help", "help"}, args[0]) {
		printUsage(stderr)
		return exitUsage
	}
	i := slices.IndexFunc(subcommands, func(c subcommand) bool { return c.name == args[0] })
	if i < 0 {
		fmt.Fprintf(stderr, "agent: no command %q\n", args[0])
		printUsage(stderr)
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	code, err := subcommands[i].parseAndRun(ctx, args[1:], stderr)
	if err != nil {
		fmt.Fprintf(stderr, "agent %s: %v\n", args[0], err)
	}
	return code
}

func (c subcommand) parseAndRun(ctx context.Context, args []string, stderr io.Writer) (int, error) {
	flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintf(stderr, "agent %s %s\n%s\n", c.name, c.synopsis, c.purpose)
		flags.PrintDefaults()
	}
	act := c.declareFlags(flags)
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0, nil
	} else if err != nil {
		return exitUsage, nil
	}
	code, err := act(ctx, flags.Args())
	if errors.As(err, new(usageError)) {
		return exitUsage, err
	}
	if err != nil && code == 0 {
		code = 1
	}
	return code, err
}

func printUsage(w io.Writer) {
	fmt.Fprintln(w, "agent is benchnet's helper inside pods.")
	for _, c := range subcommands {
		fmt.Fprintf(w, "  agent %s %s\n      %s\n", c.name, c.synopsis, c.purpose)
	}
}

// requireFlags returns a usage error if a flag is empty. pairs alternates flag names and values.
func requireFlags(pairs ...string) error {
	var missing []string
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			missing = append(missing, "--"+pairs[i])
		}
	}
	if len(missing) > 0 {
		return usageErrorf("%s must be given", strings.Join(missing, ", "))
	}
	return nil
}

// repeatedFlag is a flag that can be given several times.
type repeatedFlag []string

func (v *repeatedFlag) String() string { return strings.Join(*v, " ") }

func (v *repeatedFlag) Set(value string) error {
	*v = append(*v, value)
	return nil
}

// logToStderr prints a line to the standard error.
func logToStderr(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "agent: "+format+"\n", args...)
}
