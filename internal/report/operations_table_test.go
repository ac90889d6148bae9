package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

func TestOperationsTable(t *testing.T) {
	r := &document.RunResult{Operations: []measurement.OperationSummary{
		{Name: "Transfer", Completed: 1980, Failed: 20, Share: 0.8, ErrorShare: 0.01, ThroughputPerSecond: 99,
			Latency: measurement.Latency{Mean: 21, P50: new(20.0), P95: new(30.0), Max: 40}},
		{Name: "Mint", Share: 0.2},
	}, Segments: []document.SegmentResult{{Segment: measurement.Segment{Name: "peak"}, Operations: []measurement.OperationSummary{{Name: "Mint", Completed: 7}}}}}
	table := operationsTable(r)
	for i, want := range [][]string{
		{"Transfer", "80\u202f%", "1980", "99", "20\u202fms", "30\u202fms", "–\u202fms", "20", "1\u202f%"},
		{"Mint", "20\u202f%", "0", "0", "–\u202fms", "–\u202fms", "–\u202fms", "0", "0\u202f%"},
	} {
		t.Run(want[0], func(t *testing.T) {
			if got := table.Rows[i].Cells; !slices.Equal(got, want) {
				t.Errorf("cells %q, want %q", got, want)
			}
		})
	}
	var csv strings.Builder
	if err := WriteOperationsCSV(&csv, r); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(csv.String(), "\n"); lines[1] != "Transfer,0.8,1980,99,20,0.01,21,20,,30,,,40," || lines[3] != "Mint,0,7,0,0,0,0,,,,,,0,peak" {
		t.Errorf("CSV %q", lines)
	}
	want := []string{"peak", "Mint", "0\u202f%", "7", "0", "–\u202fms", "–\u202fms", "–\u202fms", "0", "0\u202f%"}
	if rows := segmentOperationsTable(r).Rows; len(rows) != 1 || !slices.Equal(rows[0].Cells, want) {
		t.Errorf("by segment: %+v", rows)
	}
	if tables := withRows(operationsTable(&document.RunResult{}), segmentOperationsTable(&document.RunResult{})); len(tables) > 0 {
		t.Errorf("a run without a mix has %+v", tables)
	}
}
