package cgroup

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/benchnet/benchnet/internal/agent/exposition"
	"github.com/benchnet/benchnet/internal/agent/host"
)

// Names of the metrics that not every kernel tells.
const (
	CPULimit       = "benchnet_container_cpu_limit_cores"
	MemoryLimit    = "benchnet_container_memory_limit_bytes"
	OOMKills       = "benchnet_container_oom_kills_total"
	DiskRead       = "benchnet_container_disk_read_bytes_total"
	DiskWritten    = "benchnet_container_disk_written_bytes_total"
	CPUPressure    = "benchnet_container_cpu_pressure_seconds_total"
	MemoryPressure = "benchnet_container_memory_pressure_seconds_total"
	IOPressure     = "benchnet_container_io_pressure_seconds_total"
)

// noMemoryLimit is what version 1 shows without a limit, rounded down to any page size in use.
const noMemoryLimit = 1 << 62

// EvidenceMetrics are all that Evidence may give.
var EvidenceMetrics = exposition.Catalogue{
	{Name: CPULimit, Kind: exposition.Gauge, Help: "CPU quota of the container, in cores."},
	{Name: MemoryLimit, Kind: exposition.Gauge, Help: "Memory limit of the container."},
	{Name: OOMKills, Kind: exposition.Counter, Help: "Processes of the container that the kernel killed for want of memory."},
	{Name: DiskRead, Kind: exposition.Counter, Help: "Bytes that the container read from disks."},
	{Name: DiskWritten, Kind: exposition.Counter, Help: "Bytes that the container wrote to disks."},
	{Name: CPUPressure, Kind: exposition.Counter, Help: "Time in which a task of the container waited for a CPU."},
	{Name: MemoryPressure, Kind: exposition.Counter, Help: "Time in which a task of the container waited for memory."},
	{Name: IOPressure, Kind: exposition.Counter, Help: "Time in which a task of the container waited for a disk."},
}

// evidence collects what is known; what is not is left out.
type evidence []exposition.Metric

func (e *evidence) add(name string, value float64, known bool) {
	if known {
		*e = append(*e, EvidenceMetrics.At(name, value))
	}
}

func (e *evidence) cpuLimit(quota, period float64) {
	e.add(CPULimit, quota/period, quota > 0 && period > 0)
}

func (e *evidence) memoryLimit(bytes float64) {
	e.add(MemoryLimit, bytes, bytes > 0 && bytes < noMemoryLimit)
}

func (e *evidence) oomKills(table map[string]float64) {
	kills, known := table["oom_kill"]
	e.add(OOMKills, kills, known)
}

func (e *evidence) disk(read, written float64, known bool) {
	e.add(DiskRead, read, known)
	e.add(DiskWritten, written, known)
}

// Evidence of version 1. It knows no pressure, and what it tells of disks leaves out all that goes through the page cache, so that
// nothing is said of them.
func (c v1) Evidence() []exposition.Metric {
	var all evidence
	all.cpuLimit(numberIn(c.cpu, "cpu.cfs_quota_us"), numberIn(c.cpu, "cpu.cfs_period_us"))
	all.memoryLimit(numberIn(c.memory, "memory.limit_in_bytes"))
	all.oomKills(tableIn(c.memory, "memory.oom_control"))
	return all
}

// Evidence of version 2.
func (c v2) Evidence() []exposition.Metric {
	var all evidence
	if words := strings.Fields(string(fileIn(c.folder, "cpu.max"))); len(words) == 2 {
		all.cpuLimit(parsed(words[0]), parsed(words[1]))
	}
	all.memoryLimit(numberIn(c.folder, "memory.max"))
	all.oomKills(tableIn(c.folder, "memory.events"))
	var read, written float64
	content := fileIn(c.folder, "io.stat")
	for word := range strings.FieldsSeq(string(content)) {
		if bytes, found := strings.CutPrefix(word, "rbytes="); found {
			read += parsed(bytes)
		} else if bytes, found := strings.CutPrefix(word, "wbytes="); found {
			written += parsed(bytes)
		}
	}
	all.disk(read, written, content != nil)
	for _, p := range []struct{ file, metric string }{
		{"cpu.pressure", CPUPressure},
		{"memory.pressure", MemoryPressure},
		{"io.pressure", IOPressure},
	} {
		waited, known := host.Waited(fileIn(c.folder, p.file))
		all.add(p.metric, waited.Seconds(), known)
	}
	return all
}

// fileIn is nil where there is none.
func fileIn(folder, name string) []byte {
	content, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		return nil
	}
	return content
}

// numberIn is 0 where there is none, as for the word max.
func numberIn(folder, name string) float64 {
	return parsed(string(bytes.TrimSpace(fileIn(folder, name))))
}

func tableIn(folder, name string) map[string]float64 {
	values := map[string]float64{}
	for line := range bytes.Lines(fileIn(folder, name)) {
		if key, value, found := strings.Cut(strings.TrimSpace(string(line)), " "); found {
			values[key] = parsed(value)
		}
	}
	return values
}

func parsed(text string) float64 {
	value, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0
	}
	return float64(value)
}
