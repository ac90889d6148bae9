package measurement

import (
	"math"
	"slices"
	"testing"
)

func TestHalveResolution(t *testing.T) {
	for name, c := range map[string]struct{ in, want Series }{
		"nothing":     {Series{}, Series{}},
		"pairs":       {Series{1, 3, 5, 7}, Series{2, 6}},
		"odd":         {Series{1, 3, 5}, Series{2, 5}},
		"one missing": {Series{Missing, 3, 5, Missing}, Series{3, 5}},
		"two missing": {Series{Missing, Missing, 5, 5}, Series{Missing, 5}},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.in.HalveResolution()
			if same := slices.EqualFunc(got, c.want, func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }); !same {
				t.Errorf("%v became %v, want %v", c.in, got, c.want)
			}
		})
	}
}

// TestMergeAlignsResolutions merges a worker with a coarsened report and one without.
func TestMergeAlignsResolutions(t *testing.T) {
	coarse, fine := newObservingWorker(t, 1, 6), newObservingWorker(t, 2, 6)
	fine.Worker, coarse.Members[0].Member, coarse.Series = 1, "other", nil
	coarse.coarsenOnce()
	for name, workers := range map[string][]WorkerResult{"coarse first": {*coarse, *fine}, "fine first": {*fine, *coarse}} {
		t.Run(name, func(t *testing.T) {
			workers[0].Worker, workers[1].Worker = 0, 1
			workers[0].Members, workers[1].Members = slices.Clone(workers[0].Members), slices.Clone(workers[1].Members)
			workers[0].Series, workers[1].Series = slices.Clone(workers[0].Series), slices.Clone(workers[1].Series)
			m := mergeWorkers(t, workers...)
			if m.SeriesSeconds != 2 || len(m.Members) != 3 {
				t.Fatalf("%d members with a value for %d s", len(m.Members), m.SeriesSeconds)
			}
			for _, member := range m.Members {
				if len(member.CPUSeconds) != 3 || len(member.MemoryBytes) != 3 {
					t.Errorf("%s has %d values, want 3", member.Member, len(member.CPUSeconds))
				}
			}
		})
	}
}

// TestSliceWindowOfCoarseSeries slices a report whose values cover two seconds.
func TestSliceWindowOfCoarseSeries(t *testing.T) {
	w := newObservingWorker(t, 1, 6)
	w.coarsenOnce()
	w.IntervalSeconds = 1
	for range 6 {
		w.Intervals = append(w.Intervals, RecordedInterval{Histogram: newWorkerResult(t, 0).Histogram})
	}
	for name, c := range map[string]struct{ from, to, values int }{"aligned": {2, 6, 2}, "not aligned": {1, 4, 2}, "the end": {5, 6, 1}} {
		t.Run(name, func(t *testing.T) {
			cut, err := w.SliceWindow(c.from, c.to)
			if err != nil {
				t.Fatal(err)
			}
			if len(cut.Members[0].CPUSeconds) != c.values || len(cut.Series[0].Values) != c.values || cut.validateSeries() != nil || cut.validateMembers() != nil {
				t.Errorf("%d values, want %d", len(cut.Members[0].CPUSeconds), c.values)
			}
		})
	}
}
