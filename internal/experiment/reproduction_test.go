package experiment

import (
	"strings"
	"testing"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// newReproducible returns a result with a point for each load of two, and so many runs of a throughput near 100.
func newReproducible(runs int, change func(point string, repetition int, run *Run)) *Result {
	r := &Result{}
	for i, name := range []string{"p01", "p02"} {
		r.Points = append(r.Points, Point{Name: name, Parameters: []Parameter{{"load", []string{"low", "high"}[i]}}})
		for repetition := range runs {
			run := Run{Point: name, Repetition: repetition + 1, Verdict: RunValid,
				Metrics: map[string]float64{"Throughput": 100 + float64(repetition%3), "LatencyP95": 50 - float64(repetition%4)}}
			if change != nil {
				change(name, repetition, &run)
			}
			r.Runs = append(r.Runs, run)
		}
	}
	return r
}

// scaleThroughput returns a change of the throughput of point p02.
func scaleThroughput(factor float64) func(string, int, *Run) {
	return func(point string, _ int, run *Run) {
		if point == "p02" {
			run.Metrics["Throughput"] *= factor
		}
	}
}

func TestAssessReproduction(t *testing.T) {
	for _, test := range []struct {
		name                 string
		original, repetition *Result
		want                 ReproductionVerdict
		message              string
	}{
		{"same", newReproducible(6, nil), newReproducible(6, nil), Reproduced, "throughput of low: +0.0 % [-0.9 %, +0.9 %] is within ±10 %"},
		{"half of the margin", newReproducible(6, nil), newReproducible(6, scaleThroughput(1.05)), Reproduced, "throughput of high: +5.0 %"},
		{"near the margin", newReproducible(6, nil), newReproducible(6, scaleThroughput(1.1)), ReproductionUndecided, "is neither within ±10 % nor beyond it"},
		{"faster", newReproducible(6, nil), newReproducible(6, scaleThroughput(1.3)), NotReproduced, "throughput of high: +30.0 % [+28.8 %, +31.2 %] is beyond ±10 %"},
		{"slower", newReproducible(6, nil), newReproducible(6, scaleThroughput(0.5)), NotReproduced, "is beyond ±10 %"},
		{"higher p95", newReproducible(6, nil), newReproducible(6, func(_ string, _ int, r *Run) { r.Metrics["LatencyP95"] *= 2 }), NotReproduced, "p95 of low: +100.0 %"},
		{"single runs", newReproducible(1, nil), newReproducible(1, nil), ReproductionUndecided, "not enough runs: 1 original, 1 repeated, a claim needs 5 on each side"},
		{"few runs on one side", newReproducible(4, nil), newReproducible(9, nil), ReproductionUndecided, "not enough runs: 4 original, 9 repeated"},
		{"discarded first repetition", func() *Result {
			r := newReproducible(5, nil)
			r.FirstRepetition = v1alpha1.FirstRepetitionDiscard
			return r
		}(),
			newReproducible(5, nil), ReproductionUndecided, "not enough runs: 4 original, 5 repeated"},
		{"one failed run", newReproducible(6, nil), newReproducible(6, func(_ string, i int, r *Run) {
			if i == 0 {
				r.Verdict = RunFailed
			}
		}), ReproductionUndecided, "1 of 6 runs of the repetition failed"},
		{"only failed runs", newReproducible(6, nil), newReproducible(6, func(_ string, _ int, r *Run) { r.Verdict = RunFailed }), NotReproduced,
			"6 of 6 runs failed against 0 of 6"},
		{"excluded runs", newReproducible(6, nil), newReproducible(6, func(_ string, i int, r *Run) {
			if i < 3 {
				r.Verdict, r.Excluded = RunInvalid, true
			}
		}), ReproductionUndecided, "not enough runs: 6 original, 3 repeated"},
		{"no such point", newReproducible(6, nil), &Result{}, ReproductionUndecided, "the repetition has no such point"},
		{"original without percentiles", newReproducible(6, dropPercentile), newReproducible(6, nil), Reproduced, "throughput of high"},
		{"repetition without percentiles", newReproducible(6, nil), newReproducible(6, dropPercentile), ReproductionUndecided, "p95 latency is blank in 6 of 6 valid runs of the repetition"},
		{"a run of 0", newReproducible(6, nil), newReproducible(6, scaleThroughput(0)), ReproductionUndecided, "throughput is 0 in a run of the repetition"},
		{"empty original", &Result{}, newReproducible(6, nil), ReproductionUndecided, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			outcomes := AssessReproduction(test.original, test.repetition, 0.1)
			var messages []string
			for _, o := range outcomes {
				metric := map[string]string{"Throughput": "throughput", "LatencyP95": "p95"}[o.Metric]
				messages = append(messages, metric+" of "+strings.TrimPrefix(o.Point, "load=")+": "+o.Message)
			}
			text := strings.Join(messages, "\n")
			got, reason := ConcludeReproduction(outcomes)
			if got != test.want || reason == "" || !strings.Contains(text, test.message) {
				t.Errorf("verdict %s (%s), want %s; no %q in\n%s", got, reason, test.want, test.message, text)
			}
			if margin, known := SmallestReproductionMargin(outcomes); test.want == Reproduced && (!known || margin <= 0 || margin >= 0.1) {
				t.Errorf("the smallest margin is %v, known: %t", margin, known)
			}
		})
	}
}

// TestReproductionCountsFailuresPerPoint: 5 of 6 failed runs against none are significant in two tests, one per point,
// and would not be in four, one per point and metric.
func TestReproductionCountsFailuresPerPoint(t *testing.T) {
	outcomes := AssessReproduction(newReproducible(6, nil), newReproducible(6, func(point string, i int, r *Run) {
		if point == "p02" && i < 5 {
			r.Verdict = RunFailed
		}
	}), 0.1)
	o := outcomes[2]
	if p := o.Failures.PValue; o.Verdict != NotReproduced || p*2 >= 0.05 || p*4 < 0.05 {
		t.Errorf("verdict %s with p = %v, want NotReproduced from between 0.0125 and 0.025", o.Verdict, p)
	}
}

func TestSmallestReproductionMarginOfFewRuns(t *testing.T) {
	for name, outcomes := range map[string][]ReproductionOutcome{
		"few runs": AssessReproduction(newReproducible(4, nil), newReproducible(4, nil), 0.1),
		"no point": nil,
	} {
		t.Run(name, func(t *testing.T) {
			if margin, known := SmallestReproductionMargin(outcomes); known {
				t.Errorf("the smallest margin is %v, want none", margin)
			}
		})
	}
}

func TestHasTooFewRunsToReproduce(t *testing.T) {
	for runs, want := range map[int]bool{1: true, 4: true, 5: false} {
		if got := HasTooFewRunsToReproduce(newReproducible(runs, nil)); got != want {
			t.Errorf("%d runs of each point are too few: %t", runs, got)
		}
	}
}

func dropPercentile(_ string, _ int, run *Run) { delete(run.Metrics, "LatencyP95") }
