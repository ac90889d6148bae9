package reference

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"
)

const (
	cometBFTMetricsPath = "systems/cometbft-bench/metrics.go"
	cometBFTPrefix      = "cometbft_bench_"
)

var (
	cometBFTFieldsPattern   = regexp.MustCompile(`(?m)^\t([\w, ]+?) +prometheus\.(?:Gauge|Counter|Histogram)$`)
	cometBFTRegisterPattern = regexp.MustCompile(`(?:factory\.New(Histogram|Gauge)\(prometheus\.\w+\{\s*Name: |(counter)\()"(\w+)", (?:Help: )?"([^"]+)"`)
)

// readCometBFTMetrics returns the metrics that the validator registers beside those of CometBFT.
func readCometBFTMetrics(root fs.FS) ([]Metric, error) {
	content, err := readFile(root, cometBFTMetricsPath)
	if err != nil {
		return nil, err
	}
	fields := 0
	for _, line := range cometBFTFieldsPattern.FindAllSubmatch(content, -1) {
		fields += 1 + strings.Count(string(line[1]), ",")
	}
	var all []Metric
	for _, r := range cometBFTRegisterPattern.FindAllSubmatch(content, -1) {
		kind := strings.ToLower(string(r[1]) + string(r[2]))
		all = append(all, Metric{Name: cometBFTPrefix + string(r[3]), Kind: kind, Help: string(r[4]) + ".", Labels: []string{"moniker"}})
	}
	if len(all) == 0 || len(all) != fields {
		return nil, fmt.Errorf("%s registers %d metrics and has %d: it is written otherwise than this reads it", cometBFTMetricsPath, len(all), fields)
	}
	return all, nil
}
