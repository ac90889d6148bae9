package document

import (
	"testing"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

func TestAddFaults(t *testing.T) {
	bracket := func(at float64) *measurement.Bracket {
		return &measurement.Bracket{FromSeconds: at, ToSeconds: at + 0.1}
	}
	record := func(name, member string, from, to float64, problem string) measurement.FaultRecord {
		return measurement.FaultRecord{Fault: measurement.Fault{Name: name, Member: member, AtSeconds: 40},
			FaultEffect: measurement.FaultEffect{Injected: bracket(from), Healed: bracket(to), Problem: problem}}
	}
	m := &measurement.Measurement{Faults: []measurement.FaultRecord{record("a", "member-0", 40, 45, ""), record("a", "member-1", 40.2, 44, ""), record("b", "member-0", 60, 61, "why")}}
	for second := range 80 {
		n := int64(100)
		if second >= 41 && second < 44 {
			n = 0
		}
		m.Completed = append(m.Completed, n)
	}
	var r RunResult
	r.AddFaults(m, nil)
	if len(r.Faults) != 2 || len(r.Faults[0].Targets) != 2 || r.Faults[1].Score != nil {
		t.Fatalf("the faults are %+v, want a on two targets, and b without a score", r.Faults)
	}
	if a := r.Availability; a == nil || a.FromSeconds != 40 || a.Problem == "" || a.Share != nil {
		t.Errorf("the availability is %+v, want a reason why it is unknown", a)
	}
	s := r.Faults[0].Score
	if s == nil || s.OutageSeconds != 3 || s.BaselinePerSecond != 100 || s.RecoverySeconds == nil || *s.RecoverySeconds != 4 {
		t.Errorf("the score is %+v, want an outage of 3 s and a recovery after 4 s", s)
	}
}
