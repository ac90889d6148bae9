package main

import (
	"bytes"
	"fmt"
	"html/template"
	"image/color"
	"math"
	"time"

	"github.com/prometheus/common/model"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	dashboardsmodel "github.com/benchnet/benchnet/dashboards/model"
)

// annotationMark is a vertical line at an instant.
type annotationMark struct {
	Name  string
	at    time.Time
	color string
}

// Colours of everything but data. The page's style sheet replaces them in dark mode.
var (
	textColor = color.NRGBA{R: 0x24, G: 0x29, B: 0x2e, A: 0xff}
	gridColor = color.NRGBA{R: 0xe1, G: 0xe4, B: 0xe8, A: 0xff}
)

// palette has colours that are distinguishable in light and dark mode.
var palette = []color.NRGBA{
	{R: 0x56, G: 0xa6, B: 0x4b, A: 0xff}, {R: 0xe0, G: 0xb4, B: 0x00, A: 0xff}, {R: 0x32, G: 0x74, B: 0xd9, A: 0xff}, {R: 0xfa, G: 0x64, B: 0x00, A: 0xff},
	{R: 0xe0, G: 0x2f, B: 0x44, A: 0xff}, {R: 0x8f, G: 0x3b, B: 0xb8, A: 0xff}, {R: 0x1f, G: 0xa3, B: 0xa3, A: 0xff}, {R: 0xa3, G: 0x52, B: 0xcc, A: 0xff},
}

// grafanaColors maps Grafana's names of colours.
var grafanaColors = map[string]color.NRGBA{
	"green": palette[0], "yellow": palette[1], "blue": palette[2], "orange": palette[3], "red": palette[4], "text": textColor,
}

func seriesColor(i int) color.NRGBA { return palette[i%len(palette)] }

func cssColor(c color.NRGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }

// chartDrawing builds a chart.
type chartDrawing struct {
	plot     *plot.Plot
	from, to time.Time
	unit     string
	step     time.Duration
}

// drawChart draws lines over time and returns an SVG element of a page.
func (a *querier) drawChart(p *dashboardsmodel.Panel, lines []panelSeries, marks []annotationMark, width, height float64) (template.HTML, error) {
	look := p.FieldConfig.Defaults
	d := chartDrawing{plot: newPlot(look.Unit), from: a.from, to: a.to, unit: look.Unit, step: a.queryStep()}
	d.plot.X.Min, d.plot.X.Max = float64(a.from.Unix()), float64(a.to.Unix())
	d.plot.Add(gridLines{})
	stacked := look.Custom.Stacking.Mode == "normal"
	below := map[model.Time]float64{}
	for i, l := range lines {
		d.addSeries(l, seriesColor(i), stacked, below)
	}
	d.setLimits(look)
	for _, m := range marks {
		d.plot.Add(verticalLine{at: float64(m.at.UnixMilli()) / 1000, color: grafanaColors[m.color]})
	}
	return d.renderSVG(width, height)
}

// addSeries draws a line, with gaps at missing samples. A stacked line is drawn on top of those before it.
func (d *chartDrawing) addSeries(l panelSeries, c color.NRGBA, stacked bool, below map[model.Time]float64) {
	var piece plotter.XYs
	flush := func() {
		if len(piece) == 1 {
			piece = append(piece, plotter.XY{X: piece[0].X + d.step.Seconds()/2, Y: piece[0].Y})
		}
		if len(piece) > 1 {
			d.plot.Add(&plotter.Line{XYs: piece, LineStyle: draw.LineStyle{Color: c, Width: 1.1}})
		}
		piece = nil
	}
	last := model.Time(0)
	for _, s := range l.samples {
		v := float64(s.Value)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			flush()
			continue
		}
		if stacked {
			v += below[s.Timestamp]
			below[s.Timestamp] = v
		}
		if last != 0 && s.Timestamp.Sub(last) > 2*d.step {
			flush()
		}
		last = s.Timestamp
		piece = append(piece, plotter.XY{X: float64(s.Timestamp) / 1000, Y: v})
	}
	flush()
}

// setLimits sets the limits of the panel, or else limits that fit the data.
func (d *chartDrawing) setLimits(look dashboardsmodel.FieldDefaults) {
	y := &d.plot.Y
	if math.IsInf(y.Min, 0) || math.IsInf(y.Max, 0) || y.Min > y.Max {
		y.Min, y.Max = 0, 1
	}
	if look.Min != nil {
		y.Min = *look.Min
	}
	if look.Max != nil {
		y.Max = *look.Max
	}
	if y.Max <= y.Min {
		y.Max = y.Min + 1
	}
	if look.Max == nil {
		y.Max += (y.Max - y.Min) * 0.08
	}
}

func (d *chartDrawing) renderSVG(width, height float64) (template.HTML, error) {
	canvas := vgsvg.New(vg.Length(width), vg.Length(height))
	d.plot.Draw(draw.Crop(draw.New(canvas), 0, -6, 0, -2))
	var text bytes.Buffer
	if _, err := canvas.WriteTo(&text); err != nil {
		return "", fmt.Errorf("draw a chart: %w", err)
	}
	_, body, _ := bytes.Cut(text.Bytes(), []byte("<svg"))
	_, body, _ = bytes.Cut(body, []byte(">"))
	for c, variable := range map[color.NRGBA]string{textColor: "currentColor", gridColor: "var(--grid)"} {
		body = bytes.ReplaceAll(body, []byte(cssColor(c)), []byte(variable))
	}
	return template.HTML(fmt.Sprintf(`<svg viewBox="0 0 %g %g">%s`, width, height, body)), nil //nolint:gosec // made by the library of what was drawn
}

func newPlot(unit string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Color, axis.Width, axis.Padding = textColor, 0, 4
		axis.Tick.Color, axis.Tick.Width, axis.Tick.Length = textColor, 0, 0
		axis.Tick.Label.Color = textColor
		axis.Tick.Label.Font = font.Font{Typeface: "Liberation", Variant: "Sans", Size: 9}
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = timeTicks{}, unitTicks{unit}
	return p
}

// unitTicks are ticks with a unit.
type unitTicks struct{ unit string }

// Ticks implements plot.Ticker.
func (v unitTicks) Ticks(low, high float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(low, high)
	for i, t := range ticks {
		if t.Label != "" {
			ticks[i].Label = formatNumber(t.Value, v.unit, nil)
		}
	}
	return ticks
}

// timeTicks are ticks at round times.
type timeTicks struct{}

// Ticks implements plot.Ticker.
func (timeTicks) Ticks(low, high float64) []plot.Tick {
	step, format := 86400.0, "01-02"
	for _, s := range []float64{15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200} {
		if (high-low)/s <= 7 {
			step, format = s, "15:04"
			break
		}
	}
	if step < 60 {
		format = "15:04:05"
	}
	var ticks []plot.Tick
	for at := math.Ceil(low/step) * step; at <= high; at += step {
		ticks = append(ticks, plot.Tick{Value: at, Label: time.Unix(int64(at), 0).UTC().Format(format)})
	}
	return ticks
}

// gridLines are thin lines at the ticks.
type gridLines struct{}

// Plot implements plot.Plotter.
func (gridLines) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := draw.LineStyle{Color: gridColor, Width: 0.7}
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if t.Label != "" && t.Value >= p.Y.Min && t.Value <= p.Y.Max {
			c.StrokeLine2(style, c.Min.X, y(t.Value), c.Max.X, y(t.Value))
		}
	}
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		c.StrokeLine2(style, x(t.Value), c.Min.Y, x(t.Value), c.Max.Y)
	}
}

// verticalLine is a dashed line at an instant.
type verticalLine struct {
	at    float64
	color color.Color
}

// Plot implements plot.Plotter.
func (u verticalLine) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	c.StrokeLine2(draw.LineStyle{Color: u.color, Width: 1.2, Dashes: []vg.Length{4, 3}}, x(u.at), c.Min.Y, x(u.at), c.Max.Y)
}
