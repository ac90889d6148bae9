package statistics

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

const (
	// maxEnumeratedRuns is the number of runs of both sides up to which every assignment of runs to sides is
	// counted. With more runs, random assignments are drawn.
	maxEnumeratedRuns = 50
	drawnAssignments  = 9999
)

// rankSumTest is the exact two-sided permutation test of the rank sum (Wilcoxon, Mann, Whitney), with mean ranks
// for ties. The p-value is the share of all assignments of the values to the sides whose rank sum is at least as
// far from its expectation. effect is Cliff's delta. Infinite values have the extreme ranks.
func rankSumTest(baseline, candidate []float64, seed int64) (p, effect float64) {
	n, m := len(baseline), len(candidate)
	ranks := doubledRanks(slices.Concat(candidate, baseline))
	observed := 0
	for _, rank := range ranks[:m] {
		observed += rank
	}
	expected := m * (n + m + 1)
	effect = float64(observed-expected) / float64(n*m)
	isExtreme := func(sum int) bool { return abs(sum-expected) >= abs(observed-expected) }
	if n+m > maxEnumeratedRuns {
		return drawRankSums(ranks, m, seed, isExtreme), effect
	}
	extreme, all := 0.0, 0.0
	for sum, count := range countRankSums(ranks, m) {
		all += count
		if isExtreme(sum) {
			extreme += count
		}
	}
	return extreme / all, effect
}

// countRankSums returns, by the sum, the number of ways to choose that many of the ranks.
func countRankSums(ranks []int, chosen int) []float64 {
	total := 0
	for _, rank := range ranks {
		total += rank
	}
	counts := make([][]float64, chosen+1)
	for k := range counts {
		counts[k] = make([]float64, total+1)
	}
	counts[0][0] = 1
	for _, rank := range ranks {
		for k := chosen; k > 0; k-- {
			for sum := total; sum >= rank; sum-- {
				counts[k][sum] += counts[k-1][sum-rank]
			}
		}
	}
	return counts[chosen]
}

// drawRankSums estimates the p-value from random assignments. The observed one counts as drawn, so that p is
// never 0.
func drawRankSums(ranks []int, chosen int, seed int64, isExtreme func(sum int) bool) float64 {
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	extreme := 1
	for range drawnAssignments {
		sum := 0
		for i := range chosen {
			j := i + random.IntN(len(ranks)-i)
			ranks[i], ranks[j] = ranks[j], ranks[i]
			sum += ranks[i]
		}
		if isExtreme(sum) {
			extreme++
		}
	}
	return float64(extreme) / (drawnAssignments + 1)
}

// signedRankTest is Wilcoxon's exact two-sided signed-rank test of paired differences, with mean ranks for ties.
// Differences of 0, and those that are not a number, are left out. The p-value is the share of all assignments of signs whose rank sum is at least
// as far from 0. effect is the rank-biserial correlation, from -1 to 1.
func signedRankTest(differences []float64) (p, effect float64) {
	var sizes []float64
	var positive []bool
	for _, d := range differences {
		if d != 0 && !math.IsNaN(d) {
			sizes, positive = append(sizes, math.Abs(d)), append(positive, d > 0)
		}
	}
	if len(sizes) == 0 {
		return 1, 0
	}
	observed, total := 0, 0
	ranks := doubledRanks(sizes)
	for i, rank := range ranks {
		total += rank
		if positive[i] {
			observed += rank
		}
	}
	// probability holds, by the rank sum of the positive differences, its share of the assignments.
	probability := make([]float64, total+1)
	probability[0] = 1
	for _, rank := range ranks {
		for sum := total; sum >= 0; sum-- {
			probability[sum] /= 2
			if sum >= rank {
				probability[sum] += probability[sum-rank] / 2
			}
		}
	}
	for sum, share := range probability {
		if abs(2*sum-total) >= abs(2*observed-total) {
			p += share
		}
	}
	return min(1, p), float64(2*observed-total) / float64(total)
}

// doubledRanks returns twice the rank of each value. Tied values have their mean rank, so that twice the rank is
// a whole number.
func doubledRanks(values []float64) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	ranks := make([]int, len(values))
	for first := 0; first < len(order); {
		last := first
		for last+1 < len(order) && values[order[last+1]] == values[order[first]] {
			last++
		}
		for _, i := range order[first : last+1] {
			ranks[i] = first + last + 2
		}
		first = last + 1
	}
	return ranks
}

func abs(x int) int { return max(x, -x) }

// FisherExactTest returns the two-sided p-value of Fisher's exact test that two shares are equal: a of n, and b
// of m.
func FisherExactTest(a, n, b, m int) float64 {
	hits := stats.HypergeometicDist{N: n + m, K: a + b, Draws: n}
	observed, p := hits.PMF(float64(a)), 0.0
	for k := max(0, a+b-m); k <= min(n, a+b); k++ {
		// Probabilities that are equal in theory differ by rounding.
		if share := hits.PMF(float64(k)); share <= observed*(1+1e-7) {
			p += share
		}
	}
	return min(1, p)
}

// AdjustForClaims returns the p-values of the claims of one experiment after Holm's correction, which bounds the
// probability of a single false claim among all of them.
func AdjustForClaims(pValues []float64) []float64 {
	order := make([]int, len(pValues))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(pValues[a], pValues[b]) })
	adjusted := make([]float64, len(pValues))
	least := 0.0
	for place, i := range order {
		least = max(least, min(1, float64(len(pValues)-place)*pValues[i]))
		adjusted[i] = least
	}
	return adjusted
}
