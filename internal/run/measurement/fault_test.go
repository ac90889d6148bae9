package measurement

import (
	"strings"
	"testing"
)

// TestCompleteFaults checks that each declared fault has its own effect, and that nothing is proved of the others.
func TestCompleteFaults(t *testing.T) {
	at := &Bracket{FromSeconds: 1, ToSeconds: 2}
	declared := []Fault{{Name: "a", Member: "member-0"}, {Name: "a", Member: "member-1"}, {Name: "b", Member: "member-0"}}
	m := Measurement{Faults: []FaultRecord{
		{Fault{Name: "b", Member: "member-0"}, FaultEffect{Injected: at}},
		{Fault{Name: "foreign", Member: "member-0"}, FaultEffect{}},
		{declared[0], FaultEffect{Injected: at, Healed: at, During: strings.Repeat("x", 10_000)}},
	}}
	m.CompleteFaults(declared)
	var problems []string
	for i, f := range m.Faults {
		if f.Fault != declared[i] {
			t.Errorf("fault %d is %+v", i, f.Fault)
		}
		problems = append(problems, f.Problem)
	}
	if got := strings.Join(problems, "|"); got != "|no worker reported it|its agent reported no times" {
		t.Errorf("problems %q", got)
	}
	if n := len(m.Faults[0].During); n > maxExampleChars {
		t.Errorf("the evidence has %d characters", n)
	}
}
