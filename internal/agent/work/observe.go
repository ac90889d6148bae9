package work

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"github.com/benchnet/benchnet/internal/agent/calibrate"
	"github.com/benchnet/benchnet/internal/agent/container"
	"github.com/benchnet/benchnet/internal/agent/observe"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// workerObservation holds the agent's measurements of the window.
type workerObservation struct {
	observe.Observation
	// machines describe the hosts of the observed members.
	machines map[string]*measurement.Machine
	ownLoad  *measurement.WorkerUsage
	faults   []measurement.FaultRecord
	clock    *measurement.WorkerClock
}

// addObservation cuts the worker's result to the final window and adds the agent's observation. The unit
// defaults to the workload's.
func (w *Worker) addObservation(window *protocol.Window, seen workerObservation, r *measurement.WorkerResult) (*measurement.WorkerResult, error) {
	r, err := r.SliceWindow(0, window.Seconds())
	if err != nil {
		return nil, err
	}
	r.Members, r.Load, r.Clock, r.Calibration, r.Faults = seen.Members, seen.ownLoad, seen.clock, w.calibration, seen.faults
	for i := range r.Members {
		if clock := r.Members[i].Clock; clock != nil {
			clock.Worker = w.Index
		}
		r.Members[i].Machine = seen.machines[r.Members[i].Member]
	}
	r.Series = append(r.Series, seen.Series...)
	r.Unit = cmp.Or(r.Unit, w.Workload.Unit)
	return r, nil
}

// startObserving observes the worker's share of the members and its own container during the window, and injects its share of the faults.
// The channel receives the observation when the window or ctx ends.
func (w *Worker) startObserving(ctx context.Context, window *protocol.Window) <-chan workerObservation {
	done := make(chan workerObservation, 1)
	go func() {
		own, clock := make(chan *measurement.WorkerUsage, 1), make(chan *measurement.WorkerClock, 1)
		go func() { clock <- w.compareClock(ctx, window) }()
		go func() { own <- w.measureOwnLoad(ctx, window) }()
		share := observe.SelectShare(w.Workload.Observe, w.Index, w.Workers)
		machines := make(chan map[string]*measurement.Machine, 1)
		go func() { machines <- observe.DescribeMachines(ctx, w.CommandsToken, share) }()
		faults := make(chan []measurement.FaultRecord, 1)
		go func() { faults <- w.injectFaults(ctx, window) }()
		seen := observe.Observe(ctx, share, window, w.Scrape)
		done <- workerObservation{seen, <-machines, <-own, <-faults, <-clock}
	}()
	return done
}

// calibrationMargin is the time between the end of a calibration and the start. The driver needs it to see the start.
const calibrationMargin = time.Second

// calibratePods measures this container and the worker's share of the members before the load starts, if the run has a
// calibration. It ends calibrationMargin before the start in any case.
func (w *Worker) calibratePods(ctx context.Context, start time.Time) {
	duration := w.Workload.Measure.CalibrationDuration()
	if duration == 0 {
		return
	}
	ctx, cancel := context.WithDeadlineCause(ctx, start.Add(-calibrationMargin), calibrate.ErrTooLate)
	defer cancel()
	share := observe.SelectShare(w.Workload.Observe, w.Index, w.Workers)
	w.calibration = calibrate.Run(ctx, duration, measurement.WorkerSubject(w.Index), w.CommandsToken, share)
}

// compareClock compares the worker's clock with that of the reference now and at the end of the window. It returns
// nil if no member answers now.
func (w *Worker) compareClock(ctx context.Context, window *protocol.Window) *measurement.WorkerClock {
	reference, before := observe.CompareWithReference(ctx, w.Workload.Observe, w.Now, w.Scrape)
	if before == nil {
		return nil
	}
	clock := &measurement.WorkerClock{Reference: reference.Member, Before: before}
	if window.WaitUntilClosed(ctx) == nil {
		clock.After = observe.CompareClock(ctx, reference, w.Now, w.Scrape)
	}
	return clock
}

// measureOwnLoad returns the usage of the worker's own container during the window, or nil if it cannot be read.
func (w *Worker) measureOwnLoad(ctx context.Context, window *protocol.Window) *measurement.WorkerUsage {
	before, err1 := w.sampleContainerAt(ctx, window.From())
	err2 := window.WaitUntilClosed(ctx)
	after, err3 := observe.SampleContainer(w.OwnUsage)
	if err := errors.Join(err1, err2, err3); err != nil {
		slog.Warn("CPU usage of the worker is unknown", "err", err)
		return nil
	}
	load := observe.LoadBetween(before, after)
	load.Seconds = window.Seconds()
	load.Machine = new(container.MachineReader{Root: "/"}.Read())
	return load
}

func (w *Worker) sampleContainerAt(ctx context.Context, instant time.Time) (observe.ContainerSample, error) {
	if err := observe.SleepUntil(ctx, instant); err != nil {
		return observe.ContainerSample{}, err
	}
	return observe.SampleContainer(w.OwnUsage)
}

// forwardProgress reports the driver's progress to the API server from the start of the load until ctx ends, so that
// reports fall on the steps of protocol.RecentLoad.
func (w *Worker) forwardProgress(ctx context.Context) {
	if observe.SleepUntil(ctx, w.window.Load().LoadStart()) != nil {
		return
	}
	last := ""
	for ticks := time.NewTicker(progressInterval); ; {
		select {
		case <-ctx.Done():
			ticks.Stop()
			return
		case <-ticks.C:
			last = w.reportProgress(ctx, last)
		}
	}
}

// reportProgress reports the driver's progress if it differs from last. It returns the last reported progress.
func (w *Worker) reportProgress(ctx context.Context, last string) string {
	progress, err := w.readProgress()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return last
	case err != nil:
		slog.Warn("progress of the driver is unreadable", "err", err)
		return last
	}
	// Prometheus scrapes the totals. The operator needs only the recent steps.
	progress.Recent, progress.Totals = w.recentSteps(progress.Totals, time.Now()), nil
	if !w.Workload.Measure.StopsEarly {
		progress.CompletedPerSecond, progress.LatencyMicrosPerSecond = nil, nil
	}
	text, err := json.Marshal(progress)
	if err != nil || string(text) == last {
		return last
	}
	if err := w.Reporter.WriteProgress(ctx, string(text)); err != nil {
		slog.Warn("progress not reported", "err", err)
		return last
	}
	return string(text)
}

// recentSteps returns the recent steps of the load, with the one that ends now if totals are not nil.
func (w *Worker) recentSteps(totals *protocol.LoadTotals, now time.Time) []protocol.RecentLoad {
	w.recentLock.Lock()
	defer w.recentLock.Unlock()
	if window := w.window.Load(); window != nil && totals != nil {
		w.recent.addTotals(now.Sub(window.LoadStart()), totals)
	}
	return w.recent.steps
}

// readProgress returns the driver's latest progress. It drops and logs invalid totals.
func (w *Worker) readProgress() (protocol.Progress, error) {
	var p protocol.Progress
	content, err := os.ReadFile(w.filePath(protocol.ProgressFile))
	if err != nil {
		return p, fmt.Errorf("read progress: %w", err)
	}
	if err := json.Unmarshal(content, &p); err != nil {
		return p, fmt.Errorf("%s: %w", protocol.ProgressFile, err)
	}
	if p.Totals != nil {
		if err := p.Totals.Validate(); err != nil {
			p.Totals = nil
			w.logInvalidTotals.Do(func() { slog.Warn("load has no metrics", "file", protocol.ProgressFile, "err", err) })
		}
	}
	return p, nil
}
