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

// Format of a chart's file.
type Format string

// The formats. PNG has twice the pixels of SVG's size, as paper and good screens want it.
const (
	SVG Format = "svg"
	PNG Format = "png"
)

// pngResolution in dots an inch.
const pngResolution = 192

// Chart is one picture.
type Chart struct {
	// Name is unique among the charts of a report and fit for a file: throughput-over-time.
	Name string
	// Title in words, drawn above the chart where it stands alone.
	Title string
	// Caption says what a reader has to know; it is not drawn.
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

// renderInline is the chart as an element of a page: without a title, in colours that follow the page's.
func (c Chart) renderInline() ([]byte, error) {
	canvas := vgsvg.New(chartWidth, c.height)
	c.drawWithLegend(draw.Crop(draw.New(canvas), margin/2, -margin, margin/2, -margin/2))
	var text bytes.Buffer
	if _, err := canvas.WriteTo(&text); err != nil {
		return nil, fmt.Errorf("draw chart %s: %w", c.Name, err)
	}
	return embedSVG(text.Bytes(), c.Title, c.height), nil
}

// drawWithLegend puts the legend above the plot, so that neither hides the other.
func (c Chart) drawWithLegend(area draw.Canvas) {
	used := drawLegend(area, c.legend)
	c.plot.Draw(draw.Crop(area, 0, 0, 0, -used))
}
