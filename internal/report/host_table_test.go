package report

import (
	"slices"
	"testing"

	"github.com/benchnet/benchnet/internal/run/results"
)

// TestHostTableNamesOthersFirst checks the cells of a shared host with pressure.
func TestHostTableNamesOthersFirst(t *testing.T) {
	tables := hostTables(&results.RunResult{Hosts: []results.HostUsage{
		{Name: "node-1", CPUs: 2, Own: 0.5, Others: 1.1, OthersLimit: 0.6, CPUPressure: new(0.63), PressureOf: "member-0"}}})
	if want := []string{"node-1", "1.1", "0.6", "0.5", "0", "2", "member-0 63\u202f% of the time"}; !slices.Equal(tables[0].Rows[0].Cells, want) {
		t.Errorf("got %q, want %q", tables[0].Rows[0].Cells, want)
	}
	if tables := hostTables(&results.RunResult{}); tables != nil {
		t.Errorf("got %v without hosts", tables)
	}
}
