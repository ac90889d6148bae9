package experiment

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// equalConditions are the conditions of the runs of either side.
var equalConditions = map[Condition]string{ConditionWindow: "60 s", ConditionWorkload: "a1", ConditionImages: "b2", ConditionCPU: "EPYC", ConditionPolicies: "Enforce"}

// withCondition returns equalConditions with another value, or without one.
func withCondition(name Condition, value string) map[Condition]string {
	conditions := maps.Clone(equalConditions)
	if conditions[name] = value; value == "" {
		delete(conditions, name)
	}
	return conditions
}

// TestCompareConditions compares equal numbers of runs that are not comparable, or only with a caveat.
func TestCompareConditions(t *testing.T) {
	for name, c := range map[string]struct {
		metric  v1alpha1.Metric
		other   Run
		stored  bool
		gate    v1alpha1.GateOutcome
		message string
	}{
		"equal":                       {other: Run{Conditions: equalConditions}, stored: true, gate: "Passed"},
		"other unit":                  {other: Run{Unit: "transactions"}, gate: "Undecided", message: "the units differ: transactions against flows"},
		"response time":               {metric: "LatencyP95", other: Run{LatencyKind: measurement.ResponseTime}, gate: "Undecided", message: "kinds of latency differ: response time against service time"},
		"finality of another unit":    {metric: "FinalityP95", other: Run{Unit: "transactions", FinalityOf: "Operation", Conditions: equalConditions}, gate: "Passed"},
		"finality of blocks":          {metric: "FinalityP95", other: Run{FinalityOf: "Block"}, gate: "Undecided", message: "the units differ: Block against Operation"},
		"finality of an own plan":     {metric: "FinalityP95", gate: "Undecided", message: "the finality is unknown"},
		"throughput of both kinds":    {other: Run{LatencyKind: measurement.ResponseTime, Conditions: equalConditions}, gate: "Passed"},
		"window":                      {other: Run{Conditions: withCondition(ConditionWindow, "30 s")}, gate: "Passed", message: "; the conditions differ (window: 30 s against 60 s)"},
		"CPU model":                   {other: Run{Conditions: withCondition(ConditionCPU, "Xeon")}, gate: "Passed", message: "CPU models: Xeon against EPYC"},
		"policies":                    {other: Run{Conditions: withCondition(ConditionPolicies, "Record")}, gate: "Passed", message: "policies: Record against Enforce"},
		"unknown":                     {other: Run{Conditions: withCondition(ConditionCPU, "")}, gate: "Passed", message: "CPU models: unknown in a run"},
		"images of a variant":         {other: Run{Conditions: withCondition(ConditionImages, "c3")}, gate: "Passed"},
		"images of a stored baseline": {other: Run{Conditions: withCondition(ConditionImages, "c3")}, stored: true, gate: "Passed", message: "images: c3 against b2"},
		"workload of a stored one":    {other: Run{Conditions: withCondition(ConditionWorkload, "d4")}, stored: true, gate: "Passed", message: "workload: d4 against a1"},
		"steal of one side": {other: Run{Conditions: equalConditions, Notes: []verdict.Reason{{Code: verdict.ReasonCPUStolen}}}, gate: "Passed",
			message: "CPUStolen in 5 runs of the candidate only"},
		"unobserved host of one side": {other: Run{Conditions: equalConditions, Notes: []verdict.Reason{{Code: verdict.ReasonHostUnobserved}}}, gate: "Passed",
			message: "HostUnobserved in 5 runs of the candidate only"},
		"busy worker of one side": {other: Run{Conditions: equalConditions, Notes: []verdict.Reason{{Code: verdict.ReasonWorkerBusy}}}, gate: "Passed"},
	} {
		t.Run(name, func(t *testing.T) {
			values := []float64{100, 101, 99, 100.5, 99.5}
			points, runs := newMeasuredRuns(map[string][]float64{"base": values, "other": values})
			for i := range runs {
				runs[i].Unit, runs[i].LatencyKind, runs[i].Conditions = "flows", measurement.ServiceTime, equalConditions
				runs[i].FinalityOf, runs[i].Metrics["FinalityP95"] = measurement.FinalityOfOperation, 100
				if runs[i].Point != "p-other" {
					continue
				}
				if c.other.Unit != "" {
					runs[i].Unit = c.other.Unit
				}
				if c.other.LatencyKind != "" {
					runs[i].LatencyKind = c.other.LatencyKind
				}
				if c.metric.IsFinality() {
					runs[i].FinalityOf = c.other.FinalityOf
				}
				runs[i].Conditions, runs[i].Notes = c.other.Conditions, c.other.Notes
			}
			metric := c.metric
			if metric == "" {
				metric = v1alpha1.MetricThroughput
			}
			spec := newComparisonSpec(metric, "20")
			own, stored := points, (*Result)(nil)
			if c.stored {
				stored = &Result{Experiment: Identity{Name: "old", UID: "1"}, Points: points[:1], Runs: runs}
				own, spec.Stored = points[1:], &v1alpha1.StoredResult{ConfigMapName: "old", Variant: "base"}
			}
			outcome := compareUnpaired(spec, own, runs, stored)[0]
			differs := strings.Contains(outcome.Message, "differ") && !strings.Contains(outcome.Message, "difference") || strings.Contains(outcome.Message, "only")
			if outcome.Gate != c.gate || !strings.Contains(outcome.Message, c.message) || c.message == "" && (differs || strings.Contains(outcome.Message, "conditions")) {
				t.Errorf("gate %q, message %q; want %q, %q", outcome.Gate, outcome.Message, c.gate, c.message)
			}
		})
	}
}

// TestReproductionConditions checks measurements that have equal numbers, but do not show that anything was reproduced.
func TestReproductionConditions(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(*Run)
		left    int
		open    bool
		want    ReproductionVerdict
		message string
	}{
		"equal":             {change: func(*Run) {}, want: Reproduced},
		"unit":              {change: func(r *Run) { r.Unit = "transactions" }, want: ReproductionUndecided, message: "the units differ"},
		"kind of latency":   {change: func(r *Run) { r.LatencyKind = measurement.ResponseTime }, want: ReproductionUndecided, message: "the kinds of latency differ"},
		"kind is unknown":   {change: func(r *Run) { r.LatencyKind = "" }, want: ReproductionUndecided, message: "unknown against service time"},
		"window":            {change: func(r *Run) { r.Conditions = withCondition(ConditionWindow, "5 s") }, want: ReproductionUndecided, message: "window: 5 s against 60 s"},
		"workload":          {change: func(r *Run) { r.Conditions = withCondition(ConditionWorkload, "x") }, want: ReproductionUndecided, message: "workload: x against a1"},
		"another machine":   {change: func(r *Run) { r.Conditions = withCondition(ConditionCPU, "Xeon") }, want: Reproduced},
		"8 of 13 left out":  {change: func(*Run) {}, left: 8, want: ReproductionUndecided, message: "8 runs of the repetition were left out for exogenous causes, 5 count"},
		"1 of 6 left out":   {change: func(*Run) {}, left: 1, want: Reproduced},
		"open loop, no p95": {change: func(*Run) {}, open: true, want: ReproductionUndecided, message: "p95 latency is blank in 5 of 5 valid runs"},
	} {
		t.Run(name, func(t *testing.T) {
			sides := [2]*Result{}
			for side := range sides {
				sides[side] = newReproducible(5, func(_ string, _ int, r *Run) {
					r.Unit, r.LatencyKind, r.Conditions = "flows", measurement.ServiceTime, equalConditions
					if c.open {
						r.LatencyKind = measurement.ResponseTime
						delete(r.Metrics, "LatencyP95")
					}
					if side == 1 {
						c.change(r)
					}
				})
			}
			for i := range c.left {
				sides[1].Runs = append(sides[1].Runs, Run{Point: "p01", Repetition: 6 + i, Verdict: RunInvalid, Excluded: true})
			}
			verdict, reason := ConcludeReproduction(AssessReproduction(sides[0], sides[1], 0.1))
			if verdict != c.want || !strings.Contains(reason, c.message) {
				t.Errorf("%s: %s; want %s, %q", verdict, reason, c.want, c.message)
			}
		})
	}
}

// TestConditionsOf checks that the digest of a workload omits what differs between runs of the same workload.
func TestConditionsOf(t *testing.T) {
	digest := func(text string) string {
		return conditionsOf(&document.RunResult{Workload: json.RawMessage(text)})[ConditionWorkload]
	}
	first := digest(`{"targets":[{"name":"a"}],"reference":"1","load":{"ratePerSecond":5,"seed":1}}`)
	if again := digest(`{"load":{"seed":2,"ratePerSecond":5},"targets":[],"reference":"2"}`); first == "" || again != first {
		t.Errorf("%q and %q of the same workload", first, again)
	}
	if other := digest(`{"load":{"ratePerSecond":6}}`); other == first {
		t.Error("another rate has the same digest")
	}
	r := &document.RunResult{Policies: verdict.DefaultTolerances().Policies(), Times: document.Times{WindowSeconds: 60}}
	r.Environment.Hosts = []measurement.HostInfo{{Machine: measurement.Machine{CPUModel: "Xeon"}}, {Machine: measurement.Machine{CPUModel: "EPYC"}}, {Machine: measurement.Machine{CPUModel: "Xeon"}}}
	got := conditionsOf(r)
	want := map[Condition]string{ConditionWindow: "60 s", ConditionCPU: "EPYC, Xeon", ConditionPolicies: "Enforce, Tolerant, 0 % errors"}
	if !maps.Equal(got, want) {
		t.Errorf("conditions %v, want %v", got, want)
	}
}
