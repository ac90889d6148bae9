package work

import (
	"encoding/json"
	"fmt"
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
