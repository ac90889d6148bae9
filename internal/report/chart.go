package report

import (
	"bytes"
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
	c.drawWithLegend(draw.Crop(draw.New(canvas), margin/2, -margin, margin/2, -margin/2))
	var text bytes.Buffer
	if _, err := canvas.WriteTo(&text); err != nil {
		return nil, fmt.Errorf("draw chart %s: %w", c.Name, err)
	}
	return embedSVG(text.Bytes(), c.Title, c.height), nil
}

// drawWithLegend draws the legend above the plot, so that they do not overlap.
func (c Chart) drawWithLegend(area draw.Canvas) {
	used := drawLegend(area, c.legend)
	c.plot.Draw(draw.Crop(area, 0, 0, 0, -used))
}
