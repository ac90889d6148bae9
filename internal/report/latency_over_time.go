package report

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// latencyOverTime returns a chart of the mean latency by second and the percentiles by interval, as far as they are known.
func latencyOverTime(r *document.RunResult) []Chart {
	means, intervals := r.Series.MeanLatencyMillis, r.Series.LatencyIntervals
	if intervals == nil {
		intervals = &measurement.LatencyIntervals{}
	}
	low, high := positiveRange(means, intervals.P50, intervals.P95, intervals.P99)
	if high == 0 {
		return nil
	}
	name := latencyTitle(r.Summary.Unit, r.Summary.LatencyKind)
	g := newChartBuilder("latency-over-time", name+" over time", secondsAxisTitle, name+" (ms)")
	g.setLatencyAxis(low, high)
	g.plot.X.Min, g.plot.X.Max = 0, float64(r.Times.WindowSeconds)
	faded := draw.LineStyle{Color: withAlpha(faintColor, 0x8c), Width: thinLine}
	if l := g.drawSeries(means, 1, faded); l != nil {
		g.addLegendEntry("mean of each second", l)
	}
	for i, percentile := range []struct {
		name   string
		values measurement.Series
	}{{"p50", intervals.P50}, {"p95", intervals.P95}, {"p99", intervals.P99}} {
		if l := g.drawIntervals(percentile.values, intervals.IntervalSeconds, seriesStyleAt(i).lineStyle(thickLine)); l != nil {
			g.addLegendEntry(percentile.name, l)
		}
	}
	if intervals.IntervalSeconds > 0 {
		g.Caption = fmt.Sprintf("Percentiles by intervals of %d s, of the %s that start in them. Those with fewer than ten values above them are left out.",
			intervals.IntervalSeconds, unitOrDefault(r.Summary.Unit))
	}
	g.fitY()
	return []Chart{g.Chart}
}

// positiveRange returns the lowest and highest positive value of all series, or zeros if there is none.
func positiveRange(all ...measurement.Series) (low, high float64) {
	values := slices.DeleteFunc(slices.Clone(slices.Concat(all...)), func(v float64) bool { return !(v > 0) || math.IsInf(v, 0) })
	if len(values) == 0 {
		return 0, 0
	}
	return slices.Min(values), slices.Max(values)
}

// drawIntervals draws one level per interval, connected where neighbours are known. It returns the last line, or nil.
func (g *chartBuilder) drawIntervals(values measurement.Series, seconds int, style draw.LineStyle) *plotter.Line {
	var last *plotter.Line
	var run plotter.XYs
	for i, v := range values {
		if v > 0 {
			run = append(run, plotter.XY{X: float64(i * seconds), Y: v}, plotter.XY{X: math.Min(float64((i+1)*seconds), g.plot.X.Max), Y: v})
		}
		if i == len(values)-1 || !(values[i+1] > 0) {
			if l := g.drawLine(run, style); l != nil {
				last = l
			}
			run = nil
		}
	}
	return last
}
