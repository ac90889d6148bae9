package results

import "fmt"

// WindowSelection is what automatic measurement decided: which part of all that was recorded is the window, and why.
type WindowSelection struct {
	// Method in short, such as "MSER-5, 12 batch means of 5 s".
	Method string `json:"method"`
	// NetworkState of the throughput over the window.
	State SelectionState `json:"state"`
	// WarmUpSeconds were cut off at the front, WindowSeconds are measured, and RecordedSeconds were recorded in all.
	WarmUpSeconds   int `json:"warmUpSeconds"`
	WindowSeconds   int `json:"windowSeconds"`
	RecordedSeconds int `json:"recordedSeconds"`
	// MeanPerSecond is the mean throughput, and HalfWidth half the width of its confidence interval as a share of it.
	MeanPerSecond float64 `json:"meanPerSecond"`
	HalfWidth     float64 `json:"halfWidth"`
	// TargetHalfWidth is the half-width that was asked for, at a Confidence, both 0 to 1.
	TargetHalfWidth float64 `json:"wantedHalfWidth"`
	Confidence      float64 `json:"confidence"`
	// Reason for people.
	Reason string `json:"reason"`
}

// SelectionState says how far the throughput had settled.
type SelectionState string

// The states.
const (
	// SelectionSettled: steady, and known as well as was asked for.
	SelectionSettled SelectionState = "Settled"
	// SelectionImprecise: steady, but known less well than was asked for when the longest window was over.
	SelectionImprecise SelectionState = "Wide"
	// SelectionUnsteady: it had not settled when the longest window was over. The window is then what it would be with fixed times.
	SelectionUnsteady SelectionState = "Unsteady"
)

// judgeWindowSelection is a finding only where the times were not fixed.
func (j *verdictBuilder) judgeWindowSelection() {
	s := j.measurement.WindowSelection
	switch {
	case s == nil:
	case s.State == SelectionUnsteady:
		j.addReason(NotSteady, "", s.HalfWidth, s.TargetHalfWidth, "%s; %d s were recorded", s.Reason, s.RecordedSeconds)
	case s.State == SelectionImprecise:
		j.addNote(IntervalWide, "", s.HalfWidth, s.TargetHalfWidth,
			"the mean throughput is known to ± %s at %s confidence when the longest window is over, asked for were ± %s",
			formatPercent(s.HalfWidth), formatPercent(s.Confidence), formatPercent(s.TargetHalfWidth))
	}
}

// Describe tells people what was decided.
func (s *WindowSelection) Describe() string {
	if s.State == SelectionUnsteady {
		return fmt.Sprintf("%s; %d s were recorded", s.Reason, s.RecordedSeconds)
	}
	return fmt.Sprintf("warm-up %d s, window %d s of %d s recorded; mean known to ± %s at %s confidence (asked for: ± %s; %s)",
		s.WarmUpSeconds, s.WindowSeconds, s.RecordedSeconds, formatPercent(s.HalfWidth), formatPercent(s.Confidence), formatPercent(s.TargetHalfWidth), s.Method)
}
