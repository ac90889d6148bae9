package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/statistics"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// csvTable is the header and the rows of a CSV file.
type csvTable struct {
	header []string
	rows   [][]string
}

// writeTo writes the table. Rows beyond the cells that they have stay empty.
func (t csvTable) writeTo(w io.Writer) error {
	for i, row := range t.rows {
		t.rows[i] = append(row, make([]string, len(t.header)-len(row))...)
	}
	if err := csv.NewWriter(w).WriteAll(append([][]string{t.header}, t.rows...)); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}

// latencyColumns are the columns of formatCSVLatency.
var latencyColumns = []string{"meanMillis", "p50Millis", "p90Millis", "p95Millis", "p99Millis", "p999Millis", "maxMillis"}

// formatCSVLatency returns the cells of a latency. Those of unknown percentiles are empty.
func formatCSVLatency(l *measurement.Latency) []string {
	var cells []string
	for _, v := range l.Values() {
		cells = append(cells, formatCSVFloat(measurement.ValueOrMissing(v.Millis)))
	}
	return cells
}

// WriteRunCSV writes the summaries of runs: a header and a row for each run. Column names include the units. A column that only some
// runs have, such as a platform-specific number, is empty for the others.
func WriteRunCSV(w io.Writer, runs ...*document.RunResult) error {
	t := csvTable{header: slices.Concat([]string{
		"namespace", "run", "network", "workload", "platform", "start", "windowSeconds", "verdict", "reasons", "unit",
		"throughputPerSecond", "completed", "requests", "errors", "errorShare",
	}, latencyColumns)}
	for _, r := range runs {
		s := &r.Summary
		t.rows = append(t.rows, slices.Concat([]string{
			r.Run.Namespace, r.Run.Name, r.Run.Network, r.Run.Workload, r.Environment.PlatformVersion, formatCSVTime(r.Times.WindowStart),
			strconv.Itoa(r.Times.WindowSeconds), r.Verdict.Validity(), strings.Join(reasonCodes(r.Verdict.Reasons), " "), s.Unit,
			formatCSVFloat(s.ThroughputPerSecond), formatCSVInteger(s.Completed), formatCSVInteger(s.Requests), formatCSVInteger(s.Errors),
			formatCSVFloat(s.ErrorShare),
		}, formatCSVLatency(&s.Latency)))
		if f := s.Finality; f != nil {
			t.setLast("finalityOf", string(f.Of))
			t.setLast("finalityMeanMillis", formatCSVFloat(f.Mean))
			t.setLast("finalityP50Millis", formatCSVFloat(measurement.ValueOrMissing(f.P50)))
			t.setLast("finalityP95Millis", formatCSVFloat(measurement.ValueOrMissing(f.P95)))
			t.setLast("finalityP99Millis", formatCSVFloat(measurement.ValueOrMissing(f.P99)))
		}
		for _, m := range s.Measures {
			t.setLast(withUnit(m.Name, m.Unit), formatCSVFloat(m.Value))
		}
	}
	return t.writeTo(w)
}

// setLast sets a cell of the last row. It adds the column if there is none of that name.
func (t *csvTable) setLast(column, cell string) {
	at := slices.Index(t.header, column)
	if at < 0 {
		at, t.header = len(t.header), append(t.header, column)
	}
	last := &t.rows[len(t.rows)-1]
	*last = append(*last, make([]string, max(0, at+1-len(*last)))...)
	(*last)[at] = cell
}

// WriteSeriesCSV writes all time series of a run: a row for each second of the window, with empty cells for
// missing values.
func WriteSeriesCSV(w io.Writer, r *document.RunResult) error {
	t := csvTable{header: []string{"second", "completed", "failed"}}
	for i, completed := range r.Series.CompletedPerSecond {
		t.rows = append(t.rows, []string{strconv.Itoa(i), formatCSVInteger(completed), formatCSVInteger(r.Series.FailedPerSecond[i])})
	}
	for _, m := range r.Members {
		t.addColumn(m.Member+" CPU (cores)", r.ExpandToSeconds(m.CPUSeconds))
		t.addColumn(m.Member+" memory (bytes)", r.ExpandToSeconds(m.MemoryBytes))
	}
	for _, s := range r.Recorded {
		t.addColumn(withUnit(strings.TrimSpace(s.Subject+" "+s.Name), s.Unit), r.ExpandToSeconds(s.Values))
	}
	return t.writeTo(w)
}

// addColumn adds one value to each row. Rows beyond the values stay empty.
func (t *csvTable) addColumn(name string, values measurement.Series) {
	t.header = append(t.header, name)
	for i := range t.rows {
		value := measurement.Missing
		if i < len(values) {
			value = values[i]
		}
		t.rows[i] = append(t.rows[i], formatCSVFloat(value))
	}
}

// WriteBlocksCSV writes the blocks that were decided in the window, one per row. Without blocks it writes only
// the header.
func WriteBlocksCSV(w io.Writer, r *document.RunResult) error {
	t := csvTable{header: []string{"height", "micros", "bytes", "transactions", "round", "proposer"}}
	for _, b := range r.Blocks {
		t.rows = append(t.rows, []string{formatCSVInteger(b.Height), formatCSVInteger(b.Micros), formatCSVInteger(b.Bytes),
			formatCSVInteger(b.Transactions), formatCSVInteger(int64(b.Round)), b.Proposer})
	}
	return t.writeTo(w)
}

// WriteRunsCSV writes a row for each run of an experiment. Failed and invalid runs are included, distinguished
// by their verdict. The runs' own documents are optional and provide further columns.
func WriteRunsCSV(w io.Writer, e *experiment.Result, runs map[string]*document.RunResult) error {
	points, metrics := pointsByName(e), runMetricNames(e.Runs)
	t := csvTable{header: slices.Concat([]string{"run", "point", "variant"}, parameterNames(e), []string{
		"repetition", "attempt", "start", "verdict", "reasons", "notes", "bottleneck",
	}, metricColumnNames(metrics), []string{"completed", "requests", "errors", "windowSeconds"})}
	for _, run := range e.Runs {
		p := points[run.Point]
		row := slices.Concat([]string{run.Name, run.Point, p.Variant}, parameterValues(e, p), []string{
			strconv.Itoa(run.Repetition), strconv.Itoa(run.Attempt), formatCSVTime(run.Start), string(run.Verdict), strings.Join(run.Reasons, "; "),
			run.NotesText(), run.Bottleneck,
		})
		for _, name := range metrics {
			value, known := run.Metrics[name]
			if !known {
				value = measurement.Missing
			}
			row = append(row, formatCSVFloat(value))
		}
		t.rows = append(t.rows, append(row, requestCounts(runs[run.Name])...))
	}
	return t.writeTo(w)
}

func requestCounts(r *document.RunResult) []string {
	if r == nil {
		return make([]string, 4)
	}
	s := &r.Summary
	return []string{formatCSVInteger(s.Completed), formatCSVInteger(s.Requests), formatCSVInteger(s.Errors), strconv.Itoa(r.Times.WindowSeconds)}
}

// WritePointsCSV writes a row for each point of an experiment: for every metric the mean over the valid runs,
// their standard deviation, and its confidence interval or, of few runs, the lowest and the highest.
func WritePointsCSV(w io.Writer, e *experiment.Result) error {
	metrics := pointMetricNames(e.Points)
	t := csvTable{
		header: slices.Concat([]string{"point", "variant"}, parameterNames(e), []string{"network", "valid", "invalid", "failed", "unit", "bottleneck"}),
	}
	for _, name := range metricColumnNames(metrics) {
		t.header = append(t.header, name, name+" stdDev", name+" intervalLow", name+" intervalHigh", name+" lowest", name+" highest")
	}
	for _, p := range e.Points {
		row := slices.Concat([]string{p.Name, p.Variant}, parameterValues(e, p), []string{
			p.Network, strconv.Itoa(p.Valid), strconv.Itoa(p.Invalid), strconv.Itoa(p.Failed), p.Unit, p.Bottleneck,
		})
		for _, name := range metrics {
			if m, known := p.Metrics[name]; known {
				row = slices.Concat(row, []string{formatCSVFloat(m.Mean), formatCSVFloat(m.StdDev)}, formatCSVRange(m.Interval), formatCSVRange(m.Extremes))
			} else {
				row = append(row, make([]string, 6)...)
			}
		}
		t.rows = append(t.rows, row)
	}
	return t.writeTo(w)
}

func formatCSVRange(r *statistics.Range) []string {
	if r == nil {
		return make([]string, 2)
	}
	return []string{formatCSVFloat(r.Low), formatCSVFloat(r.High)}
}

// formatCSVFloat formats a number in full precision for programs, or as an empty string if it was not measured.
func formatCSVFloat(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

func formatCSVInteger(v int64) string { return strconv.FormatInt(v, 10) }

// formatCSVTime returns an empty string for an experiment or a run that has not started.
func formatCSVTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func withUnit(name, unit string) string {
	if unit == "" {
		return name
	}
	return name + " (" + unit + ")"
}

func reasonCodes(reasons []verdict.Reason) []string {
	var all []string
	for _, r := range reasons {
		all = append(all, string(r.Code))
	}
	return all
}
