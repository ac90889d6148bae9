package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg/draw"

	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// namedCurve is a series with the name of its subject.
type namedCurve struct {
	name   string
	values measurement.Series
}

// resourceCharts show CPU and memory of everything that was observed.
func resourceCharts(r *document.RunResult) []Chart {
	var cpu, memory []namedCurve
	for _, m := range r.Members {
		cpu = append(cpu, namedCurve{m.Member, r.ExpandToSeconds(m.CPUSeconds)})
		memory = append(memory, namedCurve{m.Member, r.ExpandToSeconds(m.MemoryBytes)})
	}
	if len(cpu) == 0 {
		return nil
	}
	cpuLimits, memoryLimits := observedLimits(r)
	unit, scale := chooseByteUnit(maxCurveValue(memory))
	return []Chart{
		timeSeriesChart(r, curveChartSpec{"cpu", "CPU in use", "cores", 1}, cpu, cpuLimits),
		timeSeriesChart(r, curveChartSpec{"memory", "Memory in use", unit, scale}, memory, memoryLimits),
	}
}

// recordedCharts returns one chart for each series name, with a curve for each subject.
func recordedCharts(r *document.RunResult) []Chart {
	var charts []Chart
	var names []string
	for _, s := range r.Recorded {
		if !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
	}
	for i, name := range names {
		if isAllZero(r, name) {
			continue
		}
		var curves []namedCurve
		unit := ""
		for _, s := range r.Recorded {
			if s.Name == name {
				unit = s.Unit
				curves = append(curves, namedCurve{subjectOrNetwork(s), r.ExpandToSeconds(s.Values)})
			}
		}
		scale, title := 1.0, splitCamelCase(name)
		if rest, isBytes := strings.CutPrefix(unit, "B"); isBytes && (rest == "" || rest == "/s") {
			unit, scale = chooseByteUnit(maxCurveValue(curves))
			unit += rest
		}
		charts = append(
			charts,
			timeSeriesChart(r, curveChartSpec{fmt.Sprintf("recorded-%d-%s", i+1, sanitizeFileName(name)), title, cmp.Or(unit, title), scale}, curves, nil),
		)
	}
	return charts
}

// isAllZero reports whether all recorded values of a series are zero. Such series are listed instead of drawn.
func isAllZero(r *document.RunResult, name string) bool {
	return !slices.ContainsFunc(r.Recorded, func(s measurement.NamedSeries) bool {
		return s.Name == name && slices.ContainsFunc(s.Values, func(v float64) bool { return v != 0 && !math.IsNaN(v) })
	})
}

// zeroSeriesText lists the series that are not drawn.
func zeroSeriesText(r *document.RunResult) []string {
	var names []string
	for _, s := range r.Recorded {
		if name := strings.ToLower(splitCamelCase(s.Name)); isAllZero(r, s.Name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{"Zero throughout the window, where known: " + strings.Join(names, ", ") + "."}
}

func subjectOrNetwork(s measurement.NamedSeries) string {
	if s.Subject == "" {
		return "network"
	}
	return s.Subject
}

// curveChartSpec describes a chart of curves. Values are divided by scale to convert them to the unit.
type curveChartSpec struct {
	name, title, unit string
	scale             float64
}

// maxCurves is the number of curves with distinct styles. If there are more, they share one style and the mean
// is highlighted.
const maxCurves = 8

func timeSeriesChart(r *document.RunResult, c curveChartSpec, curves []namedCurve, limits []float64) Chart {
	g := newChartBuilder(c.name, c.title, secondsAxisTitle, c.title+" ("+c.unit+")")
	if len(curves) > maxCurves {
		g.drawManyCurves(curves, c.scale)
	} else {
		for i, curve := range curves {
			if l := g.drawSeries(curve.values, c.scale, seriesStyleAt(i).lineStyle(thickLine-0.3)); l != nil {
				g.addLegendEntry(curve.name, l)
			}
		}
	}
	top := maxCurveValue(curves)
	for _, limit := range limits {
		text := "limit " + formatQuantity(limit/c.scale, c.unit)
		if limit <= 3*top {
			g.drawHorizontalLine(limit/c.scale, text, rightEnd, hintLine)
		} else {
			g.Caption = strings.TrimSpace(g.Caption + " The " + text + " is far above the chart.")
		}
	}
	g.plot.X.Min, g.plot.X.Max = 0, float64(r.Times.WindowSeconds)
	g.startAtZero()
	return g.Chart
}

// drawManyCurves draws many curves in one style, and their mean.
func (g *chartBuilder) drawManyCurves(curves []namedCurve, scale float64) {
	style := draw.LineStyle{Color: withAlpha(palette[0], 0x4d), Width: thinLine}
	var mean measurement.Series
	for i := range curves[0].values {
		var at measurement.Series
		for _, c := range curves {
			if i < len(c.values) {
				at = append(at, c.values[i])
			}
		}
		mean = append(mean, at.Mean())
	}
	for i, c := range curves {
		if l := g.drawSeries(c.values, scale, style); l != nil && i == 0 {
			g.addLegendEntry(fmt.Sprintf("each of %d", len(curves)), l)
		}
	}
	if l := g.drawSeries(mean, scale, draw.LineStyle{Color: inkColor, Width: thickLine}); l != nil {
		g.addLegendEntry("mean", l)
	}
}

// maxCurveValue returns the largest value of all curves, or 0 if nothing was measured.
func maxCurveValue(curves []namedCurve) float64 {
	top := 0.0
	for _, c := range curves {
		if v := c.values.Max(); !math.IsNaN(v) {
			top = math.Max(top, v)
		}
	}
	return top
}

// splitCamelCase splits a name in camel case: pendingTransactions becomes Pending transactions.
func splitCamelCase(name string) string {
	var text strings.Builder
	for i, r := range name {
		switch {
		case i == 0:
			text.WriteString(strings.ToUpper(string(r)))
		case r >= 'A' && r <= 'Z':
			text.WriteString(" " + strings.ToLower(string(r)))
		default:
			text.WriteRune(r)
		}
	}
	return text.String()
}

// sanitizeFileName replaces the characters of a name that are unsafe in a file name.
func sanitizeFileName(name string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '-'
	}, name), "-")
}
