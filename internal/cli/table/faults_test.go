package table

import (
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/cli/documents"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/resilience"
	"github.com/benchnet/benchnet/internal/run/statistics"
)

func TestForFaults(t *testing.T) {
	run := &document.RunResult{Run: document.RunIdentity{Name: "f1"}, Faults: []document.FaultResult{
		{Name: "kill", Type: measurement.FaultKill, AtSeconds: 60, Score: &resilience.Score{BaselinePerSecond: 8, OutageSeconds: 6, Problem: "it varies"},
			Targets: []document.FaultTarget{{Member: "notary", FaultEffect: measurement.FaultEffect{Injected: &measurement.Bracket{FromSeconds: 60, ToSeconds: 60.012},
				Healed: &measurement.Bracket{FromSeconds: 70, ToSeconds: 70.02}, Before: "pid 7", During: "ended", After: "pid 9"}}}},
		{Name: "stop", Type: measurement.FaultPause, AtSeconds: 150,
			Targets: []document.FaultTarget{{Member: "db-0", Kind: measurement.KindDatabase, FaultEffect: measurement.FaultEffect{Problem: "no worker reported it"}}}},
	}}
	run.Availability = &resilience.Availability{FromSeconds: 60, Due: 2000, Succeeded: 1999, Share: new(0.9995), IntervalSeconds: 5, Intervals: 12, AvailableIntervals: 11, TimeShare: new(11.0 / 12)}
	run.Ledger = &measurement.Ledger{Lost: new(int64(0))}
	runs := []*documents.Run{{RunResult: run}}
	for name, c := range map[string]struct {
		table *Table
		want  []string
	}{
		"evidence": {ForFaults(runs), []string{"NAME FAULT TYPE TARGET PLANNED INJECTED HEALED PROVED EVIDENCE",
			"f1 kill Kill notary 60 60.00-60.01 70.00-70.02 yes before: pid 7; during: ended; after: pid 9",
			"f1 stop Pause database db-0 150 - - no no worker reported it"}},
		"scores": {ForFaultScores(runs), []string{"NAME FAULT OUTAGE S IMPACT AFTER S RECOVERED AFTER S DEGRADATION S BIN S BASELINE/S LATENCY RECOVERED AFTER S PROBLEM",
			"f1 kill 6 - - - - 8.00 - it varies"}},
		"run": {ForResilience(runs), []string{"NAME FROM S DUE SUCCEEDED AVAILABILITY AVAILABLE INTERVALS LOST DOUBLED LATE PROBLEM",
			"f1 60 2000 1999 99.95 % 11 of 12 of 5 s 0 - - -"}},
		"points": {ForFaultTimes([]experiment.Point{{Name: "p01", Variant: "raft", FaultTimes: []experiment.PointFaultTime{
			{Fault: "kill", Metric: "RecoveryTime", MedianEstimate: statistics.EstimateMedian([]float64{12, 40, 10}, []bool{false, true, false}, 0.95)}}}}),
			[]string{"POINT PARAMETERS FAULT METRIC RUNS CUT OFF MEDIAN S", "p01 variant=raft kill RecoveryTime 3 1 12.0 (10.0 to not reached)"}},
	} {
		t.Run(name, func(t *testing.T) {
			var text strings.Builder
			if err := c.table.Print(&text, false); err != nil {
				t.Fatal(err)
			}
			var lines []string
			for line := range strings.Lines(text.String()) {
				lines = append(lines, strings.Join(strings.Fields(line), " "))
			}
			if got := strings.Join(lines, "\n"); got != strings.Join(c.want, "\n") {
				t.Errorf("%s", got)
			}
		})
	}
}
