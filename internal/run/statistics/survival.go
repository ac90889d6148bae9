package statistics

import (
	"math"
	"slices"
)

const (
	// maxCountedTimes is the number of times of both sides up to which every assignment of the times to sides is counted.
	maxCountedTimes = 30
	// scoreUnits is the number of units in which log-rank scores are counted.
	scoreUnits = 1000
)

// survivalStep is an instant at which times end: how many end then, and how many last at least as long.
type survivalStep struct{ at, ended, atRisk float64 }

// listSteps returns the different instants at which times end, in ascending order. A time that was cut off, or is infinite, ends at none.
func listSteps(times []float64, isCut []bool) []survivalStep {
	var steps []survivalStep
	for _, i := range ascendingOrder(times) {
		if isCut[i] || math.IsInf(times[i], 1) {
			continue
		}
		if last := len(steps) - 1; last < 0 || steps[last].at != times[i] {
			steps = append(steps, survivalStep{at: times[i], atRisk: countAtRisk(times, times[i])})
		}
		steps[len(steps)-1].ended++
	}
	return steps
}

// countAtRisk returns how many times last at least until an instant.
func countAtRisk(times []float64, at float64) (n float64) {
	for _, time := range times {
		if time >= at {
			n++
		}
	}
	return n
}

// estimateSurvivalMedian returns the median of times of which some were cut off (E. Kaplan and P. Meier, JASA 1958), or infinity if it was
// not reached. As without cut times, it is the mean of two if exactly half of the times last longer than the first of them.
func estimateSurvivalMedian(steps []survivalStep) float64 {
	share := 1.0
	for i, s := range steps {
		share *= 1 - s.ended/s.atRisk
		switch {
		case math.Abs(share-0.5) < 1e-9 && i+1 < len(steps):
			return (s.at + steps[i+1].at) / 2
		case math.Abs(share-0.5) < 1e-9:
			return math.Inf(1)
		case share < 0.5:
			return s.at
		}
	}
	return math.Inf(1)
}

// logRank compares the candidate's times with those of both sides together (N. Mantel, Cancer Chemotherapy Reports 1966).
type logRank struct {
	// observed is the number of the candidate's times that ended, and expected how many would have if both sides had one distribution.
	// variance is that of their difference.
	observed, expected, variance float64
	// scores add up to that difference: first those of the candidate's times, then the others'.
	scores []float64
}

func computeLogRank(baseline, candidate []float64, isCut [2][]bool) logRank {
	times, cut := slices.Concat(candidate, baseline), slices.Concat(isCut[1], isCut[0])
	r := logRank{scores: make([]float64, len(times))}
	steps := listSteps(times, cut)
	for _, s := range steps {
		share := countAtRisk(candidate, s.at) / s.atRisk
		r.expected += s.ended * share
		if s.atRisk > 1 {
			r.variance += s.ended * share * (1 - share) * (s.atRisk - s.ended) / (s.atRisk - 1)
		}
		for i, time := range times {
			if time >= s.at {
				r.scores[i] -= s.ended / s.atRisk
			}
		}
	}
	for i, time := range times {
		if !cut[i] && !math.IsInf(time, 1) {
			r.scores[i]++
			if i < len(candidate) {
				r.observed++
			}
		}
	}
	return r
}

// logRankTest is the two-sided log-rank test that two samples of times, of which some were cut off, have one distribution. The p-value is
// the share of all assignments of the times to the sides whose difference of observed and expected ends is at least as large; of many times
// it is that of the normal distribution. effect is from -1 to 1, and positive if the candidate's times are longer.
func logRankTest(baseline, candidate []float64, isCut [2][]bool) (p, effect float64) {
	r := computeLogRank(baseline, candidate, isCut)
	difference := math.Abs(r.observed - r.expected)
	if ends := r.observed + r.expected; ends > 0 {
		effect = (r.expected - r.observed) / ends
	}
	switch {
	case len(r.scores) <= maxCountedTimes:
		return r.countAssignments(len(candidate)), effect
	case r.variance == 0:
		return 1, effect
	}
	return math.Erfc(difference / math.Sqrt(2*r.variance)), effect
}

// countAssignments returns the share of all assignments of the times to the sides whose difference is at least as large, to the rounding of
// the scores.
func (r *logRank) countAssignments(candidates int) float64 {
	units, total, observed := make([]int, len(r.scores)), 0, 0
	for i, score := range r.scores {
		units[i] = int(math.Round(scoreUnits * score))
		total += units[i]
		if i < candidates {
			observed += units[i]
		}
	}
	n := len(units)
	distance := func(sum, chosen int) int { return abs(n*sum - chosen*total) }
	chosen := min(candidates, n-candidates)
	least := distance(observed, candidates) - n*chosen
	return shareOfSums(units, chosen, func(sum int) bool { return distance(sum, chosen) >= least })
}
