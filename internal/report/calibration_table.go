package report

import (
	"fmt"
	"slices"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// calibrationTable returns what each pod got from its host before the load.
func calibrationTable(pods []measurement.PodCalibration) htmlTable {
	t := htmlTable{Title: "Calibration before the load", Header: slices.Concat(textColumns("Pod"),
		numberColumns("One thread", "All threads", "Fsync p50", "Fsync p99", "Fsync max", "Round trip p50", "Round trip max", "Bandwidth"),
		proseColumns("Missing because"))}
	for _, pod := range pods {
		cpu, fsync, network := slices.Repeat([]string{"–"}, 2), slices.Repeat([]string{"–"}, 3), slices.Repeat([]string{"–"}, 3)
		if c := pod.CPU; c != nil {
			cpu = []string{formatQuantity(c.SingleThreadPerSecond, "verifications/s"),
				fmt.Sprintf("%s with %d", formatQuantity(c.AllThreadsPerSecond, "verifications/s"), c.Threads)}
		}
		if f := pod.Fsync; f != nil {
			fsync = []string{formatQuantity(f.P50Millis, "ms"), formatQuantity(f.P99Millis, "ms"), formatQuantity(f.MaxMillis, "ms")}
		}
		if n := pod.Network; n != nil {
			network = []string{formatQuantity(n.RoundTripP50Millis, "ms"), formatQuantity(n.RoundTripMaxMillis, "ms"), formatQuantity(n.BandwidthMbps, "Mbit/s")}
		}
		t.Rows = append(t.Rows, tableRow{Cells: slices.Concat([]string{pod.Subject}, cpu, fsync, network, []string{dashIfEmpty(pod.Error)})})
	}
	return t
}
