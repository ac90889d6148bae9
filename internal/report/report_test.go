package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

func renderRunPage(t *testing.T, r *document.RunResult) string {
	t.Helper()
	var text bytes.Buffer
	if err := WriteRunPage(&text, r); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// TestHostileNamesAreEscaped checks that names add no elements to the page, and that its scripts are its own and data
// that can be decoded.
func TestHostileNamesAreEscaped(t *testing.T) {
	text := renderRunPage(t, newHostileRun(t))
	for _, element := range []string{"<script>alert", "<img", "onerror=alert(1)>"} {
		if strings.Contains(text, element) {
			t.Errorf("the page has %s", element)
		}
	}
	if scripts := strings.Count(text, "<script"); scripts != 3 {
		t.Errorf("the page has %d scripts, want the data, the charts and its own", scripts)
	}
	if r := parseEmbeddedData[document.RunResult](t, text); r.Run.Name != hostileName || r.Summary.Completed != 806 {
		t.Errorf("the data reads back as %q, %d completed", r.Run.Name, r.Summary.Completed)
	}
}

func parseEmbeddedData[T any](t *testing.T, page string) (document T) {
	t.Helper()
	_, text, found := strings.Cut(page, `<script type="application/json" id="data">`)
	text, _, closed := strings.Cut(text, "</script>")
	if !found || !closed {
		t.Fatal("the page has no data")
	}
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		t.Fatalf("read the page's data: %v", err)
	}
	return document
}

// TestPagesAreSelfContained checks that a page loads no external resource.
func TestPagesAreSelfContained(t *testing.T) {
	e, runs := newBlockSizeGrid(t)
	var text bytes.Buffer
	if err := WriteExperimentPage(&text, e, runs); err != nil {
		t.Fatal(err)
	}
	outside := regexp.MustCompile(`(?i)(src|href|action)\s*=\s*"[^"]*"|\burl\([^)#][^)]*\)|@import|@font-face|xmlns:xlink`)
	for _, page := range []string{text.String(), renderRunPage(t, readRecordedRun(t, "testdata/malachite.json.gz"))} {
		for _, found := range outside.FindAllString(page, -1) {
			if found != `href="data:,"` {
				t.Errorf("the page refers to %s", found)
			}
		}
	}
	if got := parseEmbeddedData[experiment.Result](t, text.String()); len(got.Runs) != 24 || got.Experiment.Name != "block-size" {
		t.Errorf("the data has %d runs of %s", len(got.Runs), got.Experiment.Name)
	}
}

// TestAssetsArePinned checks that the files of uPlot are those that hack/update-uplot took from npm.
func TestAssetsArePinned(t *testing.T) {
	for name, want := range map[string]string{
		"LICENSE":           "8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd",
		"uPlot.iife.min.js": "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
		"uPlot.min.css":     "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
	} {
		t.Run(name, func(t *testing.T) {
			content, err := templateFiles.ReadFile("templates/uplot/" + name)
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprintf("%x", sha256.Sum256(content)); got != want {
				t.Errorf("SHA-256 %s, want %s", got, want)
			}
		})
	}
}

// TestSeriesPathsLeadToValues checks that the paths of charts lead to numbers in the document of the page.
func TestSeriesPathsLeadToValues(t *testing.T) {
	run := readRecordedRun(t, "testdata/malachite.json.gz")
	run.Series.MeanLatencyMillis = measurement.Series{20}
	run.Series.LatencyIntervals = &measurement.LatencyIntervals{IntervalSeconds: 60, P50: measurement.Series{20}, P95: measurement.Series{30}, P99: measurement.Series{40}}
	page := renderRunPage(t, run)
	document := parseEmbeddedData[any](t, page)
	_, text, _ := strings.Cut(page, `<script type="application/json" id="plots">`)
	text, _, _ = strings.Cut(text, "</script>")
	var charts []Chart
	if err := json.Unmarshal([]byte(text), &charts); err != nil {
		t.Fatalf("read the charts of the page: %v", err)
	}
	found := 0
	for _, c := range charts {
		for _, m := range c.Marks {
			if m.Series == nil {
				continue
			}
			found++
			at := document
			for _, key := range m.Series.Path {
				switch key := key.(type) {
				case string:
					at = at.(map[string]any)[key]
				case float64:
					at = at.([]any)[int(key)]
				}
			}
			if values, isList := at.([]any); !isList || len(values) == 0 {
				t.Errorf("chart %s: %v leads to %v", c.Name, m.Series.Path, at)
			}
		}
	}
	if found < 13 {
		t.Errorf("%d series are from the document, want throughput, four of latency, CPU and memory of four members", found)
	}
}

// readCSVRows reads a CSV file as rows with column names.
func readCSVRows(t *testing.T, write func(io.Writer) error) []map[string]string {
	t.Helper()
	var text bytes.Buffer
	if err := write(&text); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var all []map[string]string
	for _, line := range lines[1:] {
		r := map[string]string{}
		for i, name := range lines[0] {
			r[name] = line[i]
		}
		if len(r) != len(lines[0]) {
			t.Errorf("a column comes twice among %q", lines[0])
		}
		all = append(all, r)
	}
	return all
}

func parseColumn(t *testing.T, r map[string]string, column string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(r[column], 64)
	if err != nil {
		t.Fatalf("column %s: %v", column, err)
	}
	return v
}

func TestRunCSVFiles(t *testing.T) {
	r := readRecordedRun(t, "testdata/malachite.json.gz")
	r.Members[1].CPUSeconds[7] = measurement.Missing
	summary := readCSVRows(t, func(w io.Writer) error { return WriteRunCSV(w, r) })
	if len(summary) != 1 || parseColumn(t, summary[0], "throughputPerSecond") != r.Summary.ThroughputPerSecond ||
		parseColumn(t, summary[0], "p95Millis") == 0 || summary[0]["p99Millis"] != "" || summary[0]["unit"] != "blocks" || parseColumn(t, summary[0], "bytesPerSecond (B/s)") != 880366.9333333333 {
		t.Errorf("summary: %v", summary)
	}
	series := readCSVRows(t, func(w io.Writer) error { return WriteSeriesCSV(w, r) })
	sum := 0.0
	for _, second := range series {
		sum += parseColumn(t, second, "completed")
	}
	if len(series) != 60 || sum != 806 || series[7]["member-1 CPU (cores)"] != "" || parseColumn(t, series[7], "member-0 CPU (cores)") != r.Members[0].CPUSeconds[7] {
		t.Errorf("series: %d rows, %v completed, %v", len(series), sum, series[7])
	}
	blocks := readCSVRows(t, func(w io.Writer) error { return WriteBlocksCSV(w, r) })
	if len(blocks) != 806 || parseColumn(t, blocks[0], "height") != 320 || parseColumn(t, blocks[0], "bytes") != 65536 {
		t.Errorf("blocks: %d rows, %v", len(blocks), blocks[0])
	}
}

func TestExperimentCSVFiles(t *testing.T) {
	e, runs := newBlockSizeGrid(t)
	e.Runs[3].Verdict, e.Runs[3].Reasons = experiment.RunInvalid, []string{"member-0 was restarted", "2 errors"}
	single := readCSVRows(t, func(w io.Writer) error { return WriteRunsCSV(w, e, runs) })
	if len(single) != 24 || single[3]["verdict"] != "Invalid" || single[3]["reasons"] != "member-0 was restarted; 2 errors" ||
		single[0]["blockSize"] != "16Ki" || single[0]["variant"] != "parts" || parseColumn(t, single[0], "Throughput (1/s)") != e.Runs[0].Metrics["Throughput"] ||
		parseColumn(t, single[0], "completed") != float64(runs[e.Runs[0].Name].Summary.Completed) {
		t.Errorf("runs: %d rows, %v", len(single), single[3])
	}
	if without := readCSVRows(t, func(w io.Writer) error { return WriteRunsCSV(w, e, nil) }); without[0]["completed"] != "" {
		t.Errorf("a run without its document: %v", without[0])
	}
	points := readCSVRows(t, func(w io.Writer) error { return WritePointsCSV(w, e) })
	if len(points) != 6 {
		t.Fatalf("points: %d rows", len(points))
	}
	mean := 0.0
	for _, r := range e.Runs[:4] {
		mean += r.Metrics["Throughput"] / 4
	}
	low, high := parseColumn(t, points[0], "Throughput (1/s) lowest"), parseColumn(t, points[0], "Throughput (1/s) highest")
	if got := parseColumn(t, points[0], "Throughput (1/s)"); math.Abs(got-mean) > 1e-9 || low >= got || high <= got || points[0]["Throughput (1/s) intervalLow"] != "" {
		t.Errorf("points: throughput %v of runs from %v to %v without an interval, want %v within", got, low, high, mean)
	}
}

// TestFewRunsClaimNoInterval checks that the page of four runs per point calls nothing a confidence interval, and
// that the extremes are named as such.
func TestFewRunsClaimNoInterval(t *testing.T) {
	e, runs := newBlockSizeGrid(t)
	var page strings.Builder
	if err := WriteExperimentPage(&page, e, runs); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(page.String(), "% interval") || !strings.Contains(page.String(), "Differences with their extremes") {
		t.Error("differences of four runs have an interval, or no extremes")
	}
	got := describeBestPoint(e, e.Points[0])
	if strings.Contains(got, "interval") || !strings.Contains(got, "(4 runs, from ") || !strings.HasPrefix(intervalCaption(e), "Means without intervals") {
		t.Errorf("the best point is %q, and the caption %q", got, intervalCaption(e))
	}
}

// TestInvalidRunsAreMarked checks that the row of an invalid run is marked and that the numbers exclude the
// run.
func TestInvalidRunsAreMarked(t *testing.T) {
	e := newSimulatedSearch()
	var text bytes.Buffer
	if err := WriteExperimentPage(&text, e, nil); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`<tr class="invalid"><td class="text">search-p01-l8-r3</td>`).MatchString(text.String()) {
		t.Error("the row of the invalid run is as the others")
	}
	for _, says := range []string{"23 of 24 runs are valid", "a load of 16 is the highest with latency p95 of at most 500 ms and at most 0.1", "knee at 5"} {
		if !strings.Contains(strings.ReplaceAll(text.String(), thinSpace, " "), says) {
			t.Errorf("the page does not say %q", says)
		}
	}
	at := slices.IndexFunc(e.Points, func(p experiment.Point) bool { return p.Name == "p01-l8" })
	if n := e.Points[at].Metrics["Throughput"].N; n != 2 {
		t.Errorf("the point of the invalid run has the mean of %d runs, want 2", n)
	}
}

// TestRecordedNotesAreShown checks that recorded-only notes are on the page of an experiment with valid runs,
// and on that of a run.
func TestRecordedNotesAreShown(t *testing.T) {
	e := newSimulatedSearch()
	e.Runs[0].Notes = []verdict.Reason{{Code: verdict.ReasonCPUStolen, Message: "24 % of node-1 went to other machines", RecordedOnly: true}}
	e.Points[0].Notes = map[verdict.ReasonCode]int{verdict.ReasonCPUStolen: 1}
	run := readRecordedRun(t, "testdata/malachite.json.gz")
	run.Verdict = verdict.Verdict{Notes: e.Runs[0].Notes}
	for name, write := range map[string]func(io.Writer) error{
		"experiment": func(w io.Writer) error { return WriteExperimentPage(w, e, nil) },
		"run":        func(w io.Writer) error { return WriteRunPage(w, run) },
		"rows":       func(w io.Writer) error { return WriteRunsCSV(w, e, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			var text bytes.Buffer
			if err := write(&text); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(text.String(), "24 % of node-1 went to other machines") {
				t.Error("the note is not shown")
			}
			if name == "experiment" && !strings.Contains(text.String(), "1 of 24 runs:</span> lost CPU time to the hypervisor (load 1)") {
				t.Error("the banner does not count the note")
			}
		})
	}
}

// TestPageOfAnExperimentWithoutRuns writes the page of an experiment that has just started.
func TestPageOfAnExperimentWithoutRuns(t *testing.T) {
	var text bytes.Buffer
	if err := WriteExperimentPage(&text, &experiment.Result{Experiment: experiment.Identity{Namespace: "n", Name: "young"}}, nil); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "No run has ended yet.") {
		t.Error("the page does not say that no run has ended")
	}
}

// TestPageOfARunWithoutCompletions writes the page of a run in which nothing completed.
func TestPageOfARunWithoutCompletions(t *testing.T) {
	empty, err := measurement.NewHistogram().Encode()
	if err != nil {
		t.Fatal(err)
	}
	r := &document.RunResult{Histogram: empty, Times: document.Times{WindowSeconds: 3}, Verdict: verdict.Verdict{Reasons: []verdict.Reason{{Code: verdict.ReasonNoCompletions}}},
		Summary: measurement.Summary{Requests: 3, Errors: 3, ErrorShare: 1}, Series: document.Throughput{CompletedPerSecond: []int64{0, 0, 0}, FailedPerSecond: []int64{1, 1, 1}}}
	if text := renderRunPage(t, r); !strings.Contains(text, "No latency was recorded.") || !strings.Contains(text, "Invalid: these numbers must not be used.") {
		t.Error("the page does not say that nothing completed")
	}
}

func TestFormatNumbers(t *testing.T) {
	for _, row := range []struct {
		got, want string
	}{
		{formatNumber(0), "0"}, {formatNumber(13.4333), "13.4"}, {formatNumber(0.00123456), "0.00123"}, {formatNumber(999.6), "1000"}, {formatNumber(1234.5), "1234"},
		{formatNumber(1234567), "1" + thinSpace + "234" + thinSpace + "567"}, {formatNumber(-8.104), "−8.1"}, {formatNumber(math.NaN()), "–"}, {formatInteger(-12345), "−12" + thinSpace + "345"},
		{formatPercent(0.0012), "0.12" + thinSpace + "%"}, {formatPercent(0.00001), "<0.01" + thinSpace + "%"}, {formatPercent(math.NaN()), "–"},
		{formatSignedPercent(0.081), "+8.1" + thinSpace + "%"}, {formatSignedPercent(-0.081), "−8.1" + thinSpace + "%"}, {formatSignedPercent(-0.0001), "+0.0" + thinSpace + "%"},
		{formatBytes(32 << 20), "32" + thinSpace + "MiB"},
		{formatSignificant(0.0914, 2), "0.091"}, {formatSignificant(12.34, 2), "12"}, {formatSeconds(90), "90" + thinSpace + "s"}, {formatSeconds(150), "2" + thinSpace + "min 30" + thinSpace + "s"},
		{splitCamelCase("transactionsPerSecond"), "Transactions per second"},
	} {
		if row.got != row.want {
			t.Errorf("got %q, want %q", row.got, row.want)
		}
	}
}

// TestOperatorDoesNotLinkReportPackage checks that the operator and the agent do not link this package.
func TestOperatorDoesNotLinkReportPackage(t *testing.T) {
	list, err := exec.Command("go", "list", "-deps", "../..", "../../cmd/agent").Output()
	if err != nil {
		t.Fatalf("list what the operator imports: %v", err)
	}
	if len(list) < 1000 || bytes.Contains(list, []byte("internal/report")) {
		t.Errorf("the operator or the agent links the reports (%d bytes of list)", len(list))
	}
}
