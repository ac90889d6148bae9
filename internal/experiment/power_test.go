package experiment

import (
	"math"
	"reflect"
	"testing"

	"github.com/benchnet/benchnet/internal/run/statistics"
)

// newPilot returns a pilot with an estimate of the throughput of one point.
func newPilot(n, runsPerDeployment int, deviation float64, spread *statistics.DeploymentSpread) *Result {
	p := Point{Name: "p01", Metrics: map[string]statistics.Estimate{"Throughput": {N: n, Mean: 100, StdDev: 100 * deviation}}}
	if spread != nil {
		p.Deployments = map[string]statistics.DeploymentSpread{"Throughput": *spread}
	}
	return &Result{Confidence: 0.95, RunsPerDeployment: runsPerDeployment, Points: []Point{p},
		Comparisons: []ComparisonOutcome{{Metric: "Throughput"}}}
}

func TestPlanPower(t *testing.T) {
	plan := func(pilot *Result) PointPower { return PlanPower(pilot, "", 0.05).Points[0] }
	t.Run("one deployment", func(t *testing.T) {
		few, many := plan(newPilot(20, 0, 0.03, nil)), plan(newPilot(20, 0, 0.06, nil))
		if few.Designs[0].Deployments != 1 || few.Designs[0].Pairs < 7 || many.Designs[0].Pairs < 3*few.Designs[0].Pairs || few.Between != nil {
			t.Errorf("%+v with a deviation of 3 %%, %+v with 6 %%", few, many)
		}
	})
	t.Run("a small pilot needs more", func(t *testing.T) {
		small, large := plan(newPilot(3, 0, 0.03, nil)), plan(newPilot(30, 0, 0.03, nil))
		if small.Designs[0].Pairs <= large.Designs[0].Pairs {
			t.Errorf("%+v by three runs, %+v by thirty", small, large)
		}
	})
	t.Run("several deployments", func(t *testing.T) {
		within := plan(newPilot(10, 2, 0.03, &statistics.DeploymentSpread{Within: 0.04, Between: 0.01})).Designs
		between := plan(newPilot(10, 2, 0.03, &statistics.DeploymentSpread{Within: 0.001, Between: 0.03})).Designs
		if len(within) != 3 || within[2].Pairs != 4 || within[0].Deployments <= within[2].Deployments {
			t.Errorf("%+v: repetitions must save deployments if runs vary within them", within)
		}
		if len(between) != 3 || between[0].Deployments != between[2].Deployments {
			t.Errorf("%+v: repetitions must save nothing if only deployments vary", between)
		}
	})
	t.Run("one run on each deployment", func(t *testing.T) {
		got := plan(newPilot(10, 1, 0.03, nil))
		if got.Within != nil || math.Abs(*got.Between-0.03) > 1e-12 || len(got.Designs) != 1 || got.Designs[0].Pairs != 1 {
			t.Errorf("got %+v", got)
		}
	})
	for name, test := range map[string]struct {
		pilot *Result
		want  string
	}{
		"one run":         {newPilot(1, 0, 0, nil), "the pilot has 1 valid run, needs 2"},
		"one deployment":  {newPilot(1, 4, 0, nil), "the pilot has 1 valid deployment, needs 2"},
		"equal runs":      {newPilot(5, 0, 0, nil), "the pilot shows no spread"},
		"too large noise": {newPilot(5, 0, 30, nil), ""},
		"hostile":         {&Result{Confidence: 1, Points: newPilot(5, 0, 30, nil).Points, Comparisons: []ComparisonOutcome{{Metric: "Throughput"}}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plan(test.pilot); got.Message != test.want || len(got.Designs) > 0 {
				t.Errorf("got %+v, want no design and %q", got, test.want)
			}
		})
	}
}

func TestPlanPowerCountsClaims(t *testing.T) {
	points := []Point{{Name: "p01", Variant: "a"}, {Name: "p02", Variant: "b"}, {Name: "p03", Variant: "c"}}
	for name, test := range map[string]struct {
		pilot   Result
		variant string
		claims  int
		metrics []string
	}{
		"comparisons": {Result{Points: points[:1], Comparisons: []ComparisonOutcome{{Metric: "LatencyP99"}, {Metric: "ErrorShare"}}}, "", 2, []string{"LatencyP99"}},
		"points":      {Result{Points: points[:1]}, "", 3, []string{"Throughput", "LatencyMean", "LatencyP95"}},
		"variants":    {Result{Points: points, Variants: []string{"a", "b", "c"}}, "b", 6, []string{"Throughput", "LatencyMean", "LatencyP95"}},
	} {
		t.Run(name, func(t *testing.T) {
			plan := PlanPower(&test.pilot, test.variant, 0.05)
			var metrics []string
			for _, p := range plan.Points {
				metrics = append(metrics, p.Metric)
			}
			if plan.Claims != test.claims || !reflect.DeepEqual(metrics, test.metrics) {
				t.Errorf("%d claims of %v, want %d of %v", plan.Claims, metrics, test.claims, test.metrics)
			}
		})
	}
}

// TestErrorSharesHaveBoundedIntervals checks the estimate of a point and the difference of two points.
func TestErrorSharesHaveBoundedIntervals(t *testing.T) {
	shares := []float64{0, 0, 0.5, 0, 0}
	points := []Point{{Name: "p01", Variant: "base"}, {Name: "p02", Variant: "other"}}
	result := &Result{Points: points, Order: "RandomizedPairs"}
	for side, p := range points {
		for i, share := range shares {
			if side == 1 {
				share = 1 - share
			}
			result.Runs = append(result.Runs, Run{Point: p.Name, Repetition: i + 1, Verdict: RunValid, Metrics: map[string]float64{"ErrorShare": share}})
		}
	}
	e := EstimateMetrics(result.Runs[:5], 0, 0.95)["ErrorShare"]
	if e.Interval.Low <= 0 || e.Interval.High >= 1 {
		t.Errorf("the interval of the share is %v", e.Interval)
	}
	outcome := CompareVariants(Question{newComparisonSpec("ErrorShare", ""), result, nil})[0]
	if outcome.Interval.High > 1 || outcome.OneSided.High > 1 {
		t.Errorf("the interval of the difference is %v", outcome.Interval)
	}
}
