package model

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Query is something that a dashboard asks Prometheus.
type Query struct {
	// Where it is asked, for people: corda: panel 4 "In flight" A.
	Where string
	// Expr in PromQL, with variables in it.
	Expr string
	// Instant queries are asked for the end of the range alone.
	Instant bool
}

// Queries are those of all panels, variables and annotations. A variable's label_values(metric{...}, label) is asked as metric{...}.
func (d *Dashboard) Queries() ([]Query, error) {
	var all []Query
	for _, p := range d.AllPanels() {
		for _, t := range p.Targets {
			all = append(all, Query{Where: fmt.Sprintf("%s: panel %d %q %s", d.UID, p.ID, p.Title, t.RefID), Expr: t.Expr, Instant: t.Instant})
		}
	}
	for _, v := range d.Templating.List {
		if v.Type != "query" {
			continue
		}
		expr, _, err := v.ParseQuery()
		if err != nil {
			return nil, fmt.Errorf("dashboard %s: %w", d.UID, err)
		}
		all = append(all, Query{Where: fmt.Sprintf("%s: variable %s", d.UID, v.Name), Expr: expr})
	}
	for _, a := range d.Annotations.List {
		all = append(all, Query{Where: fmt.Sprintf("%s: annotation %q", d.UID, a.Name), Expr: a.Expr})
	}
	return all, nil
}

var labelValuesPattern = regexp.MustCompile(`^label_values\((.+),\s*([a-zA-Z_][a-zA-Z0-9_]*)\)$`)

// ParseQuery are the series whose label has the variable's values, and that label.
func (v *Variable) ParseQuery() (series, label string, err error) {
	parts := labelValuesPattern.FindStringSubmatch(v.Query)
	if parts == nil {
		return "", "", fmt.Errorf("variable %s: query %q is not label_values(series, label)", v.Name, v.Query)
	}
	return parts[1], parts[2], nil
}

// variablePattern is $name, ${name} and ${name:format}.
var variablePattern = regexp.MustCompile(`\$(?:\{(\w+)(?::\w+)?\}|(\w+))`)

// InterpolateVariables puts values in the place of variables, Grafana's own among them: __rate_interval, __interval and __range. An error names
// those that have no value.
func InterpolateVariables(expr string, values map[string]string) (string, error) {
	var missing []string
	filled := variablePattern.ReplaceAllStringFunc(expr, func(found string) string {
		name := matchedName(found)
		value, ok := values[name]
		if !ok {
			missing = append(missing, name)
		}
		return value
	})
	if len(missing) > 0 {
		return "", fmt.Errorf("query %q: no value for %s", expr, strings.Join(missing, ", "))
	}
	return filled, nil
}

// VariableNames are the names of the variables in an expression, each once.
func VariableNames(expr string) []string {
	var names []string
	for _, found := range variablePattern.FindAllString(expr, -1) {
		if name := matchedName(found); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func matchedName(found string) string {
	parts := variablePattern.FindStringSubmatch(found)
	return parts[1] + parts[2]
}
