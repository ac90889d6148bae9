package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg/draw"

	"github.com/benchnet/benchnet/internal/results"
)

// curve is a series with the name of whom it is about.
type curve struct {
	name   string
	values results.Series
}

// resourceCharts show CPU and memory of everything that was observed.
func resourceCharts(r *results.Result) []Chart {
	var cpu, memory []curve
	for _, m := range r.Members {
		cpu = append(cpu, curve{m.Member, r.PerSecond(m.CPUSeconds)})
		memory = append(memory, curve{m.Member, r.PerSecond(m.MemoryBytes)})
	}
	if len(cpu) == 0 {
		return nil
	}
	cpuLimits, memoryLimits := limits(r)
	unit, scale := bytesUnit(highest(memory))
	return []Chart{
		overTime(r, chartOf{"cpu", "CPU in use", "cores", 1}, cpu, cpuLimits),
		overTime(r, chartOf{"memory", "Memory in use", unit, scale}, memory, memoryLimits),
	}
}

// recordedCharts are one for each name, with a curve for each subject.
func recordedCharts(r *results.Result) []Chart {
	var charts []Chart
	var names []string
	for _, s := range r.Recorded {
		if !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
	}
	for i, name := range names {
		if isZero(r, name) {
			continue
		}
		var curves []curve
		unit := ""
		for _, s := range r.Recorded {
			if s.Name == name {
				unit = s.Unit
				curves = append(curves, curve{subject(s), r.PerSecond(s.Values)})
			}
		}
		scale, title := 1.0, words(name)
		if rest, isBytes := strings.CutPrefix(unit, "B"); isBytes && (rest == "" || rest == "/s") {
			unit, scale = bytesUnit(highest(curves))
			unit += rest
		}
		charts = append(charts, overTime(r, chartOf{fmt.Sprintf("recorded-%d-%s", i+1, fileName(name)), title, cmp.Or(unit, title), scale}, curves, nil))
	}
	return charts
}

// isZero tells whether all that was recorded under a name is zero. Such series are named, not drawn.
func isZero(r *results.Result, name string) bool {
	return !slices.ContainsFunc(r.Recorded, func(s results.NamedSeries) bool {
		return s.Name == name && slices.ContainsFunc(s.Values, func(v float64) bool { return v != 0 && !math.IsNaN(v) })
	})
}

// recordedText names the series that are not drawn.
func recordedText(r *results.Result) []string {
	var names []string
	for _, s := range r.Recorded {
		if name := strings.ToLower(words(s.Name)); isZero(r, s.Name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{"Zero, as far as known, throughout the window: " + strings.Join(names, ", ") + "."}
}

func subject(s results.NamedSeries) string {
	if s.Subject == "" {
		return "network"
	}
	return s.Subject
}

// chartOf is how a chart of curves is called; its values are divided by scale to be in its unit.
type chartOf struct {
	name, title, unit string
	scale             float64
}

// maxCurves that are told apart; of more, the mean is shown among all.
const maxCurves = 8

func overTime(r *results.Result, c chartOf, curves []curve, limits []float64) Chart {
	g := newGraph(c.name, c.title, seconds, c.title+" ("+c.unit+")")
	if len(curves) > maxCurves {
		g.crowd(curves, c.scale)
	} else {
		for i, curve := range curves {
			if l := g.series(curve.values, c.scale, lookOf(i).line(thickLine-0.3)); l != nil {
				g.explain(curve.name, l)
			}
		}
	}
	top := highest(curves)
	for _, limit := range limits {
		text := "limit " + quantity(limit/c.scale, c.unit)
		if limit <= 3*top {
			g.level(limit/c.scale, text, rightEnd, hint)
		} else {
			g.Caption = strings.TrimSpace(g.Caption + " The " + text + " lies far above the chart.")
		}
	}
	g.plot.X.Min, g.plot.X.Max = 0, float64(r.Times.WindowSeconds)
	g.fromZero()
	return g.Chart
}

// crowd draws many curves in one look, and their mean.
func (g *graph) crowd(curves []curve, scale float64) {
	style := draw.LineStyle{Color: withAlpha(palette[0], 0x4d), Width: thinLine}
	var mean results.Series
	for i := range curves[0].values {
		var at results.Series
		for _, c := range curves {
			if i < len(c.values) {
				at = append(at, c.values[i])
			}
		}
		mean = append(mean, at.Mean())
	}
	for i, c := range curves {
		if l := g.series(c.values, scale, style); l != nil && i == 0 {
			g.explain(fmt.Sprintf("each of %d", len(curves)), l)
		}
	}
	if l := g.series(mean, scale, draw.LineStyle{Color: ink, Width: thickLine}); l != nil {
		g.explain("mean", l)
	}
}

// highest value of all curves; 0 if nothing was measured.
func highest(curves []curve) float64 {
	top := 0.0
	for _, c := range curves {
		if v := c.values.Max(); !math.IsNaN(v) {
			top = math.Max(top, v)
		}
	}
	return top
}

// words takes a name in camel case apart: pendingTransactions is Pending transactions.
func words(name string) string {
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

// fileName keeps of a name what is safe in a file's.
func fileName(name string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '-'
	}, name), "-")
}
