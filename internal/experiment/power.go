package experiment

import (
	"fmt"
	"math"
	"slices"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/format"
	"github.com/benchnet/benchnet/internal/run/statistics"
)

// PowerPlan says how many deployments and pairs show a difference from a system like the one of a pilot in at least 80 % of all cases.
type PowerPlan struct {
	// Difference is the relative difference, and Confidence that of the comparison.
	Difference float64 `json:"difference"`
	Confidence float64 `json:"confidence"`
	// Claims is the number of comparisons for which p-values are corrected.
	Claims int `json:"claims"`
	// SingleDeployment reports that the pilot deployed each network once, so that the spread between deployments is unknown.
	SingleDeployment bool         `json:"singleDeployment,omitempty"`
	Points           []PointPower `json:"points"`
}

// PointPower is the part of a plan for one metric of one point.
type PointPower struct {
	Point  string `json:"point"`
	Label  string `json:"label"`
	Metric string `json:"metric"`
	// Within and Between are the pilot's deviations within and between deployments, as shares of the mean; absent if they are unknown.
	// With one run on each deployment, Between has both.
	Within  *float64 `json:"within,omitempty"`
	Between *float64 `json:"between,omitempty"`
	// Designs are alternatives. It is empty if none suffices, or with a Message.
	Designs []PowerDesign `json:"designs"`
	// Message says why nothing can be planned.
	Message string `json:"message,omitempty"`
}

// PowerDesign is a number of deployments of each network, each with so many pairs of runs.
type PowerDesign struct {
	Deployments int `json:"deployments"`
	Pairs       int `json:"pairs"`
}

// plannedMetrics are the metrics of a plan if the pilot has no comparisons.
var plannedMetrics = []v1alpha1.Metric{v1alpha1.MetricThroughput, v1alpha1.MetricLatencyMean, v1alpha1.MetricLatencyP95}

// plannedPairs are the numbers of pairs on a deployment among which a plan offers a choice.
var plannedPairs = []int{1, 2, 4}

// PlanPower returns the deployments and pairs that show a relative difference, by the spread of a pilot. It plans the metrics and the
// number of claims of the pilot's comparisons, or else of a comparison of all points with one baseline. variant limits the plan to the
// points of a variant unless it is empty.
func PlanPower(pilot *Result, variant string, difference float64) PowerPlan {
	plan := PowerPlan{Difference: difference, Confidence: pilot.Confidence, SingleDeployment: pilot.RunsPerDeployment == 0, Points: []PointPower{}}
	if !(plan.Confidence >= 0.5 && plan.Confidence <= 0.99) { // Files can have any.
		plan.Confidence = defaultConfidence
	}
	metrics := comparedMetrics(pilot)
	plan.Claims = max(1, len(pilot.Comparisons))
	if len(pilot.Comparisons) == 0 {
		plan.Claims = max(1, len(metrics)*countComparedPoints(pilot))
	}
	for i := range pilot.Points {
		p := &pilot.Points[i]
		if variant != "" && p.Variant != variant {
			continue
		}
		for _, metric := range metrics {
			plan.Points = append(plan.Points, plan.planPoint(pilot, p, metric))
		}
	}
	return plan
}

// comparedMetrics returns the metrics that the pilot compares, without shares and numbers, whose differences are not relative, and times of
// faults, which may be censored.
func comparedMetrics(pilot *Result) []v1alpha1.Metric {
	var metrics []v1alpha1.Metric
	for i := range pilot.Comparisons {
		metric := v1alpha1.Metric(pilot.Comparisons[i].Metric)
		if (metric == v1alpha1.MetricThroughput || metric.IsLatency()) && !slices.Contains(metrics, metric) {
			metrics = append(metrics, metric)
		}
	}
	if len(metrics) == 0 {
		return plannedMetrics
	}
	return metrics
}

// countComparedPoints returns the number of points that are compared with one baseline: all, or those of the variants but one.
func countComparedPoints(pilot *Result) int {
	points, variants := len(pilot.Points), max(1, len(pilot.Variants))
	if variants == 1 {
		return points
	}
	return points * (variants - 1) / variants
}

func (plan *PowerPlan) planPoint(pilot *Result, p *Point, metric v1alpha1.Metric) PointPower {
	planned := PointPower{Point: p.Name, Label: p.Label(), Metric: string(metric), Designs: []PowerDesign{}}
	e := p.Metrics[string(metric)]
	switch {
	case e.N < 2:
		planned.Message = fmt.Sprintf("the pilot has %s, needs 2", format.Count(e.N, pilotUnit(pilot)))
		return planned
	case !(e.Mean > 0) || !(e.StdDev > 0) || math.IsInf(e.StdDev/e.Mean, 0):
		planned.Message = "the pilot shows no spread"
		return planned
	}
	options := statistics.CompareOptions{Confidence: plan.Confidence, Paired: true, Claims: plan.Claims}
	pairsFor := func(deviation float64) int {
		return statistics.PairsForDifference(plan.Difference, deviation, float64(e.N-1), options)
	}
	spread, known := p.Deployments[string(metric)]
	switch {
	case known:
		planned.Within, planned.Between = &spread.Within, &spread.Between
		for _, pairs := range plannedPairs {
			planned.addDesign(pairsFor(math.Hypot(spread.Between, spread.Within/math.Sqrt(float64(pairs)))), pairs)
		}
	case pilot.RunsPerDeployment > 0:
		planned.Between = new(e.StdDev / e.Mean)
		planned.addDesign(pairsFor(*planned.Between), pilot.RunsPerDeployment)
	default:
		planned.Within = new(e.StdDev / e.Mean)
		if pairs := pairsFor(*planned.Within); pairs > 0 {
			planned.addDesign(1, pairs)
		}
	}
	return planned
}

// addDesign adds a design unless it has no deployments, which means that too many are needed.
func (p *PointPower) addDesign(deployments, pairs int) {
	if deployments > 0 {
		p.Designs = append(p.Designs, PowerDesign{deployments, pairs})
	}
}

// pilotUnit is what the estimates of a pilot count.
func pilotUnit(pilot *Result) string {
	if pilot.RunsPerDeployment > 0 {
		return "valid deployment"
	}
	return "valid run"
}
