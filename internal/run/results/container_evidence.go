package results

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// MemberKind says what was observed.
type MemberKind string

// The kinds. A result without one is of a member.
const (
	KindMember   MemberKind = "Member"
	KindDatabase MemberKind = "Database"
)

// Evidence is what is known of a container beside its CPU and memory, over all that was recorded: the window, or more where the
// window was cut out of it afterwards. What neither the kernel nor the program in it tells is absent.
type Evidence struct {
	// CPULimit in cores and MemoryLimitBytes as the kernel enforces them.
	CPULimit         float64 `json:"cpuLimit,omitempty"`
	MemoryLimitBytes float64 `json:"memoryLimitBytes,omitempty"`
	// OOMKills are the processes of the container that the kernel killed for want of memory.
	OOMKills int64 `json:"oomKills,omitempty"`
	// GarbageCollection of the container's JVMs.
	GarbageCollection *GarbageCollection `json:"garbageCollection,omitempty"`
	// Pressure in the container.
	Pressure *Pressure `json:"pressure,omitempty"`
	// VolumeUsage of the container.
	Volume *VolumeUsage `json:"volume,omitempty"`
	// Host of the container.
	Host *Host `json:"host,omitempty"`
	// Clock of the host.
	Clock *Clock `json:"clock,omitempty"`
}

// GarbageCollection is what a JVM's collectors did.
type GarbageCollection struct {
	// Share of the window's time that was spent in collection, 0 to 1. The concurrent work of a collector is not in it.
	Share       float64 `json:"share"`
	Collections int64   `json:"collections"`
}

// Pressure is the share of the window, 0 to 1, in which at least one task waited for a resource; absent where the kernel does
// not tell it.
type Pressure struct {
	CPU    *float64 `json:"cpu,omitempty"`
	Memory *float64 `json:"memory,omitempty"`
	IO     *float64 `json:"io,omitempty"`
}

// VolumeUsage is the file system of a container's volume.
type VolumeUsage struct {
	SizeBytes float64 `json:"sizeBytes"`
	// LeastAvailableBytes is the least that could still be written at any sample.
	LeastAvailableBytes float64 `json:"leastAvailableBytes"`
}

// Host is what all that ran on a host did to its CPUs over the window. The shares are of all CPUs, 0 to 1; with IdleShare they
// make 1.
type Host struct {
	CPUs        float64 `json:"cpus"`
	BusyShare   float64 `json:"busyShare"`
	StealShare  float64 `json:"stealShare"`
	IOWaitShare float64 `json:"ioWaitShare"`
	IdleShare   float64 `json:"idleShare"`
	// Pressure on the whole host.
	Pressure *Pressure `json:"pressure,omitempty"`
}

// Clock compares the clock of a host with that of the worker that observed it, as NTP does: of all samples the one whose
// exchange took the shortest. Seen from a worker on the same host it must be 0 within the error.
type Clock struct {
	// WorkerResult that compared.
	Worker int `json:"worker"`
	// OffsetMillis by which the host is ahead of the worker; the truth lies within ErrorMillis of it.
	OffsetMillis float64 `json:"offsetMillis"`
	ErrorMillis  float64 `json:"errorMillis"`
}

// Names of the series that are recorded of every container whose kernel tells them, in bytes per second.
const (
	SeriesNetworkReceive  = "networkReceive"
	SeriesNetworkTransmit = "networkTransmit"
	SeriesDiskRead        = "diskRead"
	SeriesDiskWrite       = "diskWrite"
)

// Names of the series that say how a member uses its pool of database connections: those lent out, the threads that wait for
// one, and the most that there may be.
const (
	SeriesPoolActive  = "databasePoolActive"
	SeriesPoolPending = "databasePoolPending"
	SeriesPoolMax     = "databasePoolMax"
)

// Names of the series of a database: connections open and allowed, sessions at work, and those of them that wait: for a lock on
// rows or tables, for a latch in the server's memory, for a file.
const (
	SeriesConnections    = "connections"
	SeriesMaxConnections = "maxConnections"
	SeriesActive         = "activeSessions"
	SeriesLockWaits      = "lockWaits"
	SeriesLatchWaits     = "latchWaits"
	SeriesIOWaits        = "ioWaits"
	SeriesCommits        = "commits"
	SeriesDeadlocks      = "deadlocks"
)

// findSeries is the series of that subject and name; nil if there is none.
func (m *Measurement) findSeries(subject, name string) Series {
	for _, s := range m.Series {
		if s.Subject == subject && s.Name == name {
			return s.Values
		}
	}
	return nil
}

// namedHost is a host of the run.
type namedHost struct {
	name string
	Host
	// ownCores are the cores that members, databases and workers on it used on average.
	ownCores float64
}

// cpusUsedByOthers are the CPUs that something else than the run's observed containers used.
func (h namedHost) cpusUsedByOthers() float64 { return max(0, h.BusyShare*h.CPUs-h.ownCores) }

// observedHosts of members, databases and workers, each once, in the order in which they were seen. Containers tell where a subject was;
// a host whose name is not known is called after the subject.
func (m *Measurement) observedHosts(containers []ContainerInfo) []namedHost {
	var all []namedHost
	add := func(subject string, h *Host, cores float64) {
		if h == nil {
			return
		}
		name := nodeNameOf(containers, subject)
		i := slices.IndexFunc(all, func(known namedHost) bool { return known.name == name })
		if i < 0 {
			i, all = len(all), append(all, namedHost{name: name, Host: *h})
		}
		if !math.IsNaN(cores) {
			all[i].ownCores += cores
		}
	}
	for _, member := range m.Members {
		add(member.Member, member.Host, member.CPUSeconds.Mean())
	}
	for _, w := range m.Workers {
		if w.Load != nil {
			add(workerSubject(w.Worker), w.Load.Host, w.Load.MeanCores(m.WindowSeconds))
		}
	}
	return all
}

// nodeNameOf is the node that a subject's pod was on. One container of several is called after its pod: member-0/execution.
func nodeNameOf(containers []ContainerInfo, subject string) string {
	pod, _, _ := strings.Cut(subject, "/")
	for _, c := range containers {
		if c.Subject == pod && c.Node != "" {
			return c.Node
		}
	}
	return "the host of " + pod
}

// workerSubject is the subject of a load worker.
func workerSubject(index int) string { return fmt.Sprintf("worker-%d", index) }
