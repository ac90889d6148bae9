package main

import (
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"maps"
	"math"
	"os"
	"slices"

	"github.com/prometheus/common/model"

	dashboardsmodel "github.com/benchnet/benchnet/dashboards/model"
)

// Sizes of Grafana's grid, in pixels at the width of a picture.
const (
	columnWidth = 1400.0 / 24
	rowHeight   = 38.0
	// headHeight is the height of a panel's title, lineHeight that of a line of a legend.
	headHeight, lineHeight = 30.0, 17.0
	// legendLines is the largest number of visible lines of a legend. In Grafana one scrolls to the others.
	legendLines = 4
)

// page is the template data of a dashboard.
type page struct {
	Title, Description, Range string
	Chosen                    []variableChoice
	Marks                     []annotationMark
	Panels                    []panelView
}

type variableChoice struct{ Name, Value string }

// panelView is the template data of a panel. Only the fields of its type are set.
type panelView struct {
	Title, Description, Type string
	Style                    template.CSS
	Empty                    bool
	Chart                    template.HTML
	Legend                   []legendEntry
	Number                   styledText
	Table                    tableView
	Bars                     []gaugeBar
}

type legendEntry struct{ Color, Name, Mean, Max, Last string }

type gaugeBar struct {
	Name, Text string
	Percent    float64
}

//go:embed page.html
var pageLayout string

var pageTemplate = template.Must(template.New("page").Parse(pageLayout))

func writePage(path string, p *page) error {
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write a page: %w", err)
	}
	defer file.Close()
	if err := pageTemplate.Execute(file, p); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// buildPage runs all queries of the dashboard and returns its page.
func (a *querier) buildPage(ctx context.Context, d *dashboardsmodel.Dashboard) (*page, error) {
	marks, err := a.queryAnnotations(ctx, d)
	if err != nil {
		return nil, fmt.Errorf("dashboard %s: %w", d.UID, err)
	}
	p := &page{Title: d.Title, Description: d.Description, Marks: marks,
		Range: fmt.Sprintf("%s – %s UTC", a.from.UTC().Format("2006-01-02 15:04"), a.to.UTC().Format("15:04"))}
	for _, v := range d.Variables() {
		value := a.values[v.Name]
		if value == v.AllValue && v.IncludeAll {
			value = "All"
		}
		if v.Type == "query" {
			p.Chosen = append(p.Chosen, variableChoice{v.Name, value})
		}
	}
	for _, each := range d.Panels {
		if each.Type == dashboardsmodel.RowType {
			p.Panels = append(p.Panels, panelView{Title: each.Title, Type: each.Type, Style: gridStyle(each.GridPos)})
			continue
		}
		v, err := a.buildPanel(ctx, &each, marks)
		if err != nil {
			return nil, fmt.Errorf("dashboard %s: panel %q: %w", d.UID, each.Title, err)
		}
		p.Panels = append(p.Panels, v)
	}
	return p, nil
}

func gridStyle(g dashboardsmodel.GridPos) template.CSS {
	return template.CSS(fmt.Sprintf("grid-column:%d/span %d;grid-row:%d/span %d", g.X+1, g.W, g.Y+1, g.H)) //nolint:gosec // four numbers
}

func (a *querier) buildPanel(ctx context.Context, p *dashboardsmodel.Panel, marks []annotationMark) (panelView, error) {
	v := panelView{Title: p.Title, Description: p.Description, Type: p.Type, Style: gridStyle(p.GridPos)}
	lines, err := a.queryTargets(ctx, p.Targets)
	if err != nil {
		return v, err
	}
	v.Empty = len(lines) == 0
	width, height := float64(p.GridPos.W)*columnWidth-24, float64(p.GridPos.H)*rowHeight-headHeight
	look := fieldStyleOf(p, "")
	switch p.Type {
	case "timeseries":
		lines = sortByHighest(lines)
		v.Legend = buildLegend(lines, look)
		height -= lineHeight*float64(min(len(lines), legendLines)+1) + 14
		v.Chart, err = a.drawChart(p, lines, marks, width, height)
	case "stat":
		if !v.Empty {
			v.Number = look.renderNumber(lines[0].lastValue())
			if p.Options.TextMode == "name" {
				v.Number = styledText{Text: lines[0].name, Color: "inherit"}
			}
		}
	case "table":
		v.Table = buildTable(p, lines)
	case "bargauge":
		v.Bars = buildBars(lines, look)
	}
	return v, err
}

// sortByHighest sorts lines as the legends do: the highest first.
func sortByHighest(lines []panelSeries) []panelSeries {
	return slices.SortedStableFunc(slices.Values(lines), func(a, b panelSeries) int {
		_, x := meanAndMax(a.samples)
		_, y := meanAndMax(b.samples)
		return -compareNaNFirst(x, y)
	})
}

func compareNaNFirst(a, b float64) int {
	switch {
	case a < b || math.IsNaN(a) && !math.IsNaN(b):
		return -1
	case a > b || math.IsNaN(b) && !math.IsNaN(a):
		return 1
	}
	return 0
}

func buildLegend(lines []panelSeries, look fieldStyle) []legendEntry {
	var all []legendEntry
	for i, l := range lines {
		if i == legendLines {
			break
		}
		mean, highest := meanAndMax(l.samples)
		all = append(
			all,
			legendEntry{
				Color: cssColor(seriesColor(i)),
				Name:  l.name,
				Mean:  look.formatValue(mean),
				Max:   look.formatValue(highest),
				Last:  look.formatValue(l.lastValue()),
			},
		)
	}
	return all
}

func (l fieldStyle) formatValue(v float64) string {
	return formatNumber(v, l.unit, l.defaults.Decimals)
}

func meanAndMax(samples []model.SamplePair) (mean, highest float64) {
	sum, n := 0.0, 0
	highest = math.NaN()
	for _, s := range samples {
		v := float64(s.Value)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		sum, n = sum+v, n+1
		if math.IsNaN(highest) || v > highest {
			highest = v
		}
	}
	return sum / float64(n), highest
}

func buildBars(lines []panelSeries, look fieldStyle) []gaugeBar {
	highest := 0.0
	for _, l := range lines {
		highest = max(highest, l.lastValue())
	}
	var all []gaugeBar
	for _, l := range lines {
		all = append(all, gaugeBar{Name: l.name, Text: look.formatValue(l.lastValue()), Percent: 100 * l.lastValue() / max(highest, math.SmallestNonzeroFloat64)})
	}
	return all
}

// emptyPanels returns the titles of panels without data.
func (p *page) emptyPanels() []string {
	titles := map[string]bool{}
	for _, v := range p.Panels {
		if v.Empty && v.Type != dashboardsmodel.RowType {
			titles[v.Title] = true
		}
	}
	return slices.Sorted(maps.Keys(titles))
}
