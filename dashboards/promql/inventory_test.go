package promql

import (
	"strings"
	"testing"
)

// inventory has the metrics that there are, with their types: counter, gauge, histogram, summary.
type inventory map[string]string

// kind of a series' name. The parts of a histogram and of a summary are counters. Empty: there is no such metric.
func (i inventory) kind(name string) string {
	if kind := i[name]; kind != "" {
		return kind
	}
	for _, suffix := range []string{"_bucket", "_sum", "_count"} {
		base, found := strings.CutSuffix(name, suffix)
		if kind := i[base]; found && (kind == "histogram" || kind == "summary" && suffix != "_bucket") {
			return "counter"
		}
	}
	return ""
}

func documented(t *testing.T) inventory {
	t.Helper()
	return nil
}
