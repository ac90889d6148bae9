package experiment

import (
	"maps"
	"math"
	"slices"

	"github.com/benchnet/benchnet/internal/run/statistics"
)

// estimateDeployments returns, by metric, how much the valid runs of a point vary between and within deployments.
func estimateDeployments(runs pointRuns) map[string]statistics.DeploymentSpread {
	if runs.runsPerDeployment < 2 {
		return nil
	}
	samples := map[string]map[int][]float64{}
	for _, run := range runs.counted {
		if run.Verdict != RunValid {
			continue
		}
		for metric, v := range run.Metrics {
			if samples[metric] == nil {
				samples[metric] = map[int][]float64{}
			}
			deployment := deploymentOf(run.Repetition, runs.runsPerDeployment)
			if samples[metric][deployment] == nil {
				samples[metric][deployment] = slices.Repeat([]float64{math.NaN()}, runs.runsPerDeployment)
			}
			samples[metric][deployment][(run.Repetition-1)%runs.runsPerDeployment] = v
		}
	}
	all := map[string]statistics.DeploymentSpread{}
	for metric, deployments := range samples {
		var ordered [][]float64 // Sums depend on the order in their last digits.
		for _, n := range slices.Sorted(maps.Keys(deployments)) {
			ordered = append(ordered, deployments[n])
		}
		if spread := statistics.EstimateDeploymentSpread(ordered); spread != nil {
			all[metric] = *spread
		}
	}
	return all
}

// metricSamples are values of a metric, each with the number of its repetition or of its deployment, and whether it is only a lower bound.
type metricSamples struct {
	numbers  []int
	values   []float64
	censored []bool
}

func (s *metricSamples) addSample(number int, value float64, censored bool) {
	s.numbers, s.values, s.censored = append(s.numbers, number), append(s.values, value), append(s.censored, censored)
}

// averageDeployments returns the mean of each deployment in place of the values of its repetitions, because the runs on one
// deployment share what differs between two deployments (T. Kalibera and R. Jones, ISMM 2013). A deployment with a failed run has its
// infinite value. Without runsPerDeployment, it returns the values of the repetitions.
func (s metricSamples) averageDeployments(runsPerDeployment int) metricSamples {
	if runsPerDeployment == 0 {
		return s
	}
	var means metricSamples
	sums, runs, censored := map[int]float64{}, map[int]float64{}, map[int]bool{}
	for i, repetition := range s.numbers {
		deployment := deploymentOf(repetition, runsPerDeployment)
		if runs[deployment] == 0 {
			means.addSample(deployment, 0, false)
		}
		sums[deployment] += s.values[i]
		runs[deployment]++
		censored[deployment] = censored[deployment] || s.censored[i]
	}
	for i, deployment := range means.numbers {
		means.values[i], means.censored[i] = sums[deployment]/runs[deployment], censored[deployment]
	}
	return means
}

// deploymentOf returns the deployment of a repetition. Both count from 1.
func deploymentOf(repetition, runsPerDeployment int) int {
	if runsPerDeployment == 0 {
		return 1
	}
	return (repetition-1)/runsPerDeployment + 1
}

// isFirstOnDeployment reports whether a repetition is the first of its point on a deployment.
func isFirstOnDeployment(repetition, runsPerDeployment int) bool {
	return repetition == 1 || runsPerDeployment > 0 && (repetition-1)%runsPerDeployment == 0
}
