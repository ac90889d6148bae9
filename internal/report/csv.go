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
	"github.com/benchnet/benchnet/internal/results"
)

// table is rows of text under a header, on its way into a CSV file.
type table struct {
	header []string
	rows   [][]string
}

func (t table) write(w io.Writer) error {
	if err := csv.NewWriter(w).WriteAll(append([][]string{t.header}, t.rows...)); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}

// RunCSV writes the summary of a run: a header and one row. Units are part of the names of the columns.
func RunCSV(w io.Writer, r *results.Result) error {
	s, l := r.Summary, r.Summary.Latency
	t := table{header: []string{
		"namespace", "run", "network", "workload", "platform", "start", "windowSeconds", "verdict", "reasons", "unit",
		"throughputPerSecond", "completed", "requests", "errors", "errorShare",
		"meanMillis", "p50Millis", "p90Millis", "p95Millis", "p99Millis", "p999Millis", "maxMillis",
	}, rows: [][]string{{
		r.Run.Namespace, r.Run.Name, r.Run.Network, r.Run.Workload, r.Environment.PlatformVersion, instant(r.Times.WindowStart),
		strconv.Itoa(r.Times.WindowSeconds), string(r.Verdict.Validity), strings.Join(codes(r.Verdict.Reasons), " "), s.Unit,
		cell(s.ThroughputPerSecond), integer(s.Completed), integer(s.Requests), integer(s.Errors), cell(s.ErrorShare),
		cell(l.Mean), cell(l.P50), cell(l.P90), cell(l.P95), cell(l.P99), cell(l.P999), cell(l.Max),
	}}}
	for _, m := range s.Measures {
		t.header = append(t.header, withUnit(m.Name, m.Unit))
		t.rows[0] = append(t.rows[0], cell(m.Value))
	}
	return t.write(w)
}

// SeriesCSV writes everything that a run measured second by second: a row for each second of the window, an empty cell where
// nothing was measured.
func SeriesCSV(w io.Writer, r *results.Result) error {
	t := table{header: []string{"second", "completed", "failed"}}
	for i, completed := range r.Series.CompletedPerSecond {
		t.rows = append(t.rows, []string{strconv.Itoa(i), integer(completed), integer(r.Series.FailedPerSecond[i])})
	}
	for _, m := range r.Members {
		t.column(m.Member+" CPU (cores)", r.PerSecond(m.CPUSeconds))
		t.column(m.Member+" memory (bytes)", r.PerSecond(m.MemoryBytes))
	}
	for _, s := range r.Recorded {
		t.column(withUnit(strings.TrimSpace(s.Subject+" "+s.Name), s.Unit), r.PerSecond(s.Values))
	}
	return t.write(w)
}

// column adds one value to each row; rows beyond the values stay empty.
func (t *table) column(name string, values results.Series) {
	t.header = append(t.header, name)
	for i := range t.rows {
		value := results.Missing
		if i < len(values) {
			value = values[i]
		}
		t.rows[i] = append(t.rows[i], cell(value))
	}
}

// BlocksCSV writes the blocks that were decided in the window, one a row; only the header if the platform has none.
func BlocksCSV(w io.Writer, r *results.Result) error {
	t := table{header: []string{"height", "micros", "bytes", "transactions", "round", "proposer"}}
	for _, b := range r.Blocks {
		t.rows = append(t.rows, []string{
			integer(b.Height), integer(b.Micros), integer(b.Bytes), integer(b.Transactions), integer(int64(b.Round)), b.Proposer,
		})
	}
	return t.write(w)
}

// RunsCSV writes a row for each run of an experiment: failed and invalid ones too, which the verdict tells apart. The runs'
// own documents are optional; what they know besides is added.
func RunsCSV(w io.Writer, e *experiment.Result, runs map[string]*results.Result) error {
	points, metrics := pointsByName(e), metricsOfRuns(e.Runs)
	t := table{header: slices.Concat([]string{"run", "point", "variant"}, parameters(e), []string{
		"repetition", "attempt", "start", "verdict", "reasons", "notes", "bottleneck",
	}, columnNames(metrics), []string{"completed", "requests", "errors", "windowSeconds"})}
	for _, run := range e.Runs {
		p := points[run.Point]
		row := slices.Concat([]string{run.Name, run.Point, p.Variant}, parameterValues(e, p), []string{
			strconv.Itoa(run.Repetition), strconv.Itoa(run.Attempt), instant(run.Start), run.Verdict, strings.Join(run.Reasons, "; "), run.NotesText(), run.Bottleneck,
		})
		for _, name := range metrics {
			value, known := run.Metrics[name]
			if !known {
				value = results.Missing
			}
			row = append(row, cell(value))
		}
		t.rows = append(t.rows, append(row, countsOf(runs[run.Name])...))
	}
	return t.write(w)
}

func countsOf(r *results.Result) []string {
	if r == nil {
		return make([]string, 4)
	}
	return []string{integer(r.Summary.Completed), integer(r.Summary.Requests), integer(r.Summary.Errors), strconv.Itoa(r.Times.WindowSeconds)}
}

// PointsCSV writes a row for each point of an experiment: of every metric its mean over the valid runs, their standard deviation,
// and the bounds of the mean.
func PointsCSV(w io.Writer, e *experiment.Result) error {
	metrics := metricsOfPoints(e.Points)
	t := table{header: slices.Concat([]string{"point", "variant"}, parameters(e), []string{"network", "valid", "invalid", "failed", "unit", "bottleneck"})}
	for _, name := range columnNames(metrics) {
		t.header = append(t.header, name, name+" stdDev", name+" low", name+" high")
	}
	for _, p := range e.Points {
		row := slices.Concat([]string{p.Name, p.Variant}, parameterValues(e, p), []string{
			p.Network, strconv.Itoa(p.Valid), strconv.Itoa(p.Invalid), strconv.Itoa(p.Failed), p.Unit, p.Bottleneck,
		})
		for _, name := range metrics {
			if m, known := p.Metrics[name]; known {
				row = append(row, cell(m.Mean), cell(m.StdDev), cell(m.Low), cell(m.High))
			} else {
				row = append(row, "", "", "", "")
			}
		}
		t.rows = append(t.rows, row)
	}
	return t.write(w)
}

// cell is a number in full for programs; nothing if it was not measured.
func cell(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

func integer(v int64) string { return strconv.FormatInt(v, 10) }

// instant is empty for an experiment or a run that has not started.
func instant(t time.Time) string {
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

func codes(reasons []results.Reason) []string {
	var all []string
	for _, r := range reasons {
		all = append(all, string(r.Code))
	}
	return all
}
