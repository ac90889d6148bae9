package verdict

import (
	"slices"
	"testing"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// evidenceChange changes a quiet run so that it has exactly one finding.
type evidenceChange func(*measurement.Measurement, *RunObservations)

func withStolenCPU(share float64) evidenceChange {
	return func(m *measurement.Measurement, _ *RunObservations) {
		m.Members[0].Host = &measurement.Host{CPUs: 2, BusyShare: 0.5, StealShare: share}
	}
}

func withNodeProblem(kind ReasonCode) evidenceChange {
	return func(_ *measurement.Measurement, c *RunObservations) {
		c.NodeProblems = []Disturbance{{kind, "node-1", "as made up"}}
	}
}

func withDisturbance(kind ReasonCode) evidenceChange {
	return func(_ *measurement.Measurement, c *RunObservations) {
		c.Disturbances = []Disturbance{{kind, "member-0", "as made up"}}
	}
}

// TestEnvironmentPolicy judges synthetic evidence of every environmental cause under both policies.
func TestEnvironmentPolicy(t *testing.T) {
	for name, c := range map[string]struct {
		evidence evidenceChange
		code     ReasonCode
		// enforced reports whether the cause makes a run invalid with the policy Enforce.
		enforced bool
	}{
		"stolen":          {withStolenCPU(0.24), ReasonCPUStolen, true},
		"node not ready":  {withNodeProblem(ReasonNodeNotReady), ReasonNodeNotReady, true},
		"a little stolen": {withStolenCPU(0.03), ReasonCPUStolen, false},
		"node pressure":   {withNodeProblem(ReasonNodeUnderPressure), ReasonNodeUnderPressure, false},
		"host saturated": {func(m *measurement.Measurement, _ *RunObservations) {
			m.Members[0].Host, m.Members[0].CPUSeconds = &measurement.Host{CPUs: 2, BusyShare: 0.99}, measurement.Series{1.9, 1.9}
		}, ReasonHostSaturated, false},
		"host shared a little": {func(m *measurement.Measurement, _ *RunObservations) {
			m.Members[0].Host, m.Members[0].CPUSeconds = &measurement.Host{CPUs: 2, BusyShare: 0.7}, measurement.Series{0.9, 0.9}
		}, ReasonHostShared, false},
		"host shared": {func(m *measurement.Measurement, _ *RunObservations) {
			m.Members[0].Host = &measurement.Host{CPUs: 2, BusyShare: 0.9}
			m.Members[0].CPUSeconds = measurement.Series{0.2, 0.2}
		}, ReasonHostShared, true},
		"clocks apart": {func(m *measurement.Measurement, _ *RunObservations) {
			m.Members[0].Clock = &measurement.Clock{OffsetMillis: 30, ErrorMillis: 1}
		}, ReasonClockSkewed, false},
	} {
		for _, record := range []bool{false, true} {
			t.Run(name+map[bool]string{false: "/Enforce", true: "/Record"}[record], func(t *testing.T) {
				m, circumstances := newQuietRun(t)
				c.evidence(m, &circumstances)
				tolerances := DefaultTolerances()
				tolerances.RecordEnvironment = record
				got := Judge(m, circumstances, tolerances)
				if !c.code.IsEnvironmental() {
					t.Errorf("%s should be environmental", c.code)
				}
				reasons, notes := joinCodes(got.Reasons), joinCodes(got.Notes)
				want := string(c.code) + "/node-1"
				if invalid := c.enforced && !record; invalid && (reasons != want || notes != "") || !invalid && (reasons != "" || notes != want) {
					t.Errorf("reasons %q, notes %q", reasons, notes)
				}
				if recorded := joinCodes(got.RecordedOnlyNotes()); (recorded == want) != (c.enforced && record) {
					t.Errorf("recorded only: %q", recorded)
				}
			})
		}
	}
}

// TestEnvironmentPolicyKeepsOtherReasons checks that findings about the network or its load are never recorded
// only.
func TestEnvironmentPolicyKeepsOtherReasons(t *testing.T) {
	for code, evidence := range map[ReasonCode]evidenceChange{
		ReasonErrors: func(m *measurement.Measurement, _ *RunObservations) {
			m.Errors = []measurement.ErrorCount{{Kind: "X", Count: 1, Example: "boom"}}
		},
		ReasonNoCompletions: func(m *measurement.Measurement, _ *RunObservations) { m.Completed = []int64{0, 0} },
		ReasonWorkerMissing: func(_ *measurement.Measurement, c *RunObservations) { c.ExpectedWorkers = 3 },
		ReasonWorkerThrottled: func(m *measurement.Measurement, _ *RunObservations) {
			m.Workers[1].Load = &measurement.WorkerUsage{Periods: 100, ThrottledPeriods: 6}
		},
		ReasonWorkerBehindSchedule: func(m *measurement.Measurement, _ *RunObservations) {
			m.Completed, m.Schedule = []int64{5002, 5002}, measurement.Schedule{Planned: 10_004, Late: 200, MaxLagMicros: 150_000}
		},
		ReasonNotSteady: func(m *measurement.Measurement, _ *RunObservations) {
			m.WindowSelection = &measurement.WindowSelection{State: measurement.SelectionUnsteady, Reason: "it drifts"}
		},
		ReasonLedgerDiffers:     func(m *measurement.Measurement, _ *RunObservations) { m.Ledger.Recorded = 6 },
		ReasonMemberRestarted:   withDisturbance(ReasonMemberRestarted),
		ReasonMemberUnreachable: withDisturbance(ReasonMemberUnreachable),
		ReasonMemberEvicted:     withDisturbance(ReasonMemberEvicted),
		ReasonMemberReplaced:    withDisturbance(ReasonMemberReplaced),
		ReasonDatabaseRestarted: withDisturbance(ReasonDatabaseRestarted),
		ReasonOutOfMemory:       func(m *measurement.Measurement, _ *RunObservations) { m.Members[0].OOMKills = 1 },
		ReasonVolumeFull: func(m *measurement.Measurement, _ *RunObservations) {
			m.Members[0].Volume = &measurement.VolumeUsage{SizeBytes: 10 << 30, LeastAvailableBytes: 1 << 20}
		},
	} {
		t.Run(string(code), func(t *testing.T) {
			m, circumstances := newQuietRun(t)
			withStolenCPU(0.24)(m, &circumstances)
			evidence(m, &circumstances)
			tolerances := DefaultTolerances()
			tolerances.RecordEnvironment = true
			got := Judge(m, circumstances, tolerances)
			if got.IsValid() || len(got.Reasons) != 1 || got.Reasons[0].Code != code {
				t.Errorf("%s, reasons %q", got.Validity(), joinCodes(got.Reasons))
			}
			if !slices.ContainsFunc(got.RecordedOnlyNotes(), func(r Reason) bool { return r.Code == ReasonCPUStolen }) {
				t.Errorf("notes %q", joinCodes(got.Notes))
			}
			if code.IsEnvironmental() {
				t.Errorf("%s is listed as environmental", code)
			}
		})
	}
}
