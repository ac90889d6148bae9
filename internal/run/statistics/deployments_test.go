package statistics

import (
	"math"
	"testing"
)

// TestDeploymentSpread compares with an analysis of variance by hand: logarithms 0.1, 0.5 and 0.4, 0.9 and 0.2, 0.7, of which the means of the
// places are 0.233 and 0.7, have the mean squares 0.0617 between and 0.00167 within, F(2, 2) = 37.
func TestDeploymentSpread(t *testing.T) {
	runs := func(logarithms ...float64) []float64 {
		var values []float64
		for _, x := range logarithms {
			values = append(values, math.Exp(x))
		}
		return values
	}
	nan := math.NaN()
	for name, c := range map[string]struct {
		deployments [][]float64
		want        *DeploymentSpread
	}{
		"three deployments":    {[][]float64{runs(0.1, 0.5), runs(0.4, 0.9), runs(0.2, 0.7)}, &DeploymentSpread{Between: math.Sqrt(0.03), Within: math.Sqrt(0.005 / 3), PValue: 1.0 / 38}},
		"without first runs":   {[][]float64{runs(nan, 0.1, 0.5), runs(nan, 0.4, 0.9), runs(nan, 0.2, 0.7)}, &DeploymentSpread{Between: math.Sqrt(0.03), Within: math.Sqrt(0.005 / 3), PValue: 1.0 / 38}},
		"a missing run":        {[][]float64{runs(0.1, 0.5), runs(0.4, 0.9), runs(0.2, nan)}, &DeploymentSpread{Between: math.Sqrt((0.061944444 - 0.0027777778) / 1.6), Within: math.Sqrt(0.025 / 9), PValue: 1 / math.Sqrt(45.6)}},
		"equal levels":         {[][]float64{runs(0.1, 0.2), runs(0.2, 0.1)}, &DeploymentSpread{Within: 0.1, PValue: 1}},
		"one deployment":       {[][]float64{runs(0.1, 0.2)}, nil},
		"one run on each":      {[][]float64{runs(0.1), runs(0.2)}, nil},
		"no spread":            {[][]float64{runs(0.1, 0.1), runs(0.1, 0.1)}, nil},
		"only places differ":   {[][]float64{runs(0.1, 0.3), runs(0.1, 0.3)}, nil},
		"a run without result": {[][]float64{runs(0.1, 0.2), {1, 0}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := EstimateDeploymentSpread(c.deployments)
			if (got == nil) != (c.want == nil) {
				t.Fatalf("got %+v, want %+v", got, c.want)
			}
			if got != nil && (math.Abs(got.Between-c.want.Between) > 1e-9 || math.Abs(got.Within-c.want.Within) > 1e-9 || math.Abs(got.PValue-c.want.PValue) > 1e-6) {
				t.Errorf("got %+v, want %+v", *got, *c.want)
			}
		})
	}
}
