package promql

import (
	"os"
	"path/filepath"
	"regexp"
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

// documented are the metrics of the project's page, of its operator's own tests, and of other programs.
func documented(t *testing.T) inventory {
	t.Helper()
	all := inventory{}
	for line := range strings.Lines(read(t, "testdata/others.txt")) {
		if words := strings.Fields(line); len(words) == 2 {
			all[words[0]] = words[1]
		}
	}
	for _, source := range []string{"internal/telemetry/testdata/series.txt", "controllers/queue_test.go"} {
		for line := range strings.Lines(read(t, root+source)) {
			if words := strings.Fields(line); len(words) == 4 && words[1] == "TYPE" {
				all[words[2]] = words[3]
			}
		}
	}
	pages, err := filepath.Glob(root + "docs/metrics*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("no page of metrics in docs: %v", err)
	}
	for _, page := range pages {
		for line := range strings.Lines(read(t, page)) {
			all.addRow(line)
		}
	}
	return all
}

var (
	quoted = regexp.MustCompile("`([a-z_…][a-z0-9_]*)")
	kinds  = regexp.MustCompile(`\b(counter|gauge|histogram)`)
)

// addRow takes the metrics of a row of a table, and their type from the cell after them. Names such as …_blks_hit begin as the first one does.
func (i inventory) addRow(line string) {
	cells := strings.Split(line, "|")
	if len(cells) < 4 {
		return
	}
	kind := kinds.FindString(cells[2])
	base := ""
	for _, found := range quoted.FindAllStringSubmatch(cells[1], -1) {
		name := found[1]
		if suffix, short := strings.CutPrefix(name, "…"); short {
			name = base + suffix
		} else if base == "" {
			base = stem.FindString(name)
		}
		if kind != "" {
			i[name] = kind
		}
	}
}

// stem is what short names leave out.
var stem = regexp.MustCompile(`^pg_stat_(database|bgwriter)`)

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
