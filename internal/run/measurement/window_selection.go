package measurement

import (
	"fmt"

	"github.com/benchnet/benchnet/internal/format"
)

// WindowSelection is the outcome of automatic measurement: which part of the recording is the window, and why.
type WindowSelection struct {
	// Method is a short description, such as "MSER-5, 12 batch means of 5 s".
	Method string `json:"method"`
	// State says how far the throughput had settled over the window.
	State SelectionState `json:"state"`
	// WarmUpSeconds were cut off at the front, WindowSeconds are measured, and RecordedSeconds were recorded in
	// all.
	WarmUpSeconds   int `json:"warmUpSeconds"`
	WindowSeconds   int `json:"windowSeconds"`
	RecordedSeconds int `json:"recordedSeconds"`
	// MeanPerSecond is the mean throughput. HalfWidth is half the width of its confidence interval as a share
	// of the mean.
	MeanPerSecond float64 `json:"meanPerSecond"`
	HalfWidth     float64 `json:"halfWidth"`
	// TargetHalfWidth is the requested half-width at Confidence. Both are from 0 to 1.
	TargetHalfWidth float64 `json:"wantedHalfWidth"`
	Confidence      float64 `json:"confidence"`
	// Reason explains the outcome to people.
	Reason string `json:"reason"`
}

// SelectionState says how far the throughput had settled.
type SelectionState string

const (
	// SelectionSettled means that the throughput is steady and its mean as precise as requested.
	SelectionSettled SelectionState = "Settled"
	// SelectionImprecise means that the throughput is steady, but its mean was less precise than requested when
	// the longest window ended.
	SelectionImprecise SelectionState = "Wide"
	// SelectionUnsteady means that the throughput had not settled when the longest window ended. The window is
	// then the one with fixed times.
	SelectionUnsteady SelectionState = "Unsteady"
)

// Describe returns a description of the selection for people.
func (s *WindowSelection) Describe() string {
	if s.State == SelectionUnsteady {
		return fmt.Sprintf("%s; %d s were recorded", s.Reason, s.RecordedSeconds)
	}
	return fmt.Sprintf("warm-up %d s, window %d s of %d s recorded; mean known to ± %s at %s confidence (requested: ± %s; %s)",
		s.WarmUpSeconds, s.WindowSeconds, s.RecordedSeconds, format.Percent(s.HalfWidth), format.Percent(s.Confidence), format.Percent(s.TargetHalfWidth), s.Method)
}
