package objectives

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/resilience"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

func TestJudgeFault(t *testing.T) {
	recovered := &resilience.Score{BinSeconds: 1, OutageSeconds: 8, RecoverySeconds: new(12.0), DegradationSeconds: 9.5}
	censored := &resilience.Score{BinSeconds: 1, OutageSeconds: 8, CensoredSeconds: 40, DegradationSeconds: 30}
	ongoing := &resilience.Score{BinSeconds: 1, OutageSeconds: 8, OutageCensored: true, CensoredSeconds: 9, DegradationSeconds: 9}
	noisy := &resilience.Score{OutageSeconds: 8, Problem: "completions vary by 50 % per 10 s"}
	overloaded := verdict.Verdict{Reasons: []verdict.Reason{{Code: verdict.ReasonOfferedNotAchieved}}}
	unproved := verdict.Verdict{Reasons: []verdict.Reason{{Code: verdict.ReasonFaultNotApplied}}}
	for name, c := range map[string]struct {
		objective string
		score     *resilience.Score
		verdict   verdict.Verdict
		outcome   string
		message   string
	}{
		"kept":                        {"metric: RecoveryTime, maxDuration: 12s", recovered, verdict.Verdict{}, verdict.ObjectivePassed, "RecoveryTime of fault/stop is 12.0 s, must be at most 12.0 s"},
		"too long":                    {"metric: RecoveryTime, maxDuration: 11s", recovered, verdict.Verdict{}, verdict.ObjectiveFailed, "is 12.0 s, must be at most 11.0 s"},
		"an outage":                   {"metric: OutageTime, maxDuration: 5s", recovered, verdict.Verdict{}, verdict.ObjectiveFailed, "is 8.00 s"},
		"an outage in noise":          {"metric: OutageTime, maxDuration: 10s", noisy, verdict.Verdict{}, verdict.ObjectivePassed, "is 8.00 s"},
		"an outage cut off":           {"metric: OutageTime, maxDuration: 10s", ongoing, verdict.Verdict{}, verdict.ObjectiveUndecided, "is more than 8.00 s"},
		"a long outage cut off":       {"metric: OutageTime, maxDuration: 7s", ongoing, verdict.Verdict{}, verdict.ObjectiveFailed, "is more than 8.00 s"},
		"a degradation":               {"metric: DegradationTime, maxDuration: 10s", recovered, verdict.Verdict{}, verdict.ObjectivePassed, "is 9.50 s"},
		"a recovery in noise":         {"metric: RecoveryTime, maxDuration: 10s", noisy, verdict.Verdict{}, verdict.ObjectiveUndecided, "vary by 50 %"},
		"cut off below the limit":     {"metric: RecoveryTime, maxDuration: 60s", censored, verdict.Verdict{}, verdict.ObjectiveUndecided, "is more than 40.0 s"},
		"cut off above the limit":     {"metric: RecoveryTime, maxDuration: 30s", censored, verdict.Verdict{}, verdict.ObjectiveFailed, "is more than 40.0 s"},
		"a degradation cut off":       {"metric: DegradationTime, maxDuration: 31s", censored, verdict.Verdict{}, verdict.ObjectiveUndecided, "more than 30.0 s"},
		"not proved":                  {"metric: RecoveryTime, maxDuration: 30s", nil, unproved, verdict.ObjectiveUndecided, "the fault has no score"},
		"another fault is not proved": {"metric: RecoveryTime, maxDuration: 1s", recovered, unproved, verdict.ObjectiveUndecided, "invalid: FaultNotApplied"},
		"overloaded before, kept":     {"metric: RecoveryTime, maxDuration: 30s", recovered, overloaded, verdict.ObjectiveUndecided, "invalid: OfferedNotAchieved"},
		"overloaded before, too long": {"metric: RecoveryTime, maxDuration: 1s", recovered, overloaded, verdict.ObjectiveFailed, "is 12.0 s"},
	} {
		t.Run(name, func(t *testing.T) {
			var o v1alpha1.Objective
			if err := yaml.UnmarshalStrict([]byte("{scope: fault/stop, "+c.objective+"}"), &o); err != nil {
				t.Fatal(err)
			}
			r := &document.RunResult{Verdict: c.verdict, Faults: []document.FaultResult{{Name: "other"}, {Name: "stop", Score: c.score}}}
			got := JudgeRun([]v1alpha1.Objective{o}, r)[0]
			if got.Outcome != c.outcome || !strings.Contains(got.Message, c.message) {
				t.Errorf("outcome %+v, want %s with %q", got, c.outcome, c.message)
			}
		})
	}
}
