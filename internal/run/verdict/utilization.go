package verdict

import (
	"fmt"
	"math"
	"strings"

	"github.com/benchnet/benchnet/internal/format"
	"github.com/benchnet/benchnet/internal/network/latency"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// A resource is at its limit from these utilizations on. docs/verdict.md lists them.
const (
	containerCPUThreshold = 0.9  // of a container: the quota applies to each 0.1 s, so that a mean of 1 cannot be reached.
	workerCPUThreshold    = 0.8  // of a load worker, which delays what it measures before its CPU limit is reached.
	throttlingThreshold   = 0.25 // of the CPU periods: one in four ended before the container was done.
	connectionThreshold   = 0.95 // of the connections, on average.
	sessionWaitThreshold  = 0.5  // of the active sessions: more wait than work.
	collectionThreshold   = 0.2  // of the window in garbage collection.
	ioPressureThreshold   = 0.5  // of the window in which something waited for a disk.
	diskSpaceThreshold    = 0.98 // of a volume.
	linkThreshold         = 0.9  // of a link; headers are not counted.
)

const (
	// atLimitThreshold is the share of the seconds at its limit from which a resource limited the run.
	atLimitThreshold = 0.5
	// cpuWaitThreshold is the share of the window in which a container waited for a CPU.
	cpuWaitThreshold = 0.5
	// cpuWaitFloor is the share below which nothing waited for a CPU, so that none was a limit.
	cpuWaitFloor = 0.05
)

// containerUtilizations returns how much of their own limits members and databases used.
func containerUtilizations(m *measurement.Measurement) []Utilization {
	var all []Utilization
	for _, c := range m.Members {
		all = append(all, cpuUtilizations(c)...)
		if gc := c.GarbageCollection; gc != nil {
			all = append(all, waitUtilization(HeapCollection, c.Member, gc.Share, 1, collectionThreshold, "of the window", "garbage collection"))
		}
		if v := c.Volume; v != nil && v.SizeBytes > 0 {
			all = append(
				all,
				capacityUtilization(DiskSpace, c.Member, bytesToGiB(v.SizeBytes-v.LeastAvailableBytes), bytesToGiB(v.SizeBytes), diskSpaceThreshold, "GiB"),
			)
		}
		if p := c.Pressure; p != nil && p.IO != nil {
			all = append(all, waitUtilization(DiskPressure, c.Member, *p.IO, 1, ioPressureThreshold, "of the window", "waited for a disk"))
		}
	}
	return all
}

func cpuUtilizations(m measurement.MemberUsage) []Utilization {
	resource := MemberCPU
	if m.Kind == measurement.KindDatabase {
		resource = DatabaseCPU
	}
	var all []Utilization
	if cores := m.CPUSeconds.Mean(); m.CPULimit > 0 && !math.IsNaN(cores) {
		all = append(all, capacityUtilization(resource, m.Member, cores, m.CPULimit, containerCPUThreshold, "cores").
			withAtLimitShare(m.CPUSeconds.ShareAtLeast(containerCPUThreshold*m.CPULimit)))
	}
	if thread := m.BusiestThread; thread != nil {
		all = append(all, capacityUtilization(ThreadCPU, m.Member, thread.Cores, 1, measurement.ThreadThreshold, "cores").withAtLimitShare(thread.AtLimitShare))
	}
	if p := m.Pressure; p != nil && p.CPU != nil {
		all = append(all, waitUtilization(CPUPressure, m.Member, *p.CPU, 1, cpuWaitThreshold, "of the window", "waited for a CPU"))
	}
	if m.Periods > 0 {
		all = append(all, waitUtilization(resource, m.Member, float64(m.ThrottledPeriods), float64(m.Periods), throttlingThreshold, "CPU periods", "CPU throttled"))
	}
	return all
}

func workerUtilizations(m *measurement.Measurement) []Utilization {
	var all []Utilization
	for _, w := range m.Workers {
		if w.Load == nil {
			continue
		}
		name := measurement.WorkerSubject(w.Worker)
		if w.Load.CPULimit > 0 {
			all = append(all, capacityUtilization(WorkerCPU, name, w.Load.MeanCores(m.WindowSeconds), w.Load.CPULimit, workerCPUThreshold, "cores"))
		}
		if gc := w.Load.GarbageCollection; gc != nil {
			all = append(all, waitUtilization(HeapCollection, name, gc.Share, 1, collectionThreshold, "of the window", "garbage collection"))
		}
		if w.Load.Periods > 0 {
			all = append(
				all,
				waitUtilization(WorkerCPU, name, float64(w.Load.ThrottledPeriods), float64(w.Load.Periods), throttlingThreshold, "CPU periods", "CPU throttled"),
			)
		}
	}
	return all
}

func hostUtilizations(m *measurement.Measurement, containers []measurement.ContainerInfo) []Utilization {
	var all []Utilization
	for _, h := range observedHosts(m, containers) {
		all = append(all, h.cpuUtilization(len(unobservedOn(m, h.name, RunObservations{Containers: containers}))))
		if p := h.Pressure; p != nil && p.IO != nil {
			all = append(all, waitUtilization(DiskPressure, h.name, *p.IO, 1, ioPressureThreshold, "of the window", "waited for a disk"))
		}
	}
	return all
}

// cpuUtilization returns the use of the host's CPUs, by whom, without processes of lowered priority. Where others
// used more than daemons need, they are the limit, unless containers of the run on the host are unobserved. Without
// pressure, the host's CPUs are no limit.
func (h namedHost) cpuUtilization(unobserved int) Utilization {
	resource, others := HostCPU, ""
	if used := h.othersCPUs(); used > DefaultTolerances().othersLimit(h.CPUs) {
		resource, others = NeighborCPU, "neighbors"
		if unobserved > 0 {
			resource, others = HostCPU, "neighbors or "+format.Count(unobserved, "unobserved container")+" of the run"
		}
		others = fmt.Sprintf("%s used %s of the %s CPUs of %s: ", others, format.Decimal(used), format.Decimal(h.CPUs), h.name)
	}
	u := capacityUtilization(resource, h.name, (h.BusyShare-h.NiceShare+h.StealShare)*h.CPUs, h.CPUs, measurement.HostCPUThreshold, "CPUs")
	if h.SaturatedShare != nil {
		u = u.withAtLimitShare(*h.SaturatedShare)
	}
	u.Message = others + u.Message
	if p, of := h.cpuPressure(); p != nil && *p < cpuWaitFloor && u.isAtLimit() {
		u.ruledOut = true
		u.Message += fmt.Sprintf(", but %s waited for a CPU in only %s of the time", strings.ToLower(of), format.WholePercent(*p))
	}
	return u
}

// databaseUtilizations returns the utilization of connections, of servers and of members' pools, and the share
// of waiting sessions.
func databaseUtilizations(m *measurement.Measurement) []Utilization {
	var all []Utilization
	for _, s := range m.Series {
		mean := s.Values.Mean()
		if math.IsNaN(mean) {
			continue
		}
		switch s.Name {
		case measurement.SeriesConnections:
			all = append(all, connectionUtilization(m, s.Subject, mean, measurement.SeriesMaxConnections)...)
		case measurement.SeriesPoolActive:
			all = append(all, connectionUtilization(m, s.Subject, mean, measurement.SeriesPoolMax)...)
		case measurement.SeriesActive:
			// With less than one active session on average, the share of waiting sessions says nothing.
			if mean >= 1 {
				all = append(
					all,
					waitUtilization(DatabaseWaits, s.Subject, meanWaitingSessions(m, s.Subject), mean, sessionWaitThreshold, "sessions at work", "sessions waiting"),
				)
			}
		}
	}
	return all
}

// meanWaitingSessions returns the mean number of a database's sessions that waited.
func meanWaitingSessions(m *measurement.Measurement, subject string) float64 {
	total := 0.0
	for _, name := range []string{measurement.SeriesLockWaits, measurement.SeriesLatchWaits, measurement.SeriesIOWaits} {
		if mean := m.FindSeries(subject, name).Mean(); !math.IsNaN(mean) {
			total += mean
		}
	}
	return total
}

func connectionUtilization(m *measurement.Measurement, subject string, used float64, most string) []Utilization {
	if limit := m.FindSeries(subject, most).Max(); limit > 0 {
		return []Utilization{capacityUtilization(ConnectionsInUse, subject, used, limit, connectionThreshold, "connections")}
	}
	return nil
}

// linkUtilizations compares what a member sent with the total bandwidth of its links to all others. It skips
// members with an unlimited link.
func linkUtilizations(m *measurement.Measurement, emulated *EmulatedLatency) []Utilization {
	if emulated == nil {
		return nil
	}
	var all []Utilization
	for _, s := range m.Series {
		carries, limited := emulated.egressBitsPerSecond(s.Subject)
		if sent := s.Values.Mean(); s.Name == measurement.SeriesNetworkTransmit && limited && !math.IsNaN(sent) {
			all = append(all, capacityUtilization(NetworkBandwidth, s.Subject, sent*8/1e6, carries/1e6, linkThreshold, "Mbit/s"))
		}
	}
	return all
}

// egressBitsPerSecond returns the total bandwidth of a member's links to all others, in bits per second. It
// returns false if a link is unlimited or not emulated.
func (e *EmulatedLatency) egressBitsPerSecond(member string) (float64, bool) {
	name := measurement.PodOf(member)
	if _, known := e.Members[name]; !known {
		return 0, false
	}
	total := 0.0
	for other := range e.Members {
		if other == name {
			continue
		}
		way, _ := e.ImpairmentFor(name, latency.Peer{Kind: latency.PeerMember, Name: other})
		if way.BitsPerSecond == 0 {
			return 0, false
		}
		total += float64(way.BitsPerSecond)
	}
	return total, total > 0
}

func bytesToGiB(bytes float64) float64 { return bytes / (1 << 30) }

// EmulatedLatency holds the mechanism of latency emulation and its configuration.
type EmulatedLatency struct {
	// Mechanism is Netem or UserSpace.
	Mechanism string `json:"mechanism"`
	latency.Config
}
