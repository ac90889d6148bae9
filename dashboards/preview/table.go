package main

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/benchnet/benchnet/dashboards/model"
)

// styledText is a table cell or a number, with its colour.
type styledText struct{ Text, Color string }

// tableView is a table panel after the transformations merge and organize.
type tableView struct {
	Head []string
	Body [][]styledText
}

// buildTable merges the query results. Series with equal shared labels share a row.
func buildTable(p *model.Panel, lines []panelSeries) tableView {
	excluded, renamed := map[string]bool{}, map[string]string{}
	for _, t := range p.Transformations {
		maps.Copy(excluded, t.Options.ExcludeByName)
		maps.Copy(renamed, t.Options.RenameByName)
	}
	var fields []string
	field := func(name string) {
		if !excluded[name] && !slices.Contains(fields, name) {
			fields = append(fields, name)
		}
	}
	labels := map[string]bool{}
	merged := []map[string]any{}
	for _, l := range lines {
		row := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(l.labels)) {
			row[string(name)] = string(l.labels[name])
			labels[string(name)] = true
			field(string(name))
		}
		row["Value #"+l.refID] = l.lastValue()
		merged = mergeRow(merged, row, labels)
	}
	for _, t := range p.Targets {
		field("Value #" + t.RefID)
	}
	// Labels come first, as in Grafana.
	slices.SortStableFunc(fields, func(a, b string) int { return fieldRank(a) - fieldRank(b) })
	var out tableView
	for _, f := range fields {
		out.Head = append(out.Head, fieldTitle(f, renamed))
	}
	for _, row := range merged {
		var cells []styledText
		for _, f := range fields {
			cells = append(cells, fieldStyleOf(p, fieldTitle(f, renamed)).renderCell(row[f]))
		}
		out.Body = append(out.Body, cells)
	}
	return out
}

func fieldRank(field string) int {
	if strings.HasPrefix(field, "Value #") {
		return 1
	}
	return 0
}

func fieldTitle(field string, renamed map[string]string) string {
	if name := renamed[field]; name != "" {
		return name
	}
	return field
}

// mergeRow merges a row into one with the same shared labels, or appends it.
func mergeRow(all []map[string]any, row map[string]any, labels map[string]bool) []map[string]any {
	for _, other := range all {
		shared, same := 0, true
		for name := range labels {
			a, inRow := row[name]
			b, inOther := other[name]
			if inRow && inOther {
				shared++
				same = same && a == b
			}
		}
		if shared > 0 && same {
			maps.Copy(other, row)
			return all
		}
	}
	return append(all, row)
}

// fieldStyle is the display style of one field.
type fieldStyle struct {
	unit     string
	defaults model.FieldDefaults
}

// fieldStyleOf returns the style of a field: the panel's, changed by overrides for the field.
func fieldStyleOf(p *model.Panel, name string) fieldStyle {
	look := fieldStyle{unit: p.FieldConfig.Defaults.Unit, defaults: p.FieldConfig.Defaults}
	for _, o := range p.FieldConfig.Overrides {
		if o.Matcher.ID != "byName" || o.Matcher.Options != name {
			continue
		}
		for _, property := range o.Properties {
			// Invalid values are ignored, since they only affect the display.
			switch property.ID {
			case "unit":
				_ = json.Unmarshal(property.Value, &look.unit)
			case "mappings":
				_ = json.Unmarshal(property.Value, &look.defaults.Mappings)
			case "thresholds":
				_ = json.Unmarshal(property.Value, &look.defaults.Thresholds)
			}
		}
	}
	return look
}

// renderCell renders a label or a number.
func (l fieldStyle) renderCell(content any) styledText {
	switch v := content.(type) {
	case string:
		return styledText{Text: v}
	case float64:
		return l.renderNumber(v)
	}
	return styledText{}
}

// renderNumber returns the number in its unit, or the text that it is mapped to.
func (l fieldStyle) renderNumber(v float64) styledText {
	plain := formatNumber(v, "none", nil)
	for _, m := range l.defaults.Mappings {
		if o, found := m.Options[plain]; found {
			return styledText{Text: o.Text, Color: cssColorName(o.Color)}
		}
	}
	out := styledText{Text: formatNumber(v, l.unit, l.defaults.Decimals)}
	for _, s := range l.defaults.Thresholds.Steps {
		if s.Value == nil || v >= *s.Value {
			out.Color = cssColorName(s.Color)
		}
	}
	return out
}

// cssColorName returns the CSS colour of a Grafana colour. Text has the page's own colour.
func cssColorName(name string) string {
	if c, known := grafanaColors[name]; known && name != "text" {
		return cssColor(c)
	}
	return "inherit"
}
