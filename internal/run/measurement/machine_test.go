package measurement

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// machineReport returns the report of a worker that observed two members and described their host and its own.
func machineReport(t *testing.T, member0, member1, own *Machine) WorkerResult {
	t.Helper()
	histogram, err := NewHistogram().Encode()
	if err != nil {
		t.Fatal(err)
	}
	usage := func(name string, m *Machine) MemberUsage {
		return MemberUsage{Member: name, CPUSeconds: Series{1}, MemoryBytes: Series{1}, Evidence: Evidence{Machine: m}}
	}
	return WorkerResult{StartMillis: 1, WindowSeconds: 1, Histogram: histogram, CompletedPerSecond: []int64{0}, FailedPerSecond: []int64{0},
		Members: []MemberUsage{usage("member-0", member0), usage("member-1/execution", member1)}, Load: &WorkerUsage{Seconds: 1, Machine: own}}
}

func TestDescribeHosts(t *testing.T) {
	kernel := Machine{Kernel: "6.1", CgroupVersion: 2}
	withDisk := func(d Disk) *Machine {
		m := kernel
		m.Disk = &d
		return &m
	}
	m, err := Merge([]WorkerResult{machineReport(t, withDisk(Disk{Device: "vda", Model: "fast"}), withDisk(Disk{Device: "vda"}), &Machine{Kernel: "5.4"})})
	if err != nil {
		t.Fatal(err)
	}
	got := m.DescribeHosts([]ContainerInfo{
		{Subject: "member-0", Node: "a"}, {Subject: "member-0", Node: "a"}, {Subject: "member-1", Node: "a"}, {Subject: "db", Node: "c"},
		{Subject: "worker-0", Node: "b"}, {Subject: "unscheduled"},
	})
	want := []HostInfo{
		{Name: "a", Machine: kernel, Subjects: []string{"member-0", "member-1"},
			Disks: []Disk{{Device: "vda", Model: "fast", Subjects: []string{"member-0", "member-1/execution"}}}},
		{Name: "c", Subjects: []string{"db"}},
		{Name: "b", Machine: Machine{Kernel: "5.4"}, Subjects: []string{"worker-0"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if m.Members[0].Machine != nil || m.Workers[0].Load.Machine != nil {
		t.Error("the description of a host is also kept beside the usage")
	}
}

// TestHostDescriptionIsBounded merges a description that a compromised member sent.
func TestHostDescriptionIsBounded(t *testing.T) {
	long := strings.Repeat("é", 10_000)
	hostile := &Machine{CPUModel: long, Microcode: long, FrequencyGovernor: long, Kernel: long, NetworkDrivers: make([]string, 10_000),
		Disk: &Disk{Device: long, Model: long, Subjects: make([]string, 10_000)}, Network: &NetworkDevice{Device: long, Driver: long}}
	hostile.NetworkDrivers[0] = long
	m, err := Merge([]WorkerResult{machineReport(t, hostile, hostile, hostile)})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(m.DescribeHosts([]ContainerInfo{{Subject: "member-0", Node: "a"}, {Subject: "worker-0", Node: "a"}}))
	if err != nil || len(text) > 2500 {
		t.Errorf("error %v; the description has %d bytes", err, len(text))
	}
}
