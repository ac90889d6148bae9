package measurement

import (
	"strings"
	"testing"
)

// TestMergeCalibration checks that the first report of a pod counts, and that foreign texts are bounded.
func TestMergeCalibration(t *testing.T) {
	m := &Measurement{}
	m.addCalibration([]PodCalibration{{Subject: "member-0", Error: strings.Repeat("x", 10_000)}})
	m.addCalibration([]PodCalibration{{Subject: "member-0"}, {Subject: "member-1"}})
	if len(m.Calibration) != 2 || m.Calibration[1].Subject != "member-1" || len(m.Calibration[0].Error) != maxExampleChars {
		t.Errorf("calibration %+v", m.Calibration)
	}
	long := &WorkerResult{Calibration: []PodCalibration{{Subject: strings.Repeat("m", maxNameBytes+1)}}}
	if err := long.validateCalibration(); err == nil || !strings.Contains(err.Error(), "calibration[0].subject") {
		t.Errorf("long subject: %v", err)
	}
}
