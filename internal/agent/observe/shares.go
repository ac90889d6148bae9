package observe

import (
	"github.com/benchnet/benchnet/internal/agent/container"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// minIntervals is the number of intervals from which a share of them is reported.
const minIntervals = 2

// saturatedShare returns the share of the intervals between samples in which the host's CPUs were busy or stolen,
// without processes of lowered priority. It returns nil for too few intervals.
func saturatedShare(known []scrapeSample) *float64 {
	saturated, intervals := 0, 0
	for i := 1; i < len(known); i++ {
		h := sampleSpan{known[i-1], known[i]}.hostShares()
		if h == nil {
			continue
		}
		intervals++
		if h.BusyShare-h.NiceShare+h.StealShare >= measurement.HostCPUThreshold {
			saturated++
		}
	}
	if intervals < minIntervals {
		return nil
	}
	return new(roundFraction(float64(saturated) / float64(intervals)))
}

// busiestThread returns the use of the busiest thread, or nil if the agent does not report it.
func busiestThread(known []scrapeSample) *measurement.ThreadUsage {
	sum, hot, count := 0.0, 0, 0
	for _, r := range known {
		cores, ok := r.values[container.BusiestThreadShare]
		if !ok {
			continue
		}
		sum, count = sum+cores, count+1
		if cores >= measurement.ThreadThreshold {
			hot++
		}
	}
	if count == 0 {
		return nil
	}
	return &measurement.ThreadUsage{Cores: roundFraction(sum / float64(count)), AtLimitShare: roundFraction(float64(hot) / float64(count))}
}
