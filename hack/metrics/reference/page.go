package reference

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/template"
)

//go:embed page.md.tmpl
var pageTemplate string

// WritePage writes the documentation page.
func (i *Reference) WritePage(w io.Writer) error {
	text, err := template.New("page").Funcs(template.FuncMap{"metrics": i.metricTable, "rules": i.ruleTable, "alerts": i.alertTable}).Parse(pageTemplate)
	if err != nil {
		return fmt.Errorf("parse the page of metrics: %w", err)
	}
	if err := text.Execute(w, nil); err != nil {
		return fmt.Errorf("write the page of metrics: %w", err)
	}
	return nil
}

func (i *Reference) metricTable(source Source) (string, error) {
	all := i.Sources[source]
	if len(all) == 0 {
		return "", fmt.Errorf("%s has no metrics", source)
	}
	if hasEqualLabels(all) {
		rows := [][]string{{"metric", "kind", "what"}}
		for _, m := range all {
			rows = append(rows, []string{formatCode(m.Name), m.Kind, m.Help})
		}
		return formatTable(rows), nil
	}
	rows := [][]string{{"metric", "kind", "labels", "what"}}
	for _, m := range all {
		rows = append(rows, []string{formatCode(m.Name), m.Kind, formatCode(m.Labels...), m.Help})
	}
	return formatTable(rows), nil
}

// hasEqualLabels reports whether the metrics have the same labels, which the page then names above their table.
func hasEqualLabels(all []Metric) bool {
	return !slices.ContainsFunc(all, func(m Metric) bool { return !slices.Equal(m.Labels, all[0].Labels) })
}

func (i *Reference) ruleTable() string {
	rows := [][]string{{"rule", "unit", "what"}}
	for _, r := range i.Rules {
		rows = append(rows, []string{formatCode(r.Name), r.Unit(), r.Help})
	}
	return formatTable(rows)
}

func (i *Reference) alertTable() string {
	rows := [][]string{{"alert", "severity", "after"}}
	for _, a := range i.Alerts {
		link := fmt.Sprintf("[%s](runbooks.md#%s)", a.Name, strings.ToLower(a.Name))
		after := a.For
		if after == "" {
			after = "at once"
		}
		rows = append(rows, []string{link, a.Severity, after})
	}
	return formatTable(rows)
}

// formatTable writes the rows. The first row is the header.
func formatTable(rows [][]string) string {
	var text strings.Builder
	for n, row := range rows {
		cells := strings.ReplaceAll(strings.Join(row, "\x00"), "|", `\|`)
		fmt.Fprintf(&text, "| %s |\n", strings.ReplaceAll(cells, "\x00", " | "))
		if n == 0 {
			fmt.Fprintf(&text, "|%s\n", strings.Repeat("---|", len(row)))
		}
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// formatCode formats words as code.
func formatCode(words ...string) string {
	if len(words) == 0 {
		return ""
	}
	return "`" + strings.Join(words, "`, `") + "`"
}
