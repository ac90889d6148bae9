// Package supervise runs a command as a child of the agent: it passes signals on, watches the command's output, forwards
// connections, injects faults, and says why the command failed.
//
// It reaps every child of the calling process, so the caller must not start processes by other means while a
// command runs.
package supervise

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

// Exit codes for a command that could not be started, by the shell's convention.
const (
	ExitNotRun      = 125
	ExitNotRunnable = 126
	ExitNotFound    = 127
)

// StdinMode selects what a command reads from its standard input.
type StdinMode string

const (
	// StdinNull is /dev/null: the input ends immediately.
	StdinNull StdinMode = "Null"
	// StdinHeld is a pipe that stays open without data, for programs that stop at the end of their input.
	StdinHeld StdinMode = "Held"
)

// outputTimeout bounds the wait for the remaining output of a command that has ended.
const outputTimeout = time.Second

// Options configure a command.
type Options struct {
	Stdin StdinMode
	// NewWatchers returns the watchers of the two outputs, or is nil. It is called before the command starts, and again as soon as a
	// fault has killed it. A LineWatcher in both outputs must be safe for concurrent use.
	NewWatchers func() (stdout, stderr []LineWatcher, err error)
	// Tail receives both outputs, or is nil.
	Tail *Tail
	// Linger bounds the wait for processes that outlive the command.
	Linger time.Duration
}

// Command is a running command. It inherits this process's standard output and standard error.
type Command struct {
	args    []string
	options Options
	// heldStdin is the write end of a held standard input. It is kept open while the command is in use.
	heldStdin *os.File
	// outputCopies counts the running output copies of the last start.
	outputCopies *sync.WaitGroup
	// ended is closed when the command has ended and is not started again, childrenGone when no child is left.
	ended, childrenGone chan struct{}
	code                int
	// stopping is closed when the container is being stopped, by stopSignal.
	stopping   chan struct{}
	stopSignal syscall.Signal

	// mutex orders starts, ends and signals. It protects the following fields.
	mutex sync.Mutex
	// pid is 0 while the command does not run.
	pid int
	// outage is set while a fault keeps the command down.
	outage *outage
}

// forwardedSignals are the signals that this process forwards to the command.
var forwardedSignals = []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2}

// Start runs args and forwards this process's signals to the command from then on. It fails if the command
// cannot be started; ExitCode maps the error to an exit code.
func Start(args []string, options Options) (*Command, error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("become the reaper of orphaned processes: %w", err)
	}
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, forwardedSignals...)
	c := &Command{args: args, options: options, ended: make(chan struct{}), childrenGone: make(chan struct{}), stopping: make(chan struct{})}
	stdout, stderr, err := c.newWatchers()
	if err == nil {
		err = c.startChild(stdout, stderr)
	}
	if err != nil {
		signal.Stop(signals)
		return nil, fmt.Errorf("start %s: %w", args[0], err)
	}
	go c.forwardSignals(signals)
	go c.reapChildren()
	return c, nil
}

func (c *Command) newWatchers() (stdout, stderr []LineWatcher, err error) {
	if c.options.NewWatchers == nil {
		return nil, nil, nil
	}
	return c.options.NewWatchers()
}

// startChild starts the command and closes the child's ends of the pipes in this process.
func (c *Command) startChild(stdout, stderr []LineWatcher) error {
	child := exec.Command(c.args[0], c.args[1:]...)
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	c.outputCopies = new(sync.WaitGroup)
	if c.options.Stdin == StdinHeld {
		read, write, err := os.Pipe()
		if err != nil {
			return err
		}
		defer read.Close()
		c.heldStdin.Close() // Of the last start, if any.
		child.Stdin, c.heldStdin = read, write
	}
	for _, watched := range []struct {
		by     []LineWatcher
		out    *os.File
		stream *io.Writer
	}{{stdout, os.Stdout, &child.Stdout}, {stderr, os.Stderr, &child.Stderr}} {
		if len(watched.by) == 0 && c.options.Tail == nil {
			continue
		}
		write, err := c.pipeOutput(watched.out, watched.by)
		if err != nil {
			return err
		}
		defer write.Close()
		*watched.stream = write
	}
	if err := child.Start(); err != nil {
		return err
	}
	c.pid = child.Process.Pid
	return nil
}

// pipeOutput returns a file for the child's output. What the child writes to it goes to watchers and to out.
func (c *Command) pipeOutput(out *os.File, watchers []LineWatcher) (*os.File, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c.outputCopies.Go(func() { (&lineSplitter{watchers: watchers, tail: c.options.Tail}).copyOutput(out, read) })
	return write, nil
}

func (c *Command) forwardSignals(signals <-chan os.Signal) {
	for s := range signals {
		c.Signal(s.(syscall.Signal))
	}
}

// Signal sends a signal to the command, if it still runs. A signal that stops the container also ends a fault: a paused command
// receives the signal as soon as it is continued, and a killed one is not started again.
func (c *Command) Signal(s syscall.Signal) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if (s == syscall.SIGTERM || s == syscall.SIGINT) && c.stopSignal == 0 {
		c.stopSignal = s
		close(c.stopping)
	}
	if c.pid != 0 {
		// The command may have just ended, so an error is ignored.
		_ = syscall.Kill(c.pid, s)
	}
}

// recordEnd records the exit code. The mutex must be locked.
func (c *Command) recordEnd(code int) {
	c.code = code
	close(c.ended)
}

// Ended returns a channel that is closed once the command has ended.
func (c *Command) Ended() <-chan struct{} { return c.ended }

// Wait waits until the command has ended, then up to Options.Linger for its remaining children and up to
// outputTimeout for its output. It returns the exit code, which is 128 + n if signal n killed the command.
func (c *Command) Wait() int {
	<-c.ended
	waitAtMost(c.options.Linger, c.childrenGone)
	c.awaitOutput()
	return c.code
}

// awaitOutput waits up to outputTimeout for the output of a command that has ended.
func (c *Command) awaitOutput() {
	copies, printed := c.outputCopies, make(chan struct{})
	go func() {
		copies.Wait()
		close(printed)
	}()
	waitAtMost(outputTimeout, printed)
}

func waitAtMost(limit time.Duration, done <-chan struct{}) {
	select {
	case <-done:
	case <-time.After(limit):
	}
}

// reapChildren reaps the command and its orphans until no child is left. During an outage, it waits for the next start.
func (c *Command) reapChildren() {
	defer close(c.childrenGone)
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		if !errors.Is(err, syscall.ECHILD) {
			c.recordExit(pid, status)
			continue
		}
		c.mutex.Lock()
		outage := c.outage
		c.mutex.Unlock()
		if outage == nil {
			return
		}
		close(outage.childless)
		<-outage.over
	}
}

func (c *Command) recordExit(pid int, status syscall.WaitStatus) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if pid != c.pid {
		return
	}
	c.pid = 0
	if c.outage != nil {
		c.outage.status = status
		return
	}
	c.recordEnd(exitCodeFromStatus(status))
}

func exitCodeFromStatus(status syscall.WaitStatus) int {
	if status.Signaled() {
		return 128 + int(status.Signal())
	}
	return status.ExitStatus()
}

// ExitCode returns the shell's exit code for an error of Start.
func ExitCode(err error) int {
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return ExitNotFound
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOEXEC):
		return ExitNotRunnable
	}
	return ExitNotRun
}
