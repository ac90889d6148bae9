package results

import "fmt"

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
