// Package host reads the environment of a container: CPU time and pressure of its host, traffic of its pod, capacity of
// its volume and the host's clock. It omits what the kernel does not provide, so that it is not mistaken for zero.
package host

import (
	"bufio"
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/benchnet/benchnet/internal/agent/exposition"
)

// Metric names.
const (
	CPUs                = "benchnet_host_cpus"
	CPUBusy             = "benchnet_host_cpu_busy_seconds_total"
	CPUNice             = "benchnet_host_cpu_nice_seconds_total"
	CPUInterrupt        = "benchnet_host_cpu_interrupt_seconds_total"
	CPUIdle             = "benchnet_host_cpu_idle_seconds_total"
	CPUIOWait           = "benchnet_host_cpu_iowait_seconds_total"
	CPUSteal            = "benchnet_host_cpu_steal_seconds_total"
	CPUPressure         = "benchnet_host_cpu_pressure_seconds_total"
	MemoryPressure      = "benchnet_host_memory_pressure_seconds_total"
	IOPressure          = "benchnet_host_io_pressure_seconds_total"
	NetworkReceived     = "benchnet_pod_network_received_bytes_total"
	NetworkSent         = "benchnet_pod_network_sent_bytes_total"
	VolumeSize          = "benchnet_volume_size_bytes"
	VolumeAvailable     = "benchnet_volume_available_bytes"
	Clock               = "benchnet_host_clock_seconds"
	ticksPerSecond      = 100 // USER_HZ, the same on all architectures that Go supports.
	cpuFieldCount       = 8   // user nice system idle iowait irq softirq steal; user includes guest time.
	interfaceFieldCount = 16
)

// Metrics lists all metrics that Read can return.
var Metrics = exposition.Catalogue{
	{Name: CPUs, Kind: exposition.Gauge, Help: "CPUs of the host."},
	{Name: CPUBusy, Kind: exposition.Counter, Help: "Time in which the host's CPUs were busy."},
	{Name: CPUNice, Kind: exposition.Counter, Help: "Part of the busy time in which the CPUs ran processes with a lowered priority."},
	{Name: CPUInterrupt, Kind: exposition.Counter, Help: "Part of the busy time in which the CPUs served interrupts, which belong to no process."},
	{Name: CPUIdle, Kind: exposition.Counter, Help: "Time in which the host's CPUs were idle."},
	{Name: CPUIOWait, Kind: exposition.Counter, Help: "Idle time of the host's CPUs while a task waited for a disk."},
	{Name: CPUSteal, Kind: exposition.Counter, Help: "Time in which the host's CPUs were ready to run but the hypervisor ran something else."},
	{Name: CPUPressure, Kind: exposition.Counter, Help: "Time in which a task of the host waited for a CPU."},
	{Name: MemoryPressure, Kind: exposition.Counter, Help: "Time in which a task of the host waited for memory."},
	{Name: IOPressure, Kind: exposition.Counter, Help: "Time in which a task of the host waited for a disk."},
	{Name: NetworkReceived, Kind: exposition.Counter, Help: "Bytes that the pod received."},
	{Name: NetworkSent, Kind: exposition.Counter, Help: "Bytes that the pod sent."},
	{Name: VolumeSize, Kind: exposition.Gauge, Help: "Size of the file system of the container's volume."},
	{Name: VolumeAvailable, Kind: exposition.Gauge, Help: "Bytes available in the file system of the container's volume."},
	{Name: Clock, Kind: exposition.Gauge, Help: "Clock of the host, in seconds since 1970."},
}

// Reader reads the environment of its own container.
type Reader struct {
	// Root is "/" except in tests.
	Root string
	// Volume is a folder on the file system to report; empty for none.
	Volume string
	// Now returns the time of the host.
	Now func() time.Time
}

// Read returns the metrics that are available now, with the clock last.
func (r Reader) Read() []exposition.Metric {
	all := r.cpuMetrics()
	all = append(all, r.pressureMetrics()...)
	all = append(all, r.networkMetrics()...)
	all = append(all, r.volumeMetrics()...)
	return append(all, Metrics.WithValue(Clock, float64(r.Now().UnixNano())/1e9))
}

func (r Reader) readProc(name string) []byte {
	content, err := os.ReadFile(filepath.Join(r.Root, "proc", name))
	if err != nil {
		return nil
	}
	return content
}

// cpuMetrics returns the number of CPUs and their total time by state since the host started.
func (r Reader) cpuMetrics() []exposition.Metric {
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
	return []exposition.Metric{
		Metrics.WithValue(CPUs, float64(cpus)),
		Metrics.WithValue(CPUBusy, (user+nice+system+irq+softirq)/ticksPerSecond),
		Metrics.WithValue(CPUNice, nice/ticksPerSecond),
		Metrics.WithValue(CPUInterrupt, (irq+softirq)/ticksPerSecond),
		Metrics.WithValue(CPUIdle, idle/ticksPerSecond),
		Metrics.WithValue(CPUIOWait, wait/ticksPerSecond),
		Metrics.WithValue(CPUSteal, steal/ticksPerSecond),
	}
}

// pressureMetrics returns how long some task of the host has waited for each resource.
func (r Reader) pressureMetrics() []exposition.Metric {
	var all []exposition.Metric
	for _, p := range []struct{ file, metric string }{
		{"pressure/cpu", CPUPressure},
		{"pressure/memory", MemoryPressure},
		{"pressure/io", IOPressure},
	} {
		if waited, ok := ParsePressure(r.readProc(p.file)); ok {
			all = append(all, Metrics.WithValue(p.metric, waited.Seconds()))
		}
	}
	return all
}

// ParsePressure returns the total of the line "some" in a file of the kernel's pressure stall information, or
// false if there is none.
func ParsePressure(content []byte) (time.Duration, bool) {
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
func (r Reader) networkMetrics() []exposition.Metric {
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
	return []exposition.Metric{
		Metrics.WithValue(NetworkReceived, received),
		Metrics.WithValue(NetworkSent, sent),
	}
}

func (r Reader) volumeMetrics() []exposition.Metric {
	var room unix.Statfs_t
	if r.Volume == "" || unix.Statfs(r.Volume, &room) != nil {
		return nil
	}
	block := float64(room.Frsize)
	return []exposition.Metric{
		Metrics.WithValue(VolumeSize, float64(room.Blocks)*block),
		Metrics.WithValue(VolumeAvailable, float64(room.Bavail)*block),
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
