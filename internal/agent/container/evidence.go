package container

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Names of the metrics that some kernels do not provide.
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

// noMemoryLimit is the version 1 value for "no limit", rounded down for any page size in use.
const noMemoryLimit = 1 << 62

// evidenceMetrics lists all metrics that ReadEvidence can return.
var evidenceMetrics = Catalogue{
	{Name: CPULimit, Kind: Gauge, Help: "CPU quota of the container, in cores."},
	{Name: MemoryLimit, Kind: Gauge, Help: "Memory limit of the container."},
	{Name: OOMKills, Kind: Counter, Help: "Processes of the container that the kernel killed because memory ran out."},
	{Name: DiskRead, Kind: Counter, Help: "Bytes that the container read from disks."},
	{Name: DiskWritten, Kind: Counter, Help: "Bytes that the container wrote to disks."},
	{Name: CPUPressure, Kind: Counter, Help: "Time in which a task of the container waited for a CPU."},
	{Name: MemoryPressure, Kind: Counter, Help: "Time in which a task of the container waited for memory."},
	{Name: IOPressure, Kind: Counter, Help: "Time in which a task of the container waited for a disk."},
}

// evidenceBuilder collects the metrics with a known value.
type evidenceBuilder []Metric

func (e *evidenceBuilder) addMetric(name string, value float64, known bool) {
	if known {
		*e = append(*e, evidenceMetrics.WithValue(name, value))
	}
}

func (e *evidenceBuilder) addCPULimit(quota, period float64) {
	e.addMetric(CPULimit, quota/period, quota > 0 && period > 0)
}

func (e *evidenceBuilder) addMemoryLimit(bytes float64) {
	e.addMetric(MemoryLimit, bytes, bytes > 0 && bytes < noMemoryLimit)
}

func (e *evidenceBuilder) addOOMKills(table map[string]float64) {
	kills, known := table["oom_kill"]
	e.addMetric(OOMKills, kills, known)
}

// ReadEvidence returns the metrics of version 1. There is no pressure, and disk metrics are omitted because
// version 1 does not count I/O through the page cache.
func (c v1Reader) ReadEvidence() []Metric {
	var all evidenceBuilder
	all.addCPULimit(readOptionalNumber(c.cpu, "cpu.cfs_quota_us"), readOptionalNumber(c.cpu, "cpu.cfs_period_us"))
	all.addMemoryLimit(readOptionalNumber(c.memory, "memory.limit_in_bytes"))
	all.addOOMKills(readOptionalTable(c.memory, "memory.oom_control"))
	return all
}

// ReadEvidence returns the metrics of version 2.
func (c v2Reader) ReadEvidence() []Metric {
	var all evidenceBuilder
	if words := strings.Fields(string(readOptionalFile(c.folder, "cpu.max"))); len(words) == 2 {
		all.addCPULimit(parseNumberOrZero(words[0]), parseNumberOrZero(words[1]))
	}
	all.addMemoryLimit(readOptionalNumber(c.folder, "memory.max"))
	all.addOOMKills(readOptionalTable(c.folder, "memory.events"))
	var read, written float64
	content := readOptionalFile(c.folder, "io.stat")
	for word := range strings.FieldsSeq(string(content)) {
		if bytes, found := strings.CutPrefix(word, "rbytes="); found {
			read += parseNumberOrZero(bytes)
		} else if bytes, found := strings.CutPrefix(word, "wbytes="); found {
			written += parseNumberOrZero(bytes)
		}
	}
	all.addMetric(DiskRead, read, content != nil)
	all.addMetric(DiskWritten, written, content != nil)
	return append(all, evidenceMetrics.readPressure(c.folder, [][2]string{
		{CPUPressure, "cpu.pressure"}, {MemoryPressure, "memory.pressure"}, {IOPressure, "io.pressure"}})...)
}

// readOptionalFile returns the content of a file, or nil if it cannot be read.
func readOptionalFile(folder, name string) []byte {
	content, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		return nil
	}
	return content
}

// readOptionalNumber returns the number in a file, or 0 if there is none, as for the word max.
func readOptionalNumber(folder, name string) float64 {
	return parseNumberOrZero(string(bytes.TrimSpace(readOptionalFile(folder, name))))
}

func readOptionalTable(folder, name string) map[string]float64 {
	values := map[string]float64{}
	for line := range bytes.Lines(readOptionalFile(folder, name)) {
		if key, value, found := strings.Cut(strings.TrimSpace(string(line)), " "); found {
			values[key] = parseNumberOrZero(value)
		}
	}
	return values
}

func parseNumberOrZero(text string) float64 {
	value, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0
	}
	return float64(value)
}
