package supervise

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// FaultsPath is the path of the faults of a command. POST injects one and answers with a measurement.FaultEffect as JSON. GET only
// checks whether it could be injected now: if not, the effect has a Problem.
const FaultsPath = "/faults"

// Parameters of a fault: its measurement.FaultType, the time from the request to the injection, and its duration.
const (
	typeParameter    = "type"
	afterParameter   = "afterMillis"
	secondsParameter = "seconds"
	roleParameter    = "role"
)

const (
	maxAfterMillis  = 10_000
	maxFaultSeconds = 600
	// checkInterval is the time between two checks that a paused command is stopped.
	checkInterval = time.Second
)

// FaultHandler injects faults into a command. It must get one request at a time.
type FaultHandler struct {
	// ReadRole returns the role of the command in its consensus; nil if it has none.
	ReadRole func(context.Context) (measurement.ConsensusRole, error)

	command atomic.Pointer[Command]
}

// SetCommand sets the command after its start. Until then, each fault has a Problem.
func (h *FaultHandler) SetCommand(c *Command) { h.command.Store(c) }

// ServeHTTP checks or injects a fault. It sends the header of the answer before the fault, so that the caller knows when the seconds
// of the effect began, and the effect after the fault has been healed. If the caller disconnects, the fault is healed at once.
func (h *FaultHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f := fault{command: h.command.Load(), readRole: h.ReadRole, received: time.Now(), kind: measurement.FaultType(r.URL.Query().Get(typeParameter)),
		role: measurement.ConsensusRole(r.URL.Query().Get(roleParameter))}
	if err := f.parseParameters(r); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	control := http.NewResponseController(w)
	if err := errors.Join(control.SetReadDeadline(time.Time{}), control.SetWriteDeadline(time.Time{})); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Connection", "close") // The deadlines hold for the connection.
	w.Header().Set("Content-Type", "application/json")
	_ = control.Flush() // An error means that the client disconnected, here and below.
	var err error
	switch {
	case f.command == nil:
		err = errors.New("the command has not started")
	case r.Method != http.MethodPost:
		if _, err = f.checkInjectable(); err == nil {
			_, err = f.hasRole(r.Context())
		}
	default:
		defer f.command.endOutage() // After the answer, because this process may end then.
		err = f.injectFault(r.Context())
		slog.Info("fault ended", "type", f.kind, "err", err)
	}
	if err != nil {
		f.effect.Problem = err.Error()
	}
	_ = json.NewEncoder(w).Encode(f.effect)
	_ = control.Flush()
}

// fault is a fault of a command, and its effect so far.
type fault struct {
	command         *Command
	received        time.Time
	kind            measurement.FaultType
	role            measurement.ConsensusRole
	readRole        func(context.Context) (measurement.ConsensusRole, error)
	after, duration time.Duration
	effect          measurement.FaultEffect
}

// parseParameters parses the parameters of a request. Only an injection has times.
func (f *fault) parseParameters(r *http.Request) error {
	least := 0
	switch f.kind {
	case measurement.FaultKill:
	case measurement.FaultPause:
		least = 1
	default:
		return fmt.Errorf("%s is %.20q, want %s or %s", typeParameter, f.kind, measurement.FaultKill, measurement.FaultPause)
	}
	if r.Method != http.MethodPost {
		return nil
	}
	millis, err := parseNumber(r, afterParameter, 0, maxAfterMillis)
	if err != nil {
		return err
	}
	seconds, err := parseNumber(r, secondsParameter, least, maxFaultSeconds)
	f.after, f.duration = time.Duration(millis)*time.Millisecond, time.Duration(seconds)*time.Second
	return err
}

func parseNumber(r *http.Request, parameter string, least, most int) (int, error) {
	text := r.URL.Query().Get(parameter)
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%s is %.20q, want a whole number from %d to %d", parameter, text, least, most)
	}
	return n, nil
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
	case f.role == "":
		return true, nil
	case f.readRole == nil:
		return false, errors.New("the agent cannot read the role of this command")
	}
	ctx, cancel := context.WithTimeout(ctx, roleTimeout)
	defer cancel()
	role, err := f.readRole(ctx)
	if err != nil {
		return false, fmt.Errorf("the role of the command is unknown: %w", err)
	}
	if role != f.role {
		f.effect.Skipped = "it was a " + string(role)
	}
	return role == f.role, nil
}

// injectFault injects the fault at its time, and heals it.
func (f *fault) injectFault(ctx context.Context) error {
	if err := f.waitUntil(ctx, f.received.Add(f.after)); err != nil {
		return err
	}
	has, err := f.hasRole(ctx)
	if err != nil { // A replica that starts has no role yet.
		f.effect.Skipped = err.Error()
	}
	if !has {
		return nil
	}
	before, err := f.checkInjectable()
	if err != nil {
		return err
	}
	if f.kind == measurement.FaultKill {
		return f.killCommand(ctx)
	}
	f.effect.Before = f.describeRole() + fmt.Sprintf("%d threads in %d processes", before.threads, len(before.cpuTicks))
	return f.pauseCommand(ctx)
}

// describeRole returns the role of the fault, as the beginning of evidence.
func (f *fault) describeRole() string {
	if f.role == "" {
		return ""
	}
	return string(f.role) + "; "
}

// bracketSince returns the bracket of system calls that began at an instant and have returned.
func (f *fault) bracketSince(began time.Time) *measurement.Bracket {
	return &measurement.Bracket{FromSeconds: began.Sub(f.received).Seconds(), ToSeconds: time.Since(f.received).Seconds()}
}

// pauseCommand stops all processes and continues them after the duration, or at once if something else did.
func (f *fault) pauseCommand(ctx context.Context) error {
	began := time.Now()
	_, err := signalUntil(func(s snapshot) bool { return s.active == 0 }, syscall.SIGSTOP)
	f.effect.Injected = f.bracketSince(began)
	if err == nil {
		err = f.watchPause(ctx, began.Add(f.duration))
	}
	began = time.Now()
	after, continueErr := signalUntil(func(s snapshot) bool { return s.stopped == 0 }, syscall.SIGCONT)
	f.effect.Healed, f.effect.After = f.bracketSince(began), after.describeStopped()
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
				used.Milliseconds(), f.duration/time.Second)
			return nil
		}
	}
}

// killCommand kills all processes and starts the command again. If it does not, it leaves an outage.
func (f *fault) killCommand(ctx context.Context) error {
	outage, killed, err := f.command.beginOutage()
	if err != nil {
		return err
	}
	f.effect.Before = f.describeRole() + killed.String()
	began := time.Now()
	err = killDescendants(outage.childless)
	f.effect.Injected = f.bracketSince(began)
	if err != nil {
		return err
	}
	if outage.status.Signal() != syscall.SIGKILL {
		outage.code = exitCodeFromStatus(outage.status)
		return fmt.Errorf("the command ended with exit code %d before it was killed", outage.code)
	}
	f.effect.During = "ended by signal 9; no process left"
	f.command.awaitOutput() // Else the watchers of the last start might still see its output.
	stdout, stderr, err := f.command.newWatchers()
	if err != nil {
		outage.code = ExitCode(err)
		return err
	}
	waitErr := f.waitUntil(ctx, began.Add(f.duration))
	began = time.Now()
	started, err := f.command.startAgain(stdout, stderr)
	if err != nil {
		return err
	}
	f.effect.Healed, f.effect.After = f.bracketSince(began), started.String()
	if started.startTick <= killed.startTick {
		return cmp.Or(waitErr, errors.New("the command did not start later than the killed one"))
	}
	return waitErr
}

// FaultPath returns the path of the command that checks a fault, or injects it after a delay, with its parameters.
func FaultPath(f measurement.Fault, after time.Duration) string {
	path := fmt.Sprintf("%s?%s=%s&%s=%d&%s=%d", FaultsPath, typeParameter, f.Type, afterParameter, after.Milliseconds(), secondsParameter, f.DurationSeconds)
	if f.Role != "" {
		path += "&" + roleParameter + "=" + string(f.Role)
	}
	return path
}
