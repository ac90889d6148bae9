package experiment

import (
	"testing"

	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// TestNotesStayVisible follows the notes of runs, those that were only recorded first, from their documents to
// the points of the result.
func TestNotesStayVisible(t *testing.T) {
	stolen := verdict.Reason{Code: verdict.ReasonCPUStolen, Message: "24 % of node-1 were stolen", RecordedOnly: true}
	shared := verdict.Reason{Code: verdict.ReasonHostShared, Message: "others used node-1"}
	_, d := parseDesign(t, `{spec: {axes: [{name: clients, field: workload.load.clients, values: [1, 10]}]}}`)
	step, seen := NextStep{}, ObservedState{Runs: map[string]Run{}}
	for i, notes := range [][]verdict.Reason{{shared, stolen, stolen}, {shared}, {stolen}} {
		r := &document.RunResult{Run: document.RunIdentity{Name: string(rune('a' + i))}, Verdict: verdict.Verdict{Notes: notes}}
		seen.Runs[r.Run.Name] = SummarizeRun(r)
		step.CreatedRuns = append(step.CreatedRuns, PlannedRun{Name: r.Run.Name, Point: PointKey{Name: d.Points[0].Name}, Repetition: i + 1})
	}
	runs := d.collectEndedRuns(&step, seen)
	if len(runs) != 3 || len(runs[0].Notes) != 3 || runs[0].Notes[0] != stolen || !runs[0].HasRecordedNotes() || len(runs[1].Notes) != 1 || runs[1].HasRecordedNotes() {
		t.Fatalf("a run should keep its notes: %+v", runs)
	}
	point := d.summarizePoints(&step, &Result{Runs: runs, Confidence: defaultConfidence})[0]
	if point.Valid != 3 || point.Metrics["Throughput"].N != 3 {
		t.Errorf("such runs are valid: %+v", point)
	}
	if got, want := point.NotesText(), "CPUStolen in 2 of 3 runs, HostShared in 2 of 3 runs"; got != want {
		t.Errorf("notes of the point are %q, want %q", got, want)
	}
}
