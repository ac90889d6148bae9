package results

import (
	"slices"
	"testing"
)

// evidence changes a quiet run so that exactly one finding is made.
type evidence func(*Measurement, *Circumstances)

func stolen(share float64) evidence {
	return func(m *Measurement, _ *Circumstances) {
		m.Members[0].Host = &Host{CPUs: 2, BusyShare: 0.5, StealShare: share}
	}
}

func nodeTrouble(kind ReasonCode) evidence {
	return func(_ *Measurement, c *Circumstances) { c.Troubles = []Disturbance{{kind, "node-1", "as made up"}} }
}

func disturbance(kind ReasonCode) evidence {
	return func(_ *Measurement, c *Circumstances) {
		c.Disturbances = []Disturbance{{kind, "member-0", "as made up"}}
	}
}

// TestEnvironmentPolicy judges made-up evidence of every environmental cause under both policies.
func TestEnvironmentPolicy(t *testing.T) {
	for name, c := range map[string]struct {
		evidence evidence
		code     ReasonCode
		// enforced reports whether the cause makes a run invalid with the policy Enforce.
		enforced bool
	}{
		"stolen":          {stolen(0.24), CPUStolen, true},
		"node not ready":  {nodeTrouble(NodeNotReady), NodeNotReady, true},
		"a little stolen": {stolen(0.03), CPUStolen, false},
		"node pressure":   {nodeTrouble(NodeUnderPressure), NodeUnderPressure, false},
		"host saturated": {func(m *Measurement, _ *Circumstances) {
			m.Members[0].Host, m.Members[0].CPUSeconds = &Host{CPUs: 2, BusyShare: 0.99}, Series{1.9, 1.9}
		}, HostSaturated, false},
		"host shared": {func(m *Measurement, _ *Circumstances) {
			m.Members[0].Host = &Host{CPUs: 2, BusyShare: 0.9}
			m.Members[0].CPUSeconds = Series{0.2, 0.2}
		}, HostShared, false},
		"clocks apart": {func(m *Measurement, _ *Circumstances) {
			m.Members[0].Clock = &Clock{OffsetMillis: 30, ErrorMillis: 1}
		}, ClockSkewed, false},
	} {
		for _, record := range []bool{false, true} {
			t.Run(name+map[bool]string{false: "/Enforce", true: "/Record"}[record], func(t *testing.T) {
				m, circumstances := quiet(t)
				c.evidence(m, &circumstances)
				tolerances := DefaultTolerances()
				tolerances.RecordEnvironment = record
				got := m.Judge(circumstances, tolerances)
				if !c.code.IsEnvironmental() {
					t.Errorf("%s should be environmental", c.code)
				}
				reasons, notes := codes(got.Reasons), codes(got.Notes)
				want := string(c.code) + "/node-1"
				if invalid := c.enforced && !record; invalid && (reasons != want || notes != "") || !invalid && (reasons != "" || notes != want) {
					t.Errorf("reasons %q, notes %q", reasons, notes)
				}
				if recorded := codes(got.RecordedOnly()); (recorded == want) != (c.enforced && record) {
					t.Errorf("recorded only: %q", recorded)
				}
			})
		}
	}
}

// TestEnvironmentPolicyKeepsOtherReasons shows that what comes from the network or its load is never recorded only.
func TestEnvironmentPolicyKeepsOtherReasons(t *testing.T) {
	for code, evidence := range map[ReasonCode]evidence{
		Errors:               func(m *Measurement, _ *Circumstances) { m.Errors = []ErrorCount{{"X", 1, "boom"}} },
		NoCompletions:        func(m *Measurement, _ *Circumstances) { m.Completed = []int64{0, 0} },
		WorkerMissing:        func(_ *Measurement, c *Circumstances) { c.Workers = 3 },
		WorkerThrottled:      func(m *Measurement, _ *Circumstances) { m.Workers[1].Load = &Load{Periods: 100, ThrottledPeriods: 6} },
		WorkerBehindSchedule: func(m *Measurement, _ *Circumstances) { m.Schedule = Schedule{100, 2, 150_000} },
		NotSteady:            func(m *Measurement, _ *Circumstances) { m.Steady = &Steady{State: Unsteady, Reason: "it drifts"} },
		LedgerDiffers:        func(m *Measurement, _ *Circumstances) { m.Ledger.Recorded = 6 },
		MemberRestarted:      disturbance(MemberRestarted),
		MemberEvicted:        disturbance(MemberEvicted),
		MemberReplaced:       disturbance(MemberReplaced),
		DatabaseRestarted:    disturbance(DatabaseRestarted),
		OutOfMemory:          func(m *Measurement, _ *Circumstances) { m.Members[0].OOMKills = 1 },
		VolumeFull: func(m *Measurement, _ *Circumstances) {
			m.Members[0].Volume = &Volume{SizeBytes: 10 << 30, LeastAvailableBytes: 1 << 20}
		},
	} {
		t.Run(string(code), func(t *testing.T) {
			m, circumstances := quiet(t)
			stolen(0.24)(m, &circumstances)
			evidence(m, &circumstances)
			tolerances := DefaultTolerances()
			tolerances.RecordEnvironment = true
			got := m.Judge(circumstances, tolerances)
			if got.Validity != Invalid || len(got.Reasons) != 1 || got.Reasons[0].Code != code {
				t.Errorf("%s, reasons %q", got.Validity, codes(got.Reasons))
			}
			if !slices.ContainsFunc(got.RecordedOnly(), func(r Reason) bool { return r.Code == CPUStolen }) {
				t.Errorf("notes %q", codes(got.Notes))
			}
			if code.IsEnvironmental() {
				t.Errorf("%s is listed as environmental", code)
			}
		})
	}
}
