package verdict

import (
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// newSegment returns a segment that ends the given number of requests in each second.
func newSegment(s measurement.Segment, endedPerSecond func(second int) int64) measurement.SegmentMeasurement {
	m := &measurement.Measurement{WindowSeconds: s.Seconds, Histogram: measurement.NewHistogram(), Workers: []measurement.WorkerSummary{{}},
		Schedule: measurement.Schedule{Planned: int64(s.OfferedPerSecond) * int64(s.Seconds)}}
	for second := range s.Seconds {
		n := endedPerSecond(second)
		m.Completed, m.Failed, m.LatencyMicros = append(m.Completed, n), append(m.Failed, 0), append(m.LatencyMicros, n*10_000)
	}
	return measurement.SegmentMeasurement{Segment: s, Measurement: m}
}

func TestJudgeSegments(t *testing.T) {
	level := func(n int64) func(int) int64 { return func(int) int64 { return n } }
	halves := func(second int) int64 { return []int64{140, 60}[second/30] }
	constant := measurement.Segment{Name: "base", Seconds: 60, OfferedPerSecond: 100, Constant: true}
	wave := measurement.Segment{Name: "wave", Seconds: 60, OfferedPerSecond: 100}
	short := measurement.Segment{Name: "short", Seconds: 10, OfferedPerSecond: 100, Constant: true}
	unplanned := func(s measurement.SegmentMeasurement) measurement.SegmentMeasurement {
		s.Schedule.Planned = 3000
		return s
	}
	for name, c := range map[string]struct {
		segment measurement.SegmentMeasurement
		strict  bool
		reason  ReasonCode
		message string
	}{
		"keeps up":                           {segment: newSegment(constant, level(100))},
		"keeps up, strictly":                 {segment: newSegment(constant, level(100)), strict: true},
		"overloaded":                         {segment: newSegment(wave, level(40)), reason: "OfferedNotAchieved", message: "segment wave: the network ended 40.0 of 100.0"},
		"less load than the rate":            {segment: unplanned(newSegment(wave, level(50))), reason: "ScheduleIncomplete", message: "segment wave: the workers planned 3000 of 6000"},
		"a change at a constant rate":        {segment: newSegment(constant, halves), reason: "ThroughputUnstable", message: "segment base: the throughput changed"},
		"a change of the rate":               {segment: newSegment(wave, halves)},
		"too short to be judged, strictly":   {segment: newSegment(short, level(100)), strict: true},
		"a pause at a rate of 0, strictly":   {segment: newSegment(measurement.Segment{Name: "pause", Seconds: 60, Constant: true}, level(0)), strict: true},
		"one segment does not hide the next": {segment: newSegment(short, level(40)), reason: "OfferedNotAchieved", message: "segment short: "},
	} {
		t.Run(name, func(t *testing.T) {
			tolerances := DefaultTolerances()
			if c.strict {
				tolerances.Stability = StabilityStrict
			}
			j := verdictBuilder{tolerances: tolerances, measurement: &measurement.Measurement{
				Segments: []measurement.SegmentMeasurement{newSegment(constant, level(100)), c.segment, newSegment(wave, level(100))}}}
			j.judgeSegments(RunObservations{ExpectedWorkers: 1, OfferedPerSecond: 1e6})
			if c.reason == "" && len(j.reasons) == 0 {
				return
			}
			if len(j.reasons) != 1 || j.reasons[0].Code != c.reason || j.reasons[0].Subject != SegmentSubject(c.segment.Name) ||
				!strings.HasPrefix(j.reasons[0].Message, c.message) {
				t.Errorf("reasons %+v, want %s with %q", j.reasons, c.reason, c.message)
			}
		})
	}
}

// TestProfileIsNotUnstable checks that the changes of the rate are no instability and no overload of the whole window.
func TestProfileIsNotUnstable(t *testing.T) {
	low := measurement.Segment{Name: "low", Seconds: 60, OfferedPerSecond: 10, Constant: true}
	high := measurement.Segment{Name: "high", FromSeconds: 60, Seconds: 60, OfferedPerSecond: 100, Constant: true}
	m := newSegment(measurement.Segment{Seconds: 120, OfferedPerSecond: 55}, func(second int) int64 { return []int64{10, 100}[second/60] }).Measurement
	c := RunObservations{ExpectedWorkers: 1, OfferedPerSecond: 55}
	j := verdictBuilder{measurement: m, tolerances: DefaultTolerances()}
	if j.judgeStability(c); !strings.Contains(joinCodes(j.reasons), string(ReasonThroughputUnstable)) {
		t.Errorf("the case shows nothing: %+v", j.reasons)
	}
	m.Segments = []measurement.SegmentMeasurement{
		newSegment(low, func(int) int64 { return 10 }), newSegment(high, func(int) int64 { return 100 })}
	j = verdictBuilder{measurement: m, tolerances: DefaultTolerances()}
	j.judgeStability(c)
	j.judgeOfferedLoad(c)
	j.judgeSegments(c)
	if len(j.reasons) > 0 {
		t.Errorf("reasons %+v", j.reasons)
	}
}
