package promql

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// inventory has the metrics that there are, with their types: counter, gauge, histogram, summary, untyped.
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

// documented are the metrics of the page of all metrics.
func documented(t *testing.T) inventory {
	t.Helper()
	all := inventory{}
	for _, row := range row.FindAllStringSubmatch(read(t, root+"docs/metrics.md"), -1) {
		all[row[1]] = row[2]
	}
	if len(all) == 0 {
		t.Fatal("docs/metrics.md has no metrics")
	}
	return all
}

// row of a table of metrics: the name and the kind.
var row = regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (counter|gauge|histogram|summary|untyped) \\|")

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
