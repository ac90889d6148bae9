package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

func TestPhasesSection(t *testing.T) {
	r := &document.RunResult{Phases: &measurement.OperationPhases{Operations: 40, MeanMillis: 100, Phases: []measurement.Phase{
		{Name: "Start", Operations: 40, Share: 0.25, Latency: measurement.Latency{Mean: 25, P50: new(20.0), Max: 90}},
		{Name: "Return", Operations: 3, Share: 0.75, Latency: measurement.Latency{Mean: 1000, Max: 1200}},
	}}}
	r.Summary.Unit, r.Summary.Requests, r.Summary.Errors, r.Summary.Latency.Mean = "flows", 410, 10, 98
	s := phasesSection(r)
	if want := "The client followed the steps of 40 of 400 flows, chosen at random. Their mean latency was 100 ms, that of all 98 ms."; s.Text[0] != want {
		t.Errorf("text %q, want %q", s.Text[0], want)
	}
	if want := []string{"Return", "3", "75\u202f%", "1000\u202fms", "–\u202fms", "–\u202fms", "–\u202fms", "1200\u202fms"}; !slices.Equal(s.Tables[0].Rows[1].Cells, want) {
		t.Errorf("cells %q, want %q", s.Tables[0].Rows[1].Cells, want)
	}
	if len(s.Figures) != 1 {
		t.Errorf("%d figures, want 1", len(s.Figures))
	}
	var csv strings.Builder
	if err := WritePhasesCSV(&csv, r); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(csv.String(), "\n"); lines[1] != "Start,40,0.25,25,20,,,,,90" || lines[2] != "Return,3,0.75,1000,,,,,,1200" {
		t.Errorf("CSV %q", lines)
	}
	if s := phasesSection(&document.RunResult{}); len(s.Tables) != 0 {
		t.Errorf("a run without phases has the section %+v", s)
	}
}
