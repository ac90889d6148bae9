// Package table formats results as text tables.
package table

import (
	"fmt"
	"io"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/printers"
)

// Table is a table with column headings.
type Table struct {
	columns []metav1.TableColumnDefinition
	rows    []metav1.TableRow
}

// New returns an empty table with the given columns. A column with the prefix + appears only in wide output.
func New(names ...string) *Table {
	t := &Table{}
	for _, name := range names {
		column := metav1.TableColumnDefinition{Name: name, Type: "string"}
		if name[0] == '+' {
			column.Name, column.Priority = name[1:], 1
		}
		t.columns = append(t.columns, column)
	}
	return t
}

// AddRow adds a row. Print shows an empty cell as "-".
func (t *Table) AddRow(cells ...string) {
	row := metav1.TableRow{}
	for _, cell := range cells {
		row.Cells = append(row.Cells, cell)
	}
	t.rows = append(t.rows, row)
}

// Len returns the number of rows.
func (t *Table) Len() int { return len(t.rows) }

// PrintMarkdown prints the table, without its wide columns, as a table of GitHub-flavored Markdown.
func (t *Table) PrintMarkdown(w io.Writer) error {
	var names, rules []string
	for _, column := range t.columns {
		if column.Priority == 0 {
			names, rules = append(names, column.Name), append(rules, "---")
		}
	}
	rows := [][]string{names, rules}
	for _, row := range t.rows {
		var cells []string
		for i, cell := range row.Cells {
			if t.columns[i].Priority == 0 {
				cells = append(cells, EscapeMarkdown(fmt.Sprint(cell)))
			}
		}
		rows = append(rows, cells)
	}
	for _, cells := range rows {
		if _, err := fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")); err != nil {
			return err
		}
	}
	return nil
}

// markdownEscapes escape what Markdown or HTML would interpret.
var markdownEscapes = strings.NewReplacer("\\", `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`,
	"<", "&lt;", ">", "&gt;", "&", "&amp;", "\n", " ")

// EscapeMarkdown escapes a text, so that it appears literally in one line of Markdown.
func EscapeMarkdown(text string) string { return markdownEscapes.Replace(text) }

// Print prints the table like kubectl.
func (t *Table) Print(w io.Writer, wide bool) error {
	shown := &metav1.Table{ColumnDefinitions: t.columns}
	for _, row := range t.rows {
		var filled metav1.TableRow
		for _, cell := range row.Cells {
			if cell == "" {
				cell = "-"
			}
			filled.Cells = append(filled.Cells, cell)
		}
		shown.Rows = append(shown.Rows, filled)
	}
	return printers.NewTablePrinter(printers.PrintOptions{Wide: wide}).PrintObj(shown, w)
}
