package objectives

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/resilience"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// TestJudgeFaultyRun judges availability and identified operations of 1000, of which one failed.
func TestJudgeFaultyRun(t *testing.T) {
	known := &resilience.Availability{Due: 1000, Succeeded: 999, Share: new(0.999), TimeShare: new(1.0)}
	closed := &resilience.Availability{Problem: "only in an open loop"}
	ledger := func(lost, doubled *int64) *measurement.Ledger {
		return &measurement.Ledger{Checked: true, Expected: 999, Recorded: 999, Lost: lost, Doubled: doubled}
	}
	none, one := new(int64(0)), new(int64(1))
	differs := verdict.Verdict{Reasons: []verdict.Reason{{Code: verdict.ReasonLedgerDiffers}}}
	for name, c := range map[string]struct {
		objective    string
		availability *resilience.Availability
		ledger       *measurement.Ledger
		verdict      verdict.Verdict
		outcome      string
		message      string
	}{
		"available":          {`metric: Availability, minAvailabilityPercent: "99.9"`, known, nil, verdict.Verdict{}, verdict.ObjectivePassed, "Availability is 99.9 %, must be at least 99.9 %"},
		"less available":     {`metric: Availability, minAvailabilityPercent: "99.91"`, known, nil, verdict.Verdict{}, verdict.ObjectiveFailed, "is 99.9 %, must be at least 99.91 %"},
		"of a closed loop":   {"metric: Availability, minAvailabilityPercent: 50", closed, nil, verdict.Verdict{}, verdict.ObjectiveUndecided, "Availability is unknown, must be at least 50 %: only in an open loop"},
		"of an old result":   {"metric: Availability, minAvailabilityPercent: 50", nil, nil, verdict.Verdict{}, verdict.ObjectiveUndecided, "of an older version"},
		"none lost":          {"metric: OperationsLost, maxCount: 0", known, ledger(none, nil), verdict.Verdict{}, verdict.ObjectivePassed, "OperationsLost is 0, must be at most 0"},
		"one lost":           {"metric: OperationsLost, maxCount: 0", known, ledger(one, none), differs, verdict.ObjectiveFailed, "OperationsLost is 1, must be at most 0"},
		"few lost":           {"metric: OperationsLost, maxCount: 1", known, ledger(one, none), differs, verdict.ObjectiveUndecided, "the run is invalid: LedgerDiffers"},
		"no identities":      {"metric: OperationsLost, maxCount: 0", known, ledger(nil, nil), verdict.Verdict{}, verdict.ObjectiveUndecided, "does not identify such operations"},
		"no ledger":          {"metric: OperationsDoubled, maxCount: 0", known, nil, verdict.Verdict{}, verdict.ObjectiveUndecided, "does not compare the ledger"},
		"doubled":            {"metric: OperationsDoubled, maxCount: 0", known, ledger(none, one), differs, verdict.ObjectiveFailed, "OperationsDoubled is 1"},
		"doubled is unknown": {"metric: OperationsDoubled, maxCount: 0", known, ledger(none, nil), verdict.Verdict{}, verdict.ObjectiveUndecided, "OperationsDoubled is unknown, must be at most 0"},
	} {
		t.Run(name, func(t *testing.T) {
			var o v1alpha1.Objective
			if err := yaml.UnmarshalStrict([]byte("{"+c.objective+"}"), &o); err != nil {
				t.Fatal(err)
			}
			got := JudgeRun([]v1alpha1.Objective{o}, &document.RunResult{Verdict: c.verdict, Availability: c.availability, Ledger: c.ledger})[0]
			if got.Outcome != c.outcome || !strings.Contains(got.Message, c.message) {
				t.Errorf("outcome %+v, want %s with %q", got, c.outcome, c.message)
			}
		})
	}
}

func TestJudgeFault(t *testing.T) {
	recovered := &resilience.Score{BinSeconds: 1, OutageSeconds: 8, Effect: resilience.Effect{RecoverySeconds: new(12.0)}, DegradationSeconds: 9.5}
	censored := &resilience.Score{BinSeconds: 1, OutageSeconds: 8, Effect: resilience.Effect{CensoredSeconds: 40}, DegradationSeconds: 30}
	ongoing := &resilience.Score{BinSeconds: 1, OutageSeconds: 8, OutageCensored: true, Effect: resilience.Effect{CensoredSeconds: 9}, DegradationSeconds: 9}
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
		"not proved":                  {"metric: RecoveryTime, maxDuration: 30s", nil, unproved, verdict.ObjectiveUndecided, "is unknown, must be at most 30.0 s: the fault has no score"},
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
