package measurement

import (
	"fmt"
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
	// BusiestThread is the CPU usage of the container's busiest thread.
	BusiestThread *ThreadUsage `json:"busiestThread,omitempty"`
	// Pressure is the pressure stall information of the container.
	Pressure *Pressure `json:"pressure,omitempty"`
	// Volume is the usage of the container's volume.
	Volume *VolumeUsage `json:"volume,omitempty"`
	// Host is the CPU usage of the container's host.
	Host *Host `json:"host,omitempty"`
	// Clock is the clock offset of the host.
	Clock *Clock `json:"clock,omitempty"`
	// Machine describes the host in a worker's report. The result has it in Environment.Hosts.
	Machine *Machine `json:"machine,omitempty"`
}

// GarbageCollection is the work of a JVM's garbage collectors.
type GarbageCollection struct {
	// Share is the share of the window that was spent in collection, 0 to 1. It excludes the concurrent work of
	// a collector.
	Share       float64 `json:"share"`
	Collections int64   `json:"collections"`
}

// ThreadUsage is the CPU usage of the busiest thread of each interval of 5 s. It may be another one in each.
type ThreadUsage struct {
	// Cores is the mean of the shares of one core, 0 to 1.
	Cores float64 `json:"cores"`
	// AtLimitShare is the share of the intervals in which the thread used at least ThreadThreshold of a core.
	AtLimitShare float64 `json:"atLimitShare"`
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

// Host is the CPU usage of a whole host over the window. The shares are of all CPUs, 0 to 1. Busy, steal, I/O
// wait and idle add up to 1.
type Host struct {
	CPUs      float64 `json:"cpus"`
	BusyShare float64 `json:"busyShare"`
	// NiceShare is the part of BusyShare of processes with a lowered priority. InterruptShare is the part that
	// the kernel spent on interrupts, which it accounts to no container.
	NiceShare      float64 `json:"niceShare,omitempty"`
	InterruptShare float64 `json:"interruptShare,omitempty"`
	// SaturatedShare is the share of the seconds in which at least HostCPUThreshold of the CPU time was in use,
	// without NiceShare, or stolen. It is absent if only the means are known.
	SaturatedShare *float64 `json:"saturatedShare,omitempty"`
	// OwnCPUs is the mean number of CPUs that the observed container itself used over the same time.
	OwnCPUs     float64 `json:"ownCPUs,omitempty"`
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

// FindSeries returns the series of that subject and name, or nil if none exists.
func (m *Measurement) FindSeries(subject, name string) Series {
	for _, s := range m.Series {
		if s.Subject == subject && s.Name == name {
			return s.Values
		}
	}
	return nil
}

// PodOf returns the pod of a subject, as ContainerInfo.Subject names it.
func PodOf(subject string) string {
	pod, _, _ := strings.Cut(subject, "/")
	return pod
}

// WorkerSubject returns the name of a load worker in a result.
func WorkerSubject(index int) string { return fmt.Sprintf("worker-%d", index) }

const (
	// HostCPUThreshold is the share of a host's CPUs from which it is at its limit; its own processes use some.
	HostCPUThreshold = 0.95
	// ThreadThreshold is the share of a core from which a thread is at its limit.
	ThreadThreshold = 0.9
)
