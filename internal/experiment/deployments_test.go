package experiment

import (
	"fmt"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

func TestDeploymentsHaveTheirOwnNetworks(t *testing.T) {
	const twoVersions = `variants: [{name: A, patch: {network: {platform: {corda: {version: "4.3"}}}}}, {name: B}]`
	for name, c := range map[string]struct {
		spec string
		// order is the network of each run, such as n1, in the order of the runs.
		order    string
		networks int
	}{
		"listed":               {"deployments: 2, " + twoVersions, "n1 n1 n2 n2 n3 n3 n4 n4", 1},
		"interleaved":          {"deployments: 2, order: {type: Interleaved}, " + twoVersions, "n1 n2 n1 n2 n3 n4 n3 n4", 2},
		"each run on its own":  {"deployments: 4, order: {type: Interleaved}, " + twoVersions, "n1 n2 n3 n4 n5 n6 n7 n8", 2},
		"one network":          {"deployments: 2", "n1 n1 n2 n2", 1},
		"variants of the load": {"deployments: 2, variants: [{name: A}, {name: B, patch: {workload: {load: {clients: 3}}}}]", "n1 n1 n1 n1 n2 n2 n2 n2", 1},
		"one deployment":       {"order: {type: Interleaved}, " + twoVersions, "n1 n2 n1 n2 n1 n2 n1 n2", 2},
	} {
		t.Run(name, func(t *testing.T) {
			l := newSimulator(t, "{spec: {repetitions: 4, "+c.spec+"}}")
			step := l.runToEnd()
			result := l.design.BuildResult(l.experiment, 0, &step, l.observed, nil)
			networkOf := map[string]string{}
			for _, run := range result.Runs {
				networkOf[run.Name] = strings.TrimPrefix(run.Network, "exp-")
			}
			var order []string
			for _, run := range l.createdRuns {
				order = append(order, networkOf[run])
			}
			if got := strings.Join(order, " "); got != c.order || l.maxNetworks != c.networks {
				t.Errorf("runs on %s with %d networks at one time, want %s with %d", got, l.maxNetworks, c.order, c.networks)
			}
		})
	}
}

// TestRandomOrderOfDeployments checks that random orders keep the repetitions of a deployment on its networks.
func TestRandomOrderOfDeployments(t *testing.T) {
	for _, order := range []string{"Shuffled", "RandomizedPairs"} {
		t.Run(order, func(t *testing.T) {
			e, d := parseDesign(t, "{spec: {repetitions: 6, deployments: 3, order: {type: "+order+"}, variants: [{name: A}, {name: B, patch: {network: {members: {count: 3}}}}]}}")
			runs := map[string]bool{}
			for _, g := range d.GroupRuns(&e.Spec, 7) {
				for _, turn := range g.Turns {
					runs[fmt.Sprint(turn)] = true
					deployment := (turn.Repetition - 1) / 2
					if n := d.NetworkOf(turn.Point, turn.Repetition); n/d.DistinctNetworks() != deployment || !strings.Contains(fmt.Sprint(g.Networks), fmt.Sprint(n)) {
						t.Errorf("repetition %d of point %d is on network %d in a group with networks %v", turn.Repetition, turn.Point, n, g.Networks)
					}
				}
			}
			if len(runs) != 2*6 {
				t.Errorf("%d runs, want 12", len(runs))
			}
		})
	}
}

// TestDeploymentsAreTheUnit compares two variants whose deployments differ by chance: of many runs on two deployments, a difference must
// not be claimed.
func TestDeploymentsAreTheUnit(t *testing.T) {
	for name, c := range map[string]struct {
		// base and other are the levels of the deployments, with four runs each.
		base, other []float64
		perRun      int
		verdict     v1alpha1.ComparisonVerdict
		pairs       int
	}{
		"by run":                     {[]float64{100, 101}, []float64{104.5, 105.5}, 0, v1alpha1.ComparisonWorse, 8},
		"two deployments":            {[]float64{100, 101}, []float64{104.5, 105.5}, 4, v1alpha1.ComparisonTooFewRuns, 2},
		"deployments without effect": {[]float64{100, 105, 98, 103, 99, 104, 100}, []float64{104, 99, 103, 98, 105, 100, 101}, 4, v1alpha1.ComparisonNoDifference, 7},
		"deployments with an effect": {[]float64{100, 105, 98, 103, 99, 104, 100}, []float64{110, 116, 107, 113, 109, 115, 111}, 4, v1alpha1.ComparisonWorse, 7},
	} {
		t.Run(name, func(t *testing.T) {
			levels := map[string][]float64{}
			for side, deployments := range map[string][]float64{"base": c.base, "other": c.other} {
				for _, level := range deployments {
					for run := range 4 {
						levels[side] = append(levels[side], level+0.1*float64(run))
					}
				}
			}
			points, runs := newMeasuredRuns(levels)
			for i := range runs {
				runs[i].Metrics["LatencyMean"] = runs[i].Metrics["Throughput"]
			}
			r := &Result{Points: points, Runs: runs, Order: "RandomizedPairs", RunsPerDeployment: c.perRun}
			got := CompareVariants(Question{newComparisonSpec(v1alpha1.MetricLatencyMean, ""), r, nil})[0]
			if got.Verdict != c.verdict || got.Baselines != c.pairs {
				t.Errorf("%s with %d pairs, want %s with %d: %s", got.Verdict, got.Baselines, c.verdict, c.pairs, got.Message)
			}
			estimate := EstimateMetrics(runs[:len(levels["base"])], c.perRun, 0.95)["Throughput"]
			if estimate.N != c.pairs {
				t.Errorf("the estimate has n = %d, want %d", estimate.N, c.pairs)
			}
		})
	}
}

// TestFirstRunOfEachDeploymentIsDiscarded has slow first runs on new networks.
func TestFirstRunOfEachDeploymentIsDiscarded(t *testing.T) {
	r := &Result{RunsPerDeployment: 3, FirstRepetition: v1alpha1.FirstRepetitionDiscard}
	for i := range 9 {
		r.Runs = append(r.Runs, Run{Point: "p01", Repetition: i + 1, Verdict: RunValid, Metrics: map[string]float64{"Throughput": float64(10 * (i + 1))}})
	}
	selected := selectCountedRuns(r, "p01").sampleMetric(comparedMetric{Metric: v1alpha1.MetricThroughput})
	if got, want := fmt.Sprint(selected), "{[1 2 3] [25 55 85] [false false false]}"; got != want {
		t.Errorf("deployments and their means are %s, want %s", got, want)
	}
}

// TestFailedRunFailsItsDeployment checks that a deployment with a failed run has the worst value.
func TestFailedRunFailsItsDeployment(t *testing.T) {
	r := &Result{RunsPerDeployment: 2}
	for i, verdict := range []RunVerdict{RunValid, RunFailed, RunValid, RunValid} {
		r.Runs = append(r.Runs, Run{Point: "p01", Repetition: i + 1, Verdict: verdict, Metrics: map[string]float64{"Throughput": 10}})
	}
	if got, want := fmt.Sprint(selectCountedRuns(r, "p01").sampleMetric(comparedMetric{Metric: v1alpha1.MetricThroughput})), "{[1 2] [-Inf 10] [false false]}"; got != want {
		t.Errorf("deployments and their means are %s, want %s", got, want)
	}
}

// TestPointShowsSpreadOfDeployments checks the variance components in the result of an experiment.
func TestPointShowsSpreadOfDeployments(t *testing.T) {
	l := newSimulator(t, "{spec: {repetitions: 6, deployments: 3}}")
	step := l.runToEnd()
	for i, name := range l.createdRuns {
		run := l.observed.Runs[name]
		run.Metrics = map[string]float64{"Throughput": 100 + 10*float64(i/2) + float64(i%2)}
		l.observed.Runs[name] = run
	}
	point := l.design.BuildResult(l.experiment, 0, &step, l.observed, nil).Points[0]
	if s := point.Deployments["Throughput"]; s.Between < 0.08 || s.Between > 0.1 || s.Within > 0.01 || s.PValue > 0.01 || point.Metrics["Throughput"].N != 3 {
		t.Errorf("got %+v, estimate %+v", s, point.Metrics["Throughput"])
	}
}

// TestDefaultDeployments checks that networks that are compared are deployed as often as the repetitions allow and a claim needs.
func TestDefaultDeployments(t *testing.T) {
	const (
		ofNetworks = "variants: [{name: A}, {name: B, patch: {network: {members: {count: 3}}}}]"
		ofLoads    = "variants: [{name: A}, {name: B, patch: {workload: {load: {clients: 3}}}}]"
		discarding = "strategy: Compare, compare: {baseline: A, firstRepetition: Discard}, "
		counting   = "strategy: Compare, compare: {baseline: A, firstRepetition: Count}, "
	)
	for name, test := range map[string]struct {
		spec string
		want int
	}{
		"two runs on each":               {discarding + "repetitions: 12, " + ofNetworks, 6},
		"three runs on each":             {discarding + "repetitions: 21, " + ofNetworks, 7},
		"one counted run on each":        {counting + "repetitions: 7, " + ofNetworks, 7},
		"too few for a claim":            {discarding + "repetitions: 10, " + ofNetworks, 1},
		"too few at 99 %":                {strings.Replace(discarding, "baseline: A", "baseline: A, confidencePercent: 99", 1) + "repetitions: 12, " + ofNetworks, 1},
		"a prime number":                 {discarding + "repetitions: 11, " + ofNetworks, 1},
		"one repetition":                 {discarding + "repetitions: 1, " + ofNetworks, 1},
		"one network":                    {discarding + "repetitions: 12, " + ofLoads, 1},
		"networks that are not compared": {"repetitions: 12, " + ofNetworks, 1},
		"as the spec says":               {discarding + "repetitions: 12, deployments: 1, " + ofNetworks, 1},
	} {
		t.Run(name, func(t *testing.T) {
			_, d := parseDesign(t, "{spec: {"+test.spec+"}}")
			if distinct := d.DistinctNetworks(); d.Deployments != test.want || len(d.Networks) != test.want*distinct {
				t.Errorf("%d deployments of %d networks, want %d", d.Deployments, distinct, test.want)
			}
		})
	}
}
