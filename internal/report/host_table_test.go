package report

import (
	"slices"
	"testing"

	"github.com/benchnet/benchnet/internal/network/latency"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// TestHostTableNamesOthersFirst checks the cells of a shared host with pressure.
func TestHostTableNamesOthersFirst(t *testing.T) {
	table := hostTable(&document.RunResult{Hosts: []verdict.HostUsage{
		{Name: "node-1", CPUs: 2, Own: 0.5, Others: 1.1, OthersLimit: 0.6, CPUPressure: new(0.63), PressureOf: "member-0"}}})
	if want := []string{"node-1", "1.1", "0.6", "0.5", "0", "2", "member-0 63\u202f% of the time"}; !slices.Equal(table.Rows[0].Cells, want) {
		t.Errorf("got %q, want %q", table.Rows[0].Cells, want)
	}
	if tables := withRows(hostTable(&document.RunResult{})); len(tables) > 0 {
		t.Errorf("got %v without hosts", tables)
	}
}

func TestMachinesTable(t *testing.T) {
	table := machinesTable([]measurement.HostInfo{
		{Name: "a", Subjects: []string{"member-0", "worker-0"}, Machine: measurement.Machine{
			CPUModel: "Example CPU", Microcode: "0x1", FrequencyGovernor: "performance", SMT: new(false), NUMANodes: 2, Kernel: "6.1", CgroupVersion: 2,
			NetworkDrivers: []string{"ena"}, Network: &measurement.NetworkDevice{Device: "eth0", Driver: "veth", MTU: 1450, SpeedMbps: 100}},
			Disks: []measurement.Disk{{Device: "sda", Model: "Spinner", Rotational: new(true), Subjects: []string{"member-0"}}, {Device: "vdb", Subjects: []string{"db"}}}},
		{Name: "b", Subjects: []string{"member-1"}},
	})
	for i, want := range [][]string{
		{"a", "Example CPU, microcode 0x1, governor performance, SMT off, NUMA nodes: 2", "6.1, cgroup v2",
			"sda (Spinner), rotational: member-0; vdb: db", "pods: eth0 veth, MTU 1450, 100 Mbit/s; host: ena", "member-0, worker-0"},
		{"b", "–", "–", "–", "–", "member-1"},
	} {
		if got := table.Rows[i].Cells; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestRegionsTable checks that the regions of an emulation and those of the nodes' zones are listed alike.
func TestRegionsTable(t *testing.T) {
	regions := map[string]string{"member-0": "b", "member-1": "a", "member-2": "b"}
	for name, e := range map[string]document.Environment{
		"emulated": {EmulatedLatency: &verdict.EmulatedLatency{Config: latency.Config{Members: regions}}},
		"zones":    {Regions: regions},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, row := range regionsTable(e).Rows {
				got = append(got, row.Cells...)
			}
			if want := []string{"a", "member-1", "b", "member-0, member-2"}; !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
