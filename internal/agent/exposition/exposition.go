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
	"sync"
)

// ContentType of what Write writes.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// maxLine bounds a line that is read, in bytes.
const maxLine = 1 << 20

// Kind of a metric.
type Kind string

// The kinds of metrics.
const (
	Counter Kind = "counter"
	Gauge   Kind = "gauge"
)

// Metric is a metric without labels.
type Metric struct {
	Name  string
	Kind  Kind
	Help  string
	Value float64
}

// Write writes the metrics one after the other.
func Write(w io.Writer, metrics ...Metric) error {
	for _, m := range metrics {
		value := strconv.FormatFloat(m.Value, 'f', -1, 64)
		if _, err := fmt.Fprintf(w, "# HELP %[1]s %[2]s\n# TYPE %[1]s %[3]s\n%[1]s %[4]s\n", m.Name, m.Help, m.Kind, value); err != nil {
			return err
		}
	}
	return nil
}

// Read gives the values of the named metrics, summed over their labels; those that are not there are not in the result.
// Parts of a histogram are metrics by their own names: x_sum, x_count.
func Read(r io.Reader, names ...string) (map[string]float64, error) {
	values := map[string]float64{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		name, rest := cutName(lines.Bytes())
		if !slices.Contains(names, string(name)) {
			continue
		}
		value, err := valueOf(rest)
		if err != nil {
			return nil, fmt.Errorf("metric %s: %w", name, err)
		}
		values[string(name)] += value
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read metrics: %w", err)
	}
	return values, nil
}

// cutName parts a line after the metric's name; a comment has none.
func cutName(line []byte) (name, rest []byte) {
	line = bytes.TrimLeft(line, " \t")
	end := bytes.IndexAny(line, "{ \t")
	if end <= 0 || line[0] == '#' {
		return nil, nil
	}
	return line[:end], line[end:]
}

// valueOf is the first word after the labels; a time stamp or an exemplar may follow.
func valueOf(rest []byte) (float64, error) {
	if rest[0] == '{' {
		end := endOfLabels(rest)
		if end < 0 {
			return 0, fmt.Errorf("labels %q have no end", rest)
		}
		rest = rest[end+1:]
	}
	words := bytes.Fields(rest)
	if len(words) == 0 {
		return 0, fmt.Errorf("no value")
	}
	return strconv.ParseFloat(string(words[0]), 64)
}

// endOfLabels is where the brace closes that is not inside of a label's value.
func endOfLabels(text []byte) int {
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

// Tally is a counter that is safe for use by several goroutines.
type Tally struct {
	Name, Help string

	lock  sync.Mutex
	total float64
}

// Add counts v more.
func (t *Tally) Add(v float64) {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.total += v
}

// Metric is the counter as it stands.
func (t *Tally) Metric() Metric {
	t.lock.Lock()
	defer t.lock.Unlock()
	return Metric{Name: t.Name, Kind: Counter, Help: t.Help, Value: t.total}
}
