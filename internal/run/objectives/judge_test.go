package objectives

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

func TestJudgeRun(t *testing.T) {
	p95 := v1alpha1.MetricObjective{Metric: v1alpha1.MetricLatencyP95, MaxLatency: &v1alpha1.Timeout{Duration: 500 * time.Millisecond}}
	finality := v1alpha1.MetricObjective{Metric: v1alpha1.MetricFinalityP95, MaxLatency: p95.MaxLatency}
	finalityOf := func(count int64, p95 float64) func(*measurement.Summary) {
		return func(s *measurement.Summary) {
			s.Finality = &measurement.Finality{Of: measurement.FinalityOfBlock, Count: count, Latency: measurement.Latency{P95: &p95}}
		}
	}
	throughput := v1alpha1.MetricObjective{Metric: v1alpha1.MetricThroughput, MinThroughputPerSecond: new(resource.MustParse("100"))}
	errors := v1alpha1.MetricObjective{Metric: v1alpha1.MetricErrorShare, MaxErrorPercent: new(resource.MustParse("1"))}
	for name, c := range map[string]struct {
		objective v1alpha1.MetricObjective
		change    func(*measurement.Summary)
		reasons   []verdict.ReasonCode
		outcome   string
		says      string
	}{
		"p95 within":                     {p95, nil, nil, "Passed", "LatencyP95 is 480.0 ms, must be at most 500.0 ms"},
		"p95 beyond":                     {p95, func(s *measurement.Summary) { s.Latency.P95 = new(501.0) }, nil, "Failed", "LatencyP95 is 501.0 ms"},
		"p95 of 199 latencies":           {p95, func(s *measurement.Summary) { s.Requests = 199 }, nil, "Undecided", "199 latencies are too few"},
		"p95 beyond, of 199":             {p95, func(s *measurement.Summary) { s.Requests, s.Latency.P95 = 199, nil }, nil, "Undecided", "LatencyP95 is blank, must be at most 500.0 ms, but 199 latencies are too few"},
		"nothing succeeded":              {p95, func(s *measurement.Summary) { s.Errors = s.Requests }, []verdict.ReasonCode{verdict.ReasonNoCompletions}, "Failed", "no operation succeeded"},
		"finality within":                {finality, finalityOf(200, 90), nil, "Passed", "FinalityP95 is 90.0 ms, must be at most 500.0 ms"},
		"finality beyond":                {finality, finalityOf(200, 501), nil, "Failed", "FinalityP95 is 501.0 ms"},
		"finality of 199 blocks":         {finality, finalityOf(199, 90), nil, "Undecided", "199 latencies are too few"},
		"finality that is unknown":       {finality, nil, nil, "Undecided", "FinalityP95 is blank"},
		"throughput within":              {throughput, nil, nil, "Passed", "Throughput is 120.0/s, must be at least 100.0/s"},
		"throughput below":               {throughput, func(s *measurement.Summary) { s.ThroughputPerSecond = 99 }, nil, "Failed", "99.0/s"},
		"throughput of few operations":   {throughput, func(s *measurement.Summary) { s.Requests = 5 }, nil, "Passed", "120.0/s"},
		"errors within":                  {errors, func(s *measurement.Summary) { s.ErrorShare = 0.01 }, nil, "Passed", "ErrorShare is"},
		"errors beyond":                  {errors, func(s *measurement.Summary) { s.ErrorShare = 0.02 }, []verdict.ReasonCode{verdict.ReasonErrors}, "Failed", "ErrorShare is"},
		"invalid by the host":            {throughput, nil, []verdict.ReasonCode{verdict.ReasonCPUStolen}, "Undecided", "invalid: CPUStolen"},
		"beyond, but invalid by workers": {p95, func(s *measurement.Summary) { s.Latency.P95 = new(900.0) }, []verdict.ReasonCode{verdict.ReasonWorkerThrottled}, "Undecided", "WorkerThrottled"},
		"beyond, system and host":        {p95, func(s *measurement.Summary) { s.Latency.P95 = new(900.0) }, []verdict.ReasonCode{verdict.ReasonErrors, verdict.ReasonCPUStolen}, "Undecided", "CPUStolen"},
		"beyond, invalid by the system":  {p95, func(s *measurement.Summary) { s.Latency.P95 = new(900.0) }, []verdict.ReasonCode{verdict.ReasonMemberRestarted}, "Failed", "900.0 ms"},
		"within, invalid by the system":  {throughput, nil, []verdict.ReasonCode{verdict.ReasonErrors}, "Undecided", "invalid: Errors"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &document.RunResult{Summary: measurement.Summary{ThroughputPerSecond: 120, Requests: 7200, Latency: measurement.Latency{P95: new(480.0)}}}
			for _, code := range c.reasons {
				r.Verdict.Reasons = append(r.Verdict.Reasons, verdict.Reason{Code: code})
			}
			if c.change != nil {
				c.change(&r.Summary)
			}
			got := JudgeRun([]v1alpha1.Objective{{MetricObjective: c.objective}}, r)
			if len(got) != 1 || got[0].Outcome != c.outcome || !strings.Contains(got[0].Message, c.says) {
				t.Errorf("got %+v, want %s with %q", got, c.outcome, c.says)
			}
		})
	}
}

// TestJudgeRunBySegment checks that an objective with a scope is judged by the summary of its segment only.
func TestJudgeRunBySegment(t *testing.T) {
	peak := v1alpha1.Objective{Scope: "segment/peak",
		MetricObjective: v1alpha1.MetricObjective{Metric: v1alpha1.MetricLatencyP95, MaxLatency: &v1alpha1.Timeout{Duration: 500 * time.Millisecond}}}
	for name, c := range map[string]struct {
		segment  string
		requests int64
		p95      float64
		outcome  string
		message  string
	}{
		"within":             {"peak", 200, 480, "Passed", "LatencyP95 of segment/peak is 480.0 ms, must be at most 500.0 ms"},
		"beyond":             {"peak", 200, 501, "Failed", "LatencyP95 of segment/peak is 501.0 ms, must be at most 500.0 ms"},
		"of 199 latencies":   {"peak", 199, 480, "Undecided", "LatencyP95 of segment/peak is 480.0 ms, must be at most 500.0 ms, but 199 latencies are too few for it, which requires 200"},
		"of another segment": {"base", 200, 480, "Failed", "no operation succeeded, so LatencyP95 of segment/peak is unknown, must be at most 500.0 ms"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &document.RunResult{Summary: measurement.Summary{Requests: 7200, Latency: measurement.Latency{P95: new(900.0)}}, Segments: []document.SegmentResult{
				{Segment: measurement.Segment{Name: c.segment}, Summary: measurement.Summary{Requests: c.requests, Latency: measurement.Latency{P95: &c.p95}}}}}
			got := JudgeRun([]v1alpha1.Objective{peak}, r)[0]
			if got.Metric != "LatencyP95 of segment/peak" || got.Outcome != c.outcome || got.Message != c.message {
				t.Errorf("got %+v, want %s with %q", got, c.outcome, c.message)
			}
		})
	}
}
