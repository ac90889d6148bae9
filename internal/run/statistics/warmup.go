package statistics

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

const (
	// mserBatch is the 5 of MSER-5: seconds in a batch.
	mserBatch = 5
	// mserTail is the number of batches at the end that are never cut off: the score of the last few is small
	// by chance.
	mserTail = 5
	// guardConfidence is the confidence at which a change of level or a drift counts. The interval has its own.
	guardConfidence = 0.99
	// leastWarmUpSeconds is the shortest warm-up: connections and caches fill even where the throughput is level.
	leastWarmUpSeconds = 10
	// scoreTolerance is by how much the score of an earlier cut may exceed the least one, which noise moves back.
	scoreTolerance = 0.1
	// maxDriftWidths and latencyWidths are the bounds of a drift of the throughput and of the logarithm of the
	// latency, in half-widths of the interval.
	maxDriftWidths = 3
	latencyWidths  = 3
	// driftBoundConfidence is the one-sided confidence of DriftBound.
	driftBoundConfidence = 0.95
)

// leastWarmUp returns the shortest warm-up in seconds.
func (p SteadyStatePolicy) leastWarmUp() int {
	return min(leastWarmUpSeconds, roundDownToBatch(p.MaxWarmUp))
}

// truncateWarmUp returns the number of blocks to cut off at the front (White 1997, MSER): the first cut that leaves
// the mean of the rest with nearly the least standard error. It cuts at most half of the blocks, and at most
// MaxWarmUp. level is the scale of the blocks: deviations of half a half-width of it are as good as none, however little
// noise there is.
func (p SteadyStatePolicy) truncateWarmUp(blocks []float64, level float64) int {
	scores := cutScores(blocks)
	for i := range scores {
		scores[i] += math.Pow(p.HalfWidth/2*level, 2) / float64(len(blocks)-i)
	}
	least := p.leastWarmUp() / mserBatch
	most := min(len(blocks)/2, p.MaxWarmUp/mserBatch, len(blocks)-mserTail)
	if most <= least {
		return max(0, min(least, len(blocks)))
	}
	lowest := slices.Min(scores[least : most+1])
	for cut := least; cut < most; cut++ {
		if scores[cut] <= (1+scoreTolerance)*lowest {
			return cut
		}
	}
	return most
}

// cutScores returns the score of each cut: the sum of squared deviations of the rest, divided by the square of its
// length.
func cutScores(blocks []float64) []float64 {
	scores := make([]float64, len(blocks))
	var n, mean, squares float64
	for i := len(blocks) - 1; i >= 0; i-- {
		n++
		delta := blocks[i] - mean
		mean += delta / n
		squares += delta * (blocks[i] - mean)
		scores[i] = squares / (n * n)
	}
	return scores
}

// latencyBlocks returns the logarithm of the mean latency of each block. A block without completions has that of the
// one before. It returns nil if the latency is unknown, or if half of the blocks are empty.
func latencyBlocks(s RecordedSeries) []float64 {
	if len(s.LatencySums) != len(s.Completed) {
		return nil
	}
	counts, sums := averageBlocks(s.Completed, mserBatch), averageBlocks(s.LatencySums, mserBatch)
	var blocks []float64
	known := 0
	for i, n := range counts {
		switch {
		case n > 0 && sums[i] > 0:
			blocks, known = append(blocks, math.Log(sums[i]/n)), known+1
		case known > 0:
			blocks = append(blocks, blocks[len(blocks)-1])
		}
	}
	if 2*known <= len(counts) {
		return nil
	}
	// Blocks before the first completion have its latency.
	return append(slices.Repeat(blocks[:1], len(counts)-len(blocks)), blocks...)
}

// changeOfLatency returns the significant change of the logarithm of the latency after the cut, as a level shift or a
// drift; 0 without one.
func changeOfLatency(blocks []float64, cut int) float64 {
	if len(blocks) < cut+mserTail {
		return 0
	}
	shift := findLevelShift(blocks, cut)
	return max(math.Abs(shift.after-shift.before), batchedWindow{means: blocks[cut:]}.linearDrift())
}

func leastScoreCut(blocks []float64, most int) int {
	best, least := 0, math.Inf(1)
	for i, score := range slices.Backward(cutScores(blocks)) {
		if i <= most && score <= least {
			best, least = i, score
		}
	}
	return best
}

// levelShift is a change of level after the cut. before and after are the means of the blocks on both sides.
type levelShift struct {
	at            int
	before, after float64
}

// findLevelShift finds a cut by MSER without the limit on the cut. White's rule takes any such cut as a sign
// that the series is not steady. Since noise also causes such cuts now and then, a cut counts only if the
// levels differ (Welch's t).
func findLevelShift(blocks []float64, cut int) levelShift {
	at := leastScoreCut(blocks, len(blocks)-mserTail)
	if at < cut+2 || !levelsDiffer(blocks[cut:at], blocks[at:]) {
		return levelShift{}
	}
	return levelShift{at: at, before: stats.Mean(blocks[cut:at]), after: stats.Mean(blocks[at:])}
}

// relativeChange returns the change of level as a share of a mean.
func (s levelShift) relativeChange(mean float64) float64 { return math.Abs(s.after-s.before) / mean }

func levelsDiffer(a, b []float64) bool {
	test, err := stats.TwoSampleWelchTTest(stats.Sample{Xs: a}, stats.Sample{Xs: b}, stats.LocationDiffers)
	if err != nil { // without any spread
		return stats.Mean(a) != stats.Mean(b)
	}
	return test.P < 1-guardConfidence
}
