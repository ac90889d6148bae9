// Package steady measures a run until its throughput is known well enough: it says when the window may end, and which part of what was
// recorded then is the window. internal/statistics has the method. All of it is pure, and follows from the workers' reports alone.
package steady

import (
	"fmt"
	"time"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/agent/protocol"
	"github.com/benchnet/benchnet/internal/results"
	"github.com/benchnet/benchnet/internal/statistics"
)

// stopLead is how far ahead of the stop all workers are told of it, at least.
const stopLead = 2 * time.Second

// Policy is when a run without fixed times may end.
func Policy(m *v1alpha1.Measure) statistics.SteadyPolicy {
	return statistics.SteadyPolicy{
		HalfWidth: float64(m.SteadyState.HalfWidthPercent) / 100, Confidence: float64(m.SteadyState.ConfidencePercent) / 100,
		MinWindow: int(m.SteadyState.MinWindow.Seconds()), MaxWarmUp: int(m.WarmUp.Seconds()), MaxWindow: int(m.Window.Seconds()),
	}
}

// Stop is the end of the next interval that lies far enough ahead of now, if what was completed in each second so far is enough;
// false if it is not, or if the run ends by then anyway.
func Stop(completed []float64, policy statistics.SteadyPolicy, window *protocol.Window, now time.Time) (time.Time, bool) {
	if !statistics.Steady(completed, policy).Done {
		return time.Time{}, false
	}
	interval := time.Duration(window.IntervalSeconds()) * time.Second
	passed := now.Add(stopLead).Sub(window.From())
	stop := window.From().Add((passed + interval - 1) / interval * interval)
	return stop, stop.Before(window.To())
}

// Completions are those of each second, added over workers that may have recorded for different times: of as many seconds as all have.
func Completions(series ...[]int64) []float64 {
	var sum []float64
	for i, one := range series {
		if i == 0 {
			sum = make([]float64, len(one))
		}
		sum = sum[:min(len(sum), len(one))]
		for second := range sum {
			sum[second] += float64(one[second])
		}
	}
	return sum
}

// Merge finds the steady part of what the workers of a run recorded in intervals, and puts that part of them together.
func Merge(workers []results.Worker, policy statistics.SteadyPolicy) (*results.Measurement, error) {
	var series [][]int64
	for i := range workers {
		series = append(series, workers[i].CompletedPerSecond)
	}
	total := Completions(series...)
	if len(total) == 0 {
		return results.Merge(workers)
	}
	steady := decide(total, workers[0].IntervalSeconds, policy)
	from, to := steady.WarmUpSeconds, steady.WarmUpSeconds+steady.WindowSeconds
	cut := make([]results.Worker, 0, len(workers))
	for _, w := range workers {
		part, err := w.Cut(from, to)
		if err != nil {
			return nil, fmt.Errorf("result of worker %d: %w", w.Worker, err)
		}
		cut = append(cut, *part)
	}
	m, err := results.Merge(cut)
	if err == nil {
		m.Steady = &steady
	}
	return m, err
}

// decide says which whole intervals of a series are its window.
func decide(total []float64, interval int, policy statistics.SteadyPolicy) results.Steady {
	found := statistics.Steady(total, policy)
	interval = max(1, interval)
	s := results.Steady{Method: found.Method, State: results.Settled, RecordedSeconds: len(total), MeanPerSecond: found.Mean, HalfWidth: found.HalfWidth,
		Wanted: policy.HalfWidth, Confidence: policy.Confidence, Reason: found.Reason}
	from := (found.From + interval - 1) / interval * interval
	to := min(found.To, len(total)) / interval * interval
	switch {
	case !found.Steady || from >= to:
		s.State = results.Unsteady
		to = len(total) / interval * interval
		from = min(policy.MaxWarmUp/interval*interval, to-interval)
	case found.HalfWidth > policy.HalfWidth:
		s.State = results.Wide
	}
	s.WarmUpSeconds, s.WindowSeconds = from, to-from
	return s
}
