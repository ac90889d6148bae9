package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/statistics"
)

func TestSegmentsTable(t *testing.T) {
	r := newProfiledRun(t)
	table := segmentsTable(r)
	for i, want := range [][]string{
		{"base", "0–20", "10", "200", "9.9", "20\u202fms", "30\u202fms", "–\u202fms", "1\u202f%"},
		{"climb", "20–60", "30", "1200", "0", "–\u202fms", "–\u202fms", "–\u202fms", "0\u202f%"},
	} {
		t.Run(want[0], func(t *testing.T) {
			if got := table.Rows[i].Cells; !slices.Equal(got, want) {
				t.Errorf("cells %q, want %q", got, want)
			}
		})
	}
	var csv strings.Builder
	if err := WriteSegmentsCSV(&csv, r); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(csv.String(), "\n"); lines[1] != "base,0,20,10,200,9.9,198,200,2,0.01,21,20,,30,,,40" {
		t.Errorf("CSV %q", lines)
	}
	if tables := withRows(segmentsTable(&document.RunResult{})); len(tables) > 0 {
		t.Errorf("a run without segments has %+v", tables)
	}
}

// TestPointSegmentsTable checks that an experiment has a row for each point and segment, and no table without segments.
func TestPointSegmentsTable(t *testing.T) {
	e := &experiment.Result{Variants: []string{"raft"}, Points: []experiment.Point{{Name: "p01", Variant: "raft", Unit: "flows"}}}
	if tables := withRows(pointSegmentsTable(e)); len(tables) > 0 {
		t.Errorf("an experiment without segments has %+v", tables)
	}
	e.Points[0].Segments = []experiment.PointSegment{{Segment: "base", Metrics: map[string]statistics.Estimate{
		"Throughput": statistics.EstimateMean([]float64{10, 12}, 0.95), "LatencyP95": statistics.EstimateMean([]float64{30}, 0.95)}}}
	want := []string{"p01", "raft", "base", "11 (10, 12)", "–", "30", "–", "–"}
	if rows := pointSegmentsTable(e).Rows; len(rows) != 1 || !slices.Equal(rows[0].Cells, want) {
		t.Errorf("rows %+v, want %q", rows, want)
	}
}

// TestChartsNameSegments checks that the charts over time have bands with names.
func TestChartsNameSegments(t *testing.T) {
	r := newProfiledRun(t)
	r.Series.MeanLatencyMillis = []float64{20}
	for _, c := range append(latencyOverTime(r), throughputOverTime(r)) {
		t.Run(c.Name, func(t *testing.T) {
			last := c.Marks[len(c.Marks)-1]
			if last.Kind != shadeMark || !cmp.Equal(last.Texts, []string{"base", "climb"}) || !cmp.Equal(last.Points, []xy{{}, {X: 20}}) {
				t.Errorf("the last mark is %+v", last)
			}
		})
	}
}

func TestOfferedRates(t *testing.T) {
	for name, c := range map[string]struct {
		workload string
		want     []xy
	}{
		"profile":             {string(newProfiledRun(t).Workload), []xy{{0, 10}, {20, 10}, {20, 10}, {60, 50}}},
		"constant rate":       {`{"load": {"ratePerSecond": 5}}`, nil},
		"no load":             {`{}`, nil},
		"no workload":         {"", nil},
		"another workload":    {`{"load": 1}`, nil},
		"pieces of no length": {`{"load": {"rates": [{"fromPerSecond": 5}]}}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := &document.RunResult{Workload: []byte(c.workload)}
			if got := offeredRates(r); !cmp.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
			if last := throughputOverTime(r).Marks; (last[len(last)-1].Kind == horizontalMark) != (c.want == nil) {
				t.Errorf("the marks are %+v", last)
			}
		})
	}
}
