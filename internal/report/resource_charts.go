package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// namedCurve is a series with the name of its subject.
type namedCurve struct {
	name   string
	values measurement.Series
	// path locates the values in the result document.
	path []any
}

// resourceCharts show CPU and memory of everything that was observed.
func resourceCharts(r *document.RunResult) []Chart {
	var cpu, memory []namedCurve
	for i, m := range r.Members {
		cpu = append(cpu, namedCurve{m.Member, m.CPUSeconds, []any{"members", i, "cpuSeconds"}})
		memory = append(memory, namedCurve{m.Member, m.MemoryBytes, []any{"members", i, "memoryBytes"}})
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
		for j, s := range r.Recorded {
			if s.Name == name {
				unit = s.Unit
				curves = append(curves, namedCurve{subjectOrNetwork(s), s.Values, []any{"recorded", j, "values"}})
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

func subjectOrNetwork(s measurement.NamedSeries) string { return cmp.Or(s.Subject, "network") }

// curveChartSpec describes a chart of curves. Values are divided by scale to convert them to the unit.
type curveChartSpec struct {
	name, title, unit string
	scale             float64
}

// maxCurves is the number of curves with distinct styles. If there are more, they share one style and the mean
// is highlighted.
const maxCurves = 8

func timeSeriesChart(r *document.RunResult, spec curveChartSpec, curves []namedCurve, limits []float64) Chart {
	c := newWindowChart(r, spec.name, spec.title, spec.title+" ("+spec.unit+")")
	for i, curve := range curves {
		m := mark{Kind: lineMark, Legend: curve.name, style: seriesStyleAt(i),
			Series: &seriesSource{Path: curve.path, Seconds: max(1, r.SeriesSeconds), Divisor: spec.scale}}
		m.Width -= 0.3
		if len(curves) > maxCurves {
			m.Legend, m.style = "", style{Color: firstColor, Opacity: 0.3, Width: thinLine}
			if i == 0 {
				m.Legend = fmt.Sprintf("each of %d", len(curves))
			}
		}
		if math.IsNaN(curve.values.Max()) {
			continue
		}
		c.addMark(m)
	}
	if len(curves) > maxCurves {
		mean := meanOfCurves(curves, spec.scale, max(1, r.SeriesSeconds))
		c.addMark(mark{Kind: lineMark, Legend: "mean", style: style{Color: inkColor, Width: thickLine}, Points: mean})
	}
	top := maxCurveValue(curves)
	for _, limit := range limits {
		text := "limit " + formatQuantity(limit/spec.scale, spec.unit)
		if limit <= 3*top {
			c.addHorizontalLine(limit/spec.scale, text, hintLine)
		} else {
			c.Caption = strings.TrimSpace(c.Caption + " The " + text + " is far above the chart.")
		}
	}
	return c
}

// meanOfCurves returns the mean of all curves over time. Each value covers the given seconds.
func meanOfCurves(curves []namedCurve, scale float64, seconds int) []xy {
	var points []xy
	for i := range curves[0].values {
		var at measurement.Series
		for _, c := range curves {
			if i < len(c.values) {
				at = append(at, c.values[i])
			}
		}
		points = append(points, xy{float64((i+1)*seconds) - 0.5, at.Mean() / scale})
	}
	return points
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
