package results

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// MemberKind is the kind of a container that was observed.
type MemberKind string

// The kinds of members. A result without a kind describes a member.
const (
	KindMember   MemberKind = "Member"
	KindDatabase MemberKind = "Database"
)

// Evidence holds the observations of a container besides its CPU and memory. They cover everything that was
// recorded, which is more than the window if the window was selected afterwards. Fields that neither the kernel
// nor the program reports are absent.
type Evidence struct {
	// CPULimit in cores and MemoryLimitBytes are the limits that the kernel enforces.
	CPULimit         float64 `json:"cpuLimit,omitempty"`
	MemoryLimitBytes float64 `json:"memoryLimitBytes,omitempty"`
	// OOMKills is the number of processes in the container that the kernel killed because memory ran out.
	OOMKills int64 `json:"oomKills,omitempty"`
	// GarbageCollection is the work of the garbage collectors of the container's JVMs.
	GarbageCollection *GarbageCollection `json:"garbageCollection,omitempty"`
	// Pressure is the pressure stall information of the container.
	Pressure *Pressure `json:"pressure,omitempty"`
	// Volume is the usage of the container's volume.
	Volume *VolumeUsage `json:"volume,omitempty"`
	// Host is the CPU usage of the container's host.
	Host *Host `json:"host,omitempty"`
	// Clock is the clock offset of the host.
	Clock *Clock `json:"clock,omitempty"`
}

// GarbageCollection is the work of a JVM's garbage collectors.
type GarbageCollection struct {
	// Share is the share of the window that was spent in collection, 0 to 1. It excludes the concurrent work of
	// a collector.
	Share       float64 `json:"share"`
	Collections int64   `json:"collections"`
}

// Pressure is the share of the window, 0 to 1, in which at least one task waited for a resource. Fields that
// the kernel does not report are absent.
type Pressure struct {
	CPU    *float64 `json:"cpu,omitempty"`
	Memory *float64 `json:"memory,omitempty"`
	IO     *float64 `json:"io,omitempty"`
}

// VolumeUsage is the usage of the file system of a container's volume.
type VolumeUsage struct {
	SizeBytes float64 `json:"sizeBytes"`
	// LeastAvailableBytes is the smallest amount of free space of all samples.
	LeastAvailableBytes float64 `json:"leastAvailableBytes"`
}

// Host is the CPU usage of a whole host over the window. The shares are of all CPUs, 0 to 1; all four add up to
// 1.
type Host struct {
	CPUs        float64 `json:"cpus"`
	BusyShare   float64 `json:"busyShare"`
	StealShare  float64 `json:"stealShare"`
	IOWaitShare float64 `json:"ioWaitShare"`
	IdleShare   float64 `json:"idleShare"`
	// Pressure is the pressure stall information of the whole host.
	Pressure *Pressure `json:"pressure,omitempty"`
}

// Clock compares the clock of a host with that of the worker that observed it. As in NTP, it uses the sample
// with the shortest exchange. Between a worker and a member on the same host the offset must be 0 within the
// error.
type Clock struct {
	// Worker is the index of the worker that made the comparison.
	Worker int `json:"worker"`
	// OffsetMillis is how far the host's clock is ahead of the worker's. The true offset lies within
	// ErrorMillis of it.
	OffsetMillis float64 `json:"offsetMillis"`
	ErrorMillis  float64 `json:"errorMillis"`
}

// Names of the series that are recorded for every container whose kernel reports them, in bytes per second.
const (
	SeriesNetworkReceive  = "networkReceive"
	SeriesNetworkTransmit = "networkTransmit"
	SeriesDiskRead        = "diskRead"
	SeriesDiskWrite       = "diskWrite"
)

// Names of the series about a member's pool of database connections: connections in use, threads that wait for
// a connection, and the size of the pool.
const (
	SeriesPoolActive  = "databasePoolActive"
	SeriesPoolPending = "databasePoolPending"
	SeriesPoolMax     = "databasePoolMax"
)

// Names of the series of a database: connections open and allowed, active sessions, and how many of these wait
// for a lock on rows or tables, for a latch in the server's memory, or for a file.
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

// findSeries returns the series of that subject and name, or nil if none exists.
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
	// ownCores is the mean number of cores that members, databases and workers used on the host.
	ownCores float64
}

// cpusUsedByOthers returns the number of CPUs in use by anything but the run's observed containers.
func (h namedHost) cpusUsedByOthers() float64 { return max(0, h.BusyShare*h.CPUs-h.ownCores) }

// observedHosts returns the hosts of members, databases and workers, each once, in the order in which they were
// first seen. The containers map a subject to its node. A host without a known name is named after the subject.
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

// nodeNameOf returns the node of a subject's pod. The subject of one container among several is the pod and the
// container: member-0/execution.
func nodeNameOf(containers []ContainerInfo, subject string) string {
	pod, _, _ := strings.Cut(subject, "/")
	for _, c := range containers {
		if c.Subject == pod && c.Node != "" {
			return c.Node
		}
	}
	return "the host of " + pod
}

// workerSubject returns the subject of a load worker.
func workerSubject(index int) string { return fmt.Sprintf("worker-%d", index) }
