package experiment

import (
	"math"

	"github.com/benchnet/benchnet/internal/run/statistics"
)

const (
	// maxKneeShare is the largest load of a knee as a share of the highest load. A knee above it could not be
	// distinguished from noise.
	maxKneeShare = 0.9
	// minKneeLoads is the number of loads that are necessary to find a knee.
	minKneeLoads = 3
)

// findKnee returns the knee of the curve of throughput over load, or 0. In the asymptotic view of queueing
// networks (Denning and Buzen 1978) the curve consists of two lines, throughput in proportion to the load and a
// constant, which meet at the knee. Both are fitted by least squares of the logarithms, so that noise in
// percent has the same weight everywhere.
func findKnee(loads []triedLoad) int64 {
	var x, y []float64
	for _, l := range loads {
		if l.measured > 0 && l.throughput > 0 {
			x = append(x, math.Log(float64(l.load)))
			y = append(y, math.Log(l.throughput/float64(l.measured)))
		}
	}
	if len(x) < minKneeLoads {
		return 0
	}
	best, least := 0.0, math.Inf(1)
	for split := 1; split < len(x); split++ {
		// log y = log x + rise up to the split, log y = top from there.
		rise := statistics.Mean(y[:split]) - statistics.Mean(x[:split])
		top := statistics.Mean(y[split:])
		misfit := 0.0
		for i := range x {
			misfit += square(y[i] - min(x[i]+rise, top))
		}
		if misfit < least {
			best, least = top-rise, misfit
		}
	}
	if best > x[len(x)-1]+math.Log(maxKneeShare) {
		return 0
	}
	return int64(math.Round(math.Exp(best)))
}

func square(v float64) float64 { return v * v }
