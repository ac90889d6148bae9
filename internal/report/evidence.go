package report

import (
	"slices"
	"strings"

	"github.com/benchnet/benchnet/internal/results"
)

// evidence is what is known of the observed containers and their hosts beside CPU and memory. A column in which nothing is known
// is left out, and so is the table if nothing is known at all.
func evidence(r *results.Result) []listing {
	all := []struct {
		name string
		cell func(results.Member) string
	}{
		{"Role", func(m results.Member) string { return m.Role }},
		{"CPU limit", func(m results.Member) string { return known(m.CPULimit > 0, quantity(m.CPULimit, "cores")) }},
		{"Out of memory", func(m results.Member) string { return known(m.OOMKills > 0, exact(m.OOMKills)+" killed") }},
		{"Garbage collection", garbageCollection},
		{"Least space on volume", volume},
		{"Host busy", func(m results.Member) string { return host(m, func(h results.Host) float64 { return h.BusyShare }) }},
		{"Host stolen", func(m results.Member) string { return host(m, func(h results.Host) float64 { return h.StealShare }) }},
		{"Host waiting for disk", func(m results.Member) string { return host(m, func(h results.Host) float64 { return h.IOWaitShare }) }},
		{"Clock ahead", clock},
	}
	t := listing{Title: "Evidence", Header: texts("Member")}
	for _, m := range r.Members {
		t.Rows = append(t.Rows, row{Cells: []string{m.Member}})
	}
	for _, c := range all {
		var cells []string
		for _, m := range r.Members {
			cells = append(cells, c.cell(m))
		}
		if strings.Join(cells, "") == "" {
			continue
		}
		t.Header = append(t.Header, numbers(c.name)...)
		for i := range t.Rows {
			t.Rows[i].Cells = append(t.Rows[i].Cells, orDash(cells[i]))
		}
	}
	if len(t.Header) == 1 {
		return nil
	}
	return []listing{t}
}

func known(is bool, text string) string {
	if !is {
		return ""
	}
	return text
}

func orDash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}

func garbageCollection(m results.Member) string {
	if m.GarbageCollection == nil {
		return ""
	}
	return percent(m.GarbageCollection.Share) + " of the time"
}

func volume(m results.Member) string {
	if m.Volume == nil {
		return ""
	}
	return size(m.Volume.LeastAvailableBytes) + " of " + size(m.Volume.SizeBytes)
}

func host(m results.Member, share func(results.Host) float64) string {
	if m.Host == nil {
		return ""
	}
	return percent(share(*m.Host))
}

func clock(m results.Member) string {
	if m.Clock == nil {
		return ""
	}
	return number(m.Clock.OffsetMillis) + " ± " + quantity(m.Clock.ErrorMillis, "ms")
}

// limits of the containers that were observed, each once: as the kernel enforces them, or else as they were asked for.
func limits(r *results.Result) (cpu, memory []float64) {
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
		if c.Role == "Member" {
			cpu, memory = add(cpu, c.CPULimit), add(memory, float64(c.MemoryLimit))
		}
	}
	return cpu, memory
}
