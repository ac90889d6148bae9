// Package process runs one command as the first process of a container would: it passes signals on,
// reaps whatever is orphaned, and reports how the command ended.
//
// It reaps every child of the calling process, so that a program that uses it must not
// start processes by other means while a command runs.
package process

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Exit codes of the shell's convention, for what never became a process.
const (
	ExitNotRun      = 125
	ExitNotRunnable = 126
	ExitNotFound    = 127
)

// StdinMode says what a command reads as its standard input.
type StdinMode string

const (
	// StdinNull is at its end from the start.
	StdinNull StdinMode = "Null"
	// StdinHeld stays open without ever giving a byte, for programs that stop at the end of their input.
	StdinHeld StdinMode = "Held"
)

// outputTimeout bounds the wait for the output of a command that has ended.
const outputTimeout = time.Second

// Options of a command.
type Options struct {
	Stdin StdinMode
	// Stdout and Stderr watch those outputs on their way. A Watcher in both must be safe for use by two goroutines.
	Stdout, Stderr []LineWatcher
	// Linger bounds the wait for processes that the command left behind when it ended.
	Linger time.Duration
}

// Command is a running command. Its output goes where this process' goes.
type Command struct {
	options Options
	pid     int
	// heldStdin is the end of the held standard input that nobody writes to; it stays open as long as the command is used.
	heldStdin *os.File
	// outputCopies counts the outputs that are being passed on.
	outputCopies sync.WaitGroup
	// ended is closed when the command has ended, alone when no child is left.
	ended, childrenGone chan struct{}
	code                int
}

// forwardedSignals are the signals that are passed to the command.
var forwardedSignals = []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2}

// Start runs args. From then on the signals that this process gets go to the command.
func Start(args []string, options Options) (*Command, error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("become the reaper of orphans: %w", err)
	}
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, forwardedSignals...)
	c := &Command{options: options, ended: make(chan struct{}), childrenGone: make(chan struct{})}
	if err := c.startChild(args); err != nil {
		signal.Stop(signals)
		return nil, fmt.Errorf("start %s: %w", args[0], err)
	}
	go c.forwardSignals(signals)
	go c.reapChildren()
	return c, nil
}

// startChild launches the child with its end of the pipes, and closes that end here.
func (c *Command) startChild(args []string) error {
	child := exec.Command(args[0], args[1:]...)
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	if c.options.Stdin == StdinHeld {
		read, write, err := os.Pipe()
		if err != nil {
			return err
		}
		defer read.Close()
		child.Stdin, c.heldStdin = read, write
	}
	for _, watched := range []struct {
		by     []LineWatcher
		out    *os.File
		stream *io.Writer
	}{{c.options.Stdout, os.Stdout, &child.Stdout}, {c.options.Stderr, os.Stderr, &child.Stderr}} {
		if len(watched.by) == 0 {
			continue
		}
		write, err := c.pipeOutput(watched.out, watched.by)
		if err != nil {
			return err
		}
		defer write.Close()
		*watched.stream = write
	}
	return c.launchProcess(child)
}

// pipeOutput shows what the child writes to the file, and passes it on to out.
func (c *Command) pipeOutput(out *os.File, watchers []LineWatcher) (*os.File, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c.outputCopies.Go(func() { (&lineSplitter{watchers: watchers}).copyOutput(out, read) })
	return write, nil
}

func (c *Command) launchProcess(child *exec.Cmd) error {
	if err := child.Start(); err != nil {
		return err
	}
	c.pid = child.Process.Pid
	return nil
}

func (c *Command) forwardSignals(signals <-chan os.Signal) {
	for s := range signals {
		c.Signal(s.(syscall.Signal))
	}
}

// Signal sends a signal to the command, if it still runs.
func (c *Command) Signal(s syscall.Signal) {
	select {
	case <-c.ended:
	default:
		// It may have gone this instant, and then there is nobody to tell.
		_ = syscall.Kill(c.pid, s)
	}
}

// Ended is closed once the command has ended.
func (c *Command) Ended() <-chan struct{} { return c.ended }

// Wait waits until the command has ended, what it left behind is gone (or has had Options.Linger to go)
// and its output is passed on. It returns the exit code; 128 + n if signal n killed the command.
func (c *Command) Wait() int {
	<-c.ended
	waitAtMost(c.options.Linger, c.childrenGone)
	printed := make(chan struct{})
	go func() {
		c.outputCopies.Wait()
		close(printed)
	}()
	waitAtMost(outputTimeout, printed)
	return c.code
}

func waitAtMost(limit time.Duration, done <-chan struct{}) {
	select {
	case <-done:
	case <-time.After(limit):
	}
}

// reapChildren waits for children, the command and those it orphaned, until there are none.
func (c *Command) reapChildren() {
	defer close(c.childrenGone)
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		if errors.Is(err, syscall.ECHILD) {
			return
		}
		if pid == c.pid {
			c.code = exitCodeFromStatus(status)
			close(c.ended)
		}
	}
}

func exitCodeFromStatus(status syscall.WaitStatus) int {
	if status.Signaled() {
		return 128 + int(status.Signal())
	}
	return status.ExitStatus()
}

// ExitCode is the shell's exit code for an error of Start.
func ExitCode(err error) int {
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return ExitNotFound
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOEXEC):
		return ExitNotRunnable
	}
	return ExitNotRun
}
