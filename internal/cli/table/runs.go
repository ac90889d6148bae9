package table

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/format"
	"github.com/benchnet/benchnet/internal/run/statistics"
)

// ForRuns returns a table of runs, with empty cells for unknown values. Latencies are in milliseconds. Those of a
// closed loop are service times, with the values corrected for coordinated omission beside them.
func ForRuns(runs []v1alpha1.BenchmarkRun) *Table {
	t := New("Name", "Throughput", "P50 ms", "P95 ms", "P99 ms", "Errors", "Verdict", "Bottleneck",
		"+Network", "+Mean ms", "+P90 ms", "+P99.9 ms", "+Max ms",
		"+Latency is", "+Corrected P50 ms", "+Corrected P90 ms", "+Corrected P95 ms", "+Corrected P99 ms", "+Corrected P99.9 ms",
		"+Finality of", "+Finality P50 ms", "+Finality P95 ms", "+Finality P99 ms", "+Operations", "+Steady")
	for i := range runs {
		t.AddRow(buildRunRow(&runs[i])...)
	}
	return t
}

func buildRunRow(run *v1alpha1.BenchmarkRun) []string {
	s := run.Status
	latency, corrected := formatLatency(s.LatencyMicroseconds), formatLatency(s.CorrectedLatencyMicroseconds)
	var errors, operations, finalityOf string
	var finality latencyCells
	if f := s.FinalityMicroseconds; f != nil {
		finalityOf, finality = f.Of, formatLatency(&f.LatencySummary)
	}
	if n := s.Operations; n != nil {
		errors, operations = format.Percent(statistics.Ratio(n.Failed, n.Completed+n.Failed)), strconv.FormatInt(n.Completed, 10)
	}
	return []string{run.Name, s.Display.Throughput, latency.p50, latency.p95, latency.p99, errors, verdictOrPhase(run), s.Display.Bottleneck,
		run.Spec.NetworkName, latency.mean, latency.p90, latency.p999, latency.max,
		s.Display.LatencyKind, corrected.p50, corrected.p90, corrected.p95, corrected.p99, corrected.p999,
		finalityOf, finality.p50, finality.p95, finality.p99, operations, s.Display.SteadyState}
}

// latencyCells are latencies in milliseconds as text.
type latencyCells struct{ mean, p50, p90, p95, p99, p999, max string }

func formatLatency(l *v1alpha1.LatencySummary) latencyCells {
	if l == nil {
		return latencyCells{}
	}
	ms := func(microseconds *int64) string {
		if microseconds == nil {
			return ""
		}
		return format.Number(float64(*microseconds) / 1000)
	}
	return latencyCells{ms(&l.Mean), ms(l.P50), ms(l.P90), ms(l.P95), ms(l.P99), ms(l.P999), ms(&l.Max)}
}

// verdictOrPhase returns the verdict of a run, or its progress or phase before that.
func verdictOrPhase(run *v1alpha1.BenchmarkRun) string {
	if run.Status.Verdict != "" {
		return string(run.Status.Verdict)
	}
	return cmp.Or(run.Status.Display.Progress, string(cmp.Or(run.Status.Phase, v1alpha1.PhasePending)))
}

// DescribeFindings returns one line per reason for an invalid, failed or cancelled run, and per finding that was only recorded.
func DescribeFindings(runs []v1alpha1.BenchmarkRun) []string {
	var lines []string
	for i := range runs {
		run := &runs[i]
		for _, r := range run.Status.Reasons {
			switch message := strings.TrimPrefix(r.Message, ": "); r.Severity {
			case v1alpha1.SeverityInvalid:
				lines = append(lines, fmt.Sprintf("%s is invalid, %s: %s", run.Name, r.Reason, message))
			case v1alpha1.SeverityRecorded:
				lines = append(lines, fmt.Sprintf("%s has a recorded note, %s: %s", run.Name, r.Reason, message))
			}
		}
		c := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionStalled)
		switch {
		case c == nil || c.Status != metav1.ConditionTrue:
		case c.Reason == v1alpha1.ReasonCancelled:
			lines = append(lines, run.Name+" was cancelled")
		default:
			lines = append(lines, fmt.Sprintf("%s failed, %s: %s", run.Name, c.Reason, c.Message))
		}
	}
	return lines
}
