package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Format is the file format of a chart.
type Format string

// The formats. PNG has twice the pixels of SVG's size, for print and high-resolution screens.
const (
	SVG Format = "svg"
	PNG Format = "png"
)

// pngResolution is in dots per inch.
const pngResolution = 192

// Chart is one chart of a report.
type Chart struct {
	// Name is unique among the charts of a report and usable as a file name: throughput-over-time.
	Name string
	// Title is in words. A chart in its own file shows it above the plot.
	Title string
	// Caption explains the chart to the reader; it is not drawn.
	Caption string

	plot   *plot.Plot
	legend []legendEntry
	height vg.Length
}

// Write draws the chart with its title on white.
func (c Chart) Write(w io.Writer, f Format) error {
	height := c.height + headingHeight
	var canvas vg.CanvasWriterTo
	switch f {
	case SVG:
		canvas = vgsvg.New(chartWidth, height)
	case PNG:
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(chartWidth, height), vgimg.UseDPI(pngResolution))}
	default:
		return fmt.Errorf("write chart %s: format %q is neither %s nor %s", c.Name, f, SVG, PNG)
	}
	area := draw.New(canvas)
	area.SetColor(paperColor)
	area.Fill(area.Rectangle.Path())
	area = draw.Crop(area, margin, -margin, margin, -margin)
	area.FillText(headingStyle, vg.Point{X: area.Min.X, Y: area.Max.Y}, dropUnprintable(c.Title))
	c.drawWithLegend(draw.Crop(area, 0, 0, 0, margin-headingHeight))
	if _, err := canvas.WriteTo(w); err != nil {
		return fmt.Errorf("write chart %s: %w", c.Name, err)
	}
	return nil
}

// renderInline returns the chart as an SVG element of a page: without a title, in the page's colours.
func (c Chart) renderInline() ([]byte, error) {
	canvas := vgsvg.New(chartWidth, c.height)
	c.drawWithLegend(inlineArea(draw.New(canvas)))
	var text bytes.Buffer
	if _, err := canvas.WriteTo(&text); err != nil {
		return nil, fmt.Errorf("draw chart %s: %w", c.Name, err)
	}
	geometry, err := json.Marshal(c.computeGeometry())
	if err != nil {
		return nil, fmt.Errorf("draw chart %s: %w", c.Name, err)
	}
	return embedSVG(text.Bytes(), c.Title, c.height, geometry), nil
}

// inlineArea returns the part of the canvas that an inline chart fills.
func inlineArea(canvas draw.Canvas) draw.Canvas {
	return draw.Crop(canvas, margin/2, -margin, margin/2, -margin/2)
}

// chartGeometry describes the plot area and axes of a chart, in SVG coordinates, for the page's script.
type chartGeometry struct {
	Left   float64   `json:"left"`
	Right  float64   `json:"right"`
	Top    float64   `json:"top"`
	Bottom float64   `json:"bottom"`
	X      axisRange `json:"x"`
	Y      axisRange `json:"y"`
}

// axisRange is the range of an axis. Named marks an axis whose positions are no values.
type axisRange struct {
	Label string  `json:"label"`
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
	Log   bool    `json:"log"`
	Named bool    `json:"named"`
}

func newAxisRange(a *plot.Axis) axisRange {
	_, isLog := a.Scale.(plot.LogScale)
	_, named := a.Tick.Marker.(fixedTicks)
	if !isFinite(a.Min) || !isFinite(a.Max) {
		return axisRange{Label: a.Label.Text, Named: true}
	}
	return axisRange{Label: a.Label.Text, Min: a.Min, Max: a.Max, Log: isLog, Named: named}
}

// computeGeometry returns the geometry of a chart that was drawn inline.
func (c Chart) computeGeometry() chartGeometry {
	canvas := draw.New(vgsvg.New(chartWidth, c.height))
	area := inlineArea(canvas)
	data := c.plot.DataCanvas(draw.Crop(area, 0, 0, 0, -drawLegend(area, c.legend)))
	return chartGeometry{Left: data.Min.X.Points(), Right: data.Max.X.Points(), Top: (c.height - data.Max.Y).Points(),
		Bottom: (c.height - data.Min.Y).Points(), X: newAxisRange(&c.plot.X), Y: newAxisRange(&c.plot.Y)}
}

// drawWithLegend draws the legend above the plot, so that they do not overlap.
func (c Chart) drawWithLegend(area draw.Canvas) {
	used := drawLegend(area, c.legend)
	c.plot.Draw(draw.Crop(area, 0, 0, 0, -used))
}
