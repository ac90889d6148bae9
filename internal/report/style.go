package report

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"regexp"
	"strings"
	"unicode"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of a chart. Two charts of this width fit side by side on a screen, and one is legible on a phone.
const (
	chartWidth    vg.Length = 480
	chartHeight   vg.Length = 270
	headingHeight vg.Length = 26
	margin        vg.Length = 10
	fontSize      vg.Length = 11
)

// Colours of everything but data.
var (
	paperColor = color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff}
	inkColor   = color.NRGBA{R: 0x22, G: 0x26, B: 0x2b, A: 0xff}
	faintColor = color.NRGBA{R: 0x6a, G: 0x72, B: 0x7c, A: 0xff}
	gridColor  = color.NRGBA{R: 0xe3, G: 0xe6, B: 0xea, A: 0xff}
)

// palette is the one by Okabe and Ito, which people with red-green colour blindness can distinguish. It omits
// yellow, which is illegible on white, and black, which is the ink's colour.
var palette = []color.NRGBA{
	{R: 0x00, G: 0x72, B: 0xb2, A: 0xff},
	{R: 0xd5, G: 0x5e, B: 0x00, A: 0xff},
	{R: 0x00, G: 0x9e, B: 0x73, A: 0xff},
	{R: 0xcc, G: 0x79, B: 0xa7, A: 0xff},
	{R: 0xe6, G: 0x9f, B: 0x00, A: 0xff},
	{R: 0x56, G: 0xb4, B: 0xe9, A: 0xff},
}

// Colours with a meaning.
var (
	betterColor = palette[2]
	worseColor  = palette[1]
)

// cssVariables maps the colours to variables of the page's style sheet, which can change them in dark mode.
var cssVariables = map[color.NRGBA]string{
	paperColor: "--paper", inkColor: "--ink", faintColor: "--faint", gridColor: "--grid",
	palette[0]: "--c0", palette[1]: "--c1", palette[2]: "--c2", palette[3]: "--c3", palette[4]: "--c4", palette[5]: "--c5",
}

// seriesStyle distinguishes the n-th of several series from the others, also in black and white.
type seriesStyle struct {
	color  color.NRGBA
	dashes []vg.Length
	glyph  draw.GlyphDrawer
}

var (
	dashPatterns = [][]vg.Length{nil, {5, 2.5}, {1.5, 2}}
	glyphs       = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}}
)

func seriesStyleAt(n int) seriesStyle {
	round := n / len(palette)
	return seriesStyle{color: palette[n%len(palette)], dashes: dashPatterns[round%len(dashPatterns)], glyph: glyphs[n%len(glyphs)]}
}

func (l seriesStyle) lineStyle(width vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: l.color, Width: width, Dashes: l.dashes}
}

func withAlpha(c color.NRGBA, alpha uint8) color.NRGBA {
	c.A = alpha
	return c
}

// textStyle returns a style in the sans serif of the plotting library, which has the widths of Arial and
// Helvetica.
func textStyle(size vg.Length, weight font.Font, c color.Color) text.Style {
	weight.Typeface, weight.Variant, weight.Size = "Liberation", "Sans", size
	return text.Style{Color: c, Font: weight, Handler: plot.DefaultTextHandler}
}

// boldWeight is WeightBold of golang.org/x/image/font.
const boldWeight = 3

var headingStyle = func() text.Style {
	s := textStyle(fontSize+2, font.Font{Weight: boldWeight}, inkColor)
	s.YAlign = draw.YTop
	return s
}()

// newPlot returns a plot with thin rules, no frame, and labels with units.
func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Color, axis.Width = faintColor, 0.6
		axis.Tick.Color, axis.Tick.Width, axis.Tick.Length = faintColor, 0.6, 3
		axis.Padding = 4
		axis.Label.Padding = 3
		label, tick := axis.Label.TextStyle, axis.Tick.Label
		axis.Label.TextStyle = textStyle(fontSize, font.Font{}, inkColor)
		axis.Label.TextStyle.XAlign, axis.Label.TextStyle.YAlign = label.XAlign, label.YAlign
		axis.Tick.Label = textStyle(fontSize, font.Font{}, faintColor)
		axis.Tick.Label.XAlign, axis.Tick.Label.YAlign = tick.XAlign, tick.YAlign
		axis.Tick.Marker = linearTicks{}
	}
	p.X.Label.Text, p.Y.Label.Text = truncateRunes(dropUnprintable(x), 60), truncateRunes(dropUnprintable(y), 36)
	p.Y.Width = 0
	p.Y.Tick.Width = 0
	return p
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

// embedSVG converts a drawing to an element of a page: without prologue and fixed size, with a label for screen
// readers, in the page's colours, and with its geometry for the page's script.
func embedSVG(drawing []byte, title string, height vg.Length, geometry []byte) []byte {
	_, body, _ := bytes.Cut(drawing, []byte("<svg"))
	_, body, _ = bytes.Cut(body, []byte(">"))
	body = colorPattern.ReplaceAllFunc(body, cssColor)
	return fmt.Appendf(nil, `<svg viewBox="0 0 %g %g" role="img" aria-label="%s" data-plot="%s">%s`,
		chartWidth.Points(), height.Points(), html.EscapeString(dropUnprintable(title)), html.EscapeString(string(geometry)), body)
}

var colorPattern = regexp.MustCompile(`:#[0-9A-F]{6}\b`)

// cssColor returns the page's variable for a colour. A translucent colour may differ slightly, because the
// library stores it premultiplied.
func cssColor(drawn []byte) []byte {
	var r, g, b uint8
	if _, err := fmt.Sscanf(string(drawn), ":#%02X%02X%02X", &r, &g, &b); err != nil {
		return drawn
	}
	for c, name := range cssVariables {
		if isNearColor(c.R, r) && isNearColor(c.G, g) && isNearColor(c.B, b) {
			return []byte(":var(" + name + ")")
		}
	}
	return drawn
}

func isNearColor(a, b uint8) bool { return max(a, b)-min(a, b) <= 3 }
