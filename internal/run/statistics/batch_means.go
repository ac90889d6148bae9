package statistics

import (
	"math"

	"github.com/aclements/go-moremath/stats"
)

const (
	// minBatches and maxBatches bound the number of batches of an interval. With fewer its width is random,
	// with more the precision does not improve (Schmeiser 1982).
	minBatches = 10
	maxBatches = 30
	// alternationQuantile is the normal quantile above which von Neumann's ratio shows that neighbours
	// alternate: one-sided, at 5 %.
	alternationQuantile = 1.645
	// unknownHalfWidth is the half-width if the precision of a mean is unknown.
	unknownHalfWidth = 1
)

// batchedWindow holds the means of consecutive parts of a window.
type batchedWindow struct {
	means   []float64
	seconds int
	// varianceInflation is the factor by which dependence between the means inflates the variance of their
	// mean; 1 if they are independent.
	varianceInflation float64
}

// computeBatchMeans returns 30 batch means of a window, or as many as it has seconds. If neighbouring means are
// alike, it corrects the variance of the mean for that, because few long batches would hide it. If they
// alternate, as with blocks that complete many operations at once, batches grow until von Neumann's ratio finds
// nothing, but at least 10 remain. Seconds that fill no batch are omitted at the front.
func computeBatchMeans(window []float64) batchedWindow {
	shortest := max(1, (len(window)+maxBatches-1)/maxBatches)
	longest := max(shortest, len(window)/minBatches)
	b := splitIntoBatches(window, shortest)
	z := vonNeumannStatistic(b.means)
	if z < 0 {
		b.varianceInflation = estimateInflation(b.means)
	}
	for seconds := shortest + 1; z > alternationQuantile && seconds <= longest; seconds++ {
		b = splitIntoBatches(window, seconds)
		z = vonNeumannStatistic(b.means)
	}
	return b
}

func splitIntoBatches(window []float64, seconds int) batchedWindow {
	return batchedWindow{means: averageBlocks(window[len(window)%seconds:], seconds), seconds: seconds, varianceInflation: 1}
}

// averageBlocks returns the means of consecutive whole blocks.
func averageBlocks(series []float64, size int) []float64 {
	means := make([]float64, 0, len(series)/size)
	for ; len(series) >= size; series = series[size:] {
		means = append(means, stats.Mean(series[:size]))
	}
	return means
}

// vonNeumannStatistic returns the ratio of the mean square successive difference to the variance, standardized.
// It is negative if neighbours are alike, positive if they alternate, and 0 without spread.
func vonNeumannStatistic(means []float64) float64 {
	k := float64(len(means))
	spread := sumSquaredDeviations(means)
	if k < 3 || spread == 0 {
		return 0
	}
	successive := 0.0
	for i := 1; i < len(means); i++ {
		successive += (means[i] - means[i-1]) * (means[i] - means[i-1])
	}
	return (successive/spread - 2) / math.Sqrt(4*(k-2)/(k*k-1))
}

func sumSquaredDeviations(values []float64) float64 {
	mean, sum := stats.Mean(values), 0.0
	for _, v := range values {
		sum += (v - mean) * (v - mean)
	}
	return sum
}

// halfWidth returns the half-width of the confidence interval of the mean (Student's t) as a share of the mean,
// at most 1.
func (b batchedWindow) halfWidth(confidence, mean float64) float64 {
	k := float64(len(b.means))
	if k < 2 || mean <= 0 {
		return unknownHalfWidth
	}
	effective := k / b.varianceInflation
	width := tQuantile((1+confidence)/2, max(1, effective-1)) * math.Sqrt(sumSquaredDeviations(b.means)/(k-1)/effective)
	return min(unknownHalfWidth, width/mean)
}

// estimateInflation returns the inflation of the variance of a mean by the lag-1 correlation of its samples, as
// in a first-order autoregression: (1+r)/(1-r), at least 1. r is corrected for its bias in short series
// (Marriott and Pope 1954).
func estimateInflation(means []float64) float64 {
	mean, products, k := stats.Mean(means), 0.0, float64(len(means))
	for i := 1; i < len(means); i++ {
		products += (means[i] - mean) * (means[i-1] - mean)
	}
	r := products / sumSquaredDeviations(means)
	r = min(max(r+(1+4*r)/k, 0), 0.9)
	return (1 + r) / (1 - r)
}

// linearDrift returns the drift over the window by least squares, as an amount, or 0 if its slope could be
// chance.
func (b batchedWindow) linearDrift() float64 {
	k := float64(len(b.means))
	if k < 3 {
		return 0
	}
	slope, deviation, _ := b.fitLine()
	if math.Abs(slope) <= tQuantile((1+guardConfidence)/2, k-2)*deviation {
		return 0
	}
	return math.Abs(slope) * k
}

// driftBound returns an upper bound of the drift over the window as a share of the mean, at most 1. Positive
// correlation of the deviations from the line widens it.
func (b batchedWindow) driftBound(mean float64) float64 {
	k := float64(len(b.means))
	if k < 3 || mean <= 0 {
		return unknownHalfWidth
	}
	slope, deviation, residuals := b.fitLine()
	inflation := 1.0
	if vonNeumannStatistic(residuals) < 0 {
		inflation = estimateInflation(residuals)
	}
	bound := math.Abs(slope) + tQuantile(driftBoundConfidence, max(1, k/inflation-2))*deviation*math.Sqrt(inflation)
	return min(unknownHalfWidth, bound*k/mean)
}

// fitLine returns the slope per batch by least squares, its standard deviation with independent noise, and the
// deviations from the line.
func (b batchedWindow) fitLine() (slope, deviation float64, residuals []float64) {
	k, mean := float64(len(b.means)), stats.Mean(b.means)
	slope, spread := fitSlope(b.means)
	for i, v := range b.means {
		residuals = append(residuals, v-mean-slope*(float64(i)-(k-1)/2))
	}
	return slope, math.Sqrt(sumSquaredDeviations(residuals) / (k - 2) / spread), residuals
}

func tQuantile(p, degrees float64) float64 {
	return stats.InvCDF(stats.TDist{V: degrees})(p)
}
