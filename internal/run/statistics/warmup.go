package statistics

import (
	"math"

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
)

// mserTruncation returns the number of blocks to cut off at the front (White 1997, MSER): the cut that leaves
// the mean of the rest with the least standard error. It cuts at most half of the blocks, and at most most of
// them.
func mserTruncation(blocks []float64, most int) int {
	return leastScoreCut(blocks, min(len(blocks)/2, most, len(blocks)-mserTail))
}

// leastScoreCut returns the cut, up to most blocks, with the least score. The score is the sum of squared
// deviations of the rest, divided by the square of its length.
func leastScoreCut(blocks []float64, most int) int {
	best, least := 0, math.Inf(1)
	var n, mean, squares float64
	for i := len(blocks) - 1; i >= 0; i-- {
		n++
		delta := blocks[i] - mean
		mean += delta / n
		squares += delta * (blocks[i] - mean)
		if score := squares / (n * n); i <= most && score <= least {
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
