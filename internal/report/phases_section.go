package report

import (
	"fmt"
	"io"
	"slices"

	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// phasesSection says where the latency of sampled operations was spent. It is empty if the driver does not record it.
func phasesSection(r *document.RunResult) section {
	s := section{ID: "phases", Title: "Phases"}
	p := r.Phases
	if p == nil {
		return s
	}
	s.Text = []string{fmt.Sprintf("The client followed the steps of %s of %s %s, chosen at random. Their mean latency was %s ms, that of all %s ms.",
		formatInteger(p.Operations), formatInteger(r.Summary.Requests-r.Summary.Errors), unitOrDefault(r.Summary.Unit),
		formatNumber(p.MeanMillis), formatNumber(r.Summary.Latency.Mean))}
	t := htmlTable{Header: slices.Concat(textColumns("Phase"), numberColumns("Sampled", "Share of time", "Mean", "p50", "p95", "p99", "Largest"))}
	for i := range p.Phases {
		phase := &p.Phases[i]
		row := []string{phase.Name, formatInteger(phase.Operations), formatPercent(phase.Share)}
		for _, v := range []*float64{&phase.Mean, phase.P50, phase.P95, phase.P99, &phase.Max} {
			row = append(row, formatQuantity(measurement.ValueOrMissing(v), "ms"))
		}
		t.Rows = append(t.Rows, tableRow{Cells: row})
	}
	s.Tables = []htmlTable{t}
	s.Figures = []Chart{phasesChart(p)}
	return s
}

// phasesChart shows how the phases make up the mean latency, the first phase at the top.
func phasesChart(p *measurement.OperationPhases) Chart {
	var names []string
	for i := range p.Phases {
		names = append(names, p.Phases[i].Name)
	}
	c := newRowsChart("phases", "Phases of the mean latency", "Milliseconds from the start", names)
	c.X.Min = finitePointer(0)
	bars, end := mark{Kind: boxesMark, style: style{Color: firstColor}}, 0.0
	for i := range p.Phases {
		start, row := end, c.rowPosition(i)
		end += p.Phases[i].Share * p.MeanMillis
		bars.Points = append(bars.Points, xy{start, row - rowBarHalf}, xy{end, row + rowBarHalf})
	}
	c.addMark(bars)
	c.Caption = "Mean over the sampled operations. A phase that occurs several times in an operation is drawn once, with its total."
	return c
}

// rowBarHalf is half of the height of a bar in a row of height 1.
const rowBarHalf = 0.32

// WritePhasesCSV writes a row for each phase of the sampled operations. Without phases it writes only the header.
func WritePhasesCSV(w io.Writer, r *document.RunResult) error {
	t := csvTable{header: slices.Concat([]string{"phase", "operations", "share"}, latencyColumns)}
	if r.Phases == nil {
		return t.writeTo(w)
	}
	for i := range r.Phases.Phases {
		p := &r.Phases.Phases[i]
		t.rows = append(t.rows, append([]string{p.Name, formatCSVInteger(p.Operations), formatCSVFloat(p.Share)}, formatCSVLatency(&p.Latency)...))
	}
	return t.writeTo(w)
}
