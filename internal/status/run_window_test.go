package status

import (
	"testing"
	"time"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/document"
)

// TestRunWindow checks the window that dashboards mark: the planned one while the load is applied, and the
// measured one afterwards.
func TestRunWindow(t *testing.T) {
	start := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	fixed := v1alpha1.Measure{WarmUp: v1alpha1.Seconds{Duration: 30 * time.Second}, Window: v1alpha1.Seconds{Duration: time.Minute}}
	steady := fixed
	steady.SteadyState = &v1alpha1.SteadyState{}
	measured := &document.RunResult{Times: document.Times{Start: start, WindowStart: start.Add(40 * time.Second), WindowEnd: start.Add(70 * time.Second)}}
	tests := map[string]struct {
		measure v1alpha1.Measure
		in      RunInput
		// from and to are relative to the start; if both are 0, there is no window.
		from, to time.Duration
	}{
		"not released yet":             {measure: fixed},
		"fixed times":                  {measure: fixed, in: RunInput{Start: &start}, from: 30 * time.Second, to: 90 * time.Second},
		"ended by the steady state":    {measure: steady, in: RunInput{Start: &start}, to: 90 * time.Second},
		"complete: as it was measured": {measure: steady, in: RunInput{Start: &start, Result: measured}, from: 40 * time.Second, to: 70 * time.Second},
		"failed: nothing was measured": {measure: fixed, in: RunInput{Start: &start, Failure: "a worker died"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.in.Run = &v1alpha1.BenchmarkRun{}
			test.in.Run.Spec.Workload.Measure = test.measure
			window := ComputeRun(test.in).Window
			if (window != nil) != (test.to != 0) {
				t.Fatalf("window is %v", window)
			}
			if window != nil && (!window.Start.Time.Equal(start.Add(test.from)) || !window.End.Time.Equal(start.Add(test.to))) {
				t.Errorf("window is %s to %s, want %s and %s after the start", window.Start, window.End, test.from, test.to)
			}
		})
	}
}
