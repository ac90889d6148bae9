package results

import (
	"slices"
	"testing"
)

// evidenceChange changes a quiet run so that it has exactly one finding.
type evidenceChange func(*Measurement, *RunObservations)

func withStolenCPU(share float64) evidenceChange {
	return func(m *Measurement, _ *RunObservations) {
		m.Members[0].Host = &Host{CPUs: 2, BusyShare: 0.5, StealShare: share}
	}
}

func withNodeProblem(kind ReasonCode) evidenceChange {
	return func(_ *Measurement, c *RunObservations) {
		c.NodeProblems = []Disturbance{{kind, "node-1", "as made up"}}
	}
}

func withDisturbance(kind ReasonCode) evidenceChange {
	return func(_ *Measurement, c *RunObservations) {
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
		"stolen":          {withStolenCPU(0.24), CPUStolen, true},
		"node not ready":  {withNodeProblem(NodeNotReady), NodeNotReady, true},
		"a little stolen": {withStolenCPU(0.03), CPUStolen, false},
		"node pressure":   {withNodeProblem(NodeUnderPressure), NodeUnderPressure, false},
		"host saturated": {func(m *Measurement, _ *RunObservations) {
			m.Members[0].Host, m.Members[0].CPUSeconds = &Host{CPUs: 2, BusyShare: 0.99}, Series{1.9, 1.9}
		}, HostSaturated, false},
		"host shared a little": {func(m *Measurement, _ *RunObservations) {
			m.Members[0].Host, m.Members[0].CPUSeconds = &Host{CPUs: 2, BusyShare: 0.7}, Series{0.9, 0.9}
		}, HostShared, false},
		"host shared": {func(m *Measurement, _ *RunObservations) {
			m.Members[0].Host = &Host{CPUs: 2, BusyShare: 0.9}
			m.Members[0].CPUSeconds = Series{0.2, 0.2}
		}, HostShared, true},
		"clocks apart": {func(m *Measurement, _ *RunObservations) {
			m.Members[0].Clock = &Clock{OffsetMillis: 30, ErrorMillis: 1}
		}, ClockSkewed, false},
	} {
		for _, record := range []bool{false, true} {
			t.Run(name+map[bool]string{false: "/Enforce", true: "/Record"}[record], func(t *testing.T) {
				m, circumstances := newQuietRun(t)
				c.evidence(m, &circumstances)
				tolerances := DefaultTolerances()
				tolerances.RecordEnvironment = record
				got := m.Judge(circumstances, tolerances)
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
		Errors:        func(m *Measurement, _ *RunObservations) { m.Errors = []ErrorCount{{"X", 1, "boom"}} },
		NoCompletions: func(m *Measurement, _ *RunObservations) { m.Completed = []int64{0, 0} },
		WorkerMissing: func(_ *Measurement, c *RunObservations) { c.ExpectedWorkers = 3 },
		WorkerThrottled: func(m *Measurement, _ *RunObservations) {
			m.Workers[1].Load = &WorkerUsage{Periods: 100, ThrottledPeriods: 6}
		},
		WorkerBehindSchedule: func(m *Measurement, _ *RunObservations) {
			m.Completed, m.Schedule = []int64{5002, 5002}, Schedule{Planned: 10_004, Late: 200, MaxLagMicros: 150_000}
		},
		NotSteady: func(m *Measurement, _ *RunObservations) {
			m.WindowSelection = &WindowSelection{State: SelectionUnsteady, Reason: "it drifts"}
		},
		LedgerDiffers:     func(m *Measurement, _ *RunObservations) { m.Ledger.Recorded = 6 },
		MemberRestarted:   withDisturbance(MemberRestarted),
		MemberUnreachable: withDisturbance(MemberUnreachable),
		MemberEvicted:     withDisturbance(MemberEvicted),
		MemberReplaced:    withDisturbance(MemberReplaced),
		DatabaseRestarted: withDisturbance(DatabaseRestarted),
		OutOfMemory:       func(m *Measurement, _ *RunObservations) { m.Members[0].OOMKills = 1 },
		VolumeFull: func(m *Measurement, _ *RunObservations) {
			m.Members[0].Volume = &VolumeUsage{SizeBytes: 10 << 30, LeastAvailableBytes: 1 << 20}
		},
	} {
		t.Run(string(code), func(t *testing.T) {
			m, circumstances := newQuietRun(t)
			withStolenCPU(0.24)(m, &circumstances)
			evidence(m, &circumstances)
			tolerances := DefaultTolerances()
			tolerances.RecordEnvironment = true
			got := m.Judge(circumstances, tolerances)
			if got.IsValid() || len(got.Reasons) != 1 || got.Reasons[0].Code != code {
				t.Errorf("%s, reasons %q", got.Validity(), joinCodes(got.Reasons))
			}
			if !slices.ContainsFunc(got.RecordedOnlyNotes(), func(r Reason) bool { return r.Code == CPUStolen }) {
				t.Errorf("notes %q", joinCodes(got.Notes))
			}
			if code.IsEnvironmental() {
				t.Errorf("%s is listed as environmental", code)
			}
		})
	}
}
