package supervise

import (
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// outage is the time between the kill of a command by a fault and its next start.
type outage struct {
	// status is how the command ended. It is valid when childless is closed.
	status syscall.WaitStatus
	// childless is closed when no child is left, over when the outage is.
	childless, over chan struct{}
	// code is the exit code if the command is not started again.
	code int
}

// checkRuns returns an error unless the command runs and the container is not stopping.
func (c *Command) checkRuns() error {
	select {
	case <-c.stopping:
		return fmt.Errorf("the agent received %s", unix.SignalName(c.stopSignal))
	case <-c.ended:
		return errEnded
	default:
		return nil
	}
}

var errEnded = errors.New("the command has ended")

// beginOutage makes the end of the command the begin of an outage, and returns the process that must be killed.
func (c *Command) beginOutage() (*outage, process, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if err := c.checkRuns(); err != nil {
		return nil, process{}, err
	}
	c.outage = &outage{childless: make(chan struct{}), over: make(chan struct{}), code: exitKilled}
	killed, _ := readStat(c.pid)
	return c.outage, killed, nil
}

// startAgain starts the command again after an outage in which all children have ended. It fails if the container is stopping.
func (c *Command) startAgain(stdout, stderr []LineWatcher) (process, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if err := c.checkRuns(); err != nil {
		c.outage.code = 128 + int(c.stopSignal)
		return process{}, err
	}
	if err := c.startChild(stdout, stderr); err != nil {
		c.outage.code = ExitCode(err)
		return process{}, fmt.Errorf("start %s again: %w", c.args[0], err)
	}
	started, _ := readStat(c.pid)
	close(c.outage.over)
	c.outage = nil
	return started, nil
}

// endOutage ends the command if a fault left it down.
func (c *Command) endOutage() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.outage == nil {
		return
	}
	c.recordEnd(c.outage.code)
	close(c.outage.over)
	c.outage = nil
}
