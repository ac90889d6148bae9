package report

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// legendEntry says what one look stands for.
type legendEntry struct {
	text   string
	sample plot.Thumbnailer
}

const (
	sampleWidth   vg.Length = 16
	legendSpacing vg.Length = 14
	legendLine    vg.Length = fontSize + 5
)

// drawLegend lays the entries out in lines along the top and returns the height that they take.
func drawLegend(area draw.Canvas, entries []legendEntry) vg.Length {
	if len(entries) == 0 {
		return 0
	}
	style := textStyle(fontSize, font.Font{}, ink)
	style.YAlign = draw.YCenter
	x, y := area.Min.X, area.Max.Y-legendLine
	for _, e := range entries {
		label := shortened(plain(e.text), 60)
		width := sampleWidth + 4 + style.Width(label)
		if x > area.Min.X && x+width > area.Max.X {
			x, y = area.Min.X, y-legendLine
		}
		sample := area
		sample.Rectangle = vg.Rectangle{Min: vg.Point{X: x, Y: y + 3}, Max: vg.Point{X: x + sampleWidth, Y: y + legendLine - 3}}
		e.sample.Thumbnail(&sample)
		area.FillText(style, vg.Point{X: x + sampleWidth + 4, Y: y + legendLine/2}, label)
		x += width + legendSpacing
	}
	return area.Max.Y - y + 4
}
