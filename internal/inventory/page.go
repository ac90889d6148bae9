package inventory

import (
	_ "embed"
	"fmt"
	"io"
	"regexp"
	"strings"
	"text/template"
)

//go:embed page.md.tmpl
var page string

// Write writes the page of documentation.
func (i *Inventory) Write(w io.Writer) error {
	text, err := template.New("page").Funcs(template.FuncMap{"metrics": i.metricTable, "rules": i.ruleTable, "alerts": i.alertTable}).Parse(page)
	if err != nil {
		return fmt.Errorf("parse the page of metrics: %w", err)
	}
	if err := text.Execute(w, nil); err != nil {
		return fmt.Errorf("write the page of metrics: %w", err)
	}
	return nil
}

func (i *Inventory) metricTable(source Source) (string, error) {
	all := i.Sources[source]
	if len(all) == 0 {
		return "", fmt.Errorf("%s tells no metrics", source)
	}
	rows := [][]string{{"metric", "kind", "labels", "what"}}
	for _, m := range all {
		rows = append(rows, []string{code(m.Name), m.Kind, code(m.Labels...), m.Help})
	}
	return table(rows), nil
}

func (i *Inventory) ruleTable() string {
	rows := [][]string{{"rule", "unit", "what"}}
	for _, r := range i.Rules {
		rows = append(rows, []string{code(r.Name), r.Unit(), r.Help})
	}
	return table(rows)
}

func (i *Inventory) alertTable() string {
	rows := [][]string{{"alert", "severity", "after", "says"}}
	for _, a := range i.Alerts {
		link := fmt.Sprintf("[%s](runbooks.md#%s)", a.Name, strings.ToLower(a.Name))
		after := a.For
		if after == "" {
			after = "at once"
		}
		rows = append(rows, []string{link, a.Severity, after, placeholder.ReplaceAllString(a.Summary, "*$1*")})
	}
	return table(rows)
}

// placeholder is a label's value in the text of an alert.
var placeholder = regexp.MustCompile(`\{\{ \$labels\.(\w+) \}\}`)

// table writes the rows, of which the first is the head.
func table(rows [][]string) string {
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

// code sets words as code.
func code(words ...string) string {
	if len(words) == 0 {
		return ""
	}
	return "`" + strings.Join(words, "`, `") + "`"
}
