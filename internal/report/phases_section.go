package report

import (
	"fmt"
	"io"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// phasesSection says where the latency of sampled operations was spent. It is empty if the driver does not record it.
func phasesSection(r *document.RunResult) (section, error) {
	s := section{ID: "phases", Title: "Phases"}
	p := r.Phases
	if p == nil {
		return s, nil
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
	var err error
	s.Figures, err = renderFigures([]Chart{phasesChart(p)})
	return s, err
}

// phasesChart shows how the phases make up the mean latency, the first phase at the top.
func phasesChart(p *measurement.OperationPhases) Chart {
	g := newChartBuilder("phases", "Phases of the mean latency", "Milliseconds from the start", "")
	g.height = forestFrameHeight + forestRowHeight*vg.Length(len(p.Phases))
	names, bars, end := make([]string, len(p.Phases)), phaseBars{}, 0.0
	for i, phase := range p.Phases {
		start := end
		end += phase.Share * p.MeanMillis
		row := len(p.Phases) - 1 - i
		names[row] = truncateRunes(dropUnprintable(phase.Name), 34)
		bars = append(bars, phaseBar{row: float64(row), start: start, end: end})
	}
	g.plot.Add(bars)
	g.plot.Y.Tick.Marker = nameTicks(names)
	g.plot.Y.Min, g.plot.Y.Max = -0.5, float64(len(names))-0.5
	g.plot.X.Min, g.plot.X.Max = 0, max(end, 1e-3)
	g.Caption = "Mean over the sampled operations. A phase that occurs several times in an operation is drawn once, with its total."
	return g.Chart
}

// phaseBar is a horizontal bar from the end of the phases before.
type phaseBar struct{ row, start, end float64 }

type phaseBars []phaseBar

// Plot implements plot.Plotter.
func (b phaseBars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	const half = forestRowHeight * 0.32
	for _, bar := range b {
		at, from, to := y(bar.row), x(bar.start), x(bar.end)
		c.FillPolygon(palette[0], []vg.Point{{X: from, Y: at - half}, {X: from, Y: at + half}, {X: to, Y: at + half}, {X: to, Y: at - half}})
	}
}

// WritePhasesCSV writes a row for each phase of the sampled operations. Without phases it writes only the header.
func WritePhasesCSV(w io.Writer, r *document.RunResult) error {
	t := csvTable{header: []string{"phase", "operations", "share", "meanMillis", "p50Millis", "p90Millis", "p95Millis", "p99Millis", "p999Millis", "maxMillis"}}
	if r.Phases == nil {
		return t.writeTo(w)
	}
	for i := range r.Phases.Phases {
		p := &r.Phases.Phases[i]
		row := []string{p.Name, formatCSVInteger(p.Operations), formatCSVFloat(p.Share)}
		for _, v := range p.Latency.Values() {
			row = append(row, formatCSVFloat(measurement.ValueOrMissing(v.Millis)))
		}
		t.rows = append(t.rows, row)
	}
	return t.writeTo(w)
}
