package table

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/benchnet/benchnet/internal/cli/documents"
	"github.com/benchnet/benchnet/internal/format"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/resilience"
)

// ForCalibration returns a table of what the pods of runs got from their hosts before the load.
func ForCalibration(runs []*documents.Run) *Table {
	t := New("Name", "Pod", "One thread/s", "All threads/s", "Fsync p99 ms", "Round trip ms", "Mbit/s", "Missing because")
	for _, run := range runs {
		for _, pod := range run.Environment.Calibration {
			cells := []string{run.Run.Name, pod.Subject, "", "", "", "", "", pod.Error}
			if c := pod.CPU; c != nil {
				cells[2], cells[3] = format.Number(c.SingleThreadPerSecond), format.Number(c.AllThreadsPerSecond)
			}
			if f := pod.Fsync; f != nil {
				cells[4] = format.Number(f.P99Millis)
			}
			if n := pod.Network; n != nil {
				cells[5], cells[6] = format.Number(n.RoundTripP50Millis), format.Number(n.BandwidthMbps)
			}
			t.AddRow(cells...)
		}
	}
	return t
}

// ForFaults returns a table of the declared faults of runs with their evidence. Instants are in seconds of the window.
func ForFaults(runs []*documents.Run) *Table {
	t := New("Name", "Fault", "Type", "Target", "Planned", "Injected", "Healed", "Proved", "Evidence")
	for _, run := range runs {
		for i := range run.Faults {
			f := &run.Faults[i]
			for k := range f.Targets {
				of := &f.Targets[k]
				proved := "no"
				if of.IsProved() {
					proved = "yes"
				}
				t.AddRow(run.Run.Name, f.Name, f.Describe(), of.Subject(), strconv.Itoa(f.AtSeconds),
					formatBracket(of.Injected), formatBracket(of.Healed), proved, of.DescribeEvidence())
			}
		}
	}
	return t
}

// formatBracket returns an empty text for an instant that is unknown.
func formatBracket(b *measurement.Bracket) string {
	if b == nil {
		return ""
	}
	return fmt.Sprintf("%.2f-%.2f", b.FromSeconds, b.ToSeconds)
}

// ForFaultScores returns a table of what the declared faults of runs did to the throughput.
func ForFaultScores(runs []*documents.Run) *Table {
	t := New(slices.Concat([]string{"Name", "Fault"}, resilience.ScoreColumns, []string{"Problem"})...)
	for _, run := range runs {
		for i := range run.Faults {
			if s := run.Faults[i].Score; s != nil {
				t.AddRow(slices.Concat([]string{run.Run.Name, run.Faults[i].Name}, s.Describe(formatMeasured), []string{s.Problem})...)
			}
		}
	}
	return t
}

// ForResilience returns a table of the availability of runs with faults, and of the operations that their ledgers lost or doubled.
func ForResilience(runs []*documents.Run) *Table {
	t := New(slices.Concat([]string{"Name"}, document.ResilienceColumns)...)
	for _, run := range runs {
		if cells := run.DescribeResilience(); cells != nil {
			t.AddRow(slices.Concat([]string{run.Run.Name}, cells)...)
		}
	}
	return t
}

// formatMeasured returns an empty text for NaN.
func formatMeasured(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return format.Number(v)
}

// ForLabels returns a table of the requests of runs by the labels of users' JMeter plans, or by the kinds of transactions of mixes.
func ForLabels(runs []*documents.Run) *Table {
	t := New("Name", "Label", "Requests", "Errors")
	for _, run := range runs {
		for _, l := range run.Labels {
			t.AddRow(run.Run.Name, l.Label, strconv.FormatInt(l.Requests, 10), strconv.FormatInt(l.Errors, 10))
		}
	}
	return t
}

// ForOperations returns a table of the kinds of operations of the mixes of runs. Latencies are in milliseconds.
func ForOperations(runs []*documents.Run) *Table {
	t := New(append([]string{"Name"}, operationColumns...)...)
	for _, run := range runs {
		for i := range run.Operations {
			t.AddRow(append([]string{run.Run.Name}, operationCells(&run.Operations[i])...)...)
		}
	}
	return t
}

// ForSegmentOperations returns a table of the kinds of operations by segment of the windows of runs.
func ForSegmentOperations(runs []*documents.Run) *Table {
	t := New(append([]string{"Name", "Segment"}, operationColumns...)...)
	for _, run := range runs {
		for _, s := range run.Segments {
			for i := range s.Operations {
				t.AddRow(append([]string{run.Run.Name, s.Name}, operationCells(&s.Operations[i])...)...)
			}
		}
	}
	return t
}

// operationColumns are the columns of operationCells.
var operationColumns = []string{"Kind", "Share", "Completed", "Throughput/s", "P50 ms", "P95 ms", "P99 ms", "Failed", "Errors"}

func operationCells(o *measurement.OperationSummary) []string {
	return []string{o.Name, format.Percent(o.Share), strconv.FormatInt(o.Completed, 10), format.Number(o.ThroughputPerSecond),
		formatMillis(o.Latency.P50), formatMillis(o.Latency.P95), formatMillis(o.Latency.P99), strconv.FormatInt(o.Failed, 10), format.Percent(o.ErrorShare)}
}

// ForPhases returns a table of the phases of the sampled operations of runs. Durations are in milliseconds.
func ForPhases(runs []*documents.Run) *Table {
	t := New("Name", "Phase", "Sampled", "Share", "Mean ms", "P50 ms", "P95 ms", "P99 ms")
	for _, run := range runs {
		if run.Phases == nil {
			continue
		}
		for _, p := range run.Phases.Phases {
			t.AddRow(run.Run.Name, p.Name, strconv.FormatInt(p.Operations, 10), format.Percent(p.Share),
				format.Number(p.Mean), formatMillis(p.P50), formatMillis(p.P95), formatMillis(p.P99))
		}
	}
	return t
}

// formatMillis returns an empty text for an unknown percentile.
func formatMillis(percentile *float64) string {
	if percentile == nil {
		return ""
	}
	return format.Number(*percentile)
}

// ForSegments returns a table of the segments of the windows of runs. Latencies are in milliseconds.
func ForSegments(runs []*documents.Run) *Table {
	t := New("Name", "Segment", "Seconds", "Offered/s", "Planned", "Throughput/s", "P50 ms", "P95 ms", "P99 ms", "Errors")
	for _, run := range runs {
		for i := range run.Segments {
			s := &run.Segments[i]
			l := &s.Summary.Latency
			t.AddRow(run.Run.Name, s.Name, fmt.Sprintf("%d-%d", s.FromSeconds, s.FromSeconds+s.Seconds), s.DescribeLoad(format.Number),
				strconv.FormatInt(s.Planned, 10), format.Number(s.Summary.ThroughputPerSecond),
				formatMillis(l.P50), formatMillis(l.P95), formatMillis(l.P99), format.Percent(s.Summary.ErrorShare))
		}
	}
	return t
}
