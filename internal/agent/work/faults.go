package work

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/benchnet/benchnet/internal/agent/faults"
	"github.com/benchnet/benchnet/internal/agent/observe"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

const (
	// checkAttempts and checkInterval bound the wait for an agent that cannot be reached: network policies admit a new pod after seconds.
	checkAttempts = 30
	checkInterval = time.Second
	// effectTimeout is how long after the end of a fault its agent must have answered.
	effectTimeout = 30 * time.Second
	// restartTimeout bounds the wait for another agent after a fault that ends it: the longest delay of kubelet before a restart. It fits
	// into the time that the deadline of a worker leaves for its setup.
	restartTimeout = 5 * time.Minute
	// restartInterval is the time between two checks for another agent, and restartCheckTimeout bounds one: packets to a pod that is gone
	// get no answer.
	restartInterval     = 250 * time.Millisecond
	restartCheckTimeout = time.Second
)

// Pods ends pods of the network.
type Pods interface {
	// UID returns the UID of the pod with that name.
	UID(ctx context.Context, name string) (string, error)
	// End ends the pod of the fault and returns its UID. With check, it only checks whether it could.
	End(ctx context.Context, f *measurement.Fault, check bool) (uid string, err error)
}

// faultShare returns the faults that this worker injects.
func (w *Worker) faultShare() []measurement.Fault {
	return observe.SelectShare(w.Workload.Faults, w.Index, w.Workers)
}

// checkFaults asks the agents whether the worker's faults can be injected. It fails if one cannot, before the load begins.
func (w *Worker) checkFaults(ctx context.Context) error {
	for _, f := range w.faultShare() {
		effect, err := w.checkFault(ctx, f)
		if err == nil && effect.Problem != "" {
			err = errors.New(effect.Problem)
		}
		if err == nil && f.EndsPod() {
			_, err = w.Pods.End(ctx, &f, true)
		}
		if err != nil {
			return newFailure(1, "fault %s cannot be injected into %s: %v", f.Name, f.Member, err)
		}
	}
	return nil
}

func (w *Worker) checkFault(ctx context.Context, f measurement.Fault) (effect measurement.FaultEffect, err error) {
	for attempt := 1; ; attempt++ {
		effect, err = w.requestFault(ctx, http.MethodGet, f, 0, time.Now())
		if err == nil || attempt == checkAttempts || observe.SleepUntil(ctx, time.Now().Add(checkInterval)) != nil {
			return effect, err
		}
	}
}

// injectFaults has the worker's faults injected at their time and returns what their agents observed. The end of ctx heals those that are
// active and drops the rest.
func (w *Worker) injectFaults(ctx context.Context, window *protocol.Window) []measurement.FaultRecord {
	faults := w.faultShare()
	records := make([]measurement.FaultRecord, len(faults))
	var all sync.WaitGroup
	for i, f := range faults {
		all.Go(func() {
			records[i] = measurement.FaultRecord{Fault: f, FaultEffect: w.injectFault(ctx, window.From(), f)}
		})
	}
	all.Wait()
	return records
}

// injectFault has a fault injected into a window that begins at from.
func (w *Worker) injectFault(ctx context.Context, from time.Time, f measurement.Fault) measurement.FaultEffect {
	at := from.Add(time.Duration(f.AtSeconds) * time.Second)
	if observe.SleepUntil(ctx, at.Add(-protocol.FaultLead)) != nil {
		return measurement.FaultEffect{Problem: "the run ended before the fault"}
	}
	timeout := time.Duration(f.DurationSeconds)*time.Second + effectTimeout
	if f.EndsAgent() {
		timeout += restartTimeout
	}
	ctx, cancel := context.WithDeadline(ctx, at.Add(timeout))
	defer cancel()
	effect, err := w.requestFault(ctx, http.MethodPost, f, max(0, time.Until(at)), from)
	if err != nil {
		slog.Warn("fault not injected", "fault", f.Name, "member", f.Member, "err", err)
		return measurement.FaultEffect{Problem: fmt.Sprintf("the agent did not report the fault: %v", err)}
	}
	if f.EndsAgent() && effect.Problem == "" && effect.Skipped == "" {
		if err := w.followRestart(ctx, from, f, &effect); err != nil {
			effect.Problem = err.Error()
		}
	}
	effect.Instance, effect.Started = "", nil
	return effect
}

// followRestart ends the pod of a fault that ends pods, waits for another agent, and completes the effect, in which the former agent said what
// ran and, if it ended its container, when.
func (w *Worker) followRestart(ctx context.Context, from time.Time, f measurement.Fault, effect *measurement.FaultEffect) (err error) {
	if f.EndsPod() {
		began := secondsSince(from)
		if effect.PodBefore, err = w.Pods.End(ctx, &f, false); err != nil {
			return err
		}
		effect.Injected = &measurement.Bracket{FromSeconds: began, ToSeconds: secondsSince(from)}
		effect.During = "the API server accepted the end of the pod"
	}
	if effect.Injected == nil {
		return errors.New("the agent does not say when it ended the container")
	}
	return w.awaitAgent(ctx, from, f, effect)
}

// awaitAgent waits until another agent runs the command after a fault that ended the agent, and completes the effect.
func (w *Worker) awaitAgent(ctx context.Context, from time.Time, f measurement.Fault, effect *measurement.FaultEffect) error {
	f.Role = "" // It may have none yet.
	for before, silent := effect.Injected.ToSeconds, 0; ; {
		asked := secondsSince(from)
		once, cancel := context.WithTimeout(ctx, restartCheckTimeout)
		now, err := w.requestFault(once, http.MethodGet, f, 0, from)
		cancel()
		if err != nil {
			silent++
		}
		if err == nil && now.Problem == "" && now.Instance != effect.Instance {
			effect.Healed = &measurement.Bracket{FromSeconds: before, ToSeconds: secondsSince(from)}
			effect.During += fmt.Sprintf("; %d checks without an answer", silent)
			return w.proveRestart(ctx, &f, effect, &now)
		}
		before = asked
		if observe.SleepUntil(ctx, time.Now().Add(restartInterval)) != nil {
			return fmt.Errorf("no other agent has run the command since: %d checks without an answer", silent)
		}
	}
}

// proveRestart adds to the effect what runs now. It fails if that is not younger than the fault.
func (w *Worker) proveRestart(ctx context.Context, f *measurement.Fault, effect, now *measurement.FaultEffect) (err error) {
	if now.Started == nil || now.Started.ToSeconds < effect.Injected.FromSeconds {
		return errors.New("another agent answers, which did not start after the fault")
	}
	effect.Before = fmt.Sprintf("agent %s; %s", effect.Instance, effect.Before)
	effect.After = fmt.Sprintf("agent %s, started at second %.1f; %s", now.Instance, now.Started.ToSeconds, now.Before)
	if !f.EndsPod() {
		return nil
	}
	if effect.PodAfter, err = w.Pods.UID(ctx, f.Pod); err == nil && effect.PodAfter == effect.PodBefore {
		err = errors.New("the pod was not replaced")
	}
	return err
}

// secondsSince returns the time since an instant, exact to a millisecond.
func secondsSince(from time.Time) float64 { return time.Since(from).Round(time.Millisecond).Seconds() }

// requestFault sends a fault to its agent and returns the effect, with times since the origin.
func (w *Worker) requestFault(
	ctx context.Context, method string, f measurement.Fault, after time.Duration, origin time.Time,
) (measurement.FaultEffect, error) {
	i := slices.IndexFunc(w.Workload.Observe, func(o protocol.ObservedEndpoint) bool {
		return o.Member == f.Member && o.Kind == f.Kind && o.CommandsURL != ""
	})
	if i < 0 {
		return measurement.FaultEffect{}, fmt.Errorf("%s has no agent", f.Member)
	}
	return faults.Send(ctx, method, w.Workload.Observe[i].CommandsURL, w.CommandsToken, f, after, origin)
}
