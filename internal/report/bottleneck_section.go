package report

import (
	"strings"

	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// maxUtilizations is the number of utilizations that are drawn. The table has all of them.
const maxUtilizations = 10

// bottleneckSection returns the section about the bottleneck of a run. It is empty for results of older
// versions.
func bottleneckSection(r *document.RunResult) section {
	s := section{ID: "bottleneck", Title: "Bottleneck"}
	b := r.Bottleneck
	if b == nil {
		return s
	}
	s.Text = []string{formatSentence(b.Message)}
	t := htmlTable{
		Header: append(textColumns("Resource", "Of"), append(numberColumns("In use", "Limit", "Utilization", "At its limit from"), proseColumns("Seen")...)...),
	}
	for _, u := range b.Evidence {
		t.Rows = append(
			t.Rows,
			tableRow{Cells: []string{formatResourceName(u.Resource), u.Subject, formatQuantity(u.Value, u.Unit), formatQuantity(u.Limit, u.Unit),
				formatPercent(u.Utilization), formatPercent(u.Threshold), u.Message}},
		)
	}
	if len(t.Rows) == 0 {
		return s
	}
	s.Tables = []htmlTable{t}
	s.Figures = []Chart{utilizationChart(b)}
	return s
}

// formatResourceName splits an identifier such as MemberCPU into words.
func formatResourceName(r verdict.Resource) string {
	name := string(r)
	if whole, found := strings.CutSuffix(name, "CPU"); found {
		return whole + " CPU"
	}
	return splitCamelCase(name)
}

// formatSentence capitalizes a message and ends it with a full stop.
func formatSentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// utilizationChart shows how near each resource was to its limit, the nearest at the top.
func utilizationChart(b *verdict.Bottleneck) Chart {
	all := b.Evidence[:min(len(b.Evidence), maxUtilizations)]
	var names []string
	for _, u := range all {
		names = append(names, strings.TrimSpace(formatResourceName(u.Resource)+" "+u.Subject))
	}
	c := newRowsChart("utilization", "Utilization of each resource relative to its limit", "Utilization (%)", names)
	right := 100.0
	below, reached := mark{Kind: boxesMark, style: style{Color: firstColor}}, mark{Kind: boxesMark, style: style{Color: worseColor}}
	thresholds := mark{Kind: boxesMark, style: style{Color: inkColor}}
	for i, u := range all {
		bars, row := &below, c.rowPosition(i)
		if u.Utilization >= u.Threshold {
			bars = &reached
		}
		bars.Points = append(bars.Points, xy{0, row - rowBarHalf}, xy{100 * u.Utilization, row + rowBarHalf})
		thresholds.Points = append(thresholds.Points, xy{100*u.Threshold - 0.15, row - 0.42}, xy{100*u.Threshold + 0.15, row + 0.42})
		right = max(right, 100*u.Utilization, 100*u.Threshold)
	}
	c.X.Min, c.X.Max = finitePointer(0), finitePointer(right)
	c.addMark(below)
	c.addMark(reached)
	c.addMark(thresholds)
	c.Caption = "The mark in each line is the bound from which the resource counts as at its limit."
	return c
}
