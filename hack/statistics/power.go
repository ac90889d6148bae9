package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/run/statistics"
)

// powerDesign is a comparison of so many runs of each side, as one of so many claims.
type powerDesign struct {
	baselines, candidates, claims int
	paired                        bool
}

var powerDesigns = []powerDesign{
	{6, 6, 1, true}, {7, 7, 1, true}, {8, 8, 1, true}, {10, 10, 1, true}, {20, 20, 1, true}, {30, 30, 1, true},
	{7, 7, 3, true}, {9, 9, 12, true}, {10, 10, 3, true}, {20, 20, 12, true},
	{4, 4, 1, false}, {5, 5, 1, false}, {8, 12, 1, false}, {20, 20, 1, false}, {6, 6, 12, false},
}

func (d powerDesign) String() string {
	if d.paired {
		return fmt.Sprintf("%d pairs", d.baselines)
	}
	return fmt.Sprintf("%d against %d runs", d.candidates, d.baselines)
}

func (d powerDesign) options() statistics.CompareOptions {
	return statistics.CompareOptions{Confidence: confidence, Paired: d.paired, Claims: d.claims}
}

// simulatePower returns how often the difference that a comparison of equal systems calls detectable is claimed if it exists, by the
// distribution of runs.
func simulatePower(simulations int) markdownTable {
	sources := []struct {
		name   string
		source func(r *rand.Rand) runSource
	}{
		{"noise 3 %", newNoiseSource(0.03)}, {"drift of 1 % per run", newDriftSource(0.01)}, {"AR(1), 0.5", newAutocorrelatedSource(0.5)},
		{"heavy tails (t, 3)", heavyTailed}, {"one run in ten 30 % off", newDisturbedSource},
	}
	t := markdownTable{header: []string{"runs", "claims"}}
	for _, s := range sources {
		t.header = append(t.header, s.name)
	}
	for _, d := range powerDesigns {
		row := []string{d.String(), fmt.Sprint(d.claims)}
		for _, s := range sources {
			found := simulate(simulations, func(r *rand.Rand) bool {
				detectable := d.measure(r, s.source, 1).Detectable
				return detectable != nil && d.measure(r, s.source, 1+*detectable).IsSignificant(confidence)
			})
			row = append(row, formatShare(found, func(claimed bool) bool { return claimed }))
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// measure simulates the runs of both sides in a random order, and compares them. The candidate's runs are multiplied by factor.
func (d powerDesign) measure(r *rand.Rand, source func(r *rand.Rand) runSource, factor float64) statistics.Comparison {
	next := source(r)
	sides := [2][]float64{}
	order := append(slices.Repeat([]int{0}, d.baselines), slices.Repeat([]int{1}, d.candidates)...)
	r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	for place := range order {
		if d.paired && place%2 == 0 {
			order[place] = r.IntN(2)
			order[place+1] = 1 - order[place]
		}
		sides[order[place]] = append(sides[order[place]], next(place))
	}
	for i := range sides[1] {
		sides[1][i] *= factor
	}
	return statistics.Compare(sides[0], sides[1], d.options())
}

// pilotDesign is an experiment by whose spread another one is planned.
type pilotDesign struct {
	// deployments is the number of deployments, each with so many runs.
	deployments, runs int
	// within and between are the deviations of runs and of deployments.
	within, between float64
}

var pilotDesigns = []pilotDesign{
	{1, 5, 0.03, 0}, {1, 10, 0.03, 0}, {1, 20, 0.03, 0}, {5, 2, 0.01, 0.02}, {10, 2, 0.01, 0.02}, {10, 4, 0.03, 0.01}, {10, 1, 0.01, 0.02},
}

// simulatePlanning plans experiments for a difference of 5 % by a pilot, and returns how often they find it.
func simulatePlanning(simulations int) markdownTable {
	t := markdownTable{header: []string{"noise", "between deployments", "pilot: deployments × runs", "planned: median", "found"}}
	for _, d := range pilotDesigns {
		outcomes := simulate(simulations, d.planAndMeasure)
		slices.SortFunc(outcomes, func(a, b plannedOutcome) int {
			return a.design.Deployments*a.design.Pairs - b.design.Deployments*b.design.Pairs
		})
		median := outcomes[len(outcomes)/2]
		t.rows = append(t.rows, []string{fmt.Sprintf("%.0f %%", 100*d.within), fmt.Sprintf("%.0f %%", 100*d.between), fmt.Sprintf("%d × %d", d.deployments, d.runs),
			fmt.Sprintf("%d × %d", median.design.Deployments, median.design.Pairs), formatShare(outcomes, func(o plannedOutcome) bool { return o.found })})
	}
	return t
}

// plannedOutcome is the first design of a plan, and whether the difference was found with it.
type plannedOutcome struct {
	design experiment.PowerDesign
	found  bool
}

func (d pilotDesign) planAndMeasure(r *rand.Rand) plannedOutcome {
	const difference = 0.05
	designs := experiment.PlanPower(d.measurePilot(r), "", difference).Points[0].Designs
	if len(designs) == 0 {
		return plannedOutcome{}
	}
	planned := gateDesign{source: newNoiseSource(d.within), between: d.between, deployments: designs[0].Deployments, pairs: designs[0].Pairs}
	outcome := planned.judgeCandidate(r, 1+difference)
	return plannedOutcome{designs[0], outcome.Verdict == v1alpha1.ComparisonBetter}
}

// measurePilot returns the result of runs of one variant.
func (d pilotDesign) measurePilot(r *rand.Rand) *experiment.Result {
	const metric = string(v1alpha1.MetricThroughput)
	next := newNoiseSource(d.within)(r)
	result := &experiment.Result{Confidence: confidence, Comparisons: []experiment.ComparisonOutcome{{Metric: metric}}}
	if d.deployments > 1 {
		result.RunsPerDeployment = d.runs
	}
	values := make([][]float64, d.deployments)
	for deployment := range values {
		level := math.Exp(d.between * r.NormFloat64())
		for run := range d.runs {
			value := level * next(0)
			values[deployment] = append(values[deployment], value)
			result.Runs = append(result.Runs, experiment.Run{Point: "p01", Repetition: deployment*d.runs + run + 1, Verdict: experiment.RunValid,
				Start: time.Unix(int64(len(result.Runs)), 0), Metrics: map[string]float64{metric: value}})
		}
	}
	point := experiment.Point{Name: "p01", Metrics: experiment.EstimateMetrics(result.Runs, result.RunsPerDeployment, confidence)}
	if spread := statistics.EstimateDeploymentSpread(values); spread != nil {
		point.Deployments = map[string]statistics.DeploymentSpread{metric: *spread}
	}
	result.Points = []experiment.Point{point}
	return result
}
