package report

import (
	"encoding/json"
	"math"
	"strings"
	"unicode"
)

// Chart describes a chart of a report. The script of the page draws it with uPlot (templates/charts.js).
type Chart struct {
	// Name is unique among the charts of a report and usable as a file name: throughput-over-time.
	Name string `json:"name"`
	// Title is in words. A chart in its own file shows it above the plot.
	Title string `json:"title"`
	// Caption explains the chart to the reader; it is not drawn.
	Caption string `json:"-"`
	// Rows is the number of rows of a chart with names on its vertical axis; otherwise 0.
	Rows  int    `json:"rows,omitempty"`
	X     axis   `json:"x"`
	Y     axis   `json:"y"`
	Marks []mark `json:"marks"`
}

// axis describes an axis. Without Min or Max, the script fits that end to the marks.
type axis struct {
	Label string   `json:"label"`
	Min   *float64 `json:"min,omitempty"`
	Max   *float64 `json:"max,omitempty"`
	Log   bool     `json:"log,omitempty"`
	// Ticks are the only ticks, of an axis whose positions are not values. Without them, the script chooses.
	Ticks []tick `json:"ticks,omitempty"`
}

type tick struct {
	At    float64 `json:"at"`
	Label string  `json:"label"`
}

// markKind says how the script draws a mark.
type markKind string

const (
	// lineMark connects the points. A point that is not finite leaves a gap.
	lineMark markKind = "line"
	// dotsMark has a shape at each point.
	dotsMark markKind = "dots"
	// boxesMark has a filled box between each two points, which are opposite corners.
	boxesMark markKind = "boxes"
	// intervalsMark has an error bar between each two points, the lower and the upper end.
	intervalsMark markKind = "intervals"
	// verticalMark is a line across the chart at the x of its point, horizontalMark at the y, with a text.
	verticalMark   markKind = "vertical"
	horizontalMark markKind = "horizontal"
	// shadeMark shades every second of the bands that begin at the x of its points, from the first on, and has texts at their
	// tops. The last band ends at the right.
	shadeMark markKind = "shade"
	// textsMark has texts next to the points.
	textsMark markKind = "texts"
)

// shape is the shape of dots.
type shape string

const (
	circle   shape = "circle"
	square   shape = "square"
	triangle shape = "triangle"
	ring     shape = "ring"
)

// mark is one layer of a chart. Later marks are drawn above earlier ones.
type mark struct {
	Kind markKind `json:"kind"`
	// Legend names the mark in the legend and at the pointer.
	Legend string `json:"legend,omitempty"`
	style
	Points []xy     `json:"points,omitempty"`
	Texts  []string `json:"texts,omitempty"`
	// AtStart places the text of a horizontal line at the left end.
	AtStart bool `json:"atStart,omitempty"`
	// Series takes the points from the result document.
	Series *seriesSource `json:"series,omitempty"`
}

// style is the appearance of a mark. Color is a variable of the style sheet, so that it follows the color scheme.
type style struct {
	Color   string  `json:"color"`
	Opacity float64 `json:"opacity,omitempty"`
	Width   float64 `json:"width,omitempty"`
	// Dashes is a stroke-dasharray of SVG.
	Dashes string `json:"dashes,omitempty"`
	Shape  shape  `json:"shape,omitempty"`
	// Size is the radius of a dot.
	Size float64 `json:"size,omitempty"`
}

// seriesSource locates a series of values in the result document.
type seriesSource struct {
	// Path leads to the array: ["members", 0, "cpuSeconds"].
	Path []any `json:"path"`
	// Seconds is the number of seconds that each value covers.
	Seconds int `json:"seconds"`
	// Divisor converts values to the unit of the chart; 0 is 1.
	Divisor float64 `json:"divisor,omitempty"`
	// Span is the number of values that are averaged around each one; 0 for none.
	Span int `json:"span,omitempty"`
	// Steps draws a level over each interval instead of a point. Values that are not positive are gaps.
	Steps bool `json:"steps,omitempty"`
}

// xy is a point.
type xy struct{ X, Y float64 }

// MarshalJSON writes a point as an array, or as null if it is not finite.
func (p xy) MarshalJSON() ([]byte, error) {
	if !isFinite(p.X) || !isFinite(p.Y) {
		return []byte("null"), nil
	}
	return json.Marshal([2]float64{p.X, p.Y})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (p *xy) UnmarshalJSON(text []byte) error {
	pair := [2]float64{math.NaN(), math.NaN()}
	err := json.Unmarshal(text, &pair)
	p.X, p.Y = pair[0], pair[1]
	return err
}

// Colors of the style sheet.
const (
	inkColor    = "ink"
	faintColor  = "faint"
	firstColor  = "c0"
	worseColor  = "c1"
	betterColor = "c2"
)

// palette is the one by Okabe and Ito, which people with red-green color blindness can distinguish. It omits
// yellow, which is illegible on white, and black, which is the color of the ink.
var palette = []string{firstColor, worseColor, betterColor, "c3", "c4", "c5"}

const (
	thinLine    = 0.9
	thickLine   = 1.8
	dashPattern = "5 3"
)

var (
	dashPatterns = []string{"", "5 2.5", "1.5 2"}
	shapes       = []shape{circle, square, triangle}
	hintLine     = style{Color: faintColor, Width: 1, Dashes: dashPattern}
)

// seriesStyleAt distinguishes the n-th of several series from the others, also in black and white.
func seriesStyleAt(n int) style {
	round := n / len(palette)
	return style{Color: palette[n%len(palette)], Width: thickLine, Dashes: dashPatterns[round%len(dashPatterns)], Shape: shapes[n%len(shapes)], Size: 3.2}
}

// newChart returns a chart without marks. Its vertical axis starts at zero.
func newChart(name, title, x, y string) Chart {
	return Chart{Name: name, Title: dropUnprintable(title), X: axis{Label: truncateRunes(dropUnprintable(x), 60)},
		Y: axis{Label: truncateRunes(dropUnprintable(y), 36), Min: finitePointer(0)}}
}

// newRowsChart returns a chart with a row for each name, the first one at the top.
func newRowsChart(name, title, x string, rows []string) Chart {
	c := newChart(name, title, x, "")
	c.Rows = len(rows)
	for i, row := range rows {
		c.Y.Ticks = append(c.Y.Ticks, tick{c.rowPosition(i), truncateRunes(dropUnprintable(row), 34)})
	}
	c.Y.Min, c.Y.Max = finitePointer(-0.5), finitePointer(float64(len(rows))-0.5)
	return c
}

// rowPosition returns the vertical position of a row.
func (c *Chart) rowPosition(row int) float64 { return float64(c.Rows - 1 - row) }

// addMark adds a mark, unless it has nothing to draw.
func (c *Chart) addMark(m mark) {
	if len(m.Points) == 0 && m.Series == nil {
		return
	}
	m.Legend = truncateRunes(dropUnprintable(m.Legend), 60)
	for i, text := range m.Texts {
		m.Texts[i] = dropUnprintable(text)
	}
	c.Marks = append(c.Marks, m)
}

func (c *Chart) addVerticalLine(x float64, text string, s style) {
	c.addMark(mark{Kind: verticalMark, style: s, Points: []xy{{X: x}}, Texts: []string{text}})
}

func (c *Chart) addHorizontalLine(y float64, text string, s style) {
	c.addMark(mark{Kind: horizontalMark, style: s, Points: []xy{{Y: y}}, Texts: []string{text}})
}

// useLatencyAxis makes the vertical axis logarithmic from low to high, so that latencies before and after saturation
// are legible. If a value is not positive, the axis stays linear.
func (c *Chart) useLatencyAxis(low, high float64) {
	if !(low > 0) || !isFinite(high) {
		return
	}
	low, high = 1/roundStep(1/low), roundStep(high)
	c.Y.Log, c.Y.Min, c.Y.Max = true, finitePointer(low), finitePointer(max(high, 2*low))
}

// roundStep returns the smallest of 1, 2, 5 times a power of ten that is not below the step.
func roundStep(step float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(step)))
	for _, factor := range []float64{1, 2, 5} {
		if step <= factor*power*(1+1e-9) {
			return factor * power
		}
	}
	return 10 * power
}

// finitePointer returns a pointer to the value, or nil if it is not finite.
func finitePointer(v float64) *float64 {
	if !isFinite(v) {
		return nil
	}
	return &v
}

// dropUnprintable drops unprintable characters and line breaks, because names are untrusted input.
func dropUnprintable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s)
}
