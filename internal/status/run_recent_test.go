package status

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

func microseconds(n int64) *int64 { return &n }

func TestMergeRecent(t *testing.T) {
	long := make([]protocol.RecentLoad, 100)
	for i := range long {
		long[i] = protocol.RecentLoad{Seconds: int32(5 * i), Completed: 1}
	}
	for name, c := range map[string]struct {
		workers [][]protocol.RecentLoad
		want    []v1alpha1.RecentLoad
	}{
		"none":          {[][]protocol.RecentLoad{nil, {}}, nil},
		"one worker":    {[][]protocol.RecentLoad{{{Seconds: 5, Completed: 2, P95Micros: 70}, {Seconds: 10}}}, []v1alpha1.RecentLoad{{Seconds: 5, Completed: 2, P95Microseconds: microseconds(70)}, {Seconds: 10}}},
		"another later": {[][]protocol.RecentLoad{{{Seconds: 5, Completed: 2, P95Micros: 70}, {Seconds: 10, Completed: 1}}, {{Seconds: 5, Completed: 3, P95Micros: 90}}}, []v1alpha1.RecentLoad{{Seconds: 5, Completed: 5, P95Microseconds: microseconds(90)}}},
		"out of range": {[][]protocol.RecentLoad{{{Seconds: -5, Completed: 1}, {Seconds: 5, Completed: -1, P95Micros: -1}, {Seconds: 10, Completed: math.MaxInt64, P95Micros: math.MaxInt64}}},
			[]v1alpha1.RecentLoad{{Seconds: 5}, {Seconds: 10, Completed: maxStepCompleted, P95Microseconds: microseconds(maxStepMicros)}}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := mergeRecent(c.workers); len(got) != len(c.want) || len(got) > 0 && !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
	t.Run("too many", func(t *testing.T) {
		if got := mergeRecent([][]protocol.RecentLoad{long}); len(got) != protocol.MaxRecent || got[0].Seconds != 200 {
			t.Errorf("%d steps from %+v, want the last %d", len(got), got[0], protocol.MaxRecent)
		}
	})
}

// TestRecentCausesNoWrite checks that new steps change the status only together with something else.
func TestRecentCausesNoWrite(t *testing.T) {
	start := time.Unix(1000, 0)
	run := &v1alpha1.BenchmarkRun{}
	run.Spec.Workload.Workers.Count = 1
	run.Spec.Workload.Measure.Window = v1alpha1.Seconds{Duration: time.Minute}
	compute := func(elapsed, end int) v1alpha1.BenchmarkRunStatus {
		steps, err := json.Marshal([]protocol.RecentLoad{{Seconds: int32(end), Completed: 7}})
		if err != nil {
			t.Fatal(err)
		}
		return ComputeRun(RunInput{Run: run, Start: &start, Now: start,
			Progress: []string{fmt.Sprintf(`{"phase":"Window","elapsedSeconds":%d,"throughput":8,"recent":%s}`, elapsed, steps)}})
	}
	run.Status = compute(5, 5)
	if got := run.Status.Recent; len(got) != 1 || got[0].Seconds != 5 || got[0].Completed != 7 {
		t.Fatalf("steps %+v", got)
	}
	if got := compute(5, 10); !reflect.DeepEqual(got, run.Status) {
		t.Errorf("the status changed to %+v", got)
	}
	if got := compute(10, 10); len(got.Recent) != 1 || got.Recent[0].Seconds != 10 {
		t.Errorf("steps %+v, want the new one with the new progress", got.Recent)
	}
}
