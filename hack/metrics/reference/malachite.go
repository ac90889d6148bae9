package reference

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"
)

const (
	malachiteMetricsPath = "systems/malachite-bench/src/metrics.rs"
	malachitePrefix      = "malachite_bench_"
)

var (
	malachiteFieldPattern    = regexp.MustCompile(`(?m)^ +(\w+): (Gauge|Counter|Histogram),$`)
	malachiteRegisterPattern = regexp.MustCompile(`registry\.register\(\s*"(\w+)",\s*"([^"]+)",\s*self\.(\w+)\.clone\(\)`)
)

// readMalachiteMetrics returns the metrics that the block-producing application registers. Its library appends
// _total to the names of counters.
func readMalachiteMetrics(root fs.FS) ([]Metric, error) {
	content, err := readFile(root, malachiteMetricsPath)
	if err != nil {
		return nil, err
	}
	kinds := map[string]string{}
	for _, field := range malachiteFieldPattern.FindAllSubmatch(content, -1) {
		kinds[string(field[1])] = strings.ToLower(string(field[2]))
	}
	var all []Metric
	for _, r := range malachiteRegisterPattern.FindAllSubmatch(content, -1) {
		m := Metric{Name: malachitePrefix + string(r[1]), Kind: kinds[string(r[3])], Help: string(r[2]) + ".", Labels: []string{"moniker"}}
		if m.Kind == "counter" {
			m.Name += "_total"
		}
		all = append(all, m)
	}
	if len(all) == 0 || len(all) != len(kinds) {
		return nil, fmt.Errorf("%s registers %d metrics and has %d: it is written otherwise than this reads it", malachiteMetricsPath, len(all), len(kinds))
	}
	return all, nil
}
