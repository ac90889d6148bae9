package table

import (
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/cli/documents"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

func TestForOperations(t *testing.T) {
	run := &document.RunResult{Run: document.RunIdentity{Name: "mix"}, Operations: []measurement.OperationSummary{
		{Name: "Transfer", Completed: 1980, Failed: 20, Share: 0.8, ErrorShare: 0.01, ThroughputPerSecond: 99,
			Latency: measurement.Latency{P50: new(20.0), P95: new(30.0)}},
		{Name: "Mint", Share: 0.2},
	}}
	var text strings.Builder
	if err := ForOperations([]*documents.Run{{RunResult: run}}).Print(&text, false); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(text.String()) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	want := []string{"NAME KIND SHARE COMPLETED THROUGHPUT/S P50 MS P95 MS P99 MS FAILED ERRORS",
		"mix Transfer 80 % 1980 99.0 20.0 30.0 - 20 1 %", "mix Mint 20 % 0 0 - - - 0 0 %"}
	if got := strings.Join(lines, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("%s", got)
	}
}
