package promql

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// metricKinds maps the existing metrics to their types: counter, gauge, histogram, summary, untyped.
type metricKinds map[string]string

// lookupKind returns the type of a series. The parts of a histogram and of a summary are counters. It returns
// an empty string for an unknown metric.
func (i metricKinds) lookupKind(name string) string {
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

// readDocumentedKinds returns the metrics of docs/metrics.md.
func readDocumentedKinds(t *testing.T) metricKinds {
	t.Helper()
	all := metricKinds{}
	for _, row := range metricRowPattern.FindAllStringSubmatch(readFile(t, repositoryRoot+"docs/metrics.md"), -1) {
		all[row[1]] = row[2]
	}
	if len(all) == 0 {
		t.Fatal("docs/metrics.md has no metrics")
	}
	return all
}

// metricRowPattern matches a row in a table of metrics: the name and the kind.
var metricRowPattern = regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (counter|gauge|histogram|summary|untyped) \\|")

func readFile(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
