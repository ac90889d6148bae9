package document

import (
	"encoding/json"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// ExpandToSeconds returns a series of a result with one value per second. Each value is in the last of the
// seconds that it covers; the others are Missing.
func (r *RunResult) ExpandToSeconds(s measurement.Series) measurement.Series {
	each := measurement.SecondsPerValue(r.SeriesSeconds)
	if each == 1 {
		return s
	}
	seconds := make(measurement.Series, min(r.Times.WindowSeconds, len(s)*each))
	for i := range seconds {
		seconds[i] = measurement.Missing
	}
	for i, v := range s {
		if last := min((i+1)*each, len(seconds)) - 1; last >= i*each {
			seconds[last] = v
		}
	}
	return seconds
}

// coarsenOnce makes the result smaller by one step of the rule in docs/results.md. It returns false if no step
// is left.
func (r *RunResult) coarsenOnce() bool {
	if measurement.SecondsPerValue(r.SeriesSeconds) >= measurement.CoarsestSeconds {
		return r.dropObservedTargets()
	}
	measurement.HalveSeries(&r.SeriesSeconds, r.Recorded, r.Members)
	r.Blocks, r.BlocksOmitted = measurement.ThinBlocks(r.SeriesSeconds, r.Blocks, r.BlocksOmitted)
	return true
}

// dropObservedTargets removes the sampled endpoints from the workload. It returns false if there are none.
// Members and series keep their names.
func (r *RunResult) dropObservedTargets() bool {
	var workload map[string]json.RawMessage
	if json.Unmarshal(r.Workload, &workload) != nil || workload["observe"] == nil {
		return false
	}
	delete(workload, "observe")
	rest, err := json.Marshal(workload)
	if err != nil {
		return false
	}
	r.Workload = rest
	return true
}
