package table

import (
	"github.com/benchnet/benchnet/internal/cli/documents"
	"github.com/benchnet/benchnet/internal/format"
)

// ForCalibration returns a table of what the pods of runs got from their hosts before the load.
func ForCalibration(runs []*documents.Run) *Table {
	t := New("Name", "Pod", "One thread/s", "All threads/s", "Fsync p99 ms", "Round trip ms", "Mbit/s", "Missing because")
	for _, run := range runs {
		for _, pod := range run.Environment.Calibration {
			cells := []string{run.Run.Name, pod.Subject, "", "", "", "", "", pod.Error}
			if c := pod.CPU; c != nil {
				cells[2], cells[3] = format.Number(c.SingleThreadPerSecond), format.Number(c.AllThreadsPerSecond)
			}
			if f := pod.Fsync; f != nil {
				cells[4] = format.Number(f.P99Millis)
			}
			if n := pod.Network; n != nil {
				cells[5], cells[6] = format.Number(n.RoundTripP50Millis), format.Number(n.BandwidthMbps)
			}
			t.AddRow(cells...)
		}
	}
	return t
}
