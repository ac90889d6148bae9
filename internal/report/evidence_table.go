package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// evidenceTable returns the observations of containers and their hosts besides CPU and memory. It omits
// columns without any value, and all rows if all columns are empty.
func evidenceTable(r *document.RunResult) htmlTable {
	all := []struct {
		name string
		cell func(measurement.MemberUsage) string
	}{
		{"Role", func(m measurement.MemberUsage) string { return m.Role }},
		{"CPU limit", func(m measurement.MemberUsage) string {
			return textIf(m.CPULimit > 0, formatQuantity(m.CPULimit, "cores"))
		}},
		{"Out of memory", func(m measurement.MemberUsage) string {
			return textIf(m.OOMKills > 0, formatInteger(m.OOMKills)+" killed")
		}},
		{"Garbage collection", formatCollectionShare},
		{"Minimum free space on volume", formatVolumeSpace},
		{"Host busy", func(m measurement.MemberUsage) string {
			return formatHostShare(m, func(h measurement.Host) float64 { return h.BusyShare })
		}},
		{"Host stolen", func(m measurement.MemberUsage) string {
			return formatHostShare(m, func(h measurement.Host) float64 { return h.StealShare })
		}},
		{"Host waiting for disk", func(m measurement.MemberUsage) string {
			return formatHostShare(m, func(h measurement.Host) float64 { return h.IOWaitShare })
		}},
		{"Clock ahead", formatClockOffset},
	}
	t := htmlTable{Title: "Evidence", Header: textColumns("Member")}
	for _, m := range r.Members {
		t.Rows = append(t.Rows, tableRow{Cells: []string{m.Member}})
	}
	for _, c := range all {
		var cells []string
		for _, m := range r.Members {
			cells = append(cells, c.cell(m))
		}
		if strings.Join(cells, "") == "" {
			continue
		}
		t.Header = append(t.Header, numberColumns(c.name)...)
		for i := range t.Rows {
			t.Rows[i].Cells = append(t.Rows[i].Cells, dashIfEmpty(cells[i]))
		}
	}
	if len(t.Header) == 1 {
		t.Rows = nil
	}
	return t
}

func textIf(is bool, text string) string {
	if !is {
		return ""
	}
	return text
}

func dashIfEmpty(text string) string { return cmp.Or(text, "–") }

func formatCollectionShare(m measurement.MemberUsage) string {
	if m.GarbageCollection == nil {
		return ""
	}
	return formatPercent(m.GarbageCollection.Share) + " of the time"
}

func formatVolumeSpace(m measurement.MemberUsage) string {
	if m.Volume == nil {
		return ""
	}
	return formatBytes(m.Volume.LeastAvailableBytes) + " of " + formatBytes(m.Volume.SizeBytes)
}

func formatHostShare(m measurement.MemberUsage, share func(measurement.Host) float64) string {
	if m.Host == nil {
		return ""
	}
	return formatPercent(share(*m.Host))
}

func formatClockOffset(m measurement.MemberUsage) string {
	if m.Clock == nil {
		return ""
	}
	return formatNumber(m.Clock.OffsetMillis) + " ± " + formatQuantity(m.Clock.ErrorMillis, "ms")
}

// observedLimits returns the distinct limits of the observed containers: as the kernel enforces them, or else
// as requested.
func observedLimits(r *document.RunResult) (cpu, memory []float64) {
	add := func(all []float64, v float64) []float64 {
		if v <= 0 || slices.Contains(all, v) {
			return all
		}
		return append(all, v)
	}
	for _, m := range r.Members {
		cpu, memory = add(cpu, m.CPULimit), add(memory, m.MemoryLimitBytes)
	}
	if len(cpu)+len(memory) > 0 {
		return cpu, memory
	}
	for _, c := range r.Environment.Containers {
		if c.Role == measurement.RoleMember {
			cpu, memory = add(cpu, c.CPULimit), add(memory, float64(c.MemoryLimit))
		}
	}
	return cpu, memory
}
