package experiment

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// ExampleCompareVariants is the worked example of docs/statistics.md.
func ExampleCompareVariants() {
	var runs []Run
	measured := func(point string, throughputs ...float64) {
		for _, x := range throughputs {
			runs = append(runs, Run{Point: point, Verdict: RunValid, Metrics: map[string]float64{"Throughput": x}})
		}
	}
	measured("p01", 120.4, 118.9, 121.7, 119.5, 120.8)
	measured("p02", 111.2, 109.8, 112.5, 110.1, 111.9)
	points := []Point{{Name: "p01", Variant: "v4.10"}, {Name: "p02", Variant: "patched"}}
	spec := &v1alpha1.Comparison{
		Baseline: "v4.10", ConfidencePercent: 95, Metrics: []v1alpha1.Metric{v1alpha1.MetricThroughput},
		Gates: []v1alpha1.Gate{{Metric: v1alpha1.MetricThroughput, MaxRegressionPercent: resource.MustParse("5")}},
	}
	for _, c := range CompareVariants(spec, points, runs, 1, nil) {
		fmt.Println(c.Verdict, c.Gate)
		fmt.Println(c.Message)
		fmt.Printf("effect %.2f, detectable %.1f %%\n", c.EffectSize, 100*c.Detectable)
	}
	for _, p := range points {
		var own []Run
		for _, r := range runs {
			if r.Point == p.Name {
				own = append(own, r)
			}
		}
		e := EstimateMetrics(own, 0.95)["Throughput"]
		fmt.Printf("%s: %.2f, deviation %.2f, [%.2f, %.2f]\n", p.Variant, e.Mean, e.StdDev, e.Low, e.High)
	}
	// Output:
	// Worse Failed
	// regression > 5 % at 95 %: throughput -7.6 % [-8.9 %, -6.3 %], p = 0.0079
	// effect -1.00, detectable 2.3 %
	// v4.10: 120.26, deviation 1.10, [118.90, 121.62]
	// patched: 111.10, deviation 1.15, [109.67, 112.53]
}
