package statistics

import (
	"math"

	"github.com/aclements/go-moremath/stats"
)

// OrderedRun is the value of a run and its place in the order of all runs.
type OrderedRun struct {
	Place, Value float64
}

// Trend is a change from run to run.
type Trend struct {
	// PerRun is the relative change of the metric per run.
	PerRun float64 `json:"perRun"`
	// PValue is that of Student's test that there is no trend.
	PValue float64 `json:"pValue"`
}

// EstimateTrend fits one exponential trend to several sides, each with its own level, such as that of a host that gets slower. It
// returns nil if a value is not finite and above 0, or if there are too few runs.
func EstimateTrend(sides ...[]OrderedRun) *Trend {
	sum := leastSquares{degrees: -1}
	for _, side := range sides {
		fit, ok := fitTrend(side)
		if !ok {
			return nil
		}
		sum.xx, sum.xy, sum.yy, sum.degrees = sum.xx+fit.xx, sum.xy+fit.xy, sum.yy+fit.yy, sum.degrees+fit.degrees
	}
	if sum.degrees < 1 || sum.xx == 0 {
		return nil
	}
	return newTrend(sum.xy/sum.xx, sum.squaredResiduals()/sum.xx, sum.degrees)
}

// EstimateDivergence fits a trend of its own to each side, and returns the change of their ratio per run. It returns nil if a value is
// not finite and above 0, or if there are too few runs.
func EstimateDivergence(baseline, candidate []OrderedRun) *Trend {
	b, okBaseline := fitTrend(baseline)
	c, okCandidate := fitTrend(candidate)
	degrees := b.degrees + c.degrees - 2
	if !okBaseline || !okCandidate || degrees < 1 || b.xx == 0 || c.xx == 0 {
		return nil
	}
	return newTrend(c.xy/c.xx-b.xy/b.xx, (b.squaredResiduals()+c.squaredResiduals())*(1/b.xx+1/c.xx), degrees)
}

// leastSquares holds the sums of squares and products of deviations from the means of places x and logarithms y, with the degrees of
// freedom around the mean.
type leastSquares struct {
	xx, xy, yy float64
	degrees    int
}

// squaredResiduals returns the sum of squares around the line.
func (f leastSquares) squaredResiduals() float64 { return max(0, f.yy-f.xy*f.xy/f.xx) }

func fitTrend(side []OrderedRun) (leastSquares, bool) {
	var places, logarithms []float64
	for _, run := range side {
		if !(run.Value > 0) || math.IsInf(run.Value, 0) {
			return leastSquares{}, false
		}
		places, logarithms = append(places, run.Place), append(logarithms, math.Log(run.Value))
	}
	if len(side) == 0 {
		return leastSquares{}, false
	}
	fit := leastSquares{degrees: len(side) - 1}
	x, y := stats.Mean(places), stats.Mean(logarithms)
	for i := range side {
		fit.xx += (places[i] - x) * (places[i] - x)
		fit.xy += (places[i] - x) * (logarithms[i] - y)
		fit.yy += (logarithms[i] - y) * (logarithms[i] - y)
	}
	return fit, true
}

// newTrend returns a slope with its p-value. The variance is that of the slope, multiplied by the degrees of freedom.
func newTrend(slope, variance float64, degrees int) *Trend {
	t := &Trend{PerRun: math.Expm1(slope), PValue: 1}
	if slope != 0 {
		statistic := math.Abs(slope) / math.Sqrt(variance/float64(degrees))
		t.PValue = 2 * (1 - stats.TDist{V: float64(degrees)}.CDF(statistic))
	}
	return t
}
