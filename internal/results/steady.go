package results

import (
	"fmt"

	"github.com/benchnet/benchnet/internal/statistics"
)

// Steady is what automatic measurement decided: which part of all that was recorded is the window, and why.
type Steady struct {
	// Method in short, such as "MSER-5, 12 batch means of 5 s".
	Method string `json:"method"`
	// State of the throughput over the window.
	State SteadyState `json:"state"`
	// WarmUpSeconds were cut off at the front, WindowSeconds are measured, and RecordedSeconds were recorded in all.
	WarmUpSeconds   int `json:"warmUpSeconds"`
	WindowSeconds   int `json:"windowSeconds"`
	RecordedSeconds int `json:"recordedSeconds"`
	// MeanPerSecond is the mean throughput, and HalfWidth half the width of its confidence interval as a share of it.
	MeanPerSecond float64 `json:"meanPerSecond"`
	HalfWidth     float64 `json:"halfWidth"`
	// Wanted is the half-width that was asked for, at a Confidence, both 0 to 1.
	Wanted     float64 `json:"wantedHalfWidth"`
	Confidence float64 `json:"confidence"`
	// Reason for people.
	Reason string `json:"reason"`
}

// SteadyState says how far the throughput had settled.
type SteadyState string

// The states.
const (
	// Settled: steady, and known as well as was asked for.
	Settled SteadyState = "Settled"
	// Wide: steady, but known less well than was asked for when the longest window was over.
	Wide SteadyState = "Wide"
	// Unsteady: it had not settled when the longest window was over. The window is then what it would be with fixed times.
	Unsteady SteadyState = "Unsteady"
)

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

// MergeSteady finds the steady part of what the workers of a run recorded in intervals, and puts that part of them together.
func MergeSteady(workers []Worker, policy statistics.SteadyPolicy) (*Measurement, error) {
	var series [][]int64
	for i := range workers {
		if err := workers[i].check(); err != nil {
			return nil, fmt.Errorf("result of worker %d: %w", workers[i].Worker, err)
		}
		series = append(series, workers[i].CompletedPerSecond)
	}
	total := Completions(series...)
	if len(total) == 0 {
		return Merge(workers)
	}
	steady := decide(total, workers[0].IntervalSeconds, policy)
	from, to := steady.WarmUpSeconds, steady.WarmUpSeconds+steady.WindowSeconds
	cut := make([]Worker, 0, len(workers))
	for _, w := range workers {
		part, err := w.Cut(from, to)
		if err != nil {
			return nil, fmt.Errorf("result of worker %d: %w", w.Worker, err)
		}
		cut = append(cut, *part)
	}
	m, err := Merge(cut)
	if err == nil {
		m.Steady = &steady
	}
	return m, err
}

// decide says which whole intervals of a series are its window.
func decide(total []float64, interval int, policy statistics.SteadyPolicy) Steady {
	found := statistics.Steady(total, policy)
	interval = max(1, interval)
	s := Steady{Method: found.Method, State: Settled, RecordedSeconds: len(total), MeanPerSecond: found.Mean, HalfWidth: found.HalfWidth,
		Wanted: policy.HalfWidth, Confidence: policy.Confidence, Reason: found.Reason}
	from := (found.From + interval - 1) / interval * interval
	to := min(found.To, len(total)) / interval * interval
	switch {
	case !found.Steady || from >= to:
		s.State = Unsteady
		to = len(total) / interval * interval
		from = min(policy.MaxWarmUp/interval*interval, to-interval)
	case found.HalfWidth > policy.HalfWidth:
		s.State = Wide
	}
	s.WarmUpSeconds, s.WindowSeconds = from, to-from
	return s
}

// steady is a finding only where the times were not fixed.
func (j *judge) steady() {
	s := j.m.Steady
	switch {
	case s == nil:
	case s.State == Unsteady:
		j.invalid(NotSteady, "", s.HalfWidth, s.Wanted, "%s; %d s were recorded", s.Reason, s.RecordedSeconds)
	case s.State == Wide:
		j.note(IntervalWide, "", s.HalfWidth, s.Wanted,
			"the mean throughput is known to ± %s at %s confidence when the longest window is over, asked for were ± %s",
			percent(s.HalfWidth), percent(s.Confidence), percent(s.Wanted))
	}
}

// Sentence tells people what was decided.
func (s *Steady) Sentence() string {
	if s.State == Unsteady {
		return fmt.Sprintf("%s; %d s were recorded", s.Reason, s.RecordedSeconds)
	}
	return fmt.Sprintf("warm-up %d s, window %d s of %d s recorded; mean known to ± %s at %s confidence (asked for: ± %s; %s)",
		s.WarmUpSeconds, s.WindowSeconds, s.RecordedSeconds, percent(s.HalfWidth), percent(s.Confidence), percent(s.Wanted), s.Method)
}
