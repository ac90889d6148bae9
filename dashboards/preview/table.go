package main

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/benchnet/benchnet/internal/dashboard"
)

// cell of a table, or a number, with its colour.
type cell struct{ Text, Color string }

// grid of a table panel, as the transformations merge and organize make it.
type rows struct {
	Head []string
	Body [][]cell
}

// tabled merges the queries' answers: series whose shared labels are equal share a row.
func tabled(p *dashboard.Panel, lines []line) rows {
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
		row["Value #"+l.ref] = l.last()
		merged = merge(merged, row, labels)
	}
	for _, t := range p.Targets {
		field("Value #" + t.RefID)
	}
	// Labels first, as Grafana has them.
	slices.SortStableFunc(fields, func(a, b string) int { return value(a) - value(b) })
	var out rows
	for _, f := range fields {
		out.Head = append(out.Head, title(f, renamed))
	}
	for _, row := range merged {
		var cells []cell
		for _, f := range fields {
			cells = append(cells, lookOf(p, title(f, renamed)).cell(row[f]))
		}
		out.Body = append(out.Body, cells)
	}
	return out
}

func value(field string) int {
	if strings.HasPrefix(field, "Value #") {
		return 1
	}
	return 0
}

func title(field string, renamed map[string]string) string {
	if name := renamed[field]; name != "" {
		return name
	}
	return field
}

// merge puts a row to one with the same shared labels, if there is one.
func merge(all []map[string]any, row map[string]any, labels map[string]bool) []map[string]any {
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

// looking is how one field looks.
type looking struct {
	unit  string
	panel dashboard.Look
}

// lookOf is the look of a field: the panel's, unless an override names it.
func lookOf(p *dashboard.Panel, name string) looking {
	look := looking{unit: p.FieldConfig.Defaults.Unit, panel: p.FieldConfig.Defaults}
	for _, o := range p.FieldConfig.Overrides {
		if o.Matcher.ID != "byName" || o.Matcher.Options != name {
			continue
		}
		for _, property := range o.Properties {
			// What cannot be read stays as it is: it is not for the eye.
			switch property.ID {
			case "unit":
				_ = json.Unmarshal(property.Value, &look.unit)
			case "mappings":
				_ = json.Unmarshal(property.Value, &look.panel.Mappings)
			case "thresholds":
				_ = json.Unmarshal(property.Value, &look.panel.Thresholds)
			}
		}
	}
	return look
}

// cell of a label or a number.
func (l looking) cell(content any) cell {
	switch v := content.(type) {
	case string:
		return cell{Text: v}
	case float64:
		return l.number(v)
	}
	return cell{}
}

// number in its unit, or the word that stands for it.
func (l looking) number(v float64) cell {
	plain := number(v, "none", nil)
	for _, m := range l.panel.Mappings {
		if o, found := m.Options[plain]; found {
			return cell{Text: o.Text, Color: colored(o.Color)}
		}
	}
	out := cell{Text: number(v, l.unit, l.panel.Decimals)}
	for _, s := range l.panel.Thresholds.Steps {
		if s.Value == nil || v >= *s.Value {
			out.Color = colored(s.Color)
		}
	}
	return out
}

// colored is a colour for the style sheet; that of text is the page's own.
func colored(name string) string {
	if c, known := named[name]; known && name != "text" {
		return css(c)
	}
	return "inherit"
}
