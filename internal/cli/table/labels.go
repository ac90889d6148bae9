package table

import (
	"strconv"

	"github.com/benchnet/benchnet/internal/cli/documents"
)

// ForLabels returns a table of the requests of runs by the labels of users' JMeter plans, or by the kinds of transactions of mixes.
func ForLabels(runs []*documents.Run) *Table {
	t := New("Name", "Label", "Requests", "Errors")
	for _, run := range runs {
		for _, l := range run.Labels {
			t.AddRow(run.Run.Name, l.Label, strconv.FormatInt(l.Requests, 10), strconv.FormatInt(l.Errors, 10))
		}
	}
	return t
}
