package status

import (
	"slices"
	"testing"
	"time"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// FuzzProgress computes the status from arbitrary progress of two workers: the run is in one of its phases, and
// every number that is shown is one.
func FuzzProgress(f *testing.F) {
	for _, text := range []string{
		"", "{}", "null", "[1]", `{"phase":"Window","completed":10,"elapsedSeconds":5,"throughput":2}`, `{"phase":"Other","elapsedSeconds":1}`,
		`{"phase":"WarmUp","elapsedSeconds":-1,"throughput":-5}`, `{"phase":"Drain","elapsedSeconds":1e308,"throughput":1e308}`,
	} {
		f.Add(text, text)
		f.Add(text, `{"phase":"Drain","elapsedSeconds":70,"throughput":1.5e308}`)
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		r := &v1alpha1.BenchmarkRun{}
		r.Spec.Workload.Measure = v1alpha1.Measure{WarmUp: v1alpha1.Seconds{Duration: 10 * time.Second}, Window: v1alpha1.Seconds{Duration: time.Minute}}
		s := ComputeRun(RunInput{Run: r, Start: &testTime, Progress: []string{first, second}, Now: testTime})
		if !slices.Contains([]v1alpha1.Phase{"WarmUp", "Measuring", "Draining"}, s.Phase) {
			t.Errorf("the phase is %q", s.Phase)
		}
		if v := s.ThroughputMilliPerSecond; v != nil && *v < 0 {
			t.Errorf("the throughput is %d", *v)
		}
	})
}
