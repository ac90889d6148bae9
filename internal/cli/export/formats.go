package export

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
)

// Format is a file format of the table.
type Format string

// The formats.
const (
	CSV     Format = "csv"
	Parquet Format = "parquet"
)

// Write writes the rows that produce emits in a format.
func Write(w io.Writer, format Format, produce func(Emit) error) error {
	if format == Parquet {
		return writeParquet(w, produce)
	}
	return writeCSV(w, produce)
}

// rowsPerBatch is the number of rows that the Parquet writer receives at once. maxRowsPerGroup bounds the rows that
// it keeps in memory.
const (
	rowsPerBatch    = 256
	maxRowsPerGroup = 1024 * rowsPerBatch
)

func writeParquet(w io.Writer, produce func(Emit) error) error {
	out := parquet.NewGenericWriter[Row](w, parquet.MaxRowsPerRowGroup(maxRowsPerGroup))
	batch := make([]Row, 0, rowsPerBatch)
	flush := func() error {
		_, err := out.Write(batch)
		batch = batch[:0]
		return err
	}
	err := produce(func(row Row) error {
		if batch = append(batch, row); len(batch) < rowsPerBatch {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	if err := flush(); err != nil {
		return fmt.Errorf("write Parquet: %w", err)
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("write Parquet: %w", err)
	}
	return nil
}

func writeCSV(w io.Writer, produce func(Emit) error) error {
	out := csv.NewWriter(w)
	if err := out.Write(columnNames()); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	if err := produce(func(row Row) error { return out.Write(row.formatCells()) }); err != nil {
		return err
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}

// columnNames returns the names of the columns in their order.
func columnNames() []string {
	var names []string
	for _, column := range parquet.SchemaOf(Row{}).Columns() {
		names = append(names, column[0])
	}
	return names
}

// formatCells returns the row as CSV cells. An absent value is an empty cell.
func (r *Row) formatCells() []string {
	return []string{
		quoteFormula(r.Namespace), quoteFormula(r.Experiment), quoteFormula(r.Point), quoteFormula(r.Variant), quoteFormula(r.Parameters),
		formatInteger(r.Repetition), quoteFormula(r.Run), quoteFormula(r.Network), quoteFormula(r.Workload), formatTime(r.WindowStart),
		quoteFormula(r.Verdict), quoteFormula(r.Subject), quoteFormula(r.Metric), formatInteger(r.Second), formatNumber(r.Quantile),
		formatNumber(r.Value), quoteFormula(r.Unit),
	}
}

// quoteFormula returns a text with a leading apostrophe if a spreadsheet would evaluate it as a formula.
func quoteFormula(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r\n", rune(text[0])) {
		return "'" + text
	}
	return text
}

func formatInteger(value *int32) string {
	if value == nil {
		return ""
	}
	return strconv.Itoa(int(*value))
}

func formatNumber(value *float64) string {
	if value == nil {
		return ""
	}
	return strconv.FormatFloat(*value, 'f', -1, 64)
}

func formatTime(at *time.Time) string {
	if at == nil {
		return ""
	}
	return at.Format(time.RFC3339)
}
