package cgroup

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Usage is what one container has used. All but WorkingSet only ever grow while the container lives.
type Usage struct {
	// CPU time used by all processes of the container.
	CPU time.Duration
	// Periods of the CPU quota that passed, and those in which the container used it up. Zero without a quota.
	Periods, ThrottledPeriods uint64
	// Throttled is the time for which the container was held back.
	Throttled time.Duration
	// WorkingSet in bytes: memory in use without the inactive page cache, as the kubelet counts it.
	WorkingSet uint64
}

// ContentType of what WriteMetrics writes.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// metric is one line of the exposition: its name, type, help, and how to get and set its value.
type metric struct {
	name, kind, help string
	get              func(Usage) float64
	set              func(*Usage, float64)
}

var metrics = []metric{
	{"benchnet_container_cpu_usage_seconds_total", "counter", "CPU time used by the container.",
		func(u Usage) float64 { return u.CPU.Seconds() }, func(u *Usage, v float64) { u.CPU = seconds(v) }},
	{"benchnet_container_cpu_periods_total", "counter", "CPU quota periods that passed.",
		func(u Usage) float64 { return float64(u.Periods) }, func(u *Usage, v float64) { u.Periods = uint64(v) }},
	{"benchnet_container_cpu_throttled_periods_total", "counter", "CPU quota periods in which the container was throttled.",
		func(u Usage) float64 { return float64(u.ThrottledPeriods) }, func(u *Usage, v float64) { u.ThrottledPeriods = uint64(v) }},
	{"benchnet_container_cpu_throttled_seconds_total", "counter", "Time for which the container was throttled.",
		func(u Usage) float64 { return u.Throttled.Seconds() }, func(u *Usage, v float64) { u.Throttled = seconds(v) }},
	{"benchnet_container_memory_working_set_bytes", "gauge", "Memory in use without the inactive page cache.",
		func(u Usage) float64 { return float64(u.WorkingSet) }, func(u *Usage, v float64) { u.WorkingSet = uint64(v) }},
}

func seconds(v float64) time.Duration { return time.Duration(v * float64(time.Second)) }

// WriteMetrics writes u in the text format of Prometheus.
func (u Usage) WriteMetrics(w io.Writer) error {
	for _, m := range metrics {
		value := strconv.FormatFloat(m.get(u), 'f', -1, 64)
		if _, err := fmt.Fprintf(w, "# HELP %[1]s %[2]s\n# TYPE %[1]s %[3]s\n%[1]s %[4]s\n", m.name, m.help, m.kind, value); err != nil {
			return err
		}
	}
	return nil
}

// ParseMetrics reads what WriteMetrics wrote; other metrics are passed over, a missing one is an error.
func ParseMetrics(r io.Reader) (Usage, error) {
	texts := map[string]string{}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), " ")
		texts[name] = value
	}
	if err := lines.Err(); err != nil {
		return Usage{}, fmt.Errorf("read metrics: %w", err)
	}
	var u Usage
	for _, m := range metrics {
		text, found := texts[m.name]
		if !found {
			return Usage{}, fmt.Errorf("metric %s is missing", m.name)
		}
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return Usage{}, fmt.Errorf("metric %s: %w", m.name, err)
		}
		m.set(&u, value)
	}
	return u, nil
}
