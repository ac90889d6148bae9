// Package table lays results out for people.
package table

import (
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/printers"
)

// Table is rows under headings.
type Table struct {
	columns []metav1.TableColumnDefinition
	rows    []metav1.TableRow
}

// New is an empty table with these columns; those whose name begins with + are shown with -o wide alone.
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

// AddRow a row; an empty cell shows that there is nothing.
func (t *Table) AddRow(cells ...string) {
	row := metav1.TableRow{}
	for _, cell := range cells {
		row.Cells = append(row.Cells, cell)
	}
	t.rows = append(t.rows, row)
}

// Len is the number of rows.
func (t *Table) Len() int { return len(t.rows) }

// Print the table as kubectl prints its own.
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
