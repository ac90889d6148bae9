package statistics

import (
	"math"

	"github.com/aclements/go-moremath/stats"
)

// OrderedRun is the value of a run and its place in the order of all runs.
type OrderedRun struct {
	Place, Value float64
}

// Trend is a change from run to run that is common to all sides, such as a host that gets slower.
type Trend struct {
	// PerRun is the relative change of the metric per run.
	PerRun float64 `json:"perRun"`
	// PValue is that of Student's test that there is no trend.
	PValue float64 `json:"pValue"`
}

// EstimateTrend fits one exponential trend to several sides, each with its own level. It returns nil if a value
// is not finite and above 0, or if there are too few runs.
func EstimateTrend(sides ...[]OrderedRun) *Trend {
	var xx, xy, yy float64
	degrees := -1
	for _, side := range sides {
		var places, logarithms []float64
		for _, run := range side {
			if !(run.Value > 0) || math.IsInf(run.Value, 0) {
				return nil
			}
			places, logarithms = append(places, run.Place), append(logarithms, math.Log(run.Value))
		}
		if len(side) == 0 {
			return nil
		}
		x, y := stats.Mean(places), stats.Mean(logarithms)
		for i := range side {
			xx += (places[i] - x) * (places[i] - x)
			xy += (places[i] - x) * (logarithms[i] - y)
			yy += (logarithms[i] - y) * (logarithms[i] - y)
		}
		degrees += len(side) - 1
	}
	if degrees < 1 || xx == 0 {
		return nil
	}
	slope := xy / xx
	t := &Trend{PerRun: math.Expm1(slope), PValue: 1}
	if residual := max(0, yy-slope*xy); slope != 0 {
		statistic := math.Abs(slope) / math.Sqrt(residual/float64(degrees)/xx)
		t.PValue = 2 * (1 - stats.TDist{V: float64(degrees)}.CDF(statistic))
	}
	return t
}
