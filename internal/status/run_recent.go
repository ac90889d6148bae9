package status

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

const (
	// maxStepCompleted bounds the completions of a worker's step, so that sums of arbitrary reports do not overflow.
	maxStepCompleted = 1_000_000_000_000
	// maxStepMicros bounds a step's latency in microseconds: an hour.
	maxStepMicros = 3_600_000_000
)

// mergeRecent returns the steps of the load of all workers: the sums of completions and the highest percentile. It
// leaves out steps that a worker with later reports will still add to.
func mergeRecent(workers [][]protocol.RecentLoad) []v1alpha1.RecentLoad {
	merged := map[int32]v1alpha1.RecentLoad{}
	complete := int32(math.MaxInt32)
	for _, steps := range workers {
		if len(steps) == 0 {
			continue
		}
		steps = steps[max(0, len(steps)-protocol.MaxRecent):]
		complete = min(complete, steps[len(steps)-1].Seconds)
		for _, step := range steps {
			merged[step.Seconds] = addStep(merged[step.Seconds], step)
		}
	}
	maps.DeleteFunc(merged, func(end int32, _ v1alpha1.RecentLoad) bool { return end < 0 || end > complete })
	all := slices.SortedFunc(maps.Values(merged), func(a, b v1alpha1.RecentLoad) int { return cmp.Compare(a.Seconds, b.Seconds) })
	return all[max(0, len(all)-protocol.MaxRecent):]
}

// addStep adds a worker's step to the sum of others.
func addStep(sum v1alpha1.RecentLoad, step protocol.RecentLoad) v1alpha1.RecentLoad {
	sum.Seconds = step.Seconds
	sum.Completed += min(max(0, step.Completed), maxStepCompleted)
	if micros := min(step.P95Micros, maxStepMicros); micros > 0 && (sum.P95Microseconds == nil || micros > *sum.P95Microseconds) {
		sum.P95Microseconds = &micros
	}
	return sum
}

// keepRecentUnlessChanged keeps the old steps if nothing else of the status has changed, so that new steps cause no
// write of their own.
func keepRecentUnlessChanged(s *v1alpha1.BenchmarkRunStatus, old *v1alpha1.BenchmarkRunStatus) {
	withNewSteps := *old
	withNewSteps.Recent = s.Recent
	if equality.Semantic.DeepEqual(withNewSteps, *s) {
		s.Recent = old.Recent
	}
}
