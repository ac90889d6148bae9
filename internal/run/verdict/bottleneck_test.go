package verdict

import (
	"slices"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/network/latency"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// newIdleMeasurement returns a measurement in which every resource is observed and none is near its limit.
func newIdleMeasurement() *measurement.Measurement {
	host := &measurement.Host{CPUs: 4, BusyShare: 0.3, IdleShare: 0.7}
	m := &measurement.Measurement{WindowSeconds: 2}
	for _, name := range []string{"member-0", "notary"} {
		m.Members = append(m.Members, measurement.MemberUsage{Member: name, CPUSeconds: measurement.Series{0.2, 0.4}, Periods: 100, ThrottledPeriods: 1,
			Evidence: measurement.Evidence{CPULimit: 1, Host: host, Volume: &measurement.VolumeUsage{SizeBytes: 10 << 30, LeastAvailableBytes: 6 << 30},
				GarbageCollection: &measurement.GarbageCollection{Share: 0.02}}})
	}
	m.Members = append(m.Members, measurement.MemberUsage{Member: "db", Kind: measurement.KindDatabase, CPUSeconds: measurement.Series{0.1, measurement.Missing}, Periods: 100, Evidence: measurement.Evidence{CPULimit: 1, Host: host}})
	m.Workers = []measurement.WorkerSummary{{Load: &measurement.WorkerUsage{CPUSeconds: 0.5, Periods: 100, CPULimit: 1, Host: host}}}
	for name, value := range map[string]float64{measurement.SeriesConnections: 5, measurement.SeriesMaxConnections: 20, measurement.SeriesActive: 4, measurement.SeriesLockWaits: 0.5, measurement.SeriesIOWaits: 0.5} {
		m.Series = append(m.Series, measurement.NamedSeries{Subject: "db", Name: name, Values: measurement.Series{measurement.Missing, value}})
	}
	for name, value := range map[string]float64{measurement.SeriesPoolActive: 2, measurement.SeriesPoolMax: 10, measurement.SeriesNetworkTransmit: 1e5} {
		m.Series = append(m.Series, measurement.NamedSeries{Subject: "member-0", Name: name, Values: measurement.Series{measurement.Missing, value}})
	}
	return m
}

// setSeries replaces the values of a subject's series.
func setSeries(m *measurement.Measurement, subject, name string, value float64) {
	for i := range m.Series {
		if m.Series[i].Subject == subject && m.Series[i].Name == name {
			m.Series[i].Values = measurement.Series{value, value}
		}
	}
}

var (
	containersOnNode1 = []measurement.ContainerInfo{{Subject: "member-0", Node: "node-1"}, {Subject: "notary", Node: "node-1"}, {Subject: "db", Node: "node-1"}, {Subject: "worker-0", Node: "node-1", Role: measurement.RoleWorker}}
	// slowLink limits the link from member-0 to the notary to 10 Mbit/s.
	slowLink = &EmulatedLatency{Config: latency.Config{Members: map[string]string{"member-0": "A", "notary": "B"},
		Links: []latency.RegionLink{{Between: [2]string{"A", "B"}, Link: latency.Link{BitsPerSecond: 10_000_000}}}}}
)

func TestBottleneck(t *testing.T) {
	for name, c := range map[string]struct {
		change   func(*measurement.Measurement)
		resource Resource
		subject  string
		message  string
	}{
		"nothing": {func(*measurement.Measurement) {}, ResourceNone, "", "none: no resource was at its limit, the load is too small or waits for responses; nearest "},
		"member CPU": {func(m *measurement.Measurement) { m.Members[0].CPUSeconds = measurement.Series{0.9, 0.98} }, MemberCPU, "member-0",
			"member-0 CPU 94 % (0.94 of 1 cores)"},
		"throttled in bursts": {func(m *measurement.Measurement) { m.Members[0].ThrottledPeriods = 30 }, MemberCPU, "member-0", "member-0 CPU throttled 30 %"},
		"notary CPU":          {func(m *measurement.Measurement) { m.Members[1].CPUSeconds = measurement.Series{1, 1} }, MemberCPU, "notary", "notary CPU 100 % (1 of 1 cores)"},
		"database CPU": {func(m *measurement.Measurement) {
			m.Members[2].CPUSeconds = measurement.Series{measurement.Missing, 0.95}
		}, DatabaseCPU, "db", "db CPU 95 % (0.95 of 1 cores)"},
		"database connections": {func(m *measurement.Measurement) { setSeries(m, "db", measurement.SeriesConnections, 20) }, ConnectionsInUse, "db",
			"db database connections 100 % (20 of 20 connections)"},
		"pool of a member": {func(m *measurement.Measurement) { setSeries(m, "member-0", measurement.SeriesPoolActive, 9.8) }, ConnectionsInUse, "member-0",
			"member-0 database connections 98 % (9.8 of 10 connections)"},
		"database waits": {func(m *measurement.Measurement) { setSeries(m, "db", measurement.SeriesLockWaits, 2.5) }, DatabaseWaits, "db", "db sessions waiting 75 %"},
		"waits of a database at rest": {func(m *measurement.Measurement) { setSeries(m, "db", measurement.SeriesActive, 0.9) },
			ResourceNone, "", "none"},
		"load generator": {func(m *measurement.Measurement) { m.Workers[0].Load.CPUSeconds = 1.7 }, WorkerCPU, "worker-0", "worker-0 CPU 85 % (0.85 of 1 cores)"},
		"host": {func(m *measurement.Measurement) {
			*m.Members[0].Host = measurement.Host{CPUs: 4, OwnCPUs: 1, BusyShare: 0.97, StealShare: 0.02, IdleShare: 0.01}
		}, HostCPU, "node-1",
			"node-1 host CPU 99 % (3.96 of 4 CPUs)"},
		"a full host explains throttling": {func(m *measurement.Measurement) {
			*m.Members[0].Host = measurement.Host{CPUs: 4, OwnCPUs: 1, BusyShare: 0.99}
			m.Members[1].ThrottledPeriods = 90
		}, HostCPU, "node-1", "node-1 host CPU 99 %"},
		"a member at its limit on a host with room": {func(m *measurement.Measurement) {
			*m.Members[0].Host = measurement.Host{CPUs: 4, BusyShare: 0.9, IdleShare: 0.1}
			m.Members[1].CPUSeconds, m.Members[1].ThrottledPeriods = measurement.Series{0.97, 0.97}, 90
		}, MemberCPU, "notary", "notary CPU 97 %"},
		"a mean that hides 2 of 3 seconds": {func(m *measurement.Measurement) { m.Members[0].CPUSeconds = measurement.Series{1, 0.1, 1} }, MemberCPU, "member-0",
			"member-0 CPU 70 % (0.7 of 1 cores), at its limit in 67 % of the seconds"},
		"a host saturated in 2 of 3 seconds": {func(m *measurement.Measurement) {
			*m.Members[0].Host = measurement.Host{CPUs: 4, OwnCPUs: 0.7, BusyShare: 0.7, SaturatedShare: new(0.67)}
		}, HostCPU, "node-1", "node-1 host CPU 70 % (2.8 of 4 CPUs), at its limit in 67 % of the seconds"},
		"a host filled by neighbours": {func(m *measurement.Measurement) {
			*m.Members[0].Host = measurement.Host{CPUs: 4, OwnCPUs: 0.5, BusyShare: 0.99}
		}, NeighborCPU, "node-1", "neighbors used 1.96 of the 4 CPUs of node-1: node-1 host CPU 99 %"},
		"a host filled by neighbours or a notary that was not observed": {func(m *measurement.Measurement) {
			*m.Members[0].Host = measurement.Host{CPUs: 4, OwnCPUs: 0.5, BusyShare: 0.99}
			m.Members = slices.Delete(m.Members, 1, 2)
		}, HostCPU, "node-1", "neighbors or 1 unobserved container of the run used "},
		"a host filled by processes of lowered priority": {func(m *measurement.Measurement) {
			*m.Members[0].Host = measurement.Host{CPUs: 4, OwnCPUs: 0.5, BusyShare: 0.99, NiceShare: 0.5}
		}, ResourceNone, "", "none"},
		"a full host on which nothing waits": {func(m *measurement.Measurement) {
			*m.Members[0].Host = measurement.Host{CPUs: 4, OwnCPUs: 1, BusyShare: 0.99}
			m.Members[0].Pressure = &measurement.Pressure{CPU: new(0.02)}
		}, ResourceNone, "", "none"},
		"waits for a CPU": {func(m *measurement.Measurement) { m.Members[0].Pressure = &measurement.Pressure{CPU: new(0.6)} }, CPUPressure, "member-0",
			"member-0 waited for a CPU 60 %"},
		"one hot thread": {func(m *measurement.Measurement) {
			m.Members[0].CPULimit, m.Members[0].BusiestThread = 4, &measurement.ThreadUsage{Cores: 0.97, AtLimitShare: 1}
		}, ThreadCPU, "member-0", "member-0 busiest thread 97 % (0.97 of 1 cores)"},
		"collection of the load generator": {func(m *measurement.Measurement) {
			m.Workers[0].Load.GarbageCollection = &measurement.GarbageCollection{Share: 0.3}
		},
			HeapCollection, "worker-0", "worker-0 garbage collection 30 %"},
		"garbage collection": {func(m *measurement.Measurement) { m.Members[0].GarbageCollection.Share = 0.4 }, HeapCollection, "member-0", "member-0 garbage collection 40 %"},
		"disk space": {func(m *measurement.Measurement) { m.Members[0].Volume.LeastAvailableBytes = 1 << 20 }, DiskSpace, "member-0",
			"member-0 disk space 100 % (10 of 10 GiB)"},
		"disk": {func(m *measurement.Measurement) { m.Members[2].Pressure = &measurement.Pressure{IO: new(0.6)} }, DiskPressure, "db", "db waited for a disk 60 %"},
		"link": {func(m *measurement.Measurement) { setSeries(m, "member-0", measurement.SeriesNetworkTransmit, 1.2e6) }, NetworkBandwidth, "member-0",
			"member-0 network 96 % (9.6 of 10 Mbit/s)"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newIdleMeasurement()
			c.change(m)
			got := FindBottleneck(m, containersOnNode1, slowLink)
			if got.Resource != c.resource || got.Subject != c.subject || !strings.HasPrefix(got.Message, c.message) {
				t.Errorf("got %s of %q: %s\nwant %s of %q: %s", got.Resource, got.Subject, got.Message, c.resource, c.subject, c.message)
			}
			if len(got.Evidence) < 10 || got.Evidence[0].isAtLimit() != (c.resource != ResourceNone) {
				t.Errorf("%d pieces of evidence, the first %+v", len(got.Evidence), got.Evidence[0])
			}
		})
	}
}

// TestBottleneckUnknown checks that without limits and with an unlimited network there is no evidence.
func TestBottleneckUnknown(t *testing.T) {
	m := &measurement.Measurement{WindowSeconds: 2, Members: []measurement.MemberUsage{{Member: "a", CPUSeconds: measurement.Series{1, 1}}},
		Series: []measurement.NamedSeries{{Subject: "a", Name: measurement.SeriesNetworkTransmit, Values: measurement.Series{1e9, 1e9}}, {Subject: "db", Name: measurement.SeriesConnections, Values: measurement.Series{5, 5}}}}
	got := FindBottleneck(m, nil, &EmulatedLatency{Config: latency.Config{Members: map[string]string{"a": "A", "b": "B"}}})
	if got.Resource != ResourceNone || len(got.Evidence) != 0 || got.Message != "unknown: nothing was observed" {
		t.Errorf("got %+v", got)
	}
}
