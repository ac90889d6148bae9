package cli

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"

	"github.com/benchnet/benchnet/internal/cli/documents"
	"github.com/benchnet/benchnet/internal/report"
)

// writeCSV writes one row with the summary of each run. A column that only some runs have,
// such as a platform-specific number, is empty for the others.
func (s *session) writeCSV(runs []*documents.Run) error {
	var columns []string
	var rows []map[string]string
	for _, document := range runs {
		var text bytes.Buffer
		if err := report.WriteRunCSV(&text, document.RunResult); err != nil {
			return err
		}
		lines, err := csv.NewReader(&text).ReadAll()
		if err != nil {
			return fmt.Errorf("read the summary of run %s: %w", document.Run.Name, err)
		}
		if len(lines) != 2 {
			return fmt.Errorf("the summary of run %s has %d lines, not a header and a row", document.Run.Name, len(lines))
		}
		row := map[string]string{}
		for at, name := range lines[0] {
			if !slices.Contains(columns, name) {
				columns = append(columns, name)
			}
			row[name] = lines[1][at]
		}
		rows = append(rows, row)
	}
	table := [][]string{columns}
	for _, row := range rows {
		var line []string
		for _, name := range columns {
			line = append(line, row[name])
		}
		table = append(table, line)
	}
	return csv.NewWriter(s.Out).WriteAll(table)
}
