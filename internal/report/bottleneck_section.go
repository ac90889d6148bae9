package report

import (
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// maxUtilizations is the number of utilizations that are drawn. The table has all of them.
const maxUtilizations = 10

// bottleneckSection returns the section about the bottleneck of a run. It is empty for results of older
// versions.
func bottleneckSection(r *document.RunResult) (section, error) {
	s := section{ID: "bottleneck", Title: "Bottleneck"}
	b := r.Bottleneck
	if b == nil {
		return s, nil
	}
	s.Text = []string{formatSentence(b.Message)}
	t := htmlTable{
		Header: append(textColumns("Resource", "Of"), append(numberColumns("In use", "Limit", "Utilization", "At its limit from"), proseColumns("Seen")...)...),
	}
	for _, u := range b.Evidence {
		t.Rows = append(
			t.Rows,
			tableRow{Cells: []string{formatResourceName(u.Resource), u.Subject, formatQuantity(u.Value, u.Unit), formatQuantity(u.Limit, u.Unit),
				formatPercent(u.Utilization), formatPercent(u.Threshold), u.Message}},
		)
	}
	if len(t.Rows) == 0 {
		return s, nil
	}
	s.Tables = []htmlTable{t}
	var err error
	s.Figures, err = renderFigures([]Chart{utilizationChart(b)})
	return s, err
}

// formatResourceName splits an identifier such as MemberCPU into words.
func formatResourceName(r verdict.Resource) string {
	name := string(r)
	if whole, found := strings.CutSuffix(name, "CPU"); found {
		return whole + " CPU"
	}
	return splitCamelCase(name)
}

// formatSentence capitalizes a message and ends it with a full stop.
func formatSentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// utilizationChart shows how near each resource was to its limit, the nearest at the top.
func utilizationChart(b *verdict.Bottleneck) Chart {
	all := b.Evidence[:min(len(b.Evidence), maxUtilizations)]
	g := newChartBuilder("utilization", "Utilization of each resource relative to its limit", "Utilization (%)", "")
	g.height = forestFrameHeight + forestRowHeight*vg.Length(len(all))
	var names []string
	beams := utilizationBars{}
	for i := range all {
		u := all[len(all)-1-i]
		names = append(names, truncateRunes(dropUnprintable(strings.TrimSpace(formatResourceName(u.Resource)+" "+u.Subject)), 30))
		beams = append(beams, utilizationBar{length: 100 * u.Utilization, threshold: 100 * u.Threshold})
		g.plot.X.Max = max(g.plot.X.Max, 100*u.Utilization, 100*u.Threshold, 100)
	}
	g.plot.Add(beams)
	g.plot.Y.Tick.Marker = nameTicks(names)
	g.plot.Y.Min, g.plot.Y.Max = -0.5, float64(len(all))-0.5
	g.plot.X.Min = 0
	g.Caption = "The mark in each line is the bound from which the resource counts as at its limit."
	return g.Chart
}

// utilizationBar is a horizontal bar with a mark at the threshold.
type utilizationBar struct{ length, threshold float64 }

type utilizationBars []utilizationBar

// Plot implements plot.Plotter.
func (b utilizationBars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	const half = forestRowHeight * 0.32
	for i, beam := range b {
		at, end, color := y(float64(i)), x(beam.length), palette[0]
		if beam.length >= beam.threshold {
			color = worseColor
		}
		c.FillPolygon(color, []vg.Point{{X: x(0), Y: at - half}, {X: x(0), Y: at + half}, {X: end, Y: at + half}, {X: end, Y: at - half}})
		c.StrokeLine2(draw.LineStyle{Color: inkColor, Width: 1.2}, x(beam.threshold), at-half-2, x(beam.threshold), at+half+2)
	}
}
