package statistics

import "math"

const (
	// stalledShare is the share of the mean below which completions stall, and stalledDeviations by how many standard
	// deviations of a Poisson process they must be lower.
	stalledShare      = 0.5
	stalledDeviations = 4
)

// StalledSeconds returns in how many seconds the completions stalled, and the first of them. A stall is a sequence of two
// median distances of completions, such as 2 s or two blocks, with less than half of the mean. A regular system of blocks
// has at least one block in any such sequence.
func StalledSeconds(completed []float64) (stalled, first int) {
	length := 2 * MedianGap(completed)
	if length == 0 || len(completed) < minBacklogBins*length {
		return 0, 0
	}
	total, sum := 0.0, 0.0
	for _, n := range completed {
		total += n
	}
	mean := total * float64(length) / float64(len(completed))
	limit := min(stalledShare*mean, mean-stalledDeviations*math.Sqrt(mean))
	end := 0 // of the last stall
	for i, n := range completed {
		sum += n
		if i >= length {
			sum -= completed[i-length]
		}
		if start := i + 1 - length; start >= 0 && sum < limit {
			if stalled == 0 {
				first = start
			}
			stalled += i + 1 - max(start, end)
			end = i + 1
		}
	}
	return stalled, first
}
