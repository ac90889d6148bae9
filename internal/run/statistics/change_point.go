package statistics

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

const (
	// minStabilitySeconds is the shortest window in which a change can be distinguished from noise, and minStabilityBins the
	// least number of bins. More than maxStabilityBins find nothing further.
	minStabilitySeconds = 30
	minStabilityBins    = 10
	maxStabilityBins    = 60
	// minBinCount is the mean number of completions in a bin. minBinBursts is the number of bursts, such as blocks.
	minBinCount  = 5
	minBinBursts = 3
	// segmentsPerWindow is the maximum number of segments: a stall of less than a fifth of the window is no change of
	// level.
	segmentsPerWindow = 5
	// changePenalty is the penalty of a change-point, per logarithm of the number of bins, in units of the
	// noise's variance. driftConfidence is the confidence at which a slope counts.
	changePenalty   = 4
	driftConfidence = 0.999
	// trimmedShare is the share of the largest differences that the estimate of the noise omits, since they may be
	// changes of level.
	trimmedShare = 0.1
	// maxAutocorrelation bounds the estimated correlation of neighbours.
	maxAutocorrelation = 0.8
)

// LevelChange is the largest significant change of level of a series.
type LevelChange struct {
	// Gradual reports a linear trend; else the level changed at once.
	Gradual bool
	// Second is where the later level begins, or 0 for a trend.
	Second int
	// Before and After are the levels: the means of two segments, or the ends of the trend.
	Before, After float64
}

// Relative returns the change as a share of the higher level, from 0 (no change) to 1.
func (c LevelChange) Relative() float64 {
	if highest := max(c.Before, c.After); highest > 0 {
		return math.Abs(c.After-c.Before) / highest
	}
	return 0
}

// DetectThroughputChange finds the largest change of the completions per second of a window. It returns false if
// the window is too short or too sparse to judge.
func DetectThroughputChange(completed []float64) (LevelChange, bool) {
	size := stabilityBinSeconds(completed)
	if size == 0 {
		return LevelChange{}, false
	}
	bins := averageBlocks(completed, size)
	// Counts of a Poisson process have the variance of their mean; a bin's mean has that divided by its length.
	change := findLevelChange(bins, stats.Mean(bins)/float64(size))
	change.Second *= size
	change.Before, change.After = max(0, change.Before), max(0, change.After)
	return change, true
}

// DetectLatencyChange finds the largest change of the mean latency over a window, on a logarithmic scale. sums has
// the sum of the latencies of the completions of each second. It returns false if the window is too short or too
// sparse to judge. The levels are in the unit of sums.
func DetectLatencyChange(completed, sums []float64) (LevelChange, bool) {
	size := stabilityBinSeconds(completed)
	if size == 0 || len(sums) != len(completed) {
		return LevelChange{}, false
	}
	counts, totals := averageBlocks(completed, size), averageBlocks(sums, size)
	var logs []float64
	var seconds []int
	for i, n := range counts {
		if n > 0 && totals[i] > 0 {
			logs, seconds = append(logs, math.Log(totals[i]/n)), append(seconds, i*size)
		}
	}
	if len(logs) < minStabilityBins {
		return LevelChange{}, false
	}
	change := findLevelChange(logs, 0)
	if change == (LevelChange{}) {
		return change, true
	}
	change.Second = seconds[change.Second]
	change.Before, change.After = math.Exp(change.Before), math.Exp(change.After)
	return change, true
}

// stabilityBinSeconds returns the length of the bins in which a window is judged. Each has enough completions, and
// several bursts of a system that completes operations in blocks. It returns 0 if there are too few bins.
func stabilityBinSeconds(completed []float64) int {
	gap := MedianGap(completed)
	if len(completed) < minStabilitySeconds || gap == 0 {
		return 0
	}
	size := max((len(completed)+maxStabilityBins-1)/maxStabilityBins, int(math.Ceil(minBinCount/stats.Mean(completed))))
	if gap > 1 {
		size = max(size, minBinBursts*gap)
	}
	if len(completed)/size < minStabilityBins {
		return 0
	}
	return size
}

// MedianGap returns the median distance in seconds of the seconds with completions, or 0 if there are fewer than two.
func MedianGap(completed []float64) int {
	var gaps []int
	last := -1
	for second, n := range completed {
		if n == 0 {
			continue
		}
		if last >= 0 {
			gaps = append(gaps, second-last)
		}
		last = second
	}
	if len(gaps) == 0 {
		return 0
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/2]
}

// findLevelChange returns the steps or the trend of some bins, whichever fits better, or nothing. leastVariance bounds
// the variance of a bin from below. Second counts bins.
func findLevelChange(bins []float64, leastVariance float64) LevelChange {
	variance, correlation := estimateNoise(bins)
	variance = max(variance, leastVariance)
	step, stepResidual := largestStep(bins, variance)
	trend, trendResidual := findTrend(bins, variance, correlation)
	if trend.Gradual && trendResidual < stepResidual {
		return trend
	}
	return step
}

// estimateNoise returns the long-run variance of some bins and the correlation of neighbours, as of a first-order
// autoregression. Differences of neighbours and of next neighbours give both without their levels (Chakar et al.,
// Bernoulli 23, 2017); the largest are omitted, since they may be changes of level.
func estimateNoise(bins []float64) (variance, correlation float64) {
	near, far := trimmedMeanSquare(bins, 1), trimmedMeanSquare(bins, 2)
	if near == 0 {
		return 0, 0
	}
	r := min(max(far/near-1, 0), maxAutocorrelation)
	return near / 2 * (1 + r) / ((1 - r) * (1 - r)), r
}

// trimmedMeanSquare returns the mean square of the differences at some distance. It omits the largest and corrects
// for them as with normal noise.
func trimmedMeanSquare(bins []float64, distance int) float64 {
	var squares []float64
	for i := distance; i < len(bins); i++ {
		d := bins[i] - bins[i-distance]
		squares = append(squares, d*d)
	}
	slices.Sort(squares)
	kept := len(squares) - max(distance, int(trimmedShare*float64(len(squares))))
	share := float64(kept) / float64(len(squares))
	// The mean of a squared normal variable below its quantile at share.
	z := stats.InvCDF(stats.StdNormal)((1 + share) / 2)
	return stats.Mean(squares[:kept]) / (1 - z*math.Sqrt(2/math.Pi)*math.Exp(-z*z/2)/share)
}

// largestStep returns the two segments of the best segmentation whose levels differ most, and the squared deviations
// from the segments' levels.
func largestStep(bins []float64, variance float64) (largest LevelChange, residual float64) {
	starts := segmentStarts(bins, changePenalty*math.Log(float64(len(bins)))*variance, max(2, len(bins)/segmentsPerWindow))
	var levels []float64
	for i, start := range starts {
		end := len(bins)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		levels = append(levels, stats.Mean(bins[start:end]))
		residual += sumSquaredDeviations(bins[start:end])
	}
	for i := range starts {
		for k := range i {
			step := LevelChange{Second: starts[i], Before: levels[k], After: levels[i]}
			if math.Abs(step.After-step.Before) > math.Abs(largest.After-largest.Before) {
				largest = step
			}
		}
	}
	return largest, residual
}

// segmentStarts divides some bins into segments of at least the given length, so that the squared deviations from
// the segments' means and the penalties of the change-points have the least sum: optimal partitioning (Jackson et
// al., IEEE Signal Processing Letters 12, 2005). PELT (Killick et al. 2012) finds the same segments; its pruning
// saves nothing for so few bins.
func segmentStarts(bins []float64, penalty float64, shortest int) []int {
	sums, squares := make([]float64, len(bins)+1), make([]float64, len(bins)+1)
	for i, v := range bins {
		sums[i+1], squares[i+1] = sums[i]+v, squares[i]+v*v
	}
	least, last := make([]float64, len(bins)+1), make([]int, len(bins)+1)
	least[0] = -penalty
	for end := 1; end <= len(bins); end++ {
		least[end] = math.Inf(1)
		for start := 0; start <= end-shortest; start++ {
			sum := sums[end] - sums[start]
			deviations := squares[end] - squares[start] - sum*sum/float64(end-start)
			if cost := least[start] + max(0, deviations) + penalty; cost < least[end] {
				least[end], last[end] = cost, start
			}
		}
	}
	var starts []int
	for end := len(bins); end > 0; end = last[end] {
		starts = append(starts, last[end])
	}
	slices.Reverse(starts)
	return starts
}

// findTrend returns the ends of a straight line through some bins if its slope is significant, and the squared
// deviations from it. Correlated bins count as fewer (Santer et al., Journal of Geophysical Research 105, 2000).
func findTrend(bins []float64, variance, correlation float64) (trend LevelChange, residual float64) {
	slope, spread := fitSlope(bins)
	k := float64(len(bins))
	degrees := max(3, k*(1-correlation)/(1+correlation)-2)
	if math.Abs(slope) <= tQuantile((1+driftConfidence)/2, degrees)*math.Sqrt(variance/spread) {
		return LevelChange{}, 0
	}
	mean := stats.Mean(bins)
	return LevelChange{Gradual: true, Before: mean - slope*k/2, After: mean + slope*k/2},
		sumSquaredDeviations(bins) - slope*slope*spread
}

// fitSlope returns the slope per value by least squares, and the sum of squares of the positions.
func fitSlope(values []float64) (slope, spread float64) {
	mean, products, k := stats.Mean(values), 0.0, float64(len(values))
	for i, v := range values {
		x := float64(i) - (k-1)/2
		products += x * (v - mean)
		spread += x * x
	}
	return products / spread, spread
}
