package statistics

import (
	"math"
	"sort"

	"github.com/aclements/go-moremath/stats"
)

const (
	// statisticalPower is the share of all cases in which a detectable difference is claimed.
	statisticalPower = 0.8
	// maxEnumeratedRuns is the number of runs of both sides up to which the levels of the rank tests are enumerated. With more, they
	// are close to any level.
	maxEnumeratedRuns = 40
	// maxPlannedPairs bounds the numbers of pairs that PairsForDifference considers.
	maxPlannedPairs = 1000
)

// detectableDifference returns the smallest difference that is claimed in at least 80 % of all cases; nil if the runs show no spread.
func (c Comparison) detectableDifference(s spread, o CompareOptions) *float64 {
	if s.standardError == 0 || s.degrees == 0 {
		return nil
	}
	return new(c.Scale.toDifference(s.standardError * c.detectableErrors(s.degrees, s.degrees, o)))
}

// detectableErrors returns the number of standard errors by which the true difference has to differ from 0 for a claim in 80 % of all
// cases. The standard error was estimated with pilotDegrees degrees of freedom, and the comparison estimates it again with its own
// degrees.
//
// A claim needs D > t·S, where D is the difference, S its standard error and t Student's quantile at the level that the rank test
// attains. If D is k standard errors of the pilot, S', then k·S' - t·S is approximately normal (a chi distribution is close to it), which
// gives a quadratic equation for k. Rank tests need more, by rankTestLoss.
func (c Comparison) detectableErrors(pilotDegrees, degrees float64, o CompareOptions) float64 {
	level := c.attainableLevel((1 - o.Confidence) / float64(max(1, o.Claims)))
	critical := tQuantile(1-level/2, degrees)
	z := stats.InvCDF(stats.StdNormal)(statisticalPower)
	pilot, own := meanOfDeviation(pilotDegrees), meanOfDeviation(degrees)
	// (k·pilot - critical·own)² = z²·(1 + k²·(1-pilot²) + critical²·(1-own²))
	square := pilot*pilot - z*z*(1-pilot*pilot)
	half := pilot * critical * own
	constant := critical*critical*(own*own-z*z*(1-own*own)) - z*z
	errors := (half + math.Sqrt(max(0, half*half-square*constant))) / square
	return errors * (1 + c.rankTestLoss(level))
}

// rankTestLoss returns the share by which a rank test at a level needs a larger difference than Student's test. That of pairs grows to the
// level at which all differences must have one sign. The numbers are from simulations.
func (c Comparison) rankTestLoss(level float64) float64 {
	if !c.Paired {
		return 0.065
	}
	extremity := math.Log2(level) / math.Log2(leastPairedPValue(c.Baselines))
	return 0.055 + 0.135*math.Pow(extremity, 3)
}

// meanOfDeviation returns the expectation of the estimate of a standard deviation of 1 with so many degrees of freedom.
func meanOfDeviation(degrees float64) float64 {
	above, _ := math.Lgamma((degrees + 1) / 2)
	below, _ := math.Lgamma(degrees / 2)
	return math.Sqrt(2/degrees) * math.Exp(above-below)
}

// attainableLevel returns the largest p-value below a level that the rank test of so many runs without ties can have. With six pairs
// and 5 % it is 3.1 %.
func (c Comparison) attainableLevel(level float64) float64 {
	n, m := c.Baselines, c.Candidates
	if n+m > maxEnumeratedRuns {
		return level
	}
	probabilities := signedRankProbabilities(untiedRanks(n))
	if !c.Paired {
		probabilities, _ = countRankSums(untiedRanks(n+m), min(n, m))
		all := 0.0
		for _, count := range probabilities {
			all += count
		}
		for i := range probabilities {
			probabilities[i] /= all
		}
	}
	attained := 0.0
	for i := range len(probabilities) / 2 {
		// The distribution is symmetrical.
		next := attained + 2*probabilities[i]
		if next >= level-1e-9 {
			break
		}
		attained = next
	}
	return attained
}

// untiedRanks returns twice the ranks of n different values.
func untiedRanks(n int) []int {
	ranks := make([]int, n)
	for i := range ranks {
		ranks[i] = 2 * (i + 1)
	}
	return ranks
}

// PairsForDifference returns the smallest number of pairs with which a relative difference is claimed in at least 80 % of all cases.
// The deviation of the logarithms of single values was estimated by a pilot with so many degrees of freedom. It returns 0 if more than
// 1000 pairs are needed.
func PairsForDifference(difference, deviation, pilotDegrees float64, o CompareOptions) int {
	least := max(MinRunsForInterval, RunsNeeded(o.Confidence, o.Claims, true))
	suffices := func(i int) bool {
		n := least + i
		c := Comparison{Baselines: n, Candidates: n, Paired: true}
		return deviation*math.Sqrt(2/float64(n))*c.detectableErrors(pilotDegrees, float64(n-1), o) <= math.Log1p(difference)
	}
	n := least + sort.Search(maxPlannedPairs-least+1, suffices)
	if n > maxPlannedPairs {
		return 0
	}
	return n
}
