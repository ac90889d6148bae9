package reference

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

const jmxConfigPath = "images/corda/jmx/config.yaml"

// jmxRule converts attributes of managed beans into metrics.
type jmxRule struct {
	Pattern, Name, Type, Help string
	Labels                    map[string]string
}

// readCordaMetrics returns the metrics of the JMX exporter's rules. Several rules may create one metric.
func readCordaMetrics(root fs.FS) ([]Metric, error) {
	content, err := readFile(root, jmxConfigPath)
	if err != nil {
		return nil, err
	}
	var file struct{ Rules []jmxRule }
	if err := yaml.Unmarshal(content, &file); err != nil {
		return nil, fmt.Errorf("decode %s: %w", jmxConfigPath, err)
	}
	var all []Metric
	for _, r := range file.Rules {
		for _, name := range r.metricNames() {
			if !slices.ContainsFunc(all, func(m Metric) bool { return m.Name == name }) {
				all = append(all, Metric{name, strings.ToLower(r.Type), r.Help, slices.Sorted(maps.Keys(r.Labels))})
			}
		}
	}
	return all, nil
}

// metricNames returns the names of the rule's metrics. A group of the pattern that occurs in the name must be a
// choice of words.
func (r jmxRule) metricNames() []string {
	before, rest, found := strings.Cut(r.Name, "$")
	if !found {
		return []string{r.Name}
	}
	number, err := strconv.Atoi(rest[:1])
	if err != nil {
		return []string{r.Name}
	}
	var all []string
	for word := range strings.SplitSeq(capturingGroup(r.Pattern, number), "|") {
		all = append(all, strings.ToLower(before+word+rest[1:]))
	}
	return all
}

// capturingGroup returns the content of the nth capturing group of an expression. The group must not contain
// another group.
func capturingGroup(pattern string, number int) string {
	for i := range pattern {
		if pattern[i] != '(' || i > 0 && pattern[i-1] == '\\' || strings.HasPrefix(pattern[i:], "(?") {
			continue
		}
		if number--; number == 0 {
			inner, _, _ := strings.Cut(pattern[i+1:], ")")
			return inner
		}
	}
	return ""
}
