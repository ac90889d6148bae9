package measurement

import (
	"fmt"
	"strings"
	"testing"
)

// TestResolveRoles checks that exactly one leader must have been found.
func TestResolveRoles(t *testing.T) {
	at := &Bracket{FromSeconds: 1, ToSeconds: 2}
	hit, skipped, unknown := FaultEffect{Injected: at, Healed: at}, FaultEffect{Skipped: "it was a Follower"}, FaultEffect{Problem: "unknown"}
	for name, c := range map[string]struct {
		role    ConsensusRole
		effects []FaultEffect
		want    string
	}{
		"one leader":                 {RoleLeader, []FaultEffect{skipped, hit, skipped}, "1:"},
		"two leaders":                {RoleLeader, []FaultEffect{hit, hit, skipped}, "0:2 of 3 members had the role Leader at that time 1:2 of 3 members had the role Leader at that time"},
		"no leader":                  {RoleLeader, []FaultEffect{skipped, skipped}, "0:0 of 2 members had the role Leader at that time 1:0 of 2 members had the role Leader at that time"},
		"one leader and one unknown": {RoleLeader, []FaultEffect{unknown, hit, skipped}, "0:unknown 1:2 of 3 members had the role Leader at that time"},
		"two followers":              {RoleFollower, []FaultEffect{hit, skipped, hit}, "0: 2:"},
	} {
		t.Run(name, func(t *testing.T) {
			var m Measurement
			var declared []Fault
			for i, effect := range c.effects {
				declared = append(declared, Fault{Name: "a", Role: c.role, Member: fmt.Sprint(i)})
				m.Faults = append(m.Faults, FaultRecord{declared[i], effect})
			}
			m.CompleteFaults(declared)
			var got []string
			for _, f := range m.Faults {
				got = append(got, f.Member+":"+f.Problem)
			}
			if text := strings.Join(got, " "); text != c.want {
				t.Errorf("got %q, want %q", text, c.want)
			}
		})
	}
}

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

func TestDescribeFault(t *testing.T) {
	for want, f := range map[string]Fault{
		"Kill":                    {Type: FaultKill},
		"Kill of the container":   {Type: FaultKill, Kill: KillContainer},
		"Partition from m-0, m-1": {Type: FaultPartition, From: "m-0,m-1"},
		"Partition from m-0, m-1 (ToTarget only)":                {Type: FaultPartition, From: "m-0,m-1", Direction: DirectionToTarget},
		"Pressure: 80 % of the CPU limit, 64 MiB of memory left": {Type: FaultPressure, Pressure: PressureFault{CPUPercent: 80, MemoryHeadroomBytes: 64 << 20}},
		"FillDisk":                   {Type: FaultFillDisk, FillDisk: FillDiskFault{ClaimBytes: 1 << 30}},
		"FillDisk: 64 MiB left free": {Type: FaultFillDisk, FillDisk: FillDiskFault{LeaveFreeBytes: 64 << 20}},
		"SlowDatabase: stopped for 250 ms of each second":    {Type: FaultSlowDatabase, SlowDatabase: SlowDatabaseFault{PauseMicros: 250_000}},
		"Link: 100 ms longer, ± 2.5 ms, 1 % lost, 10 Mbit/s": {Type: FaultLink, Link: LinkFault{RoundTripMicros: 100_000, JitterMicros: 2500, LossPercent: 1, BitsPerSecond: 10_000_000}},
	} {
		t.Run(want, func(t *testing.T) {
			if got := f.Describe(); got != want {
				t.Errorf("the fault is described as %q", got)
			}
		})
	}
}
