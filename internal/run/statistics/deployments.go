package statistics

import (
	"math"

	"github.com/aclements/go-moremath/mathx"
	"github.com/aclements/go-moremath/stats"
)

// DeploymentSpread has the variance components of runs on several deployments, as standard deviations relative to the mean.
type DeploymentSpread struct {
	// Between is that of the levels of deployments, and Within that of the runs on one deployment. Between is 0 if the deployments
	// differ no more than their runs make expect.
	Between float64 `json:"between"`
	Within  float64 `json:"within"`
	// PValue is that of the F test that deployments do not differ.
	PValue float64 `json:"pValue"`
}

// EstimateDeploymentSpread returns the variance components of the logarithms of the runs of each deployment, by an analysis of variance
// without the mean of each place: all first runs, which meet a new network, can be slower than all second ones. The runs are in their
// order on the deployment; NaN is a run that does not count. It returns nil with fewer than two deployments, without a deployment of two
// runs, without spread, or if a value is not finite and above 0.
func EstimateDeploymentSpread(deployments [][]float64) *DeploymentSpread {
	places, ok := groupByPlace(deployments)
	if !ok {
		return nil
	}
	var all []float64
	var within, sizes, squares, groups float64
	for _, runs := range deployments {
		var own []float64
		for place, v := range runs {
			if !math.IsNaN(v) {
				own = append(own, math.Log(v)-stats.Mean(places[place]))
			}
		}
		if n := float64(len(own)); n > 0 {
			groups, sizes, squares = groups+1, sizes+n, squares+n*n
			within += sumSquaredDeviations(own)
			all = append(all, own...)
		}
	}
	degrees := sizes - groups - float64(len(places)-1)
	if groups < 2 || degrees < 1 || within < 1e-20 {
		return nil
	}
	meanWithin, meanBetween := within/degrees, (sumSquaredDeviations(all)-within)/(groups-1)
	ratio := meanBetween / meanWithin
	effectiveSize := (sizes - squares/sizes) / (groups - 1)
	return &DeploymentSpread{
		Between: math.Sqrt(max(0, (meanBetween-meanWithin)/effectiveSize)),
		Within:  math.Sqrt(meanWithin),
		PValue:  1 - mathx.BetaInc((groups-1)*ratio/((groups-1)*ratio+degrees), (groups-1)/2, degrees/2),
	}
}

// groupByPlace returns the logarithms of the runs by their place on the deployment. It returns false if a value is not finite and above 0.
func groupByPlace(deployments [][]float64) (places map[int][]float64, ok bool) {
	places = map[int][]float64{}
	for _, runs := range deployments {
		for place, v := range runs {
			switch {
			case math.IsNaN(v):
			case v > 0 && !math.IsInf(v, 0):
				places[place] = append(places[place], math.Log(v))
			default:
				return nil, false
			}
		}
	}
	return places, true
}
