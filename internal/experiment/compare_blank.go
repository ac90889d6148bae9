package experiment

import "fmt"

// describeBlankMetric returns why a metric cannot be compared if some valid run of a side has no value, because it
// has too few latencies for the percentile, or a throughput that is too noisy for a score of faults: the other runs are a selection.
func (p pointRuns) describeBlankMetric(metric comparedMetric, side string) string {
	valid, blank := 0, 0
	for _, run := range p.counted {
		if run.Verdict != RunValid {
			continue
		}
		valid++
		if _, measured := run.valueOf(metric); !measured {
			blank++
		}
	}
	if blank == 0 {
		return ""
	}
	cause := "which have too few latencies: measure longer"
	if metric.IsOfFault() {
		cause = "whose faults have no score of it: see faults in their results"
	}
	return fmt.Sprintf("%s is blank in %d of %d valid runs of %s, %s", metric.formatLabel(), blank, valid, side, cause)
}
