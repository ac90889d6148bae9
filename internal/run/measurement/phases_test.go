package measurement

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPhasesOfAllWorkersAreSummarized(t *testing.T) {
	var first, second PhaseSamples
	first.Names = []string{"Start", "Notarization"}
	second.Names = []string{"Notarization", "Return"}
	for i := range int64(20) {
		first.Operations = append(first.Operations, []int64{0, 1000, 2000 + i%2})
		second.Operations = append(second.Operations, []int64{1, 4000, 0})
	}
	second.Operations[0][2] = 500
	a, b := newWorkerResult(t, 0, 10, 20), newWorkerResult(t, 1, 10, 20)
	a.PhaseSamples, b.PhaseSamples = &first, &second
	m, err := Merge([]WorkerResult{a, b, newWorkerResult(t, 2, 10, 20)})
	if err != nil {
		t.Fatal(err)
	}
	phases := m.Phases()
	if phases.Operations != 40 || len(phases.Phases) != 3 {
		t.Fatalf("phases = %+v", phases)
	}
	if want := (20*3.0005 + 20*4 + 0.5) / 40; phases.MeanMillis < want-1e-9 || phases.MeanMillis > want+1e-9 {
		t.Errorf("the mean latency is %v ms, want %v", phases.MeanMillis, want)
	}
	total, counts := 0.0, map[string]int64{}
	for _, p := range phases.Phases {
		total += p.Share
		counts[p.Name] = p.Operations
	}
	if diff := cmp.Diff(map[string]int64{"Start": 20, "Notarization": 40, "Return": 1}, counts); diff != "" {
		t.Errorf("operations by phase (-want +got):\n%s", diff)
	}
	if total < 0.9999 || total > 1.0001 {
		t.Errorf("the shares add up to %v", total)
	}
	if p := phases.Phases[2]; p.P50 != nil || p.Mean != 0.5 {
		t.Errorf("one operation supports a mean only: %+v", p)
	}
	if p := phases.Phases[0]; p.P50 == nil || *p.P50 != 1 {
		t.Errorf("20 operations support a median: %+v", p)
	}
}

func TestPhasesBeyondTheLimitAreSummed(t *testing.T) {
	var totals phaseTotals
	for worker := range 3 {
		p := PhaseSamples{Operations: [][]int64{make([]int64, 1+maxPhases)}}
		for i := range maxPhases {
			p.Names = append(p.Names, fmt.Sprintf("step %d of worker %d", i, worker))
			p.Operations[0][1+i] = 1000
		}
		if err := totals.addPhaseSamples(&p); err != nil {
			t.Fatal(err)
		}
	}
	phases := (&Measurement{phases: totals}).Phases()
	last := phases.Phases[len(phases.Phases)-1]
	if len(phases.Phases) != maxPhases || last.Name != otherPhases || last.Operations != 3*maxPhases-(maxPhases-1) {
		t.Errorf("%d phases, the last %+v", len(phases.Phases), last)
	}
}

func TestSliceKeepsThePhasesOfItsSeconds(t *testing.T) {
	p := &PhaseSamples{Names: []string{"Start"}, Operations: [][]int64{{4, 1}, {5, 2}, {9, 3}, {10, 4}}}
	want := &PhaseSamples{Names: []string{"Start"}, Operations: [][]int64{{0, 2}, {4, 3}}}
	if diff := cmp.Diff(want, p.slicePhaseSamples(5, 10)); diff != "" {
		t.Errorf("seconds 5 to 10 (-want +got):\n%s", diff)
	}
	if p.Operations[1][0] != 5 {
		t.Error("the slice changed the whole")
	}
}

func TestInvalidPhaseSamplesAreRejected(t *testing.T) {
	for want, samples := range map[string]*PhaseSamples{
		"names[1]: \"Start\" is empty, repeated": {Names: []string{"Start", "Start"}},
		"names[0]: \"\" is empty":                {Names: []string{""}},
		"25 phases of 0 operations":              {Names: make([]string, 25)},
		"2 values, want a second and 0":          {Operations: [][]int64{{0, 1}}},
		"second 10 is not in the window":         {Names: []string{"Start"}, Operations: [][]int64{{10, 1}}},
		"negative or above":                      {Names: []string{"Start"}, Operations: [][]int64{{0, -1}}},
		"a duration is negative or above":        {Names: []string{"Start"}, Operations: [][]int64{{0, highestMicros + 1}}},
		"0 phases of 1001 operations":            {Operations: make([][]int64, 1001)},
	} {
		t.Run(want, func(t *testing.T) {
			if err := samples.validatePhaseSamples(10); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %s", err, want)
			}
		})
	}
}

func TestReportThatIsTooLargeLosesItsPhasesLast(t *testing.T) {
	w := newWorkerResult(t, 0, 10, 20)
	w.PhaseSamples = &PhaseSamples{}
	for w.coarsenOnce() && w.SeriesSeconds < CoarsestSeconds {
		if w.PhaseSamples == nil {
			t.Fatalf("the phases are gone at %d s", w.SeriesSeconds)
		}
	}
	if !w.coarsenOnce() || w.PhaseSamples != nil || w.coarsenOnce() {
		t.Error("the last step should drop the phases")
	}
}

// TestPhaseSamplesOfADriver reads what the Java drivers write.
func TestPhaseSamplesOfADriver(t *testing.T) {
	var p PhaseSamples
	if err := json.Unmarshal([]byte(`{"names":["Start","Return"],"operations":[[3,5,0],[4,0,2000]]}`), &p); err != nil {
		t.Fatal(err)
	}
	if err := p.validatePhaseSamples(5); err != nil || len(p.Operations) != 2 {
		t.Errorf("%+v: %v", p, err)
	}
}
