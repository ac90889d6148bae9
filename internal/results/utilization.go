package results

import (
	"math"
	"strings"

	"github.com/benchnet/benchnet/internal/emulation"
)

// From these utilizations on a resource counts as at its limit; docs/results.md gives the reasons.
const (
	fullCPU         = 0.9  // of a container: the quota holds in each 0.1 s, so that a mean of 1 is not to be had.
	fullWorkerCPU   = 0.8  // of a load worker, which delays what it measures before it is full.
	fullHost        = 0.95 // of a host's CPUs; its own housekeeping takes some.
	fullThrottled   = 0.25 // of the CPU periods: one in four ended before the container was done.
	fullConnections = 0.95 // of the connections, on average.
	fullWaits       = 0.5  // of the sessions at work: more wait than work.
	fullCollection  = 0.2  // of the window in garbage collection.
	fullPressure    = 0.5  // of the window in which something waited for a disk.
	fullSpace       = 0.98 // of a volume.
	fullNetwork     = 0.9  // of a link; headers are not counted.
)

// containersUse is what members and databases used of their own limits.
func (m *Measurement) containersUse() []Utilization {
	var all []Utilization
	for _, c := range m.Members {
		all = append(all, c.cpuUse()...)
		if gc := c.GarbageCollection; gc != nil {
			all = append(all, wait(HeapCollection, c.Member, gc.Share, 1, fullCollection, "of the window", "garbage collection"))
		}
		if v := c.Volume; v != nil && v.SizeBytes > 0 {
			all = append(all, use(DiskSpace, c.Member, gib(v.SizeBytes-v.LeastAvailableBytes), gib(v.SizeBytes), fullSpace, "GiB"))
		}
		if p := c.Pressure; p != nil && p.IO != nil {
			all = append(all, wait(DiskPressure, c.Member, *p.IO, 1, fullPressure, "of the window", "waited for a disk"))
		}
	}
	return all
}

func (m Member) cpuUse() []Utilization {
	resource := MemberCPU
	if m.Kind == KindDatabase {
		resource = DatabaseCPU
	}
	var all []Utilization
	if cores := m.CPUSeconds.Mean(); m.CPULimit > 0 && !math.IsNaN(cores) {
		all = append(all, use(resource, m.Member, cores, m.CPULimit, fullCPU, "cores"))
	}
	if m.Periods > 0 {
		all = append(all, wait(resource, m.Member, float64(m.ThrottledPeriods), float64(m.Periods), fullThrottled, "CPU periods", "CPU throttled"))
	}
	return all
}

func (m *Measurement) workersUse() []Utilization {
	var all []Utilization
	for _, w := range m.Workers {
		if w.Load == nil {
			continue
		}
		name := workerName(w.Worker)
		if w.Load.CPULimit > 0 {
			all = append(all, use(WorkerCPU, name, w.Load.Cores(m.WindowSeconds), w.Load.CPULimit, fullWorkerCPU, "cores"))
		}
		if w.Load.Periods > 0 {
			all = append(all, wait(WorkerCPU, name, float64(w.Load.ThrottledPeriods), float64(w.Load.Periods), fullThrottled, "CPU periods", "CPU throttled"))
		}
	}
	return all
}

func (m *Measurement) hostsUse(containers []Container) []Utilization {
	var all []Utilization
	for _, h := range m.hosts(containers) {
		all = append(all, use(HostCPU, h.name, h.used()*h.CPUs, h.CPUs, fullHost, "CPUs"))
		if p := h.Pressure; p != nil && p.IO != nil {
			all = append(all, wait(DiskPressure, h.name, *p.IO, 1, fullPressure, "of the window", "waited for a disk"))
		}
	}
	return all
}

// databasesUse are the connections, of servers and of members' pools, and what sessions wait for.
func (m *Measurement) databasesUse() []Utilization {
	var all []Utilization
	for _, s := range m.Series {
		mean := s.Values.Mean()
		if math.IsNaN(mean) {
			continue
		}
		switch s.Name {
		case SeriesConnections:
			all = append(all, m.connections(s.Subject, mean, SeriesMaxConnections)...)
		case SeriesPoolActive:
			all = append(all, m.connections(s.Subject, mean, SeriesPoolMax)...)
		case SeriesActive:
			// Below one session at work on average there is nothing to wait for.
			if mean >= 1 {
				all = append(all, wait(DatabaseWaits, s.Subject, m.waiting(s.Subject), mean, fullWaits, "sessions at work", "sessions waiting"))
			}
		}
	}
	return all
}

// waiting is how many sessions of a database waited, on average.
func (m *Measurement) waiting(subject string) float64 {
	total := 0.0
	for _, name := range []string{SeriesLockWaits, SeriesLatchWaits, SeriesIOWaits} {
		if mean := m.seriesOf(subject, name).Mean(); !math.IsNaN(mean) {
			total += mean
		}
	}
	return total
}

func (m *Measurement) connections(subject string, used float64, most string) []Utilization {
	if limit := m.seriesOf(subject, most).Max(); limit > 0 {
		return []Utilization{use(ConnectionsInUse, subject, used, limit, fullConnections, "connections")}
	}
	return nil
}

// linksUse compares what a member sent with what its links to all others carry together; unlimited links say nothing.
func (m *Measurement) linksUse(emulated *Emulation) []Utilization {
	if emulated == nil {
		return nil
	}
	var all []Utilization
	for _, s := range m.Series {
		carries, limited := emulated.carries(s.Subject)
		if sent := s.Values.Mean(); s.Name == SeriesNetworkTransmit && limited && !math.IsNaN(sent) {
			all = append(all, use(NetworkBandwidth, s.Subject, sent*8/1e6, carries/1e6, fullNetwork, "Mbit/s"))
		}
	}
	return all
}

// carries is how many bits a second a member can send to all others together; false if a link is unlimited or not emulated.
func (e *Emulation) carries(member string) (float64, bool) {
	name, _, _ := strings.Cut(member, "/")
	if _, known := e.Members[name]; !known {
		return 0, false
	}
	total := 0.0
	for other := range e.Members {
		if other == name {
			continue
		}
		way, _ := e.Way(name, emulation.Peer{Kind: emulation.Member, Name: other})
		if way.BitsPerSecond == 0 {
			return 0, false
		}
		total += float64(way.BitsPerSecond)
	}
	return total, total > 0
}

func gib(bytes float64) float64 { return bytes / (1 << 30) }
