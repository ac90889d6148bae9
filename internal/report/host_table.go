package report

import "github.com/benchnet/benchnet/internal/run/results"

// hostTables returns how many CPUs of each host others and the run used, or nothing for results of older versions.
func hostTables(r *results.RunResult) []htmlTable {
	if len(r.Hosts) == 0 {
		return nil
	}
	numbers := numberColumns("Used by others", "At most", "Used by this run", "Stolen", "CPUs", "Waited for a CPU")
	t := htmlTable{Title: "Hosts", Header: append(textColumns("Host"), numbers...)}
	for _, h := range r.Hosts {
		waited := ""
		if h.CPUPressure != nil {
			waited = h.PressureOf + " " + formatPercent(*h.CPUPressure) + " of the time"
		}
		t.Rows = append(t.Rows, tableRow{Cells: []string{h.Name, formatNumber(h.Others), formatNumber(h.OthersLimit), formatNumber(h.Own),
			formatNumber(h.Stolen), formatNumber(h.CPUs), dashIfEmpty(waited)}})
	}
	return []htmlTable{t}
}
