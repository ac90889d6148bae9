package experiment

import (
	"fmt"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// comparedValues are the values of a metric on both sides of a comparison, or the reason why they cannot be
// compared.
type comparedValues struct {
	baseline, candidate []float64
	missing             string
}

// comparedValues returns the values of the metric at a candidate's point and at its partner. If some valid run
// has no value, because it has too few latencies for the percentile, it returns none: the other runs are a
// selection by their throughput.
func (b *baseline) comparedValues(partner string, runs []Run, point string, metric v1alpha1.Metric) comparedValues {
	v := comparedValues{baseline: b.metricValues(partner, metric), candidate: validMetricValues(runs, point, metric)}
	blanks := func(known, valid int, name string) string {
		return fmt.Sprintf("%s is blank in %d of %d valid runs of %s, which have too few latencies: measure longer", metricLabels[metric], valid-known, valid, name)
	}
	if valid := countValidRuns(runs, point); len(v.candidate) < valid {
		return comparedValues{missing: blanks(len(v.candidate), valid, "the candidate")}
	}
	if valid := countValidRuns(b.runs, partner); len(v.baseline) < valid {
		return comparedValues{missing: blanks(len(v.baseline), valid, "the baseline")}
	}
	return v
}

func countValidRuns(runs []Run, point string) int {
	n := 0
	for _, r := range runs {
		if r.Point == point && r.Verdict == RunValid {
			n++
		}
	}
	return n
}
