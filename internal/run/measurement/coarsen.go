package measurement

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/benchnet/benchnet/internal/run/boundedjson"
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
	maxSeriesValues = boundedjson.MaxDecodedBytes / 4

	// CoarsestSeconds is the coarsest resolution of series, at which 48 h have 43 values.
	CoarsestSeconds = 4096
	// blockThinningSeconds is the resolution above which the list of blocks is halved as well.
	blockThinningSeconds = 64
)

// SecondsPerValue returns the number of seconds that each value covers. 0, which documents omit, means one.
func SecondsPerValue(seriesSeconds int) int { return max(1, seriesSeconds) }

// seriesLength returns the number of values of a series that covers the given seconds.
func seriesLength(seconds, seriesSeconds int) int {
	each := SecondsPerValue(seriesSeconds)
	return (seconds + each - 1) / each
}

// CheckResolution rejects a resolution that is not a power of two. Only such series can be halved to the
// resolution of others.
func CheckResolution(seriesSeconds int) error {
	if seriesSeconds < 0 || seriesSeconds > CoarsestSeconds || bits.OnesCount(uint(seriesSeconds)) > 1 {
		return fmt.Errorf("seriesSeconds: %d is not a power of two up to %d", seriesSeconds, CoarsestSeconds)
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

// HalveSeries halves the resolution of series and members. It replaces the values instead of changing them,
// because a slice of the window shares them with the whole.
func HalveSeries(seriesSeconds *int, series []NamedSeries, members []MemberUsage) {
	*seriesSeconds = 2 * SecondsPerValue(*seriesSeconds)
	for i := range series {
		series[i].Values = series[i].Values.HalveResolution()
	}
	for i := range members {
		members[i].CPUSeconds, members[i].MemoryBytes = members[i].CPUSeconds.HalveResolution(), members[i].MemoryBytes.HalveResolution()
	}
}

// coarsenOnce makes the worker's result smaller by one step. It returns false if no step is left.
func (w *WorkerResult) coarsenOnce() bool {
	if SecondsPerValue(w.SeriesSeconds) >= CoarsestSeconds {
		dropped := w.PhaseSamples != nil
		w.PhaseSamples = nil
		return dropped
	}
	HalveSeries(&w.SeriesSeconds, w.Series, w.Members)
	w.Blocks, w.BlocksOmitted = ThinBlocks(w.SeriesSeconds, w.Blocks, w.BlocksOmitted)
	return true
}

// coarsenOnce halves the resolution of the measurement's series. It returns false at the coarsest resolution.
func (m *Measurement) coarsenOnce() bool {
	if SecondsPerValue(m.SeriesSeconds) >= CoarsestSeconds {
		return false
	}
	HalveSeries(&m.SeriesSeconds, m.Series, m.Members)
	return true
}

// alignSeries brings the series of the measurement and of a worker to the coarser of their resolutions.
func (m *Measurement) alignSeries(w *WorkerResult) {
	if len(m.Workers) == 0 {
		m.SeriesSeconds = w.SeriesSeconds
	}
	for SecondsPerValue(w.SeriesSeconds) < SecondsPerValue(m.SeriesSeconds) {
		HalveSeries(&w.SeriesSeconds, w.Series, w.Members)
	}
	for SecondsPerValue(m.SeriesSeconds) < SecondsPerValue(w.SeriesSeconds) {
		m.coarsenOnce()
	}
}

// countSeriesValues returns how many values the series of the measurement have together.
func (m *Measurement) countSeriesValues() int {
	return (len(m.Series) + 2*len(m.Members)) * seriesLength(m.WindowSeconds, m.SeriesSeconds)
}

// ThinBlocks halves the list of blocks if the resolution of the series is coarse.
func ThinBlocks(seriesSeconds int, blocks []Block, omitted int64) ([]Block, int64) {
	if seriesSeconds <= blockThinningSeconds {
		return blocks, omitted
	}
	half := len(blocks) / 2
	return blocks[:half], omitted + int64(len(blocks)-half)
}
