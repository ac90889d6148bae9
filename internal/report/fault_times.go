package report

import (
	"slices"
	"strconv"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
)

// pointFault is a fault at a point of an experiment, with the medians that it has.
type pointFault struct {
	experiment.Point
	fault string
	times map[v1alpha1.Metric]experiment.PointFaultTime
}

// pointFaults returns the faults of all points, in their order.
func pointFaults(e *experiment.Result) []pointFault {
	var all []pointFault
	for _, p := range e.Points {
		first := len(all)
		for _, t := range p.FaultTimes {
			at := slices.IndexFunc(all[first:], func(f pointFault) bool { return f.fault == t.Fault })
			if at < 0 {
				at = len(all) - first
				all = append(all, pointFault{p, t.Fault, map[v1alpha1.Metric]experiment.PointFaultTime{}})
			}
			all[first+at].times[t.Metric] = t
		}
	}
	return all
}

// faultTimesSection has the times of the faults at each point. It is empty without faults.
func faultTimesSection(e *experiment.Result) section {
	faults := pointFaults(e)
	if len(faults) == 0 {
		return section{}
	}
	t := htmlTable{Header: slices.Concat(textColumns("Point"), variantColumns(e), textColumns(parameterNames(e)...), textColumns("Fault"), numberColumns("Runs"))}
	var charts []Chart
	for _, metric := range v1alpha1.FaultMetrics {
		m := findMetric(string(metric))
		t.Header = append(t.Header, numberColumns(withUnit(m.title, m.unit))...)
		charts = append(charts, faultTimesChart(e, m, faults))
	}
	for _, f := range faults {
		cells := slices.Concat([]string{f.Name}, variantCells(e, f.Point), parameterValues(e, f.Point),
			[]string{f.fault, strconv.Itoa(f.times[v1alpha1.MetricOutageTime].N)})
		for _, metric := range v1alpha1.FaultMetrics {
			cells = append(cells, dashIfEmpty(f.times[metric].Format(formatNumber)))
		}
		t.Rows = append(t.Rows, tableRow{Cells: cells})
	}
	return section{
		ID: "faults", Title: "Faults", Figures: charts, Tables: []htmlTable{t},
		Text: []string{"Medians of the valid runs, with their " + formatPercent(e.Confidence) + " intervals or, of few runs, the lowest and the highest. " +
			"A time that the next fault or the end of the window cut off was not reached."},
	}
}

// faultTimesChart shows the times of all valid runs, with one line for each point and fault.
func faultTimesChart(e *experiment.Result, m metricInfo, faults []pointFault) Chart {
	var names []string
	for _, f := range faults {
		names = append(names, formatPoint(f.Point)+", "+f.fault)
	}
	c := newRowsChart(sanitizeFileName("fault-"+string(m.name)), m.title, withUnit(m.title, m.unit), names)
	for i, f := range faults {
		var reached, cut []xy
		for _, run := range e.Runs {
			for _, t := range run.FaultTimes {
				switch at := (xy{t.Seconds, c.rowPosition(i)}); {
				case run.Point != f.Name || run.Verdict != experiment.RunValid || t.Fault != f.fault || t.Metric != m.name:
				case t.Censored:
					cut = append(cut, at)
				default:
					reached = append(reached, at)
				}
			}
		}
		c.addMark(mark{Kind: dotsMark, style: style{Color: firstColor, Shape: circle, Size: 3.8}, Points: reached})
		c.addMark(mark{Kind: dotsMark, style: style{Color: worseColor, Shape: ring, Size: 3.8}, Points: cut})
	}
	c.Caption = "A dot for each valid run. Rings are times that the next fault or the end of the window cut off."
	return c
}
