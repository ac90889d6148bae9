// Package steadystate measures a run until its throughput is known with sufficient precision. It decides when
// the window may end and which part of the recording is the window. internal/run/statistics implements the
// method. The package is pure: results depend only on the workers' reports.
package steadystate

import (
	"fmt"
	"time"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/run/results"
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
func FindStopTime(completed []float64, policy statistics.SteadyStatePolicy, window *protocol.Window, now time.Time) (time.Time, bool) {
	if !statistics.DetectSteadyState(completed, policy).Done {
		return time.Time{}, false
	}
	interval := time.Duration(window.IntervalSeconds()) * time.Second
	passed := now.Add(stopNotice).Sub(window.From())
	stop := window.From().Add((passed + interval - 1) / interval * interval)
	return stop, stop.Before(window.To())
}

// SumCompletions adds the completions per second of all workers. The sum covers only the seconds that all
// workers have recorded.
func SumCompletions(series ...[]int64) []float64 {
	var sum []float64
	for i, one := range series {
		if i == 0 {
			sum = make([]float64, len(one))
		}
		sum = addCompletions(sum, one)
	}
	return sum
}

// addCompletions adds a series to a sum over the seconds that both have.
func addCompletions(sum []float64, one []int64) []float64 {
	sum = sum[:min(len(sum), len(one))]
	for second := range sum {
		sum[second] += float64(one[second])
	}
	return sum
}

// WorkerResultIterator calls yield with the result of each worker of a run in turn. It stops at the first
// error of yield that it does not handle, and returns it.
type WorkerResultIterator func(yield func(*results.WorkerResult) error) error

// MergeSteadyWindow finds the steady part of the workers' recordings and merges that part of all workers. It
// iterates over the reports twice, so that it need not keep them in memory.
func MergeSteadyWindow(reports WorkerResultIterator, policy statistics.SteadyStatePolicy) (*results.Measurement, error) {
	var total []float64
	interval := 0
	err := reports(func(w *results.WorkerResult) error {
		if interval != 0 && w.IntervalSeconds != interval {
			return fmt.Errorf("worker %d recorded in intervals of %d s, another one of %d s", w.Worker, w.IntervalSeconds, interval)
		}
		if interval == 0 {
			interval, total = w.IntervalSeconds, SumCompletions(w.CompletedPerSecond)
			return nil
		}
		total = addCompletions(total, w.CompletedPerSecond)
		return nil
	})
	if err != nil {
		return nil, err
	}
	merger := results.NewMerger()
	if len(total) == 0 {
		return merger.Measurement(), nil
	}
	steady := selectWindow(total, interval, policy)
	err = reports(func(w *results.WorkerResult) error {
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
func selectWindow(total []float64, interval int, policy statistics.SteadyStatePolicy) results.WindowSelection {
	found := statistics.DetectSteadyState(total, policy)
	interval = max(1, interval)
	s := results.WindowSelection{
		Method:          found.Method,
		State:           results.SelectionSettled,
		RecordedSeconds: len(total),
		MeanPerSecond:   found.Mean,
		HalfWidth:       found.HalfWidth,
		TargetHalfWidth: policy.HalfWidth,
		Confidence:      policy.Confidence,
		Reason:          found.Reason,
	}
	from := (found.From + interval - 1) / interval * interval
	to := min(found.To, len(total)) / interval * interval
	switch {
	case !found.Steady || from >= to:
		s.State = results.SelectionUnsteady
		to = len(total) / interval * interval
		from = min(policy.MaxWarmUp/interval*interval, to-interval)
	case found.HalfWidth > policy.HalfWidth:
		s.State = results.SelectionImprecise
	}
	s.WarmUpSeconds, s.WindowSeconds = from, to-from
	return s
}
