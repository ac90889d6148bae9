package table

import (
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/cli/documents"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

func TestForCalibration(t *testing.T) {
	run := &document.RunResult{Run: document.RunIdentity{Name: "m1-blocks"}}
	run.Environment.Calibration = []measurement.PodCalibration{
		{Subject: "worker-0", CPU: &measurement.CPUCalibration{SingleThreadPerSecond: 11_000, AllThreadsPerSecond: 21_000, Threads: 2}},
		{Subject: "member-0", Fsync: &measurement.FsyncCalibration{P99Millis: 12.5}, Network: &measurement.NetworkCalibration{RoundTripP50Millis: 0.25, BandwidthMbps: 900}},
		{Subject: "member-1", Error: "the agent does not answer"},
	}
	var text strings.Builder
	if err := ForCalibration([]*documents.Run{{RunResult: run}}).Print(&text, false); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(text.String()) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	want := []string{"NAME POD ONE THREAD/S ALL THREADS/S FSYNC P99 MS ROUND TRIP MS MBIT/S MISSING BECAUSE",
		"m1-blocks worker-0 11000 21000 - - - -", "m1-blocks member-0 - - 12.5 0.250 900.0 -",
		"m1-blocks member-1 - - - - - the agent does not answer"}
	if got := strings.Join(lines, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("%s", got)
	}
}
