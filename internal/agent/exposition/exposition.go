// Package exposition writes what the agent serves of its container and reads what members serve of themselves: Prometheus'
// text format, and OpenMetrics as far as samples go.
//
// Reading picks single metrics out of what may be thousands of lines, each second, beside what is measured. The
// library for it (prometheus/common/expfmt) builds all of them as protocol buffers, and adds 1.9 MB to a program of 12.
package exposition

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// ContentType of what Write writes.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// maxLineBytes bounds a line that is read, in bytes.
const maxLineBytes = 1 << 20

// MetricKind of a metric.
type MetricKind string

// The kinds of metrics.
const (
	Counter MetricKind = "counter"
	Gauge   MetricKind = "gauge"
)

// Metric is a metric without labels.
type Metric struct {
	Name  string
	Kind  MetricKind
	Help  string
	Value float64
}

// Catalogue has the metrics that a source may tell, without their values: what scrapers are told, and the documentation is made from.
type Catalogue []Metric

// Names of the metrics.
func (c Catalogue) Names() []string {
	names := make([]string, 0, len(c))
	for _, m := range c {
		names = append(names, m.Name)
	}
	return names
}

// WithValue is the metric of that name, with its value. It panics for a name that is not in the catalogue.
func (c Catalogue) WithValue(name string, value float64) Metric {
	for _, m := range c {
		if m.Name == name {
			m.Value = value
			return m
		}
	}
	panic("no metric " + name + " in the catalogue")
}

// Write writes the metrics one after the other.
func Write(w io.Writer, metrics ...Metric) error {
	for _, m := range metrics {
		if err := WriteHeader(w, m); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s %s\n", m.Name, strconv.FormatFloat(m.Value, 'f', -1, 64)); err != nil {
			return err
		}
	}
	return nil
}

// WriteHeader writes what comes before the samples of a metric, for metrics with labels, whose samples the caller writes.
func WriteHeader(w io.Writer, m Metric) error {
	_, err := fmt.Fprintf(w, "# HELP %[1]s %[2]s\n# TYPE %[1]s %[3]s\n", m.Name, m.Help, m.Kind)
	return err
}

// Read gives the sums of the wanted metrics; those that are not there are not in the result. What is wanted is a name, which
// takes all labels, or a name with the labels that it must have: pool_connections{state="Pending"}, which is 0 if the metric
// is there with other labels alone. Parts of a histogram are metrics by their own names: x_sum, x_count.
func Read(r io.Reader, wanted ...string) (map[string]float64, error) {
	selectors := parseSelectors(wanted)
	values := map[string]float64{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLineBytes)
	for lines.Scan() {
		name, rest := splitName(lines.Bytes())
		candidates := selectors[string(name)]
		if len(name) == 0 || len(candidates) == 0 {
			continue
		}
		labels, value, err := splitValue(rest)
		if err != nil {
			return nil, fmt.Errorf("metric %s: %w", name, err)
		}
		for _, s := range candidates {
			values[s.text] += s.matchingValue(labels, value)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read metrics: %w", err)
	}
	return values, nil
}

// selector is one wanted metric, with the labels that it must have as they are written.
type selector struct {
	text   string
	labels [][]byte
}

// parseSelectors parts what is wanted, by the metric's name.
func parseSelectors(wanted []string) map[string][]selector {
	all := make(map[string][]selector, len(wanted))
	for _, text := range wanted {
		name, rest, _ := strings.Cut(text, "{")
		s := selector{text: text}
		for label := range strings.SplitSeq(strings.TrimSuffix(rest, "}"), ",") {
			if label = strings.TrimSpace(label); label != "" {
				s.labels = append(s.labels, []byte(label))
			}
		}
		if !slices.ContainsFunc(all[name], func(known selector) bool { return known.text == text }) {
			all[name] = append(all[name], s)
		}
	}
	return all
}

// matchingValue is the value, or 0 without the labels.
func (s selector) matchingValue(labels []byte, value float64) float64 {
	for _, wanted := range s.labels {
		if !hasLabel(labels, wanted) {
			return 0
		}
	}
	return value
}

// hasLabel tells whether wanted, such as state="idle", is one of the labels rather than the end of another.
func hasLabel(labels, wanted []byte) bool {
	for at := 0; ; at++ {
		i := bytes.Index(labels[at:], wanted)
		if i < 0 {
			return false
		}
		at += i
		if at > 0 && (labels[at-1] == '{' || labels[at-1] == ',' || labels[at-1] == ' ') {
			return true
		}
	}
}

// splitName parts a line after the metric's name; a comment has none.
func splitName(line []byte) (name, rest []byte) {
	line = bytes.TrimLeft(line, " \t")
	switch end := bytes.IndexAny(line, "{ \t"); {
	case bytes.HasPrefix(line, []byte("#")):
		return nil, nil
	case end < 0:
		return line, nil
	default:
		return line[:end], line[end:]
	}
}

// splitValue parts the labels from the first word after them; a time stamp or an exemplar may follow.
func splitValue(rest []byte) (labels []byte, value float64, err error) {
	if bytes.HasPrefix(rest, []byte("{")) {
		end := findLabelsEnd(rest)
		if end < 0 {
			return nil, 0, fmt.Errorf("labels %q have no end", rest)
		}
		labels, rest = rest[:end+1], rest[end+1:]
	}
	words := bytes.Fields(rest)
	if len(words) == 0 {
		return nil, 0, fmt.Errorf("no value")
	}
	value, err = strconv.ParseFloat(string(words[0]), 64)
	return labels, value, err
}

// findLabelsEnd is where the brace closes that is not inside of a label's value.
func findLabelsEnd(text []byte) int {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch {
		case quoted && text[i] == '\\':
			i++
		case text[i] == '"':
			quoted = !quoted
		case text[i] == '}' && !quoted:
			return i
		}
	}
	return -1
}

// SharedCounter is a counter that is safe for use by several goroutines.
type SharedCounter struct {
	Name, Help string

	lock  sync.Mutex
	total float64
}

// Add counts v more.
func (t *SharedCounter) Add(v float64) {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.total += v
}

// Metric is the counter as it stands.
func (t *SharedCounter) Metric() Metric {
	t.lock.Lock()
	defer t.lock.Unlock()
	return Metric{Name: t.Name, Kind: Counter, Help: t.Help, Value: t.total}
}
