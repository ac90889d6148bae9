package report

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// chartBuilder builds a chart. Later additions are drawn above earlier ones.
type chartBuilder struct {
	Chart
	// logFloor and logCeiling are the ends of a logarithmic vertical axis; 0 if it is linear.
	logFloor, logCeiling float64
}

func newChartBuilder(name, title, x, y string) *chartBuilder {
	g := &chartBuilder{Chart: Chart{Name: name, Title: title, plot: newPlot(x, y), height: chartHeight}}
	g.plot.Add(gridLines{})
	return g
}

func (g *chartBuilder) addLegendEntry(text string, sample plot.Thumbnailer) {
	g.legend = append(g.legend, legendEntry{text, sample})
}

// startAtZero makes the vertical axis start at zero, with some space above the highest value.
func (g *chartBuilder) startAtZero() {
	g.plot.Y.Min = 0
	g.plot.Y.Padding = 0
	if g.plot.Y.Max <= 0 || math.IsInf(g.plot.Y.Max, 0) {
		g.plot.Y.Max = 1
	}
	g.plot.Y.Max *= 1.06
}

// useLogarithmicX makes the horizontal axis logarithmic. All values must be positive.
func (g *chartBuilder) useLogarithmicX(ticks plot.Ticker) {
	g.plot.X.Scale, g.plot.X.Tick.Marker = plot.LogScale{}, ticks
}

func (g *chartBuilder) useLogarithmicY() {
	g.plot.Y.Scale, g.plot.Y.Tick.Marker = plot.LogScale{}, logTicks{}
}

// drawLine connects points and returns the line for the legend, or nil if there are no points.
func (g *chartBuilder) drawLine(points plotter.XYs, style draw.LineStyle) *plotter.Line {
	if len(points) == 0 {
		return nil
	}
	l := &plotter.Line{XYs: points, LineStyle: style}
	g.plot.Add(l)
	return l
}

// drawSeries draws one value per second, in the middle of its second, with gaps at missing values.
func (g *chartBuilder) drawSeries(values measurement.Series, scale float64, style draw.LineStyle) *plotter.Line {
	var last *plotter.Line
	var run plotter.XYs
	flush := func() {
		// A single value between two gaps would be a line of length zero.
		if len(run) == 1 {
			run = plotter.XYs{{X: run[0].X - 0.5, Y: run[0].Y}, {X: run[0].X + 0.5, Y: run[0].Y}}
		}
		if l := g.drawLine(run, style); l != nil {
			last = l
		}
		run = nil
	}
	for i, v := range values {
		if math.IsNaN(v) {
			flush()
			continue
		}
		run = append(run, plotter.XY{X: float64(i) + 0.5, Y: v / scale})
	}
	flush()
	return last
}

// drawPoints draws single marks.
func (g *chartBuilder) drawPoints(at plotter.XYs, shape draw.GlyphDrawer, c color.Color, radius vg.Length) {
	if len(at) > 0 {
		g.plot.Add(&plotter.Scatter{XYs: at, GlyphStyle: draw.GlyphStyle{Color: c, Radius: radius, Shape: shape}})
	}
}

// drawHorizontalLine draws a horizontal line across the chart with a text at one of its ends, and extends the
// axis to include it.
func (g *chartBuilder) drawHorizontalLine(y float64, text string, end draw.XAlignment, style draw.LineStyle) {
	g.plot.Y.Max = math.Max(g.plot.Y.Max, y)
	g.plot.Add(referenceLine{at: y, text: text, style: style, end: end})
}

// Ends of a line at which its text can be placed.
const (
	leftEnd  = draw.XLeft
	rightEnd = draw.XRight
)

// drawVerticalLine draws a vertical line with a text at its upper end.
func (g *chartBuilder) drawVerticalLine(x float64, text string, style draw.LineStyle) {
	g.plot.X.Min, g.plot.X.Max = math.Min(g.plot.X.Min, x), math.Max(g.plot.X.Max, x)
	g.plot.Add(referenceLine{at: x, text: text, style: style, vertical: true})
}

// referenceLine is a straight line across a chart, with a text at its end.
type referenceLine struct {
	at       float64
	text     string
	style    draw.LineStyle
	vertical bool
	end      draw.XAlignment
}

// Plot implements plot.Plotter.
func (r referenceLine) Plot(c draw.Canvas, p *plot.Plot) {
	words := textStyle(fontSize-1, font.Font{}, r.style.Color)
	x, y := p.Transforms(&c)
	if r.vertical {
		c.StrokeLine2(r.style, x(r.at), c.Min.Y, x(r.at), c.Max.Y)
		words.YAlign = draw.YTop
		at := vg.Point{X: x(r.at) + 3, Y: c.Max.Y}
		if width := words.Width(r.text); at.X+width > c.Max.X {
			at.X = x(r.at) - 3 - width
		}
		c.FillText(words, at, dropUnprintable(r.text))
		return
	}
	c.StrokeLine2(r.style, c.Min.X, y(r.at), c.Max.X, y(r.at))
	words.XAlign = r.end
	at := vg.Point{X: c.Min.X, Y: y(r.at) + 2}
	if r.end == rightEnd {
		at.X = c.Max.X
	}
	c.FillText(words, at, dropUnprintable(r.text))
}

// pointLabels are names next to points.
type pointLabels struct {
	points plotter.XYs
	names  []string
}

// Plot implements plot.Plotter. It omits a name that would overlap the one before.
func (l pointLabels) Plot(c draw.Canvas, p *plot.Plot) {
	style := textStyle(fontSize-1, font.Font{}, faintColor)
	x, y := p.Transforms(&c)
	last := vg.Point{X: -1e6, Y: -1e6}
	for i, point := range l.points {
		at := vg.Point{X: x(point.X) + 4, Y: y(point.Y) - fontSize}
		if width := style.Width(l.names[i]); at.X+width > c.Max.X+margin {
			at.X = x(point.X) - 4 - width
		}
		if math.Abs(float64(at.X-last.X)) < 14 && math.Abs(float64(at.Y-last.Y)) < float64(fontSize) {
			continue
		}
		last = at
		c.FillText(style, at, dropUnprintable(l.names[i]))
	}
}

// gridLines are thin lines at the ticks of the vertical axis.
type gridLines struct{}

// Plot implements plot.Plotter.
func (gridLines) Plot(c draw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	style := draw.LineStyle{Color: gridColor, Width: 0.7}
	for _, tick := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if tick.Value >= p.Y.Min && tick.Value <= p.Y.Max {
			c.StrokeLine2(style, c.Min.X, y(tick.Value), c.Max.X, y(tick.Value))
		}
	}
}

// barPlotter draws bars on the horizontal axis.
type barPlotter struct {
	// rects extend from X-low to X-high and have a height.
	rects []barRect
	color color.Color
}

type barRect struct{ from, to, height float64 }

// Plot implements plot.Plotter.
func (b barPlotter) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, box := range b.rects {
		if box.height <= 0 {
			continue
		}
		c.FillPolygon(b.color, []vg.Point{
			{X: x(box.from), Y: c.Min.Y}, {X: x(box.from), Y: y(box.height)}, {X: x(box.to), Y: y(box.height)}, {X: x(box.to), Y: c.Min.Y},
		})
	}
}

// DataRange implements plot.DataRanger.
func (b barPlotter) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, ymin, xmax, ymax = math.Inf(1), 0, math.Inf(-1), 0
	for _, box := range b.rects {
		xmin, xmax, ymax = math.Min(xmin, box.from), math.Max(xmax, box.to), math.Max(ymax, box.height)
	}
	return xmin, xmax, ymin, ymax
}

// Thumbnail implements plot.Thumbnailer.
func (b barPlotter) Thumbnail(c *draw.Canvas) {
	r := c.Rectangle
	c.FillPolygon(b.color, []vg.Point{r.Min, {X: r.Min.X, Y: r.Max.Y}, r.Max, {X: r.Max.X, Y: r.Min.Y}})
}
