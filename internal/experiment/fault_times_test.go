package experiment

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/resilience"
)

// newFaultRun returns a valid run with a recovery time of the fault crash. Nothing is known of a time of 0, and one below 0 is cut off.
func newFaultRun(point string, repetition int, seconds float64) Run {
	run := Run{Name: fmt.Sprint(point, repetition), Point: point, Repetition: repetition, Verdict: RunValid, Metrics: map[string]float64{"Throughput": 100}}
	switch {
	case seconds > 0:
		run.FaultTimes = []FaultTime{{"crash", v1alpha1.MetricRecoveryTime, resilience.Time{Seconds: seconds}}}
	case seconds < 0:
		run.FaultTimes = []FaultTime{{"crash", v1alpha1.MetricRecoveryTime, resilience.Time{Seconds: -seconds, Censored: true}}}
	}
	return run
}

// TestCompareFaultTimes compares recovery times, of which the window cut some off. A gate must not pass by what is only a lower bound of
// the candidate, nor fail by one of the baseline.
func TestCompareFaultTimes(t *testing.T) {
	ten := []float64{10, 10.1, 9.9, 10.05, 9.95, 10}
	scaled := func(factor float64) []float64 {
		values := make([]float64, len(ten))
		for i, v := range ten {
			values[i] = factor * v
		}
		return values
	}
	for name, c := range map[string]struct {
		base, other []float64
		verdict     v1alpha1.ComparisonVerdict
		gate        v1alpha1.GateOutcome
		message     string
	}{
		"same":                          {ten, ten, "NoDifference", "Passed", "recovery time of crash +0.0 %"},
		"twice as long":                 {ten, scaled(2), "Worse", "Failed", "regression > 20 % at 95 %: recovery time of crash +100.0 %"},
		"half as long":                  {ten, scaled(0.5), "Better", "Passed", "recovery time of crash -50.0 %"},
		"candidate never recovers":      {ten, scaled(-6), "Worse", "Failed", "cut the time off in 6 of 6 runs of the candidate and 0 of 6 of the baseline"},
		"candidate's window is shorter": {ten, scaled(-1), "Worse", "Undecided", "in 6 of 6 runs of the candidate"},
		"one of the candidate's is cut": {ten, append(scaled(1)[:5], -10), "NoDifference", "Undecided", "in 1 of 6 runs of the candidate"},
		"baseline never recovers":       {scaled(-6), ten, "Better", "Passed", "6 of 6 of the baseline"},
		"baseline's window is shorter":  {scaled(-0.5), ten, "NoDifference", "Undecided", "6 of 6 of the baseline: p is of the log-rank test"},
		"unknown in a run":              {ten, append(scaled(1)[:5], 0), "TooFewRuns", "Undecided", "recovery time of crash is blank in 1 of 6 valid runs of the candidate, whose faults"},
	} {
		t.Run(name, func(t *testing.T) {
			points := []Point{{Name: "p01", Variant: "base"}, {Name: "p02", Variant: "other"}}
			var runs []Run
			for i := range c.base {
				runs = append(runs, newFaultRun("p01", 1+i, c.base[i]), newFaultRun("p02", 1+i, c.other[i]))
			}
			outcomes := compareUnpaired(newComparisonSpec(v1alpha1.MetricRecoveryTime, "20"), points, runs, nil)
			if len(outcomes) != 1 {
				t.Fatalf("%d outcomes", len(outcomes))
			}
			if o := outcomes[0]; o.Verdict != c.verdict || o.Gate != c.gate || !strings.Contains(o.Message, c.message) || o.MetricName() != "RecoveryTime of fault/crash" {
				t.Errorf("%s: %s, gate %s, %q", o.MetricName(), o.Verdict, o.Gate, o.Message)
			}
		})
	}
}

// TestCensoredTimesAreUnpaired compares pairs of runs of which one time was cut off.
func TestCensoredTimesAreUnpaired(t *testing.T) {
	r := &Result{Points: []Point{{Name: "p01", Variant: "base"}, {Name: "p02", Variant: "other"}}, Seed: 1, Order: string(v1alpha1.OrderRandomizedPairs)}
	for i := range 7 {
		seconds := float64(20 + i)
		if i == 6 {
			seconds = -60
		}
		r.Runs = append(r.Runs, newFaultRun("p01", 1+i, float64(10+i)), newFaultRun("p02", 1+i, seconds))
	}
	o := CompareVariants(Question{newComparisonSpec(v1alpha1.MetricRecoveryTime, ""), r, nil})[0]
	if o.Paired || o.Verdict != v1alpha1.ComparisonWorse || o.PValue > 2.0/3432+1e-9 || o.EffectSize <= 0 {
		t.Errorf("%+v", o)
	}
}

// TestCompareFaultyRuns compares availabilities and lost operations.
func TestCompareFaultyRuns(t *testing.T) {
	for name, c := range map[string]struct {
		metric      v1alpha1.Metric
		base, other float64
		verdict     v1alpha1.ComparisonVerdict
		gate        v1alpha1.GateOutcome
		message     string
	}{
		"more available":  {v1alpha1.MetricAvailability, 0.95, 0.99, "Better", "Passed", "availability +4.00 points"},
		"less available":  {v1alpha1.MetricAvailability, 0.99, 0.90, "Worse", "Failed", "regression > 5 points"},
		"as available":    {v1alpha1.MetricAvailability, 0.99, 0.99, "NoDifference", "Passed", "availability +0.00 points"},
		"operations lost": {v1alpha1.MetricOperationsLost, 0, 3, "Worse", "Undecided", "lost operations +3.00"},
	} {
		t.Run(name, func(t *testing.T) {
			points := []Point{{Name: "p01", Variant: "base"}, {Name: "p02", Variant: "other"}}
			var runs []Run
			for i := range 6 {
				for point, v := range map[string]float64{"p01": c.base, "p02": c.other} {
					runs = append(runs, Run{Name: fmt.Sprint(point, i), Point: point, Repetition: 1 + i, Verdict: RunValid, Metrics: map[string]float64{string(c.metric): v}})
				}
			}
			o := compareUnpaired(newComparisonSpec(c.metric, "5"), points, runs, nil)[0]
			if o.Verdict != c.verdict || o.Gate != c.gate || !strings.Contains(o.Message, c.message) {
				t.Errorf("%s, gate %s, %q", o.Verdict, o.Gate, o.Message)
			}
		})
	}
}

// TestEachFaultIsCompared compares times of two faults, of which the baseline has only one.
func TestEachFaultIsCompared(t *testing.T) {
	points := []Point{{Name: "p01", Variant: "base"}, {Name: "p02", Variant: "other"}}
	spec := &v1alpha1.Comparison{Baseline: "base", Metrics: []v1alpha1.Metric{v1alpha1.MetricThroughput, v1alpha1.MetricRecoveryTime},
		Gates: []v1alpha1.Gate{{Metric: v1alpha1.MetricRecoveryTime, MaxRegressionPercent: resource.MustParse("5")}}}
	var runs []Run
	for i := range 6 {
		other := newFaultRun("p02", 1+i, 10)
		other.FaultTimes = append(other.FaultTimes, FaultTime{"stop", v1alpha1.MetricRecoveryTime, resilience.Time{Seconds: 3}})
		runs = append(runs, newFaultRun("p01", 1+i, 10), other)
	}
	for name, c := range map[string]struct {
		runs []Run
		want string
	}{
		"two faults":          {runs, "Throughput , RecoveryTime of fault/crash Passed, RecoveryTime of fault/stop Undecided"},
		"no run has a score":  {[]Run{newFaultRun("p01", 1, 0), newFaultRun("p02", 1, 0)}, "Throughput , RecoveryTime Undecided"},
		"no run has finished": {nil, "Throughput , RecoveryTime Undecided"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, o := range compareUnpaired(spec, points, c.runs, nil) {
				got = append(got, fmt.Sprint(o.MetricName(), " ", o.Gate))
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("%q", got)
			}
		})
	}
}

// TestFaultTimesOfRuns checks which times a run has, and the medians of a point without its invalid run.
func TestFaultTimesOfRuns(t *testing.T) {
	run := SummarizeRun(&document.RunResult{Availability: &resilience.Availability{Share: new(0.98), TimeShare: new(0.9)}, Faults: []document.FaultResult{
		{Name: "unproved"},
		{Name: "noisy", Score: &resilience.Score{OutageSeconds: 4, Problem: "completions vary"}},
		{Name: "crash", Score: &resilience.Score{BinSeconds: 1, OutageSeconds: 8, Effect: resilience.Effect{CensoredSeconds: 40}, DegradationSeconds: 30}},
	}})
	var got []string
	for _, t := range run.FaultTimes {
		got = append(got, fmt.Sprint(t.Fault, " ", t.Metric, " ", t.Time))
	}
	if text := strings.Join(got, ", "); text != "noisy OutageTime {4 false}, crash OutageTime {8 false}, crash RecoveryTime {40 true}, crash DegradationTime {30 true}" {
		t.Error(text)
	}
	if v, known := run.Metrics["Availability"]; v != 0.98 || !known || len(run.Metrics) != 3 {
		t.Errorf("metrics %v, want an availability, and no number of lost operations without identities", run.Metrics)
	}
	run.Verdict = RunValid
	invalid := run
	invalid.Verdict = RunInvalid
	medians := estimateFaultTimes([]Run{invalid, run, newFaultRun("p01", 2, 12), newFaultRun("p01", 3, 14)}, 0.95)
	if len(medians) != 4 || medians[2].Fault != "crash" || medians[2].N != 3 || medians[2].Censored != 1 || *medians[2].Median != 14 {
		t.Errorf("%+v", medians)
	}
}

// TestHostileFaultTimes decodes documents with times that no run can have measured.
func TestHostileFaultTimes(t *testing.T) {
	const zero = `{"fault": "crash", "metric": "OutageTime", "seconds": 0}`
	for name, c := range map[string]struct {
		times   string
		refused bool
	}{
		"zero":      {zero, false},
		"negative":  {`{"fault": "crash", "metric": "OutageTime", "seconds": -1}`, true},
		"too large": {`{"fault": "crash", "metric": "OutageTime", "seconds": 1e300}`, true},
		"too many":  {strings.Repeat(zero+",", 64) + zero, true},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Decode([]byte(`{"apiVersion": "benchnet.dev/v1alpha1", "kind": "ExperimentResult", "schemaVersion": 2, "runs": [{"faultTimes": [` + c.times + `]}]}`))
			if c.refused != (err != nil) || err != nil && !strings.Contains(err.Error(), "runs[0].faultTimes") {
				t.Errorf("%v", err)
			}
		})
	}
}
