package experiment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// newPairedResult returns a result of n pairs. change alters each run of the candidate.
func newPairedResult(n int, change func(repetition int, run *Run)) *Result {
	r := &Result{Order: string(v1alpha1.OrderRandomizedPairs), Seed: 1,
		Points: []Point{{Name: "p-base", Variant: "base"}, {Name: "p-other", Variant: "other"}}}
	random := rand.New(rand.NewPCG(3, 0))
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for repetition := 1; repetition <= n; repetition++ {
		for i := range 2 {
			x := 100 * math.Exp(0.02*random.NormFloat64())
			run := Run{Name: fmt.Sprint(r.Points[i].Name, repetition), Point: r.Points[i].Name, Repetition: repetition, Attempt: 1, Verdict: RunValid,
				Start: start.Add(time.Duration(2*repetition+i) * time.Minute), Metrics: map[string]float64{"Throughput": x, "LatencyP95": 1e4 / x, "ErrorShare": 0}}
			if i == 1 {
				change(repetition, &run)
			}
			r.Runs = append(r.Runs, run)
		}
	}
	return r
}

func invalidate(run *Run, exogenous bool) { run.Verdict, run.Excluded = RunInvalid, exogenous }

// TestFailedRunsNeverPassAGate compares a version with a candidate some of whose runs are invalid. Runs are left
// out only for exogenous causes; otherwise no gate passes, whatever the number of runs.
func TestFailedRunsNeverPassAGate(t *testing.T) {
	for name, test := range map[string]struct {
		pairs   int
		change  func(repetition int, run *Run)
		gate    v1alpha1.GateOutcome
		message string
	}{
		"all valid": {10, func(int, *Run) {}, "Passed", "is ruled out at 95 %"},
		"errors in every second run": {10, func(r int, run *Run) {
			if r%2 == 0 {
				run.Metrics["ErrorShare"] = 0.3
				invalidate(run, false)
			}
		}, "Failed", "the candidate's runs fail more often: "},
		"errors in every second of few runs": {6, func(r int, run *Run) {
			if r%2 == 0 {
				invalidate(run, false)
			}
		}, "Undecided", "3 of 6 runs failed against 0 of 6, p = 0.18; a gate does not pass if runs fail more often"},
		"one failed run": {10, func(r int, run *Run) {
			if r == 4 {
				run.Verdict, run.Metrics = RunFailed, nil
			}
		}, "Undecided", "1 of 10 runs failed against 0 of 10, p = 1"},
		"all failed": {10, func(_ int, run *Run) { run.Verdict, run.Metrics = RunFailed, nil }, "Failed", "10 of 10 runs failed against 0 of 10"},
		"a cancelled run": {10, func(r int, run *Run) {
			if r == 4 {
				run.Verdict, run.Metrics = RunCancelled, nil
			}
		}, "Undecided", "1 of 10 runs failed"},
		"stolen CPU time": {10, func(r int, run *Run) {
			if r%2 == 0 && r < 8 {
				invalidate(run, true)
			}
		}, "Undecided", "0 of 7 runs failed against 0 of 10, p = 1; 3 and 0 were left out for exogenous causes, p = 0.21; a gate does not pass unless"},
		"half of the runs left out": {20, func(r int, run *Run) {
			if r%2 == 0 {
				invalidate(run, true)
			}
		}, "Undecided", "10 and 0 were left out for exogenous causes, p = 0.00044; runs of one side are left out more often"},
	} {
		for _, metric := range []v1alpha1.Metric{v1alpha1.MetricThroughput, v1alpha1.MetricLatencyP95, v1alpha1.MetricErrorShare} {
			t.Run(name+" "+string(metric), func(t *testing.T) {
				c := CompareVariants(Question{Spec: newComparisonSpec(metric, "10"), Result: newPairedResult(test.pairs, test.change)})[0]
				if c.Gate != test.gate || !strings.Contains(c.Message, test.message) || c.Verdict == v1alpha1.ComparisonBetter {
					t.Errorf("%s, gate %s, %q", c.Verdict, c.Gate, c.Message)
				}
			})
		}
	}
}

// TestRepeatedAttemptsHideNothing checks that a valid second attempt replaces a run that an exogenous cause
// excluded, but not one that failed.
func TestRepeatedAttemptsHideNothing(t *testing.T) {
	for _, exogenous := range []bool{true, false} {
		r := newPairedResult(8, func(repetition int, run *Run) {
			if repetition == 3 {
				invalidate(run, exogenous)
			}
		})
		again := r.Runs[5]
		again.Attempt, again.Verdict, again.Excluded = 2, RunValid, false
		r.Runs = append(r.Runs, again)
		f := CompareVariants(Question{Spec: newComparisonSpec(v1alpha1.MetricThroughput, ""), Result: r})[0].Failures
		want := RunFailures{CandidateRuns: 8, BaselineRuns: 8, Candidate: 1, PValue: 1, AdjustedPValue: 1, ExclusionPValue: 1}
		if exogenous {
			want.Candidate, want.CandidateExcluded = 0, 1
		}
		f.PValue, f.AdjustedPValue, f.ExclusionPValue = math.Round(f.PValue), math.Round(f.AdjustedPValue), math.Round(f.ExclusionPValue)
		if f != want {
			t.Errorf("exogenous %v: got %+v, want %+v", exogenous, f, want)
		}
	}
}

// TestGateWithExclusions checks that a gate passes if both sides are affected alike or few runs were repeated, and not if the
// candidate's runs were repeated until they were valid.
func TestGateWithExclusions(t *testing.T) {
	isSecondHalf := func(repetition int) bool { return repetition > 10 }
	for name, test := range map[string]struct {
		excluded func(point string, repetition int) bool
		attempts int
		want     v1alpha1.GateOutcome
	}{
		"both sides":             {func(_ string, r int) bool { return r%4 == 0 }, 0, v1alpha1.GatePassed},
		"a repeated run":         {func(point string, r int) bool { return point == "p-other" && r == 4 }, 1, v1alpha1.GatePassed},
		"the baseline's only":    {func(point string, r int) bool { return point == "p-base" && isSecondHalf(r) }, 0, v1alpha1.GateUndecided},
		"repeated until valid":   {func(point string, r int) bool { return point == "p-other" && isSecondHalf(r) }, 1, v1alpha1.GateUndecided},
		"one without repetition": {func(point string, r int) bool { return point == "p-other" && r == 4 }, 0, v1alpha1.GateUndecided},
	} {
		t.Run(name, func(t *testing.T) {
			r := newPairedResult(20, func(int, *Run) {})
			for i := range r.Runs {
				if run := &r.Runs[i]; test.excluded(run.Point, run.Repetition) {
					again := *run
					invalidate(run, true)
					for again.Attempt = 2; again.Attempt < 2+test.attempts; again.Attempt++ {
						r.Runs = append(r.Runs, again)
					}
				}
			}
			c := CompareVariants(Question{Spec: newComparisonSpec(v1alpha1.MetricThroughput, "10"), Result: r})[0]
			if c.Gate != test.want {
				t.Errorf("gate %s, want %s: %q", c.Gate, test.want, c.Message)
			}
		})
	}
}

// TestFirstRepetition checks that a slow first repetition of the candidate, on a new network, has no effect if it
// is discarded.
func TestFirstRepetition(t *testing.T) {
	slowStart := func(repetition int, run *Run) {
		if repetition == 1 {
			run.Metrics["Throughput"] = 20
		}
	}
	for use, want := range map[v1alpha1.FirstRepetition]string{v1alpha1.FirstRepetitionDiscard: "within 3 %, 9 pairs", v1alpha1.FirstRepetitionCount: "off, 10 pairs"} {
		r := newPairedResult(10, slowStart)
		r.FirstRepetition = use
		c := CompareVariants(Question{Spec: newComparisonSpec(v1alpha1.MetricThroughput, ""), Result: r})[0]
		got := fmt.Sprintf("off, %d pairs", c.Candidates)
		if math.Abs(c.Difference) < 0.03 {
			got = fmt.Sprintf("within 3 %%, %d pairs", c.Candidates)
		}
		if got != want {
			t.Errorf("%s: the difference of %.3f is %s, want %s", use, c.Difference, got, want)
		}
	}
}

// TestFailedFirstRepetition checks that a failed run counts as a failure although its repetition is discarded.
func TestFailedFirstRepetition(t *testing.T) {
	r := newPairedResult(11, func(repetition int, run *Run) {
		if repetition == 1 {
			run.Verdict, run.Metrics = RunFailed, nil
		}
	})
	r.FirstRepetition = v1alpha1.FirstRepetitionDiscard
	c := CompareVariants(Question{Spec: newComparisonSpec(v1alpha1.MetricThroughput, "5"), Result: r})[0]
	want := "1 of 11 runs failed against 0 of 11, p = 1, with 1 and 1 discarded first repetitions"
	if c.Gate != v1alpha1.GateUndecided || c.Candidates != 10 || c.CandidateFailed != 0 || !strings.Contains(c.Message, want) {
		t.Errorf("%d pairs, gate %s, %q, want %q", c.Candidates, c.Gate, c.Message, want)
	}
}

// TestFailuresAreCorrectedTogether checks Holm's correction of the tests of failed runs over points, each of which has two metrics. Six
// failures of ten at one point are significant among two points, but not among thirty.
func TestFailuresAreCorrectedTogether(t *testing.T) {
	for points, want := range map[int]v1alpha1.GateOutcome{2: v1alpha1.GateFailed, 30: v1alpha1.GateUndecided} {
		t.Run(fmt.Sprint(points), func(t *testing.T) {
			all := &Result{Order: string(v1alpha1.OrderRandomizedPairs)}
			for i := range points {
				one := newPairedResult(10, func(repetition int, run *Run) {
					if i == 0 && repetition > 4 {
						invalidate(run, false)
					}
				})
				for side := range one.Points {
					one.Points[side].Name += fmt.Sprint("-", i)
					one.Points[side].Parameters = []Parameter{{"users", fmt.Sprint(i)}}
				}
				for run := range one.Runs {
					one.Runs[run].Point += fmt.Sprint("-", i)
				}
				all.Points, all.Runs = append(all.Points, one.Points...), append(all.Runs, one.Runs...)
			}
			spec := newComparisonSpec(v1alpha1.MetricThroughput, "5")
			spec.Metrics = append(spec.Metrics, v1alpha1.MetricLatencyP95)
			c := CompareVariants(Question{Spec: spec, Result: all})[0]
			if adjusted := float64(points) * c.Failures.PValue; c.Gate != want || math.Abs(c.Failures.AdjustedPValue-adjusted) > 1e-12 {
				t.Errorf("gate %s, p %v, corrected %v, want %s, %v", c.Gate, c.Failures.PValue, c.Failures.AdjustedPValue, want, adjusted)
			}
		})
	}
}

// TestTrendIsReported checks that a drift of 2 % per run is reported, and does not look like a difference.
func TestTrendIsReported(t *testing.T) {
	r := newPairedResult(10, func(int, *Run) {})
	for i := range r.Runs {
		r.Runs[i].Metrics["Throughput"] *= math.Exp(-0.02 * float64(i))
	}
	c := CompareVariants(Question{Spec: newComparisonSpec(v1alpha1.MetricThroughput, "5"), Result: r})[0]
	if c.Trend == nil || math.Abs(c.Trend.PerRun+0.02) > 0.004 || !strings.Contains(c.Message, "; trend of -") || c.Gate != v1alpha1.GatePassed {
		t.Errorf("%+v, gate %s, %q", c.Trend, c.Gate, c.Message)
	}
}

// TestClaimsAreCorrectedTogether checks Holm's correction over the metrics of an experiment.
func TestClaimsAreCorrectedTogether(t *testing.T) {
	r := newPairedResult(7, func(_ int, run *Run) {
		run.Metrics["Throughput"] *= 1.2
		run.Metrics["LatencyP95"] /= 1.2
	})
	spec := newComparisonSpec(v1alpha1.MetricThroughput, "")
	spec.Metrics = []v1alpha1.Metric{v1alpha1.MetricThroughput, v1alpha1.MetricLatencyP95, v1alpha1.MetricErrorShare}
	for i, want := range []v1alpha1.ComparisonVerdict{v1alpha1.ComparisonBetter, v1alpha1.ComparisonBetter, v1alpha1.ComparisonNoDifference} {
		c := CompareVariants(Question{Spec: spec, Result: r})[i]
		if adjusted := min(1, 3*c.PValue); c.Verdict != want || math.Abs(c.AdjustedPValue-adjusted) > 1e-12 {
			t.Errorf("%s: %s, p %v, corrected %v", c.Metric, c.Verdict, c.PValue, c.AdjustedPValue)
		}
	}
	spec.Metrics = append(spec.Metrics, v1alpha1.MetricLatencyP50)
	for i := range r.Runs {
		r.Runs[i].Metrics["LatencyP50"] = 1
	}
	if c := CompareVariants(Question{Spec: spec, Result: r})[0]; c.Verdict != v1alpha1.ComparisonTooFewRuns || !strings.HasPrefix(c.Message, "too few pairs: 7 against 7; 4 claims at 95 % need 8") {
		t.Errorf("%s: %s", c.Verdict, c.Message)
	}
}

// TestGateKnowsWhatItDoesNotKnow has regressions that too few or too noisy runs cannot rule out.
func TestGateKnowsWhatItDoesNotKnow(t *testing.T) {
	slower := func(factor float64) func(int, *Run) {
		return func(_ int, run *Run) { run.Metrics["Throughput"] *= factor }
	}
	for name, c := range map[string]struct {
		pairs   int
		change  func(repetition int, run *Run)
		gate    v1alpha1.GateOutcome
		message string
	}{
		"half as fast, six pairs":  {6, slower(0.5), v1alpha1.GateFailed, "regression > 5 % at 95 %"},
		"half as fast, five pairs": {5, slower(0.5), v1alpha1.GateFailed, "regression > 5 % at 95 %"},
		"half as fast, four pairs": {4, slower(0.5), v1alpha1.GateUndecided, "too few pairs"},
		"half as fast, one failed": {7, func(r int, run *Run) {
			run.Metrics["Throughput"] *= 0.5
			if r == 3 {
				run.Verdict, run.Metrics = RunFailed, nil
			}
		}, v1alpha1.GateFailed, "regression > 5 % at 95 %"},
		"10 % slower, six pairs":   {6, slower(0.9), v1alpha1.GateFailed, "regression > 5 % at 95 %"},
		"at the limit":             {10, slower(0.95), v1alpha1.GateUndecided, "a regression above 5 % is neither shown nor ruled out at 95 %"},
		"4 % slower, six pairs":    {6, slower(0.96), v1alpha1.GateUndecided, "with this spread, "},
		"no difference, ten pairs": {10, slower(1), v1alpha1.GatePassed, "a regression above 5 % is ruled out at 95 %"},
		"2 % slower, many pairs":   {60, slower(0.98), v1alpha1.GatePassed, "a regression above 5 % is ruled out at 95 %"},
		"a difference that grows":  {20, func(r int, run *Run) { run.Metrics["Throughput"] *= 1 - 0.01*float64(r-10) }, v1alpha1.GateUndecided, "it is no single number"},
	} {
		t.Run(name, func(t *testing.T) {
			got := CompareVariants(Question{Spec: newComparisonSpec(v1alpha1.MetricThroughput, "5"), Result: newPairedResult(c.pairs, c.change)})[0]
			if got.Gate != c.gate || !strings.Contains(got.Message, c.message) {
				t.Errorf("%s, gate %s, %q; want %s with %q", got.Verdict, got.Gate, got.Message, c.gate, c.message)
			}
		})
	}
}

// TestGateWithAFailedPair checks that a pair that failed on both sides hides no regression.
func TestGateWithAFailedPair(t *testing.T) {
	r := newPairedResult(6, func(_ int, run *Run) { run.Metrics["Throughput"] *= 0.5 })
	for i := range r.Runs[:2] {
		r.Runs[i].Verdict, r.Runs[i].Metrics = RunFailed, nil
	}
	if c := CompareVariants(Question{Spec: newComparisonSpec(v1alpha1.MetricThroughput, "5"), Result: r})[0]; c.Gate != v1alpha1.GateFailed {
		t.Errorf("%s, gate %s, %q", c.Verdict, c.Gate, c.Message)
	}
}

// TestDeployedOnceIsSaid checks that a comparison of networks that were deployed once says what it does not cover.
func TestDeployedOnceIsSaid(t *testing.T) {
	for name, c := range map[string]struct {
		networks [2]string
		perRun   int
		says     bool
	}{
		"one network":          {[2]string{"n1", "n1"}, 0, false},
		"two networks":         {[2]string{"n1", "n2"}, 0, true},
		"repeated deployments": {[2]string{"n1", "n2"}, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newPairedResult(12, func(int, *Run) {})
			r.Points[0].Network, r.Points[1].Network, r.RunsPerDeployment = c.networks[0], c.networks[1], c.perRun
			got := CompareVariants(Question{Spec: newComparisonSpec(v1alpha1.MetricThroughput, ""), Result: r})[0]
			if strings.Contains(got.Message, "each network was deployed once") != c.says {
				t.Errorf("the message is %q", got.Message)
			}
		})
	}
}
