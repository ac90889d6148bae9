package measurement

import "fmt"

// MaxSegments bounds the segments of a window, each of which holds a histogram of 200 kB while they are merged.
const MaxSegments = 32

// Segment is a part of the window with results of its own.
type Segment struct {
	Name string `json:"name"`
	// FromSeconds is the start of the segment, in seconds of the window.
	FromSeconds int `json:"fromSeconds"`
	Seconds     int `json:"seconds"`
	// OfferedPerSecond is the mean rate of the open load.
	OfferedPerSecond float64 `json:"offeredPerSecond"`
	// Clients is the mean number of clients of a closed load with a profile.
	Clients float64 `json:"clients,omitempty"`
	// Constant reports that the load does not change within the segment.
	Constant bool `json:"constant,omitempty"`
}

// DescribeLoad returns the rate, or the number of clients of a closed load, in a format of numbers.
func (s Segment) DescribeLoad(format func(float64) string) string {
	if s.Clients > 0 {
		return format(s.Clients) + " clients"
	}
	return format(s.OfferedPerSecond)
}

// SegmentMeasurement is what the workers measured in a segment, without the series of members.
type SegmentMeasurement struct {
	Segment
	*Measurement
}

// segmentMerger merges the parts of the workers' results that lie in a segment.
type segmentMerger struct {
	Segment
	merger *Merger
}

// cutParts returns the worker's part of each segment.
func cutParts(w *WorkerResult, segments []segmentMerger) ([]*WorkerResult, error) {
	own := *w
	own.Series, own.Members, own.PhaseSamples, own.Calibration, own.Faults, own.Operations = nil, nil, nil, nil, nil, nil
	var parts []*WorkerResult
	for i, s := range segments {
		part, err := own.SliceWindow(s.FromSeconds, s.FromSeconds+s.Seconds)
		if err != nil {
			return nil, fmt.Errorf("result of worker %d: segment %s: %w", w.Worker, s.Name, err)
		}
		part.Operations = w.operationsIn(i, len(segments))
		parts = append(parts, part)
	}
	return parts, nil
}
