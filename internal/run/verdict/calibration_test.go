package verdict

import (
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// calibratedPods returns the calibration of the pods of newQuietRun.
func calibratedPods() []measurement.PodCalibration {
	cpu := &measurement.CPUCalibration{SingleThreadPerSecond: 10_000, AllThreadsPerSecond: 20_000, Threads: 2}
	return []measurement.PodCalibration{
		{Subject: "worker-0", CPU: cpu}, {Subject: "worker-1", CPU: cpu},
		{Subject: "member-0", CPU: cpu, Fsync: &measurement.FsyncCalibration{Count: 100, P50Millis: 2, P99Millis: 12, MaxMillis: 30},
			Network: &measurement.NetworkCalibration{RoundTrips: 50, RoundTripP50Millis: 0.2, RoundTripMaxMillis: 1, BandwidthMbps: 900}},
	}
}

func TestJudgeCalibration(t *testing.T) {
	within := CalibrationBounds{MinSingleThreadPerSecond: 10_000, MinAllThreadsPerSecond: 20_000, MaxFsyncP99Millis: 12, MaxRoundTripMillis: 0.2, MinBandwidthMbps: 900}
	for name, c := range map[string]struct {
		bounds *CalibrationBounds
		change func(*measurement.Measurement)
		record bool
		// reasons and notes are codes and subjects. message is part of the first reason.
		reasons, notes, message string
	}{
		"not calibrated": {change: func(m *measurement.Measurement) { m.Calibration = nil }},
		"no bounds":      {bounds: &CalibrationBounds{}},
		"at the bounds":  {bounds: &within},
		"slow thread": {bounds: &CalibrationBounds{MinSingleThreadPerSecond: 10_001},
			reasons: "CalibrationOutOfBounds/worker-0 CalibrationOutOfBounds/worker-1 CalibrationOutOfBounds/member-0",
			message: "CalibrationSingleThread of worker-0 was 1e+04 verifications/s before the run; measure.calibrate.minSingleThreadRate is 1e+04"},
		"slow disk": {bounds: &CalibrationBounds{MaxFsyncP99Millis: 10}, reasons: "CalibrationOutOfBounds/member-0",
			message: "CalibrationFsyncP99 of member-0 was 12 ms before the run; measure.calibrate.maxFsyncP99 is 10 ms"},
		"slow disk, recorded": {bounds: &CalibrationBounds{MaxFsyncP99Millis: 10}, record: true, notes: "CalibrationOutOfBounds/member-0"},
		"slow network": {bounds: &CalibrationBounds{MaxRoundTripMillis: 0.1, MinBandwidthMbps: 1000},
			reasons: "CalibrationOutOfBounds/member-0 CalibrationOutOfBounds/member-0"},
		"no volume": {bounds: &CalibrationBounds{MaxFsyncP99Millis: 10}, change: func(m *measurement.Measurement) { m.Calibration[2].Fsync = nil },
			reasons: "CalibrationMissing", message: "no pod measured CalibrationFsyncP99, which measure.calibrate.maxFsyncP99 bounds"},
		"pod without an answer": {bounds: &CalibrationBounds{}, change: func(m *measurement.Measurement) {
			m.Calibration[2] = measurement.PodCalibration{Subject: "member-0", Error: "gone"}
		},
			notes: "CalibrationMissing/member-0"},
		"bounded pod without an answer": {bounds: &CalibrationBounds{MinSingleThreadPerSecond: 1},
			change: func(m *measurement.Measurement) {
				m.Calibration[2] = measurement.PodCalibration{Subject: "member-0", Error: "gone"}
			},
			reasons: "CalibrationMissing/member-0", message: "the calibration of member-0 is incomplete: gone"},
		"worker without a report": {bounds: &CalibrationBounds{}, change: func(m *measurement.Measurement) { m.Calibration = m.Calibration[1:] },
			notes: "CalibrationMissing/worker-0"},
	} {
		t.Run(name, func(t *testing.T) {
			m, observations := newQuietRun(t)
			m.Calibration = calibratedPods()
			if c.change != nil {
				c.change(m)
			}
			tolerances := DefaultTolerances()
			tolerances.Calibration, tolerances.RecordEnvironment = c.bounds, c.record
			got := Judge(m, observations, tolerances)
			if joinCodes(got.Reasons) != c.reasons || joinCodes(got.Notes) != c.notes {
				t.Fatalf("reasons %q, notes %q; want %q and %q", joinCodes(got.Reasons), joinCodes(got.Notes), c.reasons, c.notes)
			}
			if c.message != "" && !strings.Contains(got.Reasons[0].Message, c.message) {
				t.Errorf("message %q", got.Reasons[0].Message)
			}
		})
	}
}
