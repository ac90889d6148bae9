package statistics

import (
	"cmp"
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// maxCountedRuns is the number of runs of both sides up to which every assignment of runs to sides is counted: two points of
// the most repetitions. Above, the normal distribution approximates the test.
const maxCountedRuns = 200

// rankSumTest is the exact two-sided permutation test of the rank sum (Wilcoxon, Mann, Whitney), with mean ranks
// for ties. The p-value is the share of all assignments of the values to the sides whose rank sum is at least as
// far from its expectation. effect is Cliff's delta. Infinite values have the extreme ranks.
func rankSumTest(baseline, candidate []float64) (p, effect float64) {
	n, m := len(baseline), len(candidate)
	ranks := doubledRanks(slices.Concat(candidate, baseline))
	observed := 0
	for _, rank := range ranks[:m] {
		observed += rank
	}
	distance := abs(observed - m*(n+m+1))
	effect = float64(observed-m*(n+m+1)) / float64(n*m)
	if n+m > maxCountedRuns {
		return approximateRankSum(ranks, m, distance), effect
	}
	// The sums of both sides are equally far from their expectations.
	chosen := min(n, m)
	return shareOfSums(ranks, chosen, func(sum int) bool { return abs(sum-chosen*(n+m+1)) >= distance }), effect
}

// shareOfSums returns the share of all choices of that many of the ranks or scores whose sum is extreme.
func shareOfSums(ranks []int, chosen int, isExtreme func(sum int) bool) float64 {
	counts, least := countRankSums(ranks, chosen)
	extreme, all := 0.0, 0.0
	for i, count := range counts {
		all += count
		if isExtreme(least + i) {
			extreme += count
		}
	}
	return extreme / all
}

// countRankSums returns the number of ways to choose that many of the ranks, by how much their sum exceeds the least one.
func countRankSums(ranks []int, chosen int) (counts []float64, least int) {
	sorted := slices.Sorted(slices.Values(ranks))
	// ways holds the counts of each number of chosen ranks. most is the largest index with a count.
	ways, most := make([][]float64, chosen+1), make([]int, chosen+1)
	ways[0] = []float64{1}
	size := 1
	for k := 1; k <= chosen; k++ {
		least += sorted[k-1]
		size += sorted[len(sorted)-k] - sorted[k-1]
		ways[k] = make([]float64, size)
	}
	for i, rank := range sorted {
		left := len(sorted) - i - 1
		for k := min(i+1, chosen); k >= max(1, chosen-left); k-- {
			added := rank - sorted[k-1]
			for sum, count := range ways[k-1][:most[k-1]+1] {
				ways[k][sum+added] += count
			}
			most[k] = max(most[k], most[k-1]+added)
		}
	}
	return ways[chosen], least
}

// approximateRankSum returns the two-sided p-value of a rank sum at a distance from its expectation, by the normal distribution with a
// correction for continuity.
func approximateRankSum(ranks []int, chosen, distance int) float64 {
	n := float64(len(ranks))
	squares := 0.0
	for _, rank := range ranks {
		deviation := float64(rank) - (n + 1)
		squares += deviation * deviation
	}
	variance := float64(chosen) * (n - float64(chosen)) / n / (n - 1) * squares
	if distance == 0 || variance == 0 {
		return 1
	}
	return math.Erfc((float64(distance) - 1) / math.Sqrt(2*variance))
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
	for sum, share := range signedRankProbabilities(ranks) {
		if abs(2*sum-total) >= abs(2*observed-total) {
			p += share
		}
	}
	return min(1, p), float64(2*observed-total) / float64(total)
}

// signedRankProbabilities returns, by the sum of the ranks of positive differences, its share of all assignments of signs.
func signedRankProbabilities(ranks []int) []float64 {
	total := 0
	for _, rank := range ranks {
		total += rank
	}
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
	return probability
}

// doubledRanks returns twice the rank of each value. Tied values have their mean rank, so that twice the rank is
// a whole number.
func doubledRanks(values []float64) []int {
	order := ascendingOrder(values)
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

// ascendingOrder returns the indexes of the values, that of the least value first.
func ascendingOrder(values []float64) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	return order
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
	adjusted := make([]float64, len(pValues))
	least := 0.0
	for place, i := range ascendingOrder(pValues) {
		least = max(least, min(1, float64(len(pValues)-place)*pValues[i]))
		adjusted[i] = least
	}
	return adjusted
}
