// Package export writes results as one long table, with a row for each value, for data frames and spreadsheets.
package export

import (
	"cmp"
	"encoding/json"
	"math"
	"strings"
	"time"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// Row is one value of a run. The tags name the columns of both formats; docs/export.md describes them.
type Row struct {
	Namespace  string `parquet:"namespace,dict,zstd"`
	Experiment string `parquet:"experiment,dict,zstd"`
	Point      string `parquet:"point,dict,zstd"`
	Variant    string `parquet:"variant,dict,zstd"`
	// Parameters is a JSON object with the value of each axis, which is empty without axes.
	Parameters string `parquet:"parameters,dict,zstd"`
	// Repetition is absent outside of an experiment.
	Repetition *int32 `parquet:"repetition,optional,zstd"`
	Run        string `parquet:"run,dict,zstd"`
	Network    string `parquet:"network,dict,zstd"`
	Workload   string `parquet:"workload,dict,zstd"`
	// WindowStart is absent if the run failed.
	WindowStart *time.Time `parquet:"windowStart,optional,zstd,timestamp"`
	Verdict     string     `parquet:"verdict,dict,zstd"`
	Subject     string     `parquet:"subject,dict,zstd"`
	Metric      string     `parquet:"metric,dict,zstd"`
	// Second counts from the start of the window; it is absent for a value of the whole window.
	Second *int32 `parquet:"second,optional,zstd"`
	// Quantile is from 0 to 1; it is absent for all metrics but LatencyQuantile.
	Quantile *float64 `parquet:"quantile,optional,zstd"`
	// Value is absent in the only row of a run without a result.
	Value *float64 `parquet:"value,optional,zstd"`
	Unit  string   `parquet:"unit,dict,zstd"`
}

// Emit receives one row. An error ends the export.
type Emit func(Row) error

// Experiment emits the rows of all runs of an experiment in the order in which they started. It reads a run's own
// document if runs has it by name, and else only the metrics in the experiment's document.
func Experiment(e *experiment.Result, runs map[string]*document.RunResult, emit Emit) error {
	points := map[string]*experiment.Point{}
	for i := range e.Points {
		points[e.Points[i].Name] = &e.Points[i]
	}
	for i := range e.Runs {
		run := &e.Runs[i]
		row := Row{Namespace: e.Experiment.Namespace, Experiment: e.Experiment.Name, Point: run.Point, Run: run.Name,
			Parameters: "{}", Repetition: new(int32(run.Repetition)), Verdict: string(run.Verdict)}
		if p := points[run.Point]; p != nil {
			row.Variant, row.Network, row.Parameters = p.Variant, cmp.Or(run.Network, p.Network), encodeParameters(p.Parameters)
		}
		var err error
		if document := runs[run.Name]; document != nil {
			err = emitDocument(row, document, emit)
		} else {
			err = emitSummarizedRun(row, run, emit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Run emits the rows of a run outside of an experiment.
func Run(r *document.RunResult, emit Emit) error {
	return emitDocument(Row{Namespace: r.Run.Namespace, Run: r.Run.Name, Parameters: "{}", Verdict: r.Verdict.Validity()}, r, emit)
}

// encodeParameters returns the parameters as a JSON object.
func encodeParameters(parameters []experiment.Parameter) string {
	values := make(map[string]string, len(parameters))
	for _, p := range parameters {
		values[p.Name] = p.Value
	}
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(values) // Encoding a map of strings into memory cannot fail.
	return strings.TrimSpace(text.String())
}

// emitSummarizedRun emits the metrics that the document of an experiment has of a run. A run without a result has
// one row without a value, so that it is not forgotten.
func emitSummarizedRun(row Row, run *experiment.Run, emit Emit) error {
	w := writer{row: row, emit: emit}
	for _, m := range v1alpha1.AllMetrics {
		if value, known := run.Metrics[string(m)]; known {
			w.addTotal(string(m), value, unitOf(m, run.Unit))
		}
	}
	if len(run.Metrics) == 0 {
		row.Metric = string(v1alpha1.MetricThroughput)
		w.write(row)
	}
	return w.err
}

// writer emits rows that share the columns of one run. It keeps the first error.
type writer struct {
	row  Row
	emit Emit
	err  error
}

func (w *writer) write(row Row) {
	if w.err == nil {
		w.err = w.emit(row)
	}
}

// addTotal emits a value of the whole window, unless it was not measured.
func (w *writer) addTotal(metric string, value float64, unit string) {
	w.addValue(Row{Metric: metric, Unit: unit}, value)
}

// addSeries emits a value for each second in which one was measured.
func (w *writer) addSeries(subject, metric, unit string, values measurement.Series) {
	for second, value := range values {
		w.addValue(Row{Subject: subject, Metric: metric, Unit: unit, Second: new(int32(second))}, value)
	}
}

// addValue emits a value with the columns of the run, unless it was not measured.
func (w *writer) addValue(of Row, value float64) {
	if math.IsNaN(value) {
		return
	}
	row := w.row
	row.Subject, row.Metric, row.Unit, row.Second, row.Quantile, row.Value = of.Subject, of.Metric, of.Unit, of.Second, of.Quantile, &value
	w.write(row)
}
