package statistics

import (
	"math"

	"github.com/aclements/go-moremath/stats"
)

const (
	// mserBatch is the 5 of MSER-5: seconds in a batch.
	mserBatch = 5
	// mserTail batches are never cut off: the score of the last few is small by chance.
	mserTail = 5
	// guardConfidence at which a change of level or a drift counts. The interval has its own.
	guardConfidence = 0.99
)

// mserTruncation is the number of blocks to cut off from the front (White 1997, MSER): that which leaves the mean of the rest with the
// least standard error. Not more than half of the blocks, nor more than most.
func mserTruncation(blocks []float64, most int) int {
	return leastScoreCut(blocks, min(len(blocks)/2, most, len(blocks)-mserTail))
}

// leastScoreCut is the cut, up to most blocks, of the least score: the sum of squared deviations of the rest over the square of its number.
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

// levelShift is a change of level within what the cut leaves: blocks before and after it have these means.
type levelShift struct {
	at            int
	before, after float64
}

// findLevelShift looks for what MSER alone would cut off beyond the cut that it is allowed. White's rule takes any such cut as a
// sign that the series is not steady. Noise alone makes one now and then; so it counts if the levels differ (Welch's t).
func findLevelShift(blocks []float64, cut int) levelShift {
	at := leastScoreCut(blocks, len(blocks)-mserTail)
	if at < cut+2 || !levelsDiffer(blocks[cut:at], blocks[at:]) {
		return levelShift{}
	}
	return levelShift{at: at, before: stats.Mean(blocks[cut:at]), after: stats.Mean(blocks[at:])}
}

// relativeChange of a mean by which the level changed.
func (s levelShift) relativeChange(mean float64) float64 { return math.Abs(s.after-s.before) / mean }

func levelsDiffer(a, b []float64) bool {
	test, err := stats.TwoSampleWelchTTest(stats.Sample{Xs: a}, stats.Sample{Xs: b}, stats.LocationDiffers)
	if err != nil { // without any spread
		return stats.Mean(a) != stats.Mean(b)
	}
	return test.P < 1-guardConfidence
}
