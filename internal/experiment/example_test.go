package experiment

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// ExampleCompareVariants compares six pairs with a gate of 5 %: the candidate is lower in all of them, so p = 2/64.
func ExampleCompareVariants() {
	var runs []Run
	measured := func(point string, throughputs ...float64) {
		for i, x := range throughputs {
			runs = append(runs, Run{Point: point, Repetition: i + 1, Verdict: RunValid, Metrics: map[string]float64{"Throughput": x}})
		}
	}
	measured("p01", 120.4, 118.9, 121.7, 119.5, 120.8, 120.1)
	measured("p02", 110.1, 112.5, 109.8, 111.9, 110.6, 111.2)
	points := []Point{{Name: "p01", Variant: "v4.10"}, {Name: "p02", Variant: "patched"}}
	spec := &v1alpha1.Comparison{
		Baseline: "v4.10", ConfidencePercent: 95, Metrics: []v1alpha1.Metric{v1alpha1.MetricThroughput},
		Gates: []v1alpha1.Gate{{Metric: v1alpha1.MetricThroughput, MaxRegressionPercent: resource.MustParse("5")}},
	}
	for _, c := range CompareVariants(Question{Spec: spec, Result: &Result{Points: points, Runs: runs, Order: "RandomizedPairs"}}) {
		fmt.Println(c.Verdict, c.Gate)
		fmt.Println(c.Message)
		fmt.Printf("effect %.2f, detectable %.1f %%\n", c.EffectSize, 100**c.Detectable)
	}
	for _, p := range points {
		var own []Run
		for _, r := range runs {
			if r.Point == p.Name {
				own = append(own, r)
			}
		}
		e := EstimateMetrics(own, 0, 0.95)["Throughput"]
		fmt.Printf("%s: %.2f, deviation %.2f, [%.2f, %.2f]\n", p.Variant, e.Mean, e.StdDev, e.Interval.Low, e.Interval.High)
	}
	// Output:
	// Worse Failed
	// regression > 5 % at 95 %: throughput -7.7 % [-9.3 %, -6.0 %], p = 0.031
	// effect -1.00, detectable 4.1 %
	// v4.10: 120.23, deviation 0.98, [119.21, 121.27]
	// patched: 111.02, deviation 1.05, [109.92, 112.12]
}
