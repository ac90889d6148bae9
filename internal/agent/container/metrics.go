package container

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

// ContentType is the content type of the output of Write.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// maxLineBytes bounds the length of an input line, in bytes.
const maxLineBytes = 1 << 20

// MetricKind is the type of a metric.
type MetricKind string

// Kinds of metrics.
const (
	Counter MetricKind = "counter"
	Gauge   MetricKind = "gauge"
	// Histogram has labels, so Write does not accept it.
	Histogram MetricKind = "histogram"
)

// Metric is a metric without labels.
type Metric struct {
	Name  string
	Kind  MetricKind
	Help  string
	Value float64
}

// Catalogue lists the metrics that a source can provide, without values. Scrapers and the documentation use it.
type Catalogue []Metric

// Names returns the names of the metrics.
func (c Catalogue) Names() []string {
	names := make([]string, 0, len(c))
	for _, m := range c {
		names = append(names, m.Name)
	}
	return names
}

// WithValue returns the named metric with a value. It panics if the catalogue does not contain the name.
func (c Catalogue) WithValue(name string, value float64) Metric {
	for _, m := range c {
		if m.Name == name {
			m.Value = value
			return m
		}
	}
	panic("no metric " + name + " in the catalogue")
}

// WriteMetrics writes the metrics with their headers.
func WriteMetrics(w io.Writer, metrics ...Metric) error {
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

// WriteHeader writes the HELP and TYPE lines of a metric. Callers use it for metrics with labels and write the samples.
func WriteHeader(w io.Writer, m Metric) error {
	_, err := fmt.Fprintf(w, "# HELP %[1]s %[2]s\n# TYPE %[1]s %[3]s\n", m.Name, m.Help, m.Kind)
	return err
}

// ReadMetrics returns the sums of the requested metrics and omits those without samples. A requested metric is a name, which
// matches all labels, or a name with required labels: pool_connections{state="Pending"}, which is 0 if the
// metric has only other labels. Parts of a histogram are separate metrics: x_sum, x_count.
//
// It picks single metrics out of possibly thousands of lines every second, next to the measured workload. The usual library
// (prometheus/common/expfmt) decodes all of them into protocol buffers and adds 1.9 MB to a program of 12 MB.
func ReadMetrics(r io.Reader, requested ...string) (map[string]float64, error) {
	selectors := parseSelectors(requested)
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

// selector is one requested metric with its required labels, each in text form.
type selector struct {
	text   string
	labels [][]byte
}

// parseSelectors parses the requested metrics and groups them by metric name.
func parseSelectors(requested []string) map[string][]selector {
	all := make(map[string][]selector, len(requested))
	for _, text := range requested {
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

// matchingValue returns value if labels contain all required labels, else 0.
func (s selector) matchingValue(labels []byte, value float64) float64 {
	for _, required := range s.labels {
		if !hasLabel(labels, required) {
			return 0
		}
	}
	return value
}

// hasLabel reports whether required, such as state="idle", is one of the labels rather than the end of another label.
func hasLabel(labels, required []byte) bool {
	for at := 0; ; at++ {
		i := bytes.Index(labels[at:], required)
		if i < 0 {
			return false
		}
		at += i
		if at > 0 && (labels[at-1] == '{' || labels[at-1] == ',' || labels[at-1] == ' ') {
			return true
		}
	}
}

// splitName splits a line after the metric's name. A comment has no name.
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

// splitValue returns the labels and the value that follows them. It ignores a timestamp or an exemplar.
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

// findLabelsEnd returns the index of the first closing brace outside a quoted label value, or -1.
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

// SharedCounter is a counter that is safe for concurrent use.
type SharedCounter struct {
	Name, Help string

	lock  sync.Mutex
	total float64
}

// Add adds v to the counter.
func (t *SharedCounter) Add(v float64) {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.total += v
}

// Metric returns the counter with its current value.
func (t *SharedCounter) Metric() Metric {
	t.lock.Lock()
	defer t.lock.Unlock()
	return Metric{Name: t.Name, Kind: Counter, Help: t.Help, Value: t.total}
}
