package results

import (
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
)

const (
	// maxMembers is the number of members that a measurement keeps, including databases.
	maxMembers = 4096
	// maxSeries is the number of series that a measurement keeps besides throughput, CPU and memory.
	maxSeries = 20_000
	// maxNameBytes bounds the names in reports, in bytes.
	maxNameBytes = 253
	// maxSeriesValues bounds the series values that a measurement holds in memory. A document of
	// MaxDecodedBytes cannot hold more.
	maxSeriesValues = MaxDecodedBytes / 4

	// coarsestSeconds is the coarsest resolution of series, at which 48 h have 43 values.
	coarsestSeconds = 4096
	// blockThinningSeconds is the resolution above which the list of blocks is halved as well.
	blockThinningSeconds = 64
)

// secondsPerValue returns the number of seconds that each value covers. 0, which documents omit, means one.
func secondsPerValue(seriesSeconds int) int { return max(1, seriesSeconds) }

// seriesLength returns the number of values of a series that covers the given seconds.
func seriesLength(seconds, seriesSeconds int) int {
	each := secondsPerValue(seriesSeconds)
	return (seconds + each - 1) / each
}

// checkResolution rejects a resolution that is not a power of two. Only such series can be halved to the
// resolution of others.
func checkResolution(seriesSeconds int) error {
	if seriesSeconds < 0 || seriesSeconds > coarsestSeconds || bits.OnesCount(uint(seriesSeconds)) > 1 {
		return fmt.Errorf("seriesSeconds: %d is not a power of two up to %d", seriesSeconds, coarsestSeconds)
	}
	return nil
}

// HalveResolution returns a series with the mean of each pair of values, ignoring missing values.
func (s Series) HalveResolution() Series {
	half := make(Series, 0, (len(s)+1)/2)
	for i := 0; i < len(s); i += 2 {
		value := s[i]
		switch {
		case i+1 == len(s) || math.IsNaN(s[i+1]):
		case math.IsNaN(value):
			value = s[i+1]
		default:
			value = (value + s[i+1]) / 2
		}
		half = append(half, value)
	}
	return half
}

// ExpandToSeconds returns a series of a result with one value per second. Each value is in the last of the
// seconds that it covers; the others are Missing.
func (r *RunResult) ExpandToSeconds(s Series) Series {
	each := secondsPerValue(r.SeriesSeconds)
	if each == 1 {
		return s
	}
	seconds := make(Series, min(r.Times.WindowSeconds, len(s)*each))
	for i := range seconds {
		seconds[i] = Missing
	}
	for i, v := range s {
		if last := min((i+1)*each, len(seconds)) - 1; last >= i*each {
			seconds[last] = v
		}
	}
	return seconds
}

// halveSeries halves the resolution of series and members. It replaces the values instead of changing them,
// because a slice of the window shares them with the whole.
func halveSeries(seriesSeconds *int, series []NamedSeries, members []MemberUsage) {
	*seriesSeconds = 2 * secondsPerValue(*seriesSeconds)
	for i := range series {
		series[i].Values = series[i].Values.HalveResolution()
	}
	for i := range members {
		members[i].CPUSeconds, members[i].MemoryBytes = members[i].CPUSeconds.HalveResolution(), members[i].MemoryBytes.HalveResolution()
	}
}

// coarsenOnce makes the result smaller by one step of the rule in docs/results.md. It returns false if no step
// is left.
func (r *RunResult) coarsenOnce() bool {
	if secondsPerValue(r.SeriesSeconds) >= coarsestSeconds {
		return r.dropObservedTargets()
	}
	halveSeries(&r.SeriesSeconds, r.Recorded, r.Members)
	if r.SeriesSeconds > blockThinningSeconds {
		r.BlocksOmitted += int64(len(r.Blocks) - len(r.Blocks)/2)
		r.Blocks = r.Blocks[:len(r.Blocks)/2]
	}
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

// coarsenOnce makes the worker's result smaller by one step. It returns false if no step is left.
func (w *WorkerResult) coarsenOnce() bool {
	if secondsPerValue(w.SeriesSeconds) >= coarsestSeconds {
		dropped := w.PhaseSamples != nil
		w.PhaseSamples = nil
		return dropped
	}
	halveSeries(&w.SeriesSeconds, w.Series, w.Members)
	if w.SeriesSeconds > blockThinningSeconds {
		w.BlocksOmitted += int64(len(w.Blocks) - len(w.Blocks)/2)
		w.Blocks = w.Blocks[:len(w.Blocks)/2]
	}
	return true
}

// coarsenOnce halves the resolution of the measurement's series. It returns false at the coarsest resolution.
func (m *Measurement) coarsenOnce() bool {
	if secondsPerValue(m.SeriesSeconds) >= coarsestSeconds {
		return false
	}
	halveSeries(&m.SeriesSeconds, m.Series, m.Members)
	return true
}

// alignSeries brings the series of the measurement and of a worker to the coarser of their resolutions.
func (m *Measurement) alignSeries(w *WorkerResult) {
	if len(m.Workers) == 0 {
		m.SeriesSeconds = w.SeriesSeconds
	}
	for secondsPerValue(w.SeriesSeconds) < secondsPerValue(m.SeriesSeconds) {
		halveSeries(&w.SeriesSeconds, w.Series, w.Members)
	}
	for secondsPerValue(m.SeriesSeconds) < secondsPerValue(w.SeriesSeconds) {
		m.coarsenOnce()
	}
}

// countSeriesValues returns how many values the series of the measurement have together.
func (m *Measurement) countSeriesValues() int {
	return (len(m.Series) + 2*len(m.Members)) * seriesLength(m.WindowSeconds, m.SeriesSeconds)
}
