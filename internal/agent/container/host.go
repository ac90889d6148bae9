package container

import (
	"bufio"
	"bytes"
	"math"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Metrics of the host, the pod and the volume.
const (
	HostCPUs            = "benchnet_host_cpus"
	HostCPUBusy         = "benchnet_host_cpu_busy_seconds_total"
	HostCPUNice         = "benchnet_host_cpu_nice_seconds_total"
	HostCPUInterrupt    = "benchnet_host_cpu_interrupt_seconds_total"
	HostCPUIdle         = "benchnet_host_cpu_idle_seconds_total"
	HostCPUIOWait       = "benchnet_host_cpu_iowait_seconds_total"
	HostCPUSteal        = "benchnet_host_cpu_steal_seconds_total"
	HostCPUPressure     = "benchnet_host_cpu_pressure_seconds_total"
	HostMemoryPressure  = "benchnet_host_memory_pressure_seconds_total"
	HostIOPressure      = "benchnet_host_io_pressure_seconds_total"
	NetworkReceived     = "benchnet_pod_network_received_bytes_total"
	NetworkSent         = "benchnet_pod_network_sent_bytes_total"
	VolumeSize          = "benchnet_volume_size_bytes"
	VolumeAvailable     = "benchnet_volume_available_bytes"
	HostClock           = "benchnet_host_clock_seconds"
	ticksPerSecond      = 100 // USER_HZ, the same on all architectures that Go supports.
	cpuFieldCount       = 8   // user nice system idle iowait irq softirq steal; user includes guest time.
	interfaceFieldCount = 16
)

// hostMetrics lists all metrics that a HostReader can return.
var hostMetrics = Catalogue{
	{Name: HostCPUs, Kind: Gauge, Help: "CPUs of the host."},
	{Name: HostCPUBusy, Kind: Counter, Help: "Time in which the host's CPUs were busy."},
	{Name: HostCPUNice, Kind: Counter, Help: "Part of the busy time in which the CPUs ran processes with a lowered priority."},
	{Name: HostCPUInterrupt, Kind: Counter, Help: "Part of the busy time in which the CPUs served interrupts, which belong to no process."},
	{Name: HostCPUIdle, Kind: Counter, Help: "Time in which the host's CPUs were idle."},
	{Name: HostCPUIOWait, Kind: Counter, Help: "Idle time of the host's CPUs while a task waited for a disk."},
	{Name: HostCPUSteal, Kind: Counter, Help: "Time in which the host's CPUs were ready to run but the hypervisor ran something else."},
	{Name: HostCPUPressure, Kind: Counter, Help: "Time in which a task of the host waited for a CPU."},
	{Name: HostMemoryPressure, Kind: Counter, Help: "Time in which a task of the host waited for memory."},
	{Name: HostIOPressure, Kind: Counter, Help: "Time in which a task of the host waited for a disk."},
	{Name: NetworkReceived, Kind: Counter, Help: "Bytes that the pod received."},
	{Name: NetworkSent, Kind: Counter, Help: "Bytes that the pod sent."},
	{Name: VolumeSize, Kind: Gauge, Help: "Size of the file system of the container's volume."},
	{Name: VolumeAvailable, Kind: Gauge, Help: "Bytes available in the file system of the container's volume."},
	{Name: HostClock, Kind: Gauge, Help: "Clock of the host, in seconds since 1970."},
}

// HostReader reads the environment of its own container: CPU time and pressure of its host, traffic of its pod, capacity of its
// volume and the host's clock. It omits what the kernel does not provide, so that it is not mistaken for zero.
type HostReader struct {
	// Root is "/" except in tests.
	Root string
	// Volume is a folder on the file system to report; empty for none.
	Volume string
	// Now returns the time of the host.
	Now func() time.Time
}

// Read returns the metrics that are available now, with the clock last.
func (r HostReader) Read() []Metric {
	all := r.cpuMetrics()
	all = append(all, hostMetrics.readPressure(r.Root, [][2]string{
		{HostCPUPressure, "proc/pressure/cpu"}, {HostMemoryPressure, "proc/pressure/memory"}, {HostIOPressure, "proc/pressure/io"}})...)
	all = append(all, r.networkMetrics()...)
	all = append(all, r.volumeMetrics()...)
	return append(all, hostMetrics.WithValue(HostClock, float64(r.Now().UnixNano())/1e9))
}

func (r HostReader) readProc(name string) []byte { return readOptionalFile(r.Root, "proc/"+name) }

// cpuMetrics returns the number of CPUs and their total time by state since the host started.
func (r HostReader) cpuMetrics() []Metric {
	var total []float64
	cpus := 0
	for line := range bytes.Lines(r.readProc("stat")) {
		words := strings.Fields(string(line))
		switch {
		case len(words) > cpuFieldCount && words[0] == "cpu":
			total = parseNumbers(words[1 : cpuFieldCount+1])
		case len(words) > 0 && strings.HasPrefix(words[0], "cpu"):
			cpus++
		}
	}
	if total == nil || cpus == 0 {
		return nil
	}
	user, nice, system, idle, wait, irq, softirq, steal := total[0], total[1], total[2], total[3], total[4], total[5], total[6], total[7]
	return []Metric{
		hostMetrics.WithValue(HostCPUs, float64(cpus)),
		hostMetrics.WithValue(HostCPUBusy, (user+nice+system+irq+softirq)/ticksPerSecond),
		hostMetrics.WithValue(HostCPUNice, nice/ticksPerSecond),
		hostMetrics.WithValue(HostCPUInterrupt, (irq+softirq)/ticksPerSecond),
		hostMetrics.WithValue(HostCPUIdle, idle/ticksPerSecond),
		hostMetrics.WithValue(HostCPUIOWait, wait/ticksPerSecond),
		hostMetrics.WithValue(HostCPUSteal, steal/ticksPerSecond),
	}
}

// readPressure returns how long some task has waited for each resource, from pairs of a metric and its file below folder.
func (c Catalogue) readPressure(folder string, pairs [][2]string) []Metric {
	var all []Metric
	for _, p := range pairs {
		if waited, ok := parsePressure(readOptionalFile(folder, p[1])); ok {
			all = append(all, c.WithValue(p[0], waited.Seconds()))
		}
	}
	return all
}

// parsePressure returns the total of the line "some" in a file of the kernel's pressure stall information, or
// false if there is none.
func parsePressure(content []byte) (time.Duration, bool) {
	for line := range bytes.Lines(content) {
		words := strings.Fields(string(line))
		if len(words) == 0 || words[0] != "some" {
			continue
		}
		total, found := strings.CutPrefix(words[len(words)-1], "total=")
		micros, err := strconv.ParseInt(total, 10, 64)
		if !found || err != nil || micros < 0 || micros > math.MaxInt64/int64(time.Microsecond) {
			return 0, false
		}
		return time.Duration(micros) * time.Microsecond, true
	}
	return 0, false
}

// networkMetrics sums the traffic of the pod's interfaces except the loopback.
func (r HostReader) networkMetrics() []Metric {
	var received, sent float64
	known := false
	lines := bufio.NewScanner(bytes.NewReader(r.readProc("net/dev")))
	for lines.Scan() {
		name, rest, found := strings.Cut(lines.Text(), ":")
		words := strings.Fields(rest)
		if !found || len(words) < interfaceFieldCount || strings.TrimSpace(name) == "lo" {
			continue
		}
		counts := parseNumbers(words)
		received, sent, known = received+counts[0], sent+counts[8], true
	}
	if !known {
		return nil
	}
	return []Metric{
		hostMetrics.WithValue(NetworkReceived, received),
		hostMetrics.WithValue(NetworkSent, sent),
	}
}

func (r HostReader) volumeMetrics() []Metric {
	var room unix.Statfs_t
	if r.Volume == "" || unix.Statfs(r.Volume, &room) != nil {
		return nil
	}
	block := float64(room.Frsize)
	return []Metric{
		hostMetrics.WithValue(VolumeSize, float64(room.Blocks)*block),
		hostMetrics.WithValue(VolumeAvailable, float64(room.Bavail)*block),
	}
}

// parseNumbers returns the values of words, with 0 for a word that is not a number.
func parseNumbers(words []string) []float64 {
	all := make([]float64, len(words))
	for i, word := range words {
		all[i], _ = strconv.ParseFloat(word, 64)
	}
	return all
}
