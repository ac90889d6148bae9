package model

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Query is one Prometheus query of a dashboard.
type Query struct {
	// Where is the location of the query for people: corda: panel 4 "In flight" A.
	Where string
	// Expr is the PromQL expression, with variables.
	Expr string
	// Instant queries are evaluated only at the end of the range.
	Instant bool
}

// Queries returns the queries of all panels, variables and annotations. For a variable
// label_values(metric{...}, label) the query is metric{...}.
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

// ParseQuery returns the series selector and the label of the variable's label_values query.
func (v *Variable) ParseQuery() (series, label string, err error) {
	parts := labelValuesPattern.FindStringSubmatch(v.Query)
	if parts == nil {
		return "", "", fmt.Errorf("variable %s: query %q is not label_values(series, label)", v.Name, v.Query)
	}
	return parts[1], parts[2], nil
}

// variablePattern matches $name, ${name} and ${name:format}.
var variablePattern = regexp.MustCompile(`\$(?:\{(\w+)(?::\w+)?\}|(\w+))`)

// InterpolateVariables replaces variables by their values, including Grafana's own: __rate_interval, __interval
// and __range. It fails with the names of variables without a value.
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

// VariableNames returns the names of the variables in an expression, each once.
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
