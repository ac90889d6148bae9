package statistics

import (
	"math"

	"github.com/aclements/go-moremath/mathx"
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

// EstimateDeploymentSpread returns the variance components of the logarithms of the runs of each deployment, by a one-way analysis of
// variance. It returns nil with fewer than two deployments, without a deployment of two runs, without spread, or if a value is not
// finite and above 0.
func EstimateDeploymentSpread(deployments [][]float64) *DeploymentSpread {
	var all []float64
	var within, sizes, squares float64
	for _, runs := range deployments {
		logarithms := make([]float64, len(runs))
		for i, v := range runs {
			if !(v > 0) || math.IsInf(v, 0) {
				return nil
			}
			logarithms[i] = math.Log(v)
		}
		within += sumSquaredDeviations(logarithms)
		all = append(all, logarithms...)
		sizes, squares = sizes+float64(len(runs)), squares+float64(len(runs)*len(runs))
	}
	groups := float64(len(deployments))
	if groups < 2 || sizes <= groups || within == 0 {
		return nil
	}
	meanWithin, meanBetween := within/(sizes-groups), (sumSquaredDeviations(all)-within)/(groups-1)
	ratio := meanBetween / meanWithin
	effectiveSize := (sizes - squares/sizes) / (groups - 1)
	return &DeploymentSpread{
		Between: math.Sqrt(max(0, (meanBetween-meanWithin)/effectiveSize)),
		Within:  math.Sqrt(meanWithin),
		PValue:  1 - mathx.BetaInc((groups-1)*ratio/((groups-1)*ratio+sizes-groups), (groups-1)/2, (sizes-groups)/2),
	}
}
