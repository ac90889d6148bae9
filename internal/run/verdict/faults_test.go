package verdict

import (
	"testing"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// TestJudgeFaults checks what a declared fault excuses, and what it does not.
func TestJudgeFaults(t *testing.T) {
	proved := measurement.FaultEffect{Injected: &measurement.Bracket{FromSeconds: 60, ToSeconds: 60.1}, Healed: &measurement.Bracket{FromSeconds: 70, ToSeconds: 70.1}}
	late := measurement.FaultEffect{Injected: &measurement.Bracket{FromSeconds: 60, ToSeconds: 61.2}, Healed: proved.Healed}
	unproved := measurement.FaultEffect{Injected: proved.Injected, Healed: proved.Healed, Problem: "something continued it"}
	baseline := measurement.Segment{Name: "baseline", Seconds: 60, OfferedPerSecond: 100, Constant: true}
	rest := measurement.Segment{Name: "faults", FromSeconds: 60, Seconds: 60, OfferedPerSecond: 100}
	level := func(int) int64 { return 100 }
	outage := func(second int) int64 { return []int64{0, 100}[second/30] }
	ledger := func(expected, recorded int64) *measurement.Ledger {
		return &measurement.Ledger{Checked: true, Expected: expected, Recorded: recorded}
	}
	// restart has the container restarted and its samples of the seconds 60 to last missed.
	restart := func(fault measurement.Fault, member string, resets, last int) func(*measurement.Measurement) {
		return func(m *measurement.Measurement) {
			fault.Name, fault.AtSeconds = "end", 60
			m.Faults[0].Fault = fault
			usage := measurement.MemberUsage{Member: member, Resets: resets, MissedScrapes: last - 59, MemoryBytes: make(measurement.Series, 120)}
			for second := 60; second <= last; second++ {
				usage.MemoryBytes[second-1] = measurement.Missing
			}
			m.Members = []measurement.MemberUsage{usage}
		}
	}
	container := measurement.Fault{Type: measurement.FaultKill, Kill: measurement.KillContainer, Member: "member-1"}
	pod := measurement.Fault{Type: measurement.FaultEvict, Member: "member-1"}
	failed := []measurement.ErrorCount{{Kind: "RPCException", Count: 20}}
	for name, c := range map[string]struct {
		effect         measurement.FaultEffect
		before         func(second int) int64
		change         func(m *measurement.Measurement)
		reasons, notes string
	}{
		"an outage is a result":      {effect: proved},
		"errors are a note":          {effect: proved, change: func(m *measurement.Measurement) { m.Errors = failed }, notes: "Errors"},
		"errors before the fault":    {effect: proved, change: func(m *measurement.Measurement) { m.Segments[0].Errors = failed }, reasons: "Errors/segment baseline"},
		"an outage before the fault": {effect: proved, before: outage, reasons: "OfferedNotAchieved/segment baseline ThroughputUnstable/segment baseline"},
		"not proved":                 {effect: unproved, reasons: "FaultNotApplied/member-1"},
		"late":                       {effect: late, reasons: "FaultLate/member-1"},
		"applied although the client saw an error": {effect: proved, change: func(m *measurement.Measurement) {
			m.Errors, m.Ledger = failed, ledger(6000, 6020)
		}, notes: "Errors LedgerDiffers"},
		"applied more often than it failed": {effect: proved, change: func(m *measurement.Measurement) {
			m.Errors, m.Ledger = failed, ledger(6000, 6021)
		}, reasons: "LedgerDiffers", notes: "Errors"},
		"lost":                              {effect: proved, change: func(m *measurement.Measurement) { m.Ledger = ledger(6000, 5999) }, reasons: "LedgerDiffers"},
		"its restart":                       {effect: proved, change: restart(container, "member-1", 1, 71)},
		"a second restart":                  {effect: proved, change: restart(container, "member-1", 2, 71), reasons: "MemberRestarted/member-1"},
		"samples missed after the restart":  {effect: proved, change: restart(container, "member-1", 1, 73), notes: "ScrapesMissed/member-1"},
		"the restart of another container":  {effect: proved, change: restart(container, "member-1/execution", 1, 59), reasons: "MemberRestarted/member-1/execution"},
		"a restart of a fault not proved":   {effect: unproved, change: restart(container, "member-1", 1, 59), reasons: "MemberRestarted/member-1 FaultNotApplied/member-1"},
		"an eviction of all its containers": {effect: proved, change: restart(pod, "member-1/execution", 1, 71)},
		"an eviction of another member":     {effect: proved, change: restart(pod, "member-2", 1, 71), reasons: "MemberRestarted/member-2", notes: "ScrapesMissed/member-2"},
		"lost though another was applied late": {effect: proved, change: func(m *measurement.Measurement) {
			m.Ledger = ledger(6000, 6000)
			m.Ledger.Lost, m.Ledger.Late = new(int64(1)), new(int64(1))
		}, reasons: "LedgerDiffers"},
		"doubled": {effect: proved, change: func(m *measurement.Measurement) {
			m.Ledger = ledger(6000, 6000)
			m.Ledger.Lost, m.Ledger.Doubled = new(int64(0)), new(int64(1))
		}, reasons: "LedgerDiffers"},
		"in its turn": {effect: late, change: func(m *measurement.Measurement) { m.Faults[0].Role = measurement.RoleProposer }},
		"another member restarted": {effect: proved, change: func(m *measurement.Measurement) {
			m.Members = []measurement.MemberUsage{{Member: "member-0", Resets: 1}}
		}, reasons: "MemberRestarted/member-0"},
	} {
		t.Run(name, func(t *testing.T) {
			before := level
			if c.before != nil {
				before = c.before
			}
			whole := newSegment(measurement.Segment{Seconds: 120, OfferedPerSecond: 100}, func(second int) int64 { return []int64{100, 0}[second/60] })
			m := whole.Measurement
			m.Schedule, m.Segments = measurement.Schedule{}, []measurement.SegmentMeasurement{newSegment(baseline, before), newSegment(rest, outage)}
			m.Faults = []measurement.FaultRecord{{Fault: measurement.Fault{Name: "stop", Type: measurement.FaultPause, Member: "member-1", AtSeconds: 60, DurationSeconds: 10},
				FaultEffect: c.effect}}
			if c.change != nil {
				c.change(m)
			}
			v := Judge(m, RunObservations{ExpectedWorkers: 1, Clients: 1}, DefaultTolerances())
			if got := joinCodes(v.Reasons); got != c.reasons {
				t.Errorf("reasons %q, want %q: %+v", got, c.reasons, v.Reasons)
			}
			if got := joinCodes(v.Notes); got != c.notes {
				t.Errorf("notes %q, want %q", got, c.notes)
			}
		})
	}
}
