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
)

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
	ctx, cancel := context.WithDeadline(ctx, at.Add(time.Duration(f.DurationSeconds)*time.Second+effectTimeout))
	defer cancel()
	effect, err := w.requestFault(ctx, http.MethodPost, f, max(0, time.Until(at)), from)
	if err != nil {
		slog.Warn("fault not injected", "fault", f.Name, "member", f.Member, "err", err)
		return measurement.FaultEffect{Problem: fmt.Sprintf("the agent did not report the fault: %v", err)}
	}
	return effect
}

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
