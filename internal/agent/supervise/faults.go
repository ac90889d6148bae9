package supervise

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/benchnet/benchnet/internal/agent/container"
	"github.com/benchnet/benchnet/internal/agent/faults"
	"github.com/benchnet/benchnet/internal/network/latency"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// checkInterval is the time between two checks that a paused command is stopped.
const checkInterval = time.Second

// ObservedRole is a role in a consensus with the text that showed it.
type ObservedRole struct {
	Role   measurement.ConsensusRole
	Source string
}

// FaultHandler injects faults into a command. It must get one request at a time.
type FaultHandler struct {
	// ReadRole returns the role of the command in its consensus, that of a proposer when its next turn begins; nil if it has none.
	ReadRole func(context.Context) (ObservedRole, error)
	// Volume is the folder at which the volume of the container is mounted; empty for none.
	Volume string

	command atomic.Pointer[Command]
}

// SetCommand sets the command after its start. Until then, each fault has a Problem.
func (h *FaultHandler) SetCommand(c *Command) { h.command.Store(c) }

// sidecarURL is the base URL at which the sidecar of the pod takes faults of the network.
var sidecarURL = fmt.Sprintf("http://127.0.0.1:%d", latency.FaultsPort)

// faultTypes are the types of faults that an agent injects, or has the sidecar of its pod inject.
var faultTypes = []measurement.FaultType{measurement.FaultKill, measurement.FaultPause, measurement.FaultPartition, measurement.FaultLink,
	measurement.FaultPressure, measurement.FaultFillDisk, measurement.FaultSlowDatabase, measurement.FaultEvict}

// agentInstance identifies this agent among those that follow each other in a container or in a member's pods.
var agentInstance, agentStarted = rand.Text()[:8], time.Now()

// ServeHTTP checks or injects a fault, as Serve of package faults describes. If the caller disconnects, the fault is healed at once.
func (h *FaultHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	command := h.command.Load()
	faults.Serve(w, r, faultTypes, h.injectFault)
	if command != nil && r.Method == http.MethodPost {
		command.endOutage() // After the answer, because this process may end then.
	}
}

// injectFault injects a fault, or checks whether it could be, and returns its effect.
func (h *FaultHandler) injectFault(ctx context.Context, request *faults.Request) measurement.FaultEffect {
	f := fault{Request: request, command: h.command.Load(), readRole: h.ReadRole}
	var err error
	switch f.Type {
	case measurement.FaultPressure:
		f.pressure, err = openPressure(f.Pressure, container.Open)
	case measurement.FaultFillDisk:
		if f.fill, err = openFill(f.FillDisk, h.Volume, "/proc/self/mountinfo"); err == nil {
			defer f.fill.file.Close()
		}
	}
	switch {
	case err != nil:
	case f.command == nil:
		err = errors.New("the command has not started")
	case request.IsCheck:
		err = f.checkFault(ctx)
	default:
		err = f.injectAtTime(ctx)
		slog.Info("fault ended", "type", f.Type, "err", err)
	}
	if err != nil {
		f.effect.Problem = err.Error()
	}
	if request.EndsAgent() {
		began := agentStarted.Sub(request.Received).Seconds()
		f.effect.Instance, f.effect.Started = agentInstance, &measurement.Bracket{FromSeconds: began, ToSeconds: began}
	}
	return f.effect
}

// fault is a fault of a command, and its effect so far.
type fault struct {
	*faults.Request
	command  *Command
	readRole func(context.Context) (ObservedRole, error)
	// role is the role of the command directly before the fault, and roleRead when it was read.
	role     ObservedRole
	roleRead time.Time
	// pressure is that of a fault of its type.
	pressure *pressure
	// fill is that of a fault of type FillDisk.
	fill   *diskFill
	effect measurement.FaultEffect
}

// waitUntil waits for an instant of the fault. It fails if the fault must end before.
func (f *fault) waitUntil(ctx context.Context, instant time.Time) error {
	select {
	case <-ctx.Done():
		return errors.New("the caller disconnected")
	case <-f.command.stopping:
	case <-f.command.ended:
	case <-time.After(time.Until(instant)):
	}
	return f.command.checkRuns()
}

// checkInjectable fails if the fault cannot be injected now. It returns what runs.
func (f *fault) checkInjectable() (snapshot, error) {
	s := takeSnapshot()
	switch err := f.command.checkRuns(); {
	case err != nil:
		return s, err
	case s.threads == 0:
		return s, errEnded
	case s.stopped > 0:
		return s, fmt.Errorf("%s before the fault", s.describeStopped())
	}
	return s, signalDescendants(0)
}

// roleTimeout bounds the reading of the role directly before a fault.
const roleTimeout = 900 * time.Millisecond

// hasRole reports whether the command has the role of the fault, if it has one. Else the effect says why the fault skips it.
func (f *fault) hasRole(ctx context.Context) (bool, error) {
	switch {
	case f.Role == "":
		return true, nil
	case f.readRole == nil:
		return false, errors.New("the agent cannot read the role of this command")
	}
	timeout := roleTimeout
	if f.Role == measurement.RoleProposer && !f.IsCheck {
		timeout = measurement.MaxTurnWait
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var err error
	f.role, err = f.readRole(ctx)
	f.roleRead = time.Now()
	switch {
	case f.Role == measurement.RoleProposer && f.IsCheck && errors.Is(err, context.DeadlineExceeded):
		return true, nil // It answers, but its turn has not begun.
	case err != nil:
		return false, fmt.Errorf("the role of the command is unknown: %w", err)
	case f.role.Role != f.Role:
		f.effect.Skipped = fmt.Sprintf("it was a %s (%s)", f.role.Role, f.role.Source)
	}
	return f.role.Role == f.Role, nil
}

// checkFault fails if the fault cannot be injected now.
func (f *fault) checkFault(ctx context.Context) error {
	now, err := f.checkInjectable()
	if err != nil {
		return err
	}
	if f.EndsAgent() {
		f.effect.Before = now.describeThreads()
	}
	switch f.Type {
	case measurement.FaultPartition, measurement.FaultLink:
		if err := f.forwardToSidecar(ctx, http.MethodGet); err != nil {
			return err
		}
	}
	_, err = f.hasRole(ctx)
	return err
}

// injectAtTime injects the fault at its time, and heals it.
func (f *fault) injectAtTime(ctx context.Context) error {
	if err := f.waitUntil(ctx, f.Received.Add(f.After)); err != nil {
		return err
	}
	has, err := f.hasRole(ctx)
	if err != nil && f.Role != measurement.RoleProposer { // A replica that starts has no role yet.
		f.effect.Skipped, err = err.Error(), nil
	}
	if !has {
		return err
	}
	before, err := f.checkInjectable()
	if err != nil {
		return err
	}
	defer func() { f.effect.Before = f.describeRole() + f.effect.Before }()
	if f.EndsPod() { // The worker ends the pod after this answer.
		f.effect.Before = before.describeThreads()
		return nil
	}
	switch f.Type {
	case measurement.FaultKill:
		return f.killCommand(ctx)
	case measurement.FaultPartition, measurement.FaultLink:
		return f.forwardToSidecar(ctx, http.MethodPost)
	case measurement.FaultPressure:
		return f.pressContainer(ctx)
	case measurement.FaultFillDisk:
		return f.fillDisk(ctx)
	}
	f.effect.Before = before.describeThreads()
	if f.Type == measurement.FaultSlowDatabase {
		return f.slowCommand(ctx)
	}
	return f.pauseCommand(ctx, f.Duration())
}

// describeRole returns the role of the fault, how long before the injection it was read, and from what, as the beginning of evidence.
func (f *fault) describeRole() string {
	switch {
	case f.Role == "":
		return ""
	case f.effect.Injected == nil: // The agent has not injected it: the worker ends pods.
		return fmt.Sprintf("%s (%s); ", f.Role, f.role.Source)
	}
	age := f.effect.Injected.FromSeconds - f.roleRead.Sub(f.Received).Seconds()
	return fmt.Sprintf("%s %.0f ms before (%s); ", f.Role, 1000*age, f.role.Source)
}

// forwardToSidecar has the sidecar of the pod inject the fault, or check it.
func (f *fault) forwardToSidecar(ctx context.Context, method string) error {
	effect, err := faults.Send(ctx, method, sidecarURL, f.Token, f.Fault, 0, f.Received)
	if err != nil {
		return fmt.Errorf("the sidecar %s did not answer: %w", latency.SidecarContainer, err)
	}
	f.effect = effect
	if effect.Problem != "" {
		return errors.New(effect.Problem)
	}
	return nil
}

// pauseCommand stops all processes and continues them after a time, or at once if something else did.
func (f *fault) pauseCommand(ctx context.Context, pause time.Duration) error {
	began := time.Now()
	_, err := signalUntil(func(s snapshot) bool { return s.active == 0 }, syscall.SIGSTOP)
	f.effect.Injected = f.BracketSince(began)
	if err == nil {
		err = f.watchPause(ctx, began.Add(pause))
	}
	began = time.Now()
	after, continueErr := signalUntil(func(s snapshot) bool { return s.stopped == 0 }, syscall.SIGCONT)
	f.effect.Healed, f.effect.After = f.BracketSince(began), after.describeStopped()
	return cmp.Or(err, continueErr)
}

// watchPause checks until an instant that all processes are stopped.
func (f *fault) watchPause(ctx context.Context, end time.Time) error {
	began, base := time.Now(), takeSnapshot()
	for second := 1; ; second++ {
		next := began.Add(time.Duration(second) * checkInterval)
		isLast := next.After(end)
		if isLast {
			next = end
		}
		if err := f.waitUntil(ctx, next); err != nil {
			return err
		}
		now := takeSnapshot()
		used, err := now.checkPaused(base)
		if err != nil {
			return fmt.Errorf("%w at second %d: something continued it", err, second)
		}
		if isLast {
			f.effect.During = fmt.Sprintf("%d of %d threads stopped, %d ms of CPU time in %d s", now.stopped+now.blocked, now.threads,
				used.Milliseconds(), f.DurationSeconds)
			return nil
		}
	}
}

// killCommand kills all processes and starts the command again. If it does not, as in a kill of the container, it leaves an outage, whose
// end is that of the agent.
func (f *fault) killCommand(ctx context.Context) error {
	outage, killed, err := f.command.beginOutage()
	if err != nil {
		return err
	}
	f.effect.Before = killed.String()
	began := time.Now()
	err = killDescendants(outage.childless)
	f.effect.Injected = f.BracketSince(began)
	if err != nil {
		return err
	}
	if outage.status.Signal() != syscall.SIGKILL {
		outage.code = exitCodeFromStatus(outage.status)
		return fmt.Errorf("the command ended with exit code %d before it was killed", outage.code)
	}
	f.effect.During = "ended by signal 9; no process left"
	if f.Kill == measurement.KillContainer {
		return nil
	}
	f.command.awaitOutput() // Else the watchers of the last start might still see its output.
	stdout, stderr, err := f.command.newWatchers()
	if err != nil {
		outage.code = ExitCode(err)
		return err
	}
	waitErr := f.waitUntil(ctx, began.Add(f.Duration()))
	began = time.Now()
	started, err := f.command.startAgain(stdout, stderr)
	if err != nil {
		return err
	}
	f.effect.Healed, f.effect.After = f.BracketSince(began), started.String()
	if started.startTick <= killed.startTick {
		return cmp.Or(waitErr, errors.New("the command did not start later than the killed one"))
	}
	return waitErr
}
