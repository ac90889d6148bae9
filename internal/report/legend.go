package report

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// legendEntry names one style.
type legendEntry struct {
	text   string
	sample plot.Thumbnailer
}

const (
	legendSampleWidth vg.Length = 16
	legendSpacing     vg.Length = 14
	legendLineHeight  vg.Length = fontSize + 5
)

// drawLegend draws the entries in lines along the top and returns their height.
func drawLegend(area draw.Canvas, entries []legendEntry) vg.Length {
	if len(entries) == 0 {
		return 0
	}
	style := textStyle(fontSize, font.Font{}, inkColor)
	style.YAlign = draw.YCenter
	x, y := area.Min.X, area.Max.Y-legendLineHeight
	for _, e := range entries {
		label := truncateRunes(dropUnprintable(e.text), 60)
		width := legendSampleWidth + 4 + style.Width(label)
		if x > area.Min.X && x+width > area.Max.X {
			x, y = area.Min.X, y-legendLineHeight
		}
		sample := area
		sample.Rectangle = vg.Rectangle{Min: vg.Point{X: x, Y: y + 3}, Max: vg.Point{X: x + legendSampleWidth, Y: y + legendLineHeight - 3}}
		e.sample.Thumbnail(&sample)
		area.FillText(style, vg.Point{X: x + legendSampleWidth + 4, Y: y + legendLineHeight/2}, label)
		x += width + legendSpacing
	}
	return area.Max.Y - y + 4
}
