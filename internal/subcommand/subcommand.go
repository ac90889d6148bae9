// Package subcommand runs a program that consists of subcommands, each with flags of its own. It depends on the
// standard library only, so that the programs in pods stay small.
package subcommand

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

// ExitUsage is the exit code for invalid arguments.
const ExitUsage = 2

// Program is a program with subcommands.
type Program struct {
	Name, Purpose string
	Commands      []Command
}

// Command is one subcommand.
type Command struct {
	Name, Synopsis, Purpose string
	// DeclareFlags declares the flags and returns the action to run once they are parsed.
	DeclareFlags func(*flag.FlagSet) Action
}

// Action runs a subcommand with its positional arguments and returns the exit code. With an error, the exit code 0
// stands for ExitUsage if the error is of the arguments, and otherwise for 1.
type Action func(ctx context.Context, args []string, stdout io.Writer) (int, error)

// WithoutArguments returns an action that fails if there are positional arguments.
func WithoutArguments(run func(ctx context.Context, stdout io.Writer) error) Action {
	return func(ctx context.Context, args []string, stdout io.Writer) (int, error) {
		if len(args) > 0 {
			return 0, UsageErrorf("%q is not understood", args[0])
		}
		return 0, run(ctx, stdout)
	}
}

// usageError is an error in the arguments.
type usageError struct{ error }

// UsageErrorf returns an error in the arguments.
func UsageErrorf(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// RequireFlags returns a usage error if a flag is empty. pairs alternates flag names and values.
func RequireFlags(pairs ...string) error {
	var missing []string
	for pair := range slices.Chunk(pairs, 2) {
		if pair[1] == "" {
			missing = append(missing, "--"+pair[0])
		}
	}
	if len(missing) > 0 {
		return UsageErrorf("%s must be given", strings.Join(missing, ", "))
	}
	return nil
}

// Run runs the subcommand that args begin with and returns the exit code of the program. SIGTERM and SIGINT cancel
// the context of the action.
func (p Program) Run(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 || slices.Contains([]string{"-h", "--help", "help"}, args[0]) {
		p.printUsage(stderr)
		return ExitUsage
	}
	i := slices.IndexFunc(p.Commands, func(c Command) bool { return c.Name == args[0] })
	if i < 0 {
		fmt.Fprintf(stderr, "%s: no command %q\n", p.Name, args[0])
		p.printUsage(stderr)
		return ExitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	code, err := p.parseAndRun(ctx, p.Commands[i], args[1:], stdout, stderr)
	if err != nil {
		fmt.Fprintf(stderr, "%s %s: %v\n", p.Name, args[0], err)
	}
	return code
}

func (p Program) parseAndRun(ctx context.Context, c Command, args []string, stdout, stderr io.Writer) (int, error) {
	flags := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintf(stderr, "%s %s %s\n%s\n", p.Name, c.Name, c.Synopsis, c.Purpose)
		flags.PrintDefaults()
	}
	act := c.DeclareFlags(flags)
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0, nil
	} else if err != nil { // Parse has printed it.
		return ExitUsage, nil
	}
	code, err := act(ctx, flags.Args(), stdout)
	switch {
	case errors.As(err, new(usageError)):
		code = ExitUsage
	case err != nil && code == 0:
		code = 1
	}
	return code, err
}

func (p Program) printUsage(w io.Writer) {
	fmt.Fprintf(w, "%s: %s; %s COMMAND -h lists the flags of a command\n", p.Name, p.Purpose, p.Name)
	for _, c := range p.Commands {
		fmt.Fprintf(w, "  %s %s %s\n      %s\n", p.Name, c.Name, c.Synopsis, c.Purpose)
	}
}
