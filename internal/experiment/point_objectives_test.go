package experiment

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// TestJudgePoint judges a limit of 500 ms on p95 over the runs of a point.
func TestJudgePoint(t *testing.T) {
	wanted := []v1alpha1.Objective{{MetricObjective: v1alpha1.MetricObjective{
		Metric: v1alpha1.MetricLatencyP95, MaxLatency: &v1alpha1.Timeout{Duration: 500 * time.Millisecond}}}}
	type run struct {
		verdict RunVerdict
		outcome string
		p95     float64
	}
	valid := func(p95 float64) run { return run{RunValid, verdict.ObjectivePassed, p95} }
	for name, c := range map[string]struct {
		runs    []run
		outcome string
		says    string
	}{
		"one run within":                {[]run{valid(480)}, verdict.ObjectivePassed, "LatencyP95 is 480.0 ms, must be at most 500.0 ms"},
		"one run beyond":                {[]run{valid(520)}, verdict.ObjectiveFailed, "520.0 ms"},
		"all within":                    {[]run{valid(470), valid(480), valid(475)}, verdict.ObjectivePassed, "to"},
		"all beyond":                    {[]run{valid(700), valid(710), valid(705)}, verdict.ObjectiveFailed, "to"},
		"mean within, runs astride":     {[]run{valid(400), valid(590), valid(450)}, verdict.ObjectiveUndecided, "480.0 ms (400.0 ms to 590.0 ms), must be at most 500.0 ms: the limit is between the runs"},
		"mean within, interval astride": {[]run{valid(400), valid(590), valid(450), valid(470), valid(480)}, verdict.ObjectiveUndecided, "the limit is within the interval"},
		"an invalid run of the host":    {[]run{valid(480), {RunInvalid, verdict.ObjectiveUndecided, 9000}}, verdict.ObjectivePassed, "480.0 ms"},
		"an overloaded run":             {[]run{valid(480), {RunInvalid, verdict.ObjectiveFailed, 9000}}, verdict.ObjectiveFailed, "run r2"},
		"nine of ten crashed":           {append([]run{valid(480)}, slices.Repeat([]run{{RunFailed, "", 0}}, 9)...), verdict.ObjectiveUndecided, "480.0 ms, must be at most 500.0 ms, but 9 of 10 runs failed"},
		"too few samples":               {[]run{valid(480), {RunValid, verdict.ObjectiveUndecided, 400}}, verdict.ObjectiveUndecided, "run r2"},
		"no valid run":                  {[]run{{RunFailed, "", 0}}, verdict.ObjectiveUndecided, "no valid run"},
		"no run":                        {nil, verdict.ObjectiveUndecided, "no valid run"},
	} {
		t.Run(name, func(t *testing.T) {
			var runs []Run
			for i, r := range c.runs {
				measured := Run{Name: fmt.Sprintf("r%d", i+1), Verdict: r.verdict, Metrics: map[string]float64{string(v1alpha1.MetricLatencyP95): r.p95}}
				measured.Excluded = r.outcome == verdict.ObjectiveUndecided // Only the host made it invalid.
				if r.outcome != "" {
					measured.Objectives = []verdict.ObjectiveOutcome{{Metric: string(v1alpha1.MetricLatencyP95), Outcome: r.outcome, Message: "p95"}}
				}
				runs = append(runs, measured)
			}
			got := judgePoint(wanted, &Point{Metrics: EstimateMetrics(runs, 0, 0.95)}, runs)
			if len(got) != 1 || got[0].Outcome != c.outcome || !strings.Contains(got[0].Message, c.says) {
				t.Errorf("got %+v, want %s with %q", got, c.outcome, c.says)
			}
		})
	}
}

// TestJudgePointBySegment checks that an objective on a segment, which has no interval over the runs, is judged by its outcomes in the runs.
func TestJudgePointBySegment(t *testing.T) {
	wanted := []v1alpha1.Objective{{Scope: "segment/peak", MetricObjective: v1alpha1.MetricObjective{
		Metric: v1alpha1.MetricThroughput, MinThroughputPerSecond: new(resource.MustParse("10"))}}}
	outcomeOf := func(outcome string) []Run {
		return []Run{{Name: "r1", Verdict: RunValid, Metrics: map[string]float64{string(v1alpha1.MetricThroughput): 50},
			Objectives: []verdict.ObjectiveOutcome{{Metric: "Throughput of segment/peak", Outcome: outcome, Message: "its value"}}}}
	}
	for _, outcome := range []string{verdict.ObjectivePassed, verdict.ObjectiveFailed, verdict.ObjectiveUndecided} {
		t.Run(outcome, func(t *testing.T) {
			runs := outcomeOf(outcome)
			got := judgePoint(wanted, &Point{Metrics: EstimateMetrics(runs, 0, 0.95)}, runs)[0]
			if got.Metric != "Throughput of segment/peak" || got.Limit != 10 || got.Outcome != outcome || !strings.Contains(got.Message, "run r1: its value") {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// TestJudgePointQueries judges a query over the runs of a point.
func TestJudgePointQueries(t *testing.T) {
	wanted := []v1alpha1.QueryObjective{{Name: "queue", Expression: "a", Max: new(resource.MustParse("1"))}}
	type run struct {
		verdict RunVerdict
		outcome string
	}
	for name, c := range map[string]struct {
		runs    []run
		outcome string
		says    string
	}{
		"all passed":           {[]run{{RunValid, verdict.ObjectivePassed}, {RunValid, verdict.ObjectivePassed}}, verdict.ObjectivePassed, "passed in 2 valid runs, run r1: queue"},
		"one failed":           {[]run{{RunValid, verdict.ObjectiveUndecided}, {RunValid, verdict.ObjectiveFailed}}, verdict.ObjectiveFailed, "run r2: queue"},
		"one is undecided":     {[]run{{RunValid, verdict.ObjectivePassed}, {RunValid, verdict.ObjectiveUndecided}}, verdict.ObjectiveUndecided, "run r2: queue"},
		"the first undecided":  {[]run{{RunValid, verdict.ObjectiveUndecided}, {RunValid, verdict.ObjectivePassed}}, verdict.ObjectiveUndecided, "run r1: queue"},
		"one crashed":          {[]run{{RunValid, verdict.ObjectivePassed}, {RunFailed, ""}}, verdict.ObjectiveUndecided, "1 of 2 runs failed; run r1: queue"},
		"failed by the system": {[]run{{RunValid, verdict.ObjectivePassed}, {RunInvalid, verdict.ObjectiveFailed}}, verdict.ObjectiveFailed, "run r2: queue"},
		"an invalid run":       {[]run{{RunInvalid, verdict.ObjectiveUndecided}, {RunValid, verdict.ObjectivePassed}}, verdict.ObjectivePassed, "1 valid run, run r2"},
		"no valid run":         {[]run{{RunFailed, ""}, {RunInvalid, verdict.ObjectiveUndecided}}, verdict.ObjectiveUndecided, "queue is unknown: the point has no valid run"},
		"no run":               {nil, verdict.ObjectiveUndecided, "no valid run"},
	} {
		t.Run(name, func(t *testing.T) {
			var runs []Run
			for i, r := range c.runs {
				measured := Run{Name: fmt.Sprintf("r%d", i+1), Verdict: r.verdict}
				measured.Excluded = r.outcome == verdict.ObjectiveUndecided // Only the host made it invalid.
				if r.outcome != "" {
					measured.Objectives = []verdict.ObjectiveOutcome{{Metric: "queue", Outcome: r.outcome, Message: "queue"}}
				}
				runs = append(runs, measured)
			}
			got := judgePointQueries(wanted, runs)
			if len(got) != 1 || got[0].Metric != "queue" || got[0].Limit != 1 || got[0].Outcome != c.outcome || !strings.Contains(got[0].Message, c.says) {
				t.Errorf("got %+v, want %s with %q", got, c.outcome, c.says)
			}
		})
	}
}
