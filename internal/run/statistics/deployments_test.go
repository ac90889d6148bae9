package statistics

import (
	"math"
	"testing"
)

// TestDeploymentSpread compares with an analysis of variance by hand: logarithms 0.1, 0.2 and 0.4, 0.5 have the mean squares 0.09 between and
// 0.005 within, F(1, 2) = 18.
func TestDeploymentSpread(t *testing.T) {
	runs := func(logarithms ...float64) []float64 {
		var values []float64
		for _, x := range logarithms {
			values = append(values, math.Exp(x))
		}
		return values
	}
	for name, c := range map[string]struct {
		deployments [][]float64
		want        *DeploymentSpread
	}{
		"two deployments":      {[][]float64{runs(0.1, 0.2), runs(0.4, 0.5)}, &DeploymentSpread{Between: math.Sqrt(0.0425), Within: math.Sqrt(0.005), PValue: 0.0513167}},
		"equal levels":         {[][]float64{runs(0.1, 0.2), runs(0.2, 0.1)}, &DeploymentSpread{Within: math.Sqrt(0.005), PValue: 1}},
		"unequal sizes":        {[][]float64{runs(0.1, 0.2, 0.3), runs(0.4)}, &DeploymentSpread{Between: math.Sqrt((0.03 - 0.01) / 1.5), Within: 0.1, PValue: 0.225403}},
		"one deployment":       {[][]float64{runs(0.1, 0.2)}, nil},
		"one run on each":      {[][]float64{runs(0.1), runs(0.2)}, nil},
		"no spread":            {[][]float64{runs(0.1, 0.1), runs(0.1, 0.1)}, nil},
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
