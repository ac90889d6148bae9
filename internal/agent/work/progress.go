package work

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/benchnet/benchnet/internal/agent/files"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// elapsedSeconds returns the whole seconds of the window that have passed.
func elapsedSeconds(now time.Time, window *protocol.Window) int {
	return int(min(now.Sub(window.From()), window.To().Sub(window.From())) / time.Second)
}

// writeProgress writes progress.json for a worker without a protocol driver: the completions of the warm-up or,
// from the start of the window, of each second so far; and the totals of both.
func (w *Worker) writeProgress(now time.Time, window *protocol.Window, warmUp int64, past measurement.PerSecond, totals *protocol.LoadTotals) error {
	if now.Before(window.LoadStart()) {
		return nil
	}
	p := protocol.Progress{Phase: protocol.PhaseWarmUp, Completed: warmUp, ElapsedSeconds: now.Sub(window.LoadStart()).Seconds()}
	if !now.Before(window.From()) {
		p = protocol.Progress{Phase: protocol.PhaseWindow, ElapsedSeconds: min(now.Sub(window.From()).Seconds(), float64(window.Seconds()))}
		for _, n := range past.Completed {
			p.Completed += n
		}
		if window.StopsEarly() {
			p.CompletedPerSecond, p.LatencyMicrosPerSecond = past.Completed, past.LatencyMicros
		}
	}
	if !now.Before(window.To()) {
		p.Phase = protocol.PhaseDrain
	}
	if p.ElapsedSeconds > 0 {
		p.Throughput = float64(p.Completed) / p.ElapsedSeconds
	}
	p.Totals = totals
	text, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("encode progress: %w", err)
	}
	return files.WriteAtomic(w.filePath(protocol.ProgressFile), text, 0o644)
}

// recentLoad divides the load of a worker into steps.
type recentLoad struct {
	steps []protocol.RecentLoad
	// totals holds the totals at the end of the last step; nil before the first.
	totals *protocol.LoadTotals
}

// addTotals adds the step that ends at the multiple of protocol.RecentStep that is nearest to elapsed, the time since the
// start of the load. It adds none if that step exists, and removes the oldest beyond protocol.MaxRecent.
func (r *recentLoad) addTotals(elapsed time.Duration, totals *protocol.LoadTotals) {
	end := int32(elapsed.Round(protocol.RecentStep) / time.Second)
	if end <= 0 || len(r.steps) > 0 && end <= r.steps[len(r.steps)-1].Seconds {
		return
	}
	if r.totals == nil {
		r.totals = protocol.NewLoadTotals()
	}
	step := totals.Since(r.totals)
	r.totals = totals
	r.steps = append(r.steps, protocol.RecentLoad{Seconds: end, Completed: step.Completed(), P95Micros: step.QuantileMicros(0.95)})
	r.steps = slices.Clone(r.steps[max(0, len(r.steps)-protocol.MaxRecent):])
}
