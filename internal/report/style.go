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

// Sizes of a chart. At this width, two of them stand side by side on a screen, and one is legible on a phone.
const (
	chartWidth    vg.Length = 480
	chartHeight   vg.Length = 270
	headingHeight vg.Length = 26
	margin        vg.Length = 10
	fontSize      vg.Length = 11
)

// Colours of what is not data.
var (
	paper = color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff}
	ink   = color.NRGBA{R: 0x22, G: 0x26, B: 0x2b, A: 0xff}
	faint = color.NRGBA{R: 0x6a, G: 0x72, B: 0x7c, A: 0xff}
	grid  = color.NRGBA{R: 0xe3, G: 0xe6, B: 0xea, A: 0xff}
)

// palette is that of Okabe and Ito, which people who see no red or no green can tell apart, without its yellow, which is not
// seen on white, and its black, which is the ink's.
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
	good = palette[2]
	bad  = palette[1]
)

// variables are the colours as the page's style sheet calls them, so that it can change them in the dark.
var variables = map[color.NRGBA]string{
	paper: "--paper", ink: "--ink", faint: "--faint", grid: "--grid",
	palette[0]: "--c0", palette[1]: "--c1", palette[2]: "--c2", palette[3]: "--c3", palette[4]: "--c4", palette[5]: "--c5",
}

// look is how the n-th of several series is told apart from the others, also in black and white.
type look struct {
	color  color.NRGBA
	dashes []vg.Length
	glyph  draw.GlyphDrawer
}

var (
	dashings = [][]vg.Length{nil, {5, 2.5}, {1.5, 2}}
	glyphs   = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}}
)

func lookOf(n int) look {
	round := n / len(palette)
	return look{color: palette[n%len(palette)], dashes: dashings[round%len(dashings)], glyph: glyphs[n%len(glyphs)]}
}

func (l look) line(width vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: l.color, Width: width, Dashes: l.dashes}
}

func withAlpha(c color.NRGBA, alpha uint8) color.NRGBA {
	c.A = alpha
	return c
}

// textStyle in the sans serif of the plotting library, which has the widths of Arial and Helvetica.
func textStyle(size vg.Length, weight font.Font, c color.Color) text.Style {
	weight.Typeface, weight.Variant, weight.Size = "Liberation", "Sans", size
	return text.Style{Color: c, Font: weight, Handler: plot.DefaultTextHandler}
}

// bold is WeightBold of golang.org/x/image/font.
const bold = 3

var headingStyle = func() text.Style {
	s := textStyle(fontSize+2, font.Font{Weight: bold}, ink)
	s.YAlign = draw.YTop
	return s
}()

// newPlot has thin rules, no frame, and labels with units.
func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Color, axis.Width = faint, 0.6
		axis.Tick.Color, axis.Tick.Width, axis.Tick.Length = faint, 0.6, 3
		axis.Padding = 4
		axis.Label.Padding = 3
		label, tick := axis.Label.TextStyle, axis.Tick.Label
		axis.Label.TextStyle = textStyle(fontSize, font.Font{}, ink)
		axis.Label.TextStyle.XAlign, axis.Label.TextStyle.YAlign = label.XAlign, label.YAlign
		axis.Tick.Label = textStyle(fontSize, font.Font{}, faint)
		axis.Tick.Label.XAlign, axis.Tick.Label.YAlign = tick.XAlign, tick.YAlign
		axis.Tick.Marker = linearTicks{}
	}
	p.X.Label.Text, p.Y.Label.Text = shortened(plain(x), 60), shortened(plain(y), 36)
	p.Y.Width = 0
	p.Y.Tick.Width = 0
	return p
}

// plain drops what cannot be drawn, and line breaks: names come from outside.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s)
}

// themed makes a drawing an element of a page: without prologue and fixed size, with a name for those who cannot see it, and
// with the page's colours.
func themed(drawing []byte, title string, height vg.Length) []byte {
	_, body, _ := bytes.Cut(drawing, []byte("<svg"))
	_, body, _ = bytes.Cut(body, []byte(">"))
	body = colorPattern.ReplaceAllFunc(body, variable)
	return fmt.Appendf(nil, `<svg viewBox="0 0 %g %g" role="img" aria-label="%s">%s`,
		chartWidth.Points(), height.Points(), html.EscapeString(plain(title)), body)
}

var colorPattern = regexp.MustCompile(`:#[0-9A-F]{6}\b`)

// variable is the page's name for a colour. A translucent one may be off by a little, because the library keeps it multiplied.
func variable(drawn []byte) []byte {
	var r, g, b uint8
	if _, err := fmt.Sscanf(string(drawn), ":#%02X%02X%02X", &r, &g, &b); err != nil {
		return drawn
	}
	for c, name := range variables {
		if near(c.R, r) && near(c.G, g) && near(c.B, b) {
			return []byte(":var(" + name + ")")
		}
	}
	return drawn
}

func near(a, b uint8) bool { return max(a, b)-min(a, b) <= 3 }
