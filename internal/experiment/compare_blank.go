package experiment

import (
	"fmt"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// describeBlankMetric returns why a metric cannot be compared if some valid run of a side has no value, because it
// has too few latencies for the percentile: the other runs are a selection by their throughput.
func (p pointRuns) describeBlankMetric(metric v1alpha1.Metric, side string) string {
	valid, blank := 0, 0
	for _, run := range p.counted {
		if run.Verdict != RunValid {
			continue
		}
		valid++
		if _, measured := run.Metrics[string(metric)]; !measured {
			blank++
		}
	}
	if blank == 0 {
		return ""
	}
	return fmt.Sprintf("%s is blank in %d of %d valid runs of %s, which have too few latencies: measure longer", metricLabels[metric], blank, valid, side)
}
