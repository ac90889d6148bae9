package measurement

import (
	"fmt"
	"math"
	"slices"
)

// RecordedInterval holds what was recorded about the requests that started in one interval of the window.
type RecordedInterval struct {
	// Histogram holds the latencies of the requests, as in WorkerResult.
	Histogram  string       `json:"histogram"`
	OutOfRange OutOfRange   `json:"outOfRange,omitzero"`
	Errors     []ErrorCount `json:"errors"`
	Labels     []LabelCount `json:"labels,omitempty"`
	Schedule   Schedule     `json:"schedule"`
}

// validateIntervals checks that the intervals add up to the whole window and have as many latencies as its
// histogram.
func (w *WorkerResult) validateIntervals(whole *Histogram) error {
	if w.IntervalSeconds == 0 && len(w.Intervals) == 0 {
		return nil
	}
	if w.IntervalSeconds <= 0 || len(w.Intervals)*w.IntervalSeconds != w.WindowSeconds {
		return fmt.Errorf("intervals: %d of %d s do not make up %d s", len(w.Intervals), w.IntervalSeconds, w.WindowSeconds)
	}
	sum, err := joinIntervals(w.Intervals)
	if err != nil {
		return err
	}
	if sum.latencies.Count() != whole.Count() {
		return fmt.Errorf("intervals: they have %d latencies, the total is %d", sum.latencies.Count(), whole.Count())
	}
	if sum.outOfRange != w.OutOfRange {
		return fmt.Errorf("intervals: they have %+v latencies out of range, the total is %+v", sum.outOfRange, w.OutOfRange)
	}
	return nil
}

func joinIntervals(intervals []RecordedInterval) (requestStats, error) {
	whole := newRequestStats()
	for i, one := range intervals {
		latencies, err := DecodeHistogram(one.Histogram)
		if err != nil {
			return whole, fmt.Errorf("intervals[%d]: %w", i, err)
		}
		if err := one.OutOfRange.validateCounts(); err != nil {
			return whole, fmt.Errorf("intervals[%d]: %w", i, err)
		}
		piece := newRequestStats()
		piece.latencies, piece.outOfRange, piece.schedule = latencies, one.OutOfRange, one.Schedule
		for _, e := range one.Errors {
			piece.errors.addCount(e)
		}
		for _, l := range one.Labels {
			piece.labels.addCount(l)
		}
		if err := whole.addStats(piece); err != nil {
			return whole, fmt.Errorf("intervals[%d]: %w", i, err)
		}
	}
	return whole, nil
}

// SliceWindow returns the seconds [from, to) of the window as if only they had been recorded. Both bounds must
// lie between intervals, else it fails. Totals over everything recorded stay unchanged: the ledger, restarts,
// and the periods of the CPU quota. Operations have no intervals, so a part is without them, unless it is a segment (see cutParts).
func (w *WorkerResult) SliceWindow(from, to int) (*WorkerResult, error) {
	if from == 0 && to == w.WindowSeconds {
		return w, nil
	}
	each := w.IntervalSeconds
	if each <= 0 || from < 0 || from >= to || to > w.WindowSeconds || from%each != 0 || to%each != 0 {
		return nil, fmt.Errorf("cut seconds %d to %d out of %d: want whole intervals of %d s", from, to, w.WindowSeconds, each)
	}
	cut := *w
	cut.Operations, cut.Intervals = nil, w.Intervals[from/each:to/each]
	whole, err := joinIntervals(cut.Intervals)
	if err != nil {
		return nil, err
	}
	if err := cut.setRequestStats(whole); err != nil {
		return nil, err
	}
	cut.StartMillis, cut.WindowSeconds = w.StartMillis+1000*int64(from), to-from
	cut.CompletedPerSecond, cut.FailedPerSecond = w.CompletedPerSecond[from:to], w.FailedPerSecond[from:to]
	if len(w.LatencyMicrosPerSecond) > 0 {
		cut.LatencyMicrosPerSecond = w.LatencyMicrosPerSecond[from:to]
	}
	cut.sliceBlocks(int64(from), int64(to))
	cut.PhaseSamples = w.PhaseSamples.slicePhaseSamples(int64(from), int64(to))
	first, count := from/SecondsPerValue(w.SeriesSeconds), seriesLength(to-from, w.SeriesSeconds)
	cut.Series = slices.Clone(w.Series)
	for i := range cut.Series {
		cut.Series[i].Values = w.Series[i].Values[first : first+count]
	}
	cut.Members = slices.Clone(w.Members)
	for i := range cut.Members {
		if w.SeriesSeconds > 1 {
			cut.Members[i].sliceCoarseSeries(first, count)
		} else {
			cut.Members[i].sliceSeries(from, to)
		}
	}
	return &cut, nil
}

// sliceBlocks keeps the listed blocks of some seconds. Omitted blocks came after all listed ones.
func (w *WorkerResult) sliceBlocks(from, to int64) {
	var kept []Block
	for _, b := range w.Blocks {
		if b.Micros >= from*1e6 && b.Micros < to*1e6 {
			b.Micros -= from * 1e6
			kept = append(kept, b)
		}
	}
	if n := len(w.Blocks); n > 0 && w.Blocks[n-1].Micros >= to*1e6 {
		w.BlocksOmitted = 0
	}
	w.Blocks = kept
}

// sliceCoarseSeries keeps some values of coarse series. They do not show which seconds were missed, so
// MissedScrapes stays that of all seconds.
func (m *MemberUsage) sliceCoarseSeries(first, count int) {
	m.CPUSeconds, m.MemoryBytes = m.CPUSeconds[first:first+count], m.MemoryBytes[first:first+count]
}

// sliceSeries keeps the seconds [from, to). A memory value is known if the sample at the end of its second was
// taken. The sample at the start of the first second is in no series; only MissedScrapes, the total of missed
// samples, shows whether it is missing.
func (m *MemberUsage) sliceSeries(from, to int) {
	missing := func(s Series) (n int) {
		for _, v := range s {
			if math.IsNaN(v) {
				n++
			}
		}
		return n
	}
	first := m.MissedScrapes - missing(m.MemoryBytes)
	if from > 0 {
		first = missing(m.MemoryBytes[from-1 : from])
	}
	m.CPUSeconds, m.MemoryBytes = m.CPUSeconds[from:to], m.MemoryBytes[from:to]
	m.MissedScrapes = max(0, first) + missing(m.MemoryBytes)
}
