package statistics

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

const (
	// minBacklogBins and maxBacklogBins bound the parts of a window whose completions show their noise.
	minBacklogBins = 5
	maxBacklogBins = 20
	// backlogConfidence is the one-sided confidence at which a backlog grows. backlogConfidenceIfSlower applies if the
	// latency rises significantly, which is evidence of its own.
	backlogConfidence         = 0.98
	backlogConfidenceIfSlower = 0.84
	// minBacklogGrowth is the granularity of a schedule: one operation may be in flight at the end that was not at the start.
	minBacklogGrowth = 1
	// minShortfall is how many operations may be in flight at the edges of a short window, and shortfallDeviations the same
	// in standard deviations of a Poisson process.
	minShortfall        = 10
	shortfallDeviations = 3
)

// OpenLoopWindow holds what a window of an open loop recorded.
type OpenLoopWindow struct {
	// Planned is the number of operations that were due. Poisson reports that it is a random number.
	Planned float64
	Poisson bool
	// Ended has the operations that ended in each second, Completed those that succeeded, LatencySums the sums of their
	// latencies; nil if they are unknown.
	Ended, Completed, LatencySums []float64
}

// BacklogGrowth returns by how many operations the backlog grew over the window, and the largest growth of a system that
// keeps up: what chance explains, or a share of the planned operations if the completions are too irregular or too few to
// say that.
func (w OpenLoopWindow) BacklogGrowth(toleratedShare float64) (growth, limit float64) {
	limit = max(minShortfall, w.medianBurst(), toleratedShare*w.Planned, shortfallDeviations*math.Sqrt(w.Planned))
	return w.measureGrowth(), min(limit, w.chanceGrowth())
}

// chanceGrowth returns the largest growth that chance explains, or infinity if the window is too short or too sparse to
// judge. It is that of a system exactly at its capacity, whose backlog is a random walk. A system below its capacity stays
// far below it, because its queue empties again and again.
func (w OpenLoopWindow) chanceGrowth() float64 {
	size := w.binSeconds()
	if size == 0 || len(w.Ended)/size < minBacklogBins {
		return math.Inf(1)
	}
	bins := averageBlocks(w.Ended, size)
	variance := stats.Variance(bins) * float64(size*len(w.Ended))
	if w.Poisson {
		variance += w.Planned
	}
	confidence, least := backlogConfidence, max(minBacklogGrowth, w.medianBurst())
	if change, known := DetectLatencyChange(w.Completed, w.LatencySums); known && change.After > change.Before {
		confidence, least = backlogConfidenceIfSlower, minBacklogGrowth
	}
	return max(least, tQuantile(confidence, float64(len(bins)-1))*math.Sqrt(variance))
}

// measureGrowth returns the number of operations that were planned, less those that ended.
func (w OpenLoopWindow) measureGrowth() float64 {
	growth := w.Planned
	for _, n := range w.Ended {
		growth -= n
	}
	return growth
}

// medianBurst returns the median number of operations that end in a second in which any ends. The edges of a window may divide
// a block of so many.
func (w OpenLoopWindow) medianBurst() float64 {
	busy := slices.DeleteFunc(slices.Clone(w.Ended), func(n float64) bool { return n == 0 })
	if len(busy) == 0 {
		return 0
	}
	slices.Sort(busy)
	return busy[len(busy)/2]
}

// binSeconds returns the length of the bins that show the noise of the completions. Each has a burst of a system that
// completes operations in blocks. It returns 0 without two seconds with completions.
func (w OpenLoopWindow) binSeconds() int {
	gap := MedianGap(w.Ended)
	if gap == 0 {
		return 0
	}
	return max(gap, (len(w.Ended)+maxBacklogBins-1)/maxBacklogBins)
}
