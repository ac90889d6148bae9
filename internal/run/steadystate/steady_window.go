// Package steadystate measures a run until its throughput and latency are steady and the throughput is known with sufficient precision. It decides when
// the window may end and which part of the recording is the window. internal/run/statistics implements the
// method. The package is pure: results depend only on the workers' reports.
package steadystate

import (
	"fmt"
	"slices"
	"time"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/run/statistics"
)

// stopNotice is the minimum time between the decision to stop and the stop, so that all workers learn of it.
const stopNotice = 2 * time.Second

// PolicyFor returns the conditions under which a run with a steady-state measure may end.
func PolicyFor(m *v1alpha1.Measure) statistics.SteadyStatePolicy {
	return statistics.SteadyStatePolicy{
		HalfWidth: float64(m.SteadyState.HalfWidthPercent) / 100, Confidence: float64(m.SteadyState.ConfidencePercent) / 100,
		MinWindow: int(m.SteadyState.MinWindow.Seconds()), MaxWarmUp: int(m.WarmUp.Seconds()), MaxWindow: int(m.Window.Seconds()),
	}
}

// FindStopTime returns the end of the next interval that is at least stopNotice after now, if the completions
// so far are sufficient. It returns false if they are not, or if the run ends by then anyway.
func FindStopTime(recorded statistics.RecordedSeries, policy statistics.SteadyStatePolicy, window *protocol.Window, now time.Time) (time.Time, bool) {
	if !statistics.DetectSteadyState(recorded, policy).Done {
		return time.Time{}, false
	}
	interval := time.Duration(window.IntervalSeconds()) * time.Second
	passed := now.Add(stopNotice).Sub(window.From())
	stop := window.From().Add((passed + interval - 1) / interval * interval)
	return stop, stop.Before(window.To())
}

// WorkerSum adds the completions and latencies per second of workers. It covers only the seconds that all workers have
// recorded.
type WorkerSum struct {
	recorded       statistics.RecordedSeries
	workers        int
	latencyUnknown bool
}

// AddWorker adds the completions and the sums of the latencies of a worker. The sum of the latencies is unknown if a
// worker with completions does not report them.
func (s *WorkerSum) AddWorker(completed, latencySums []int64) {
	s.workers++
	if len(latencySums) != len(completed) {
		s.latencyUnknown = s.latencyUnknown || slices.ContainsFunc(completed, func(n int64) bool { return n > 0 })
		latencySums = make([]int64, len(completed))
	}
	if s.workers == 1 {
		s.recorded = statistics.RecordedSeries{Completed: make([]float64, len(completed)), LatencySums: make([]float64, len(completed))}
	}
	s.recorded.Completed = addSeries(s.recorded.Completed, completed)
	s.recorded.LatencySums = addSeries(s.recorded.LatencySums, latencySums)
}

// Recorded returns the sum over the workers so far.
func (s *WorkerSum) Recorded() statistics.RecordedSeries {
	if s.latencyUnknown {
		return statistics.RecordedSeries{Completed: s.recorded.Completed}
	}
	return s.recorded
}

// addSeries adds a series to a sum over the seconds that both have.
func addSeries(sum []float64, one []int64) []float64 {
	sum = sum[:min(len(sum), len(one))]
	for second := range sum {
		sum[second] += float64(one[second])
	}
	return sum
}

// WorkerResultIterator calls yield with the result of each worker of a run in turn. It stops at the first
// error of yield that it does not handle, and returns it.
type WorkerResultIterator func(yield func(*measurement.WorkerResult) error) error

// MergeSteadyWindow finds the steady part of the workers' recordings and merges that part of all workers. It
// iterates over the reports twice, so that it need not keep them in memory.
func MergeSteadyWindow(reports WorkerResultIterator, policy statistics.SteadyStatePolicy) (*measurement.Measurement, error) {
	var total WorkerSum
	interval := 0
	err := reports(func(w *measurement.WorkerResult) error {
		if interval != 0 && w.IntervalSeconds != interval {
			return fmt.Errorf("worker %d recorded in intervals of %d s, another one of %d s", w.Worker, w.IntervalSeconds, interval)
		}
		interval = w.IntervalSeconds
		total.AddWorker(w.CompletedPerSecond, w.LatencyMicrosPerSecond)
		return nil
	})
	if err != nil {
		return nil, err
	}
	merger := measurement.NewMerger()
	if len(total.recorded.Completed) == 0 {
		return merger.Measurement(), nil
	}
	steady := selectWindow(total.Recorded(), interval, policy)
	err = reports(func(w *measurement.WorkerResult) error {
		part, err := w.SliceWindow(steady.WarmUpSeconds, steady.WarmUpSeconds+steady.WindowSeconds)
		if err != nil {
			return fmt.Errorf("result of worker %d: %w", w.Worker, err)
		}
		return merger.AddWorker(part)
	})
	m := merger.Measurement()
	m.WindowSelection = &steady
	return m, err
}

// selectWindow returns which whole intervals of a series are its window.
func selectWindow(total statistics.RecordedSeries, interval int, policy statistics.SteadyStatePolicy) measurement.WindowSelection {
	found := statistics.DetectSteadyState(total, policy)
	interval = max(1, interval)
	s := measurement.WindowSelection{
		Method:          found.Method,
		State:           measurement.SelectionSettled,
		RecordedSeconds: len(total.Completed),
		MeanPerSecond:   found.Mean,
		HalfWidth:       found.HalfWidth,
		TargetHalfWidth: policy.HalfWidth,
		Confidence:      policy.Confidence,
		Reason:          found.Reason,
	}
	from := (found.From + interval - 1) / interval * interval
	to := min(found.To, len(total.Completed)) / interval * interval
	switch {
	case !found.Steady || from >= to:
		s.State = measurement.SelectionUnsteady
		to = len(total.Completed) / interval * interval
		from = min(policy.MaxWarmUp/interval*interval, to-interval)
	case found.HalfWidth > policy.HalfWidth:
		s.State = measurement.SelectionImprecise
	}
	s.WarmUpSeconds, s.WindowSeconds = from, to-from
	return s
}
