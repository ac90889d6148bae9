package report

import (
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

func TestCalibrationTable(t *testing.T) {
	table := calibrationTable([]measurement.PodCalibration{
		{Subject: "worker-0", CPU: &measurement.CPUCalibration{SingleThreadPerSecond: 11_000, AllThreadsPerSecond: 21_000, Threads: 2}},
		{Subject: "member-0", Fsync: &measurement.FsyncCalibration{P50Millis: 2, P99Millis: 12.5, MaxMillis: 40}, Error: "no answer",
			Network: &measurement.NetworkCalibration{RoundTripP50Millis: 0.25, RoundTripMaxMillis: 1, BandwidthMbps: 900}},
	})
	for i, want := range []string{"worker-0", "2 ms|12.5 ms|40 ms|0.25 ms|1 ms|900 Mbit/s|no answer"} {
		got := strings.ReplaceAll(strings.Join(table.Rows[i].Cells, "|"), "\u202f", " ")
		if !strings.Contains(got, want) || len(table.Rows[i].Cells) != len(table.Header) {
			t.Errorf("row %d of %d columns: %q", i, len(table.Header), got)
		}
	}
}
