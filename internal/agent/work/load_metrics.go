package work

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/benchnet/benchnet/internal/agent/container"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// Metrics of the load that a worker applies, from the start of the load on, the warm-up included.
var (
	LatencyMetric = container.Metric{Name: "benchnet_worker_latency_seconds", Kind: container.Histogram,
		Help: "Latency of the operations that succeeded, from when they were due; the service time in a closed loop."}
	ErrorsMetric = container.Metric{Name: "benchnet_worker_errors_total", Kind: container.Counter,
		Help: "Operations that failed, by kind; Other beyond 20 kinds."}
	DueMetric = container.Metric{Name: "benchnet_worker_operations_due_total", Kind: container.Counter,
		Help: "The worker's share of the operations that the rate of an open load makes due."}
	SegmentMetric = container.Metric{Name: "benchnet_worker_segment", Kind: container.Gauge,
		Help: "The segment of the window that the load is in; always 1. Join it to other series of the worker on namespace and pod."}
)

// LabelKind is the label of ErrorsMetric, and LabelSegment that of SegmentMetric.
const (
	LabelKind    = "kind"
	LabelSegment = "segment"
)

// kindEscaper escapes a label value.
var kindEscaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// WriteLoadMetrics writes the metrics of the load so far. It writes none before the start of the load, and no latency
// or errors if the driver does not report totals.
func (w *Worker) WriteLoadMetrics(to io.Writer, now time.Time) error {
	var text strings.Builder
	if due, open := w.dueOperations(now); open {
		_ = container.WriteHeader(&text, DueMetric)
		fmt.Fprintf(&text, "%s %d\n", DueMetric.Name, due)
	}
	w.writeSegment(&text, now)
	if p, err := w.readProgress(); err == nil && p.Totals != nil {
		writeLatency(&text, p.Totals)
		writeErrors(&text, p.Totals)
	}
	_, err := io.WriteString(to, text.String())
	return err
}

// dueOperations returns the worker's share of the operations that are due before now. It returns false unless the
// load is an open loop that has started.
func (w *Worker) dueOperations(now time.Time) (int64, bool) {
	window, load := w.window.Load(), w.Workload.Load
	if window == nil || load == nil || load.MeanRate() <= 0 || now.Before(window.LoadStart()) {
		return 0, false
	}
	elapsed := min(now.Sub(window.LoadStart()), window.To().Sub(window.LoadStart()))
	return int64(math.Floor(load.CountDue(elapsed.Seconds()) / float64(w.Workers))), true
}

// writeSegment writes the segment that the load is in, if it is in one.
func (w *Worker) writeSegment(text *strings.Builder, now time.Time) {
	window := w.window.Load()
	if window == nil {
		return
	}
	second := int(math.Floor(now.Sub(window.From()).Seconds()))
	for _, s := range w.Workload.Segments {
		if second >= s.FromSeconds && second < s.FromSeconds+s.Seconds {
			_ = container.WriteHeader(text, SegmentMetric)
			fmt.Fprintf(text, "%s{%s=%q} 1\n", SegmentMetric.Name, LabelSegment, s.Name)
		}
	}
}

func writeLatency(text *strings.Builder, totals *protocol.LoadTotals) {
	_ = container.WriteHeader(text, LatencyMetric)
	var below int64
	for i, upper := range protocol.LatencyBucketMicros {
		below += totals.LatencyCounts[i]
		fmt.Fprintf(text, "%s_bucket{le=%q} %d\n", LatencyMetric.Name, strconv.FormatFloat(float64(upper)/1e6, 'g', -1, 64), below)
	}
	completed := totals.Completed()
	fmt.Fprintf(text, "%[1]s_bucket{le=\"+Inf\"} %[2]d\n%[1]s_sum %[3]g\n%[1]s_count %[2]d\n",
		LatencyMetric.Name, completed, float64(totals.LatencySumMicros)/1e6)
}

// writeErrors writes the errors by kind. The kind Unfinished is always there, so that a run without errors shows 0.
func writeErrors(text *strings.Builder, totals *protocol.LoadTotals) {
	_ = container.WriteHeader(text, ErrorsMetric)
	kinds := []string{measurement.Unfinished}
	for kind := range totals.Errors {
		if kind != measurement.Unfinished {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	for _, kind := range kinds {
		fmt.Fprintf(text, "%s{%s=\"%s\"} %d\n", ErrorsMetric.Name, LabelKind, kindEscaper.Replace(kind), totals.Errors[kind])
	}
}
