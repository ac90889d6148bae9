package export

import (
	"bytes"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/resilience"
)

func readRecordedRun(t *testing.T) *document.RunResult {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "report", "testdata", "malachite.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := document.DecodeRunResult(content)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// collectRows returns the rows that produce emits.
func collectRows(t *testing.T, produce func(Emit) error) []Row {
	t.Helper()
	var rows []Row
	if err := produce(func(row Row) error { rows = append(rows, row); return nil }); err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestFormatsHoldTheSameRows reads both formats back.
func TestFormatsHoldTheSameRows(t *testing.T) {
	r := readRecordedRun(t)
	produce := func(emit Emit) error { return Run(r, emit) }
	want := collectRows(t, produce)
	if len(want) <= rowsPerBatch {
		t.Fatalf("%d rows do not fill a batch", len(want))
	}
	t.Run("Parquet", func(t *testing.T) {
		var file bytes.Buffer
		if err := Write(&file, Parquet, produce); err != nil {
			t.Fatal(err)
		}
		got, err := parquet.Read[Row](bytes.NewReader(file.Bytes()), int64(file.Len()))
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			want[i].WindowStart = new(want[i].WindowStart.Truncate(time.Millisecond))
		}
		if difference := cmp.Diff(want, got); difference != "" {
			t.Error(difference)
		}
	})
	t.Run("CSV", func(t *testing.T) {
		var file bytes.Buffer
		if err := Write(&file, CSV, produce); err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(&file).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		rows := [][]string{{"namespace", "experiment", "point", "variant", "parameters", "repetition", "run", "network", "workload",
			"windowStart", "verdict", "subject", "metric", "second", "quantile", "value", "unit"}}
		for i := range want {
			rows = append(rows, want[i].formatCells())
		}
		if difference := cmp.Diff(rows, lines); difference != "" {
			t.Error(difference)
		}
	})
}

// findValues returns the values of a metric, of seconds or of the whole window.
func findValues(rows []Row, metric string, ofSeconds bool) []float64 {
	var values []float64
	for _, row := range rows {
		if row.Metric == metric && (row.Second != nil) == ofSeconds {
			values = append(values, *row.Value)
		}
	}
	return values
}

// TestRunRows checks that the table holds the numbers of the document.
func TestRunRows(t *testing.T) {
	r := readRecordedRun(t)
	r.Members[0].CPUSeconds[3] = measurement.Missing
	r.Environment.Calibration = []measurement.PodCalibration{{Subject: "member-0", Fsync: &measurement.FsyncCalibration{P99Millis: 12.5}}}
	rows := collectRows(t, func(emit Emit) error { return Run(r, emit) })
	if got := findValues(rows, "CalibrationFsyncP99", false); len(got) != 1 || got[0] != 12.5 {
		t.Errorf("fsync p99 %v, want 12.5 ms", got)
	}
	if got := findValues(rows, "Throughput", false); len(got) != 1 || got[0] != r.Summary.ThroughputPerSecond {
		t.Errorf("throughput %v, want %v", got, r.Summary.ThroughputPerSecond)
	}
	var completed int64
	for _, n := range findValues(rows, "Completed", true) {
		completed += int64(n)
	}
	if completed != r.Summary.Completed {
		t.Errorf("the seconds have %d completions, the window %d", completed, r.Summary.Completed)
	}
	if got, want := len(findValues(rows, "CPU", true)), len(r.Members)*r.Times.WindowSeconds-1; got != want {
		t.Errorf("%d values of CPU, want %d: each second of each member but the missing one", got, want)
	}
	quantiles := findValues(rows, "LatencyQuantile", false)
	if len(quantiles) < 5 || quantiles[len(quantiles)-1] > r.Summary.Latency.Max {
		t.Errorf("quantiles %v up to %v", quantiles, r.Summary.Latency.Max)
	}
}

// TestOperationRows checks that kinds of operations have values of their own, which are not among those of the window.
func TestOperationRows(t *testing.T) {
	r := readRecordedRun(t)
	r.Operations = []measurement.OperationSummary{{Name: "Mint", Completed: 990, Failed: 10, Share: 0.2, ErrorShare: 0.01, ThroughputPerSecond: 49.5,
		Latency: measurement.Latency{Mean: 21, P95: new(80.0), Max: 90}}, {Name: "Call"}}
	rows := collectRows(t, func(emit Emit) error { return Run(r, emit) })
	for metric, want := range map[string][]float64{"OperationShare": {0.2, 0}, "OperationCompleted": {990, 0}, "OperationFailed": {10, 0},
		"OperationErrorShare": {0.01, 0}, "OperationThroughput": {49.5, 0}, "OperationLatencyP95": {80}, "OperationLatencyMean": {21},
		"OperationLatencyP99": nil, "Throughput": {r.Summary.ThroughputPerSecond}} {
		t.Run(metric, func(t *testing.T) {
			if got := findValues(rows, metric, false); !cmp.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
	if last := rows[len(rows)-1]; last.Subject != "Call" || last.Run != r.Run.Name {
		t.Errorf("the last row is %+v", last)
	}
}

// TestSegmentRows checks that segments have values of their own, which are not among those of the window.
func TestSegmentRows(t *testing.T) {
	r := readRecordedRun(t)
	r.Segments = []document.SegmentResult{{Segment: measurement.Segment{Name: "peak", FromSeconds: 20, Seconds: 40, OfferedPerSecond: 50}, Planned: 2000,
		Summary:    measurement.Summary{ThroughputPerSecond: 49, Requests: 2000, Errors: 40, ErrorShare: 0.02, Unit: "flows", Latency: measurement.Latency{P95: new(80.0)}},
		Operations: []measurement.OperationSummary{{Name: "Mint", Completed: 7}}}}
	rows := collectRows(t, func(emit Emit) error { return Run(r, emit) })
	for metric, want := range map[string]float64{"SegmentStart": 20, "SegmentDuration": 40, "SegmentOffered": 50, "SegmentPlanned": 2000,
		"SegmentThroughput": 49, "SegmentErrorShare": 0.02, "SegmentLatencyP95": 80, "SegmentOperationCompleted": 7, "Throughput": r.Summary.ThroughputPerSecond} {
		t.Run(metric, func(t *testing.T) {
			if got := findValues(rows, metric, false); !cmp.Equal(got, []float64{want}) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
	if got := findValues(rows, "SegmentLatencyP99", false); got != nil {
		t.Errorf("an unknown percentile has the value %v", got)
	}
	if last := rows[len(rows)-1]; last.Subject != "peak/Mint" || last.Run != r.Run.Name {
		t.Errorf("the last row is %+v", last)
	}
}

// TestFaultRows checks that an unknown time of a fault has no row.
func TestFaultRows(t *testing.T) {
	r := readRecordedRun(t)
	r.Faults = []document.FaultResult{
		{Name: "kill", Score: &resilience.Score{OutageSeconds: 6, BinSeconds: 2, Effect: resilience.Effect{ImpactSeconds: new(0.9), CensoredSeconds: 30}, DegradationSeconds: 20.5}},
		{Name: "pause"},
	}
	r.Availability, r.Ledger = &resilience.Availability{Share: new(0.75), TimeShare: new(0.5)}, &measurement.Ledger{Lost: new(int64(2))}
	rows := collectRows(t, func(emit Emit) error { return Run(r, emit) })
	for metric, want := range map[string][]float64{"Availability": {0.75}, "OperationsLost": {2}, "OperationsDoubled": nil, "FaultOutage": {6}, "FaultImpact": {0.9}, "FaultRecovery": nil, "FaultCensored": {30}, "FaultDegradation": {20.5}} {
		t.Run(metric, func(t *testing.T) {
			if got := findValues(rows, metric, false); !cmp.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
	if last := rows[len(rows)-3]; last.Subject != "kill" || last.Unit != "s" {
		t.Errorf("the last row of a fault is %+v", last)
	}
}

// newExperiment returns an experiment with a run that has a document, one without, and a failed one.
func newExperiment(r *document.RunResult) *experiment.Result {
	failed := experiment.NewFailedRun("failed", "no worker was ready in time", time.Time{})
	failed.Point, failed.Repetition = "p01", 3
	return &experiment.Result{
		Experiment: experiment.Identity{Namespace: "bench", Name: "sizes"},
		Points: []experiment.Point{{Name: "p01", Variant: "@cmd", Network: "n1",
			Parameters: []experiment.Parameter{{Name: "flow", Value: "=1+1"}, {Name: "users", Value: "5"}}}},
		Runs: []experiment.Run{
			{Name: r.Run.Name, Point: "p01", Repetition: 1, Verdict: experiment.RunInvalid},
			{Name: "other", Point: "p01", Repetition: 2, Verdict: experiment.RunValid, Unit: "flows", Metrics: map[string]float64{"Throughput": 5, "LatencyP95": 7}},
			failed,
		},
	}
}

// TestExperimentRows checks that no run of an experiment is left out, and that cells with text of a user are no formulas.
func TestExperimentRows(t *testing.T) {
	r := readRecordedRun(t)
	e := newExperiment(r)
	rows := collectRows(t, func(emit Emit) error { return Experiment(e, map[string]*document.RunResult{r.Run.Name: r}, emit) })
	counts, verdicts := map[string]int{}, map[string]string{}
	for i, row := range rows {
		counts[row.Run]++
		verdicts[row.Run] = row.Verdict
		if row.Experiment != "sizes" || row.Point != "p01" || row.Parameters != `{"flow":"=1+1","users":"5"}` {
			t.Fatalf("row %d: %+v", i, row)
		}
		if variant := row.formatCells()[3]; variant != "'@cmd" {
			t.Fatalf("row %d: a spreadsheet would evaluate %q", i, variant)
		}
	}
	if counts[r.Run.Name] < 500 || counts["other"] != 2 || counts["failed"] != 1 {
		t.Errorf("rows by run: %v", counts)
	}
	if want := map[string]string{r.Run.Name: "Invalid", "other": "Valid", "failed": "Failed"}; !cmp.Equal(verdicts, want) {
		t.Errorf("verdicts %v, want %v", verdicts, want)
	}
	if last := rows[len(rows)-1]; last.Value != nil || *last.Repetition != 3 {
		t.Errorf("the failed run has %+v", last)
	}
}

func TestQuoteFormula(t *testing.T) {
	for text, want := range map[string]string{
		"=HYPERLINK(1)": "'=HYPERLINK(1)", "+1": "'+1", "-1": "'-1", "@SUM": "'@SUM", "\t=1": "'\t=1", "": "", "member-0": "member-0",
	} {
		t.Run(text, func(t *testing.T) {
			if got := quoteFormula(text); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
	if got := formatNumber(new(-math.Pi)); got != "-3.141592653589793" {
		t.Errorf("a number became %q", got)
	}
}
