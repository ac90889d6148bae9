package resilience

import (
	"fmt"

	"github.com/aclements/go-moremath/stats"

	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/statistics"
)

const (
	// impactSignificance and recoverySignificance are the probabilities below which noise does not explain the slow operations of an interval:
	// the first one is that of noiseDeviations.
	impactSignificance, recoverySignificance = 0.0005, 0.05
	// maxRateChange is how far the rate of due operations may change after the baseline: latencies at other rates do not compare.
	maxRateChange = 0.01
)

// noIntervalsProblem says why nothing is known by interval.
const noIntervalsProblem = "the load driver reported no latencies by interval"

// latencyPercentiles are the percentiles of which the highest that the baseline supports is used.
var latencyPercentiles = []int{99, 95, 90}

// LatencyScore is the effect of one fault on latencies. An operation is slow if it took longer than the band above the baseline's percentile
// allows, failed, or did not end. It counts in the interval in which it was due or, in closed loops, started.
type LatencyScore struct {
	// Percentile and BaselineMillis are the percentile of the time before the first fault.
	Percentile     int     `json:"percentile,omitempty"`
	BaselineMillis float64 `json:"baselineMillis,omitempty"`
	// IntervalSeconds is the length of the compared intervals; 0 if latencies cannot be compared, and Problem says why. The following fields
	// are then empty.
	IntervalSeconds int    `json:"intervalSeconds"`
	Problem         string `json:"problem,omitempty"`
	// Effect is on latencies. An interval with more slow operations than noise explains is an impact.
	Effect
}

// slowShares compares latencies with those of the baseline.
type slowShares struct {
	LatencyScore
	intervals []measurement.LatencyInterval
	// allowed is the share of operations that were slower than the percentile in the baseline.
	allowed float64
}

// compareLatencies returns the comparison with the first seconds of the window, or the problem in its score.
func (w Window) compareLatencies(baselineSeconds int) slowShares {
	s := slowShares{intervals: w.Latencies}
	fail := func(format string, args ...any) slowShares {
		s.Problem = fmt.Sprintf(format, args...)
		return s
	}
	each := w.LatencySeconds
	if each == 0 {
		return fail(noIntervalsProblem)
	}
	if from, to := w.dueRange(baselineSeconds); to-from > maxRateChange*to {
		return fail("the rate of the load changes from %.4g to %.4g/s", from, to)
	}
	baseline := measurement.NewHistogram()
	for _, i := range s.intervals[:min(len(s.intervals), baselineSeconds/each)] {
		if err := baseline.Merge(i.Latencies); err != nil {
			return fail("%v", err)
		}
	}
	for _, percentile := range latencyPercentiles {
		if baseline.Count() >= measurement.SamplesForPercentile(float64(percentile)) {
			s.allowed = 1 - float64(percentile)/100
			s.Percentile, s.BaselineMillis, s.IntervalSeconds = percentile, baseline.PercentileMillis(float64(percentile)), each
			return s
		}
	}
	lowest := latencyPercentiles[len(latencyPercentiles)-1]
	return fail("%d latencies before the fault are too few for a p%d, which needs %d", baseline.Count(), lowest,
		measurement.SamplesForPercentile(float64(lowest)))
}

// dueRange returns the lowest and the highest rate of due operations: of the first seconds of the window, and of each later interval.
func (w Window) dueRange(baselineSeconds int) (lowest, highest float64) {
	if len(w.Due) <= baselineSeconds {
		return 0, 0
	}
	lowest = statistics.Mean(w.Due[:baselineSeconds])
	highest = lowest
	for i := baselineSeconds; i+w.LatencySeconds <= len(w.Due); i += w.LatencySeconds {
		rate := statistics.Mean(w.Due[i : i+w.LatencySeconds])
		lowest, highest = min(lowest, rate), max(highest, rate)
	}
	return lowest, highest
}

// isSlow reports whether so many operations of an interval are slow that noise explains it with less than a probability.
func (s *slowShares) isSlow(interval int, probability float64) bool {
	i := s.intervals[interval]
	all := i.Latencies.Count() + i.Failed
	if all == 0 { // All clients wait for operations that started earlier.
		return true
	}
	slow := i.Latencies.CountAbove((1+bandTolerance)*s.BaselineMillis) + i.Failed
	return 1-stats.BinomialDist{N: int(all), P: s.allowed}.CDF(float64(slow-1)) < probability
}

// scoreSpan returns the effect of a fault on latencies until the horizon.
func (s *slowShares) scoreSpan(span Span, horizon float64) LatencyScore {
	score, each := s.LatencyScore, s.IntervalSeconds
	if each == 0 {
		return score
	}
	start, end := min(len(s.intervals), int(span.FromSeconds)/each), min(len(s.intervals), int(horizon)/each)
	startOf := func(interval int) *float64 {
		return new(statistics.RoundMillis(max(0, float64(interval*each)-span.FromSeconds)))
	}
	impact := start
	for impact < end && !s.isSlow(impact, impactSignificance) {
		impact++
	}
	switch {
	case start == end:
		score.IntervalSeconds = 0
		score.Problem = fmt.Sprintf("the window or the time before the next fault ends within the interval of %d s of the fault", each)
	case impact == end:
		score.RecoverySeconds = new(0.0)
	default:
		score.ImpactSeconds = startOf(impact)
		isSlow := func(i int) bool { return s.isSlow(start+i, recoverySignificance) }
		if recovery, found := findRecovery(end-start, isSlow, impact-start, (holdSeconds+each-1)/each); found {
			score.RecoverySeconds = startOf(start + recovery)
		} else {
			score.CensoredSeconds = statistics.RoundMillis(horizon - span.FromSeconds)
		}
	}
	return score
}
