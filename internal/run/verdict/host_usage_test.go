package verdict

import (
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// TestNeighbours judges hosts by who used them: others make a run invalid, the run's own containers do not.
func TestNeighbours(t *testing.T) {
	for name, c := range map[string]struct {
		host    measurement.Host
		own     float64
		change  evidenceChange
		reasons string
		notes   string
		message string
	}{
		"daemons of a one-node cluster": {host: measurement.Host{CPUs: 2, BusyShare: 0.85}, own: 1.41},
		"daemons of a large host":       {host: measurement.Host{CPUs: 64, BusyShare: 0.5}, own: 30.2},
		"half of the bound":             {host: measurement.Host{CPUs: 4, BusyShare: 0.5}, own: 1.6, notes: "HostShared/node-1"},
		"compilers": {host: measurement.Host{CPUs: 2, BusyShare: 0.8}, own: 0.5, reasons: "HostShared/node-1",
			message: "others used 1.1 of the 2 CPUs of node-1 (55 %), this run 0.5 (0.6 CPUs is the bound)"},
		"compilers on a full host": {host: measurement.Host{CPUs: 2, BusyShare: 0.99}, own: 0.2, reasons: "HostShared/node-1 HostSaturated/node-1"},
		"full by itself":           {host: measurement.Host{CPUs: 2, BusyShare: 0.99}, own: 1.9, notes: "HostSaturated/node-1"},
		"full by the hypervisor": {host: measurement.Host{CPUs: 2, BusyShare: 0.87, StealShare: 0.1}, own: 1.7,
			reasons: "HostSaturated/node-1 CPUStolen/node-1"},
		"interrupts belong to no process": {host: measurement.Host{CPUs: 4, BusyShare: 0.5, InterruptShare: 0.25}, own: 0.9},
		"own use over the recorded time":  {host: measurement.Host{CPUs: 2, BusyShare: 0.8, OwnCPUs: 1.5}, own: 0.2},
		"pressure of a container": {host: measurement.Host{CPUs: 2, BusyShare: 0.8, Pressure: &measurement.Pressure{CPU: new(0.9)}}, own: 0.5,
			change: func(m *measurement.Measurement, _ *RunObservations) {
				m.Members[0].Pressure = &measurement.Pressure{CPU: new(0.63)}
			},
			reasons: "HostShared/node-1", message: "; member-0 waited for a CPU in 63 % of the time"},
		"pressure of the host": {host: measurement.Host{CPUs: 2, BusyShare: 0.8, Pressure: &measurement.Pressure{CPU: new(0.9)}}, own: 0.5,
			reasons: "HostShared/node-1", message: "; a task of the host waited for a CPU in 90 % of the time"},
		"unobserved database": {host: measurement.Host{CPUs: 2, BusyShare: 0.8}, own: 0.5,
			change: func(_ *measurement.Measurement, o *RunObservations) {
				o.Containers = append(o.Containers, measurement.ContainerInfo{Subject: "db", Role: measurement.RoleDatabase, Node: "node-1"})
			},
			notes: "HostShared/node-1"},
		"unobserved member": {host: measurement.Host{CPUs: 2, BusyShare: 0.8}, own: 0.5,
			change: func(m *measurement.Measurement, _ *RunObservations) {
				m.Members = append(m.Members, measurement.MemberUsage{Member: "member-0/execution", CPUSeconds: measurement.Series{measurement.Missing, measurement.Missing}})
			},
			notes: "HostShared/node-1"},
		"latency emulation": {host: measurement.Host{CPUs: 2, BusyShare: 0.8}, own: 0.5,
			change: func(_ *measurement.Measurement, o *RunObservations) {
				o.EmulatesLatency, o.Containers[0].Role = true, measurement.RoleMember
			},
			notes: "HostShared/node-1"},
		"database on another host": {host: measurement.Host{CPUs: 2, BusyShare: 0.8}, own: 0.5,
			change: func(_ *measurement.Measurement, o *RunObservations) {
				o.Containers = append(o.Containers, measurement.ContainerInfo{Subject: "db", Role: measurement.RoleDatabase, Node: "node-3"})
			},
			reasons: "HostShared/node-1", notes: "HostUnobserved/node-3"},
	} {
		t.Run(name, func(t *testing.T) {
			m, observations := newQuietRun(t)
			m.Members[0].Host, m.Members[0].CPUSeconds = &c.host, measurement.Series{c.own, c.own}
			if c.change != nil {
				c.change(m, &observations)
			}
			got := Judge(m, observations, DefaultTolerances())
			if joinCodes(got.Reasons) != c.reasons || joinCodes(got.Notes) != c.notes {
				t.Errorf("reasons %q, notes %q; want %q and %q", joinCodes(got.Reasons), joinCodes(got.Notes), c.reasons, c.notes)
			}
			if c.message != "" && !strings.Contains(got.Reasons[0].Message, c.message) {
				t.Errorf("no message %q in %v", c.message, got.Reasons)
			}
		})
	}
}

// TestNeighboursComeFirst checks that what others used precedes the errors that it may have caused.
func TestNeighboursComeFirst(t *testing.T) {
	m, observations := newQuietRun(t)
	m.Members[0].Host, m.Members[0].CPUSeconds = &measurement.Host{CPUs: 2, BusyShare: 0.8}, measurement.Series{0.5, 0.5}
	m.Errors = []measurement.ErrorCount{{Kind: "X", Count: 1, Example: "boom"}}
	got := Judge(m, observations, DefaultTolerances())
	if codes := joinCodes(got.Reasons); codes != "HostShared/node-1 Errors" {
		t.Errorf("reasons %q", codes)
	}
}
