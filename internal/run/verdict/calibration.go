package verdict

import "github.com/benchnet/benchnet/internal/run/measurement"

// calibrationBound is one bound of measure.calibrate, in the unit of its figure.
type calibrationBound struct {
	field, figure string
	limit         float64
	// isMinimum reports whether smaller figures are outside of the bound.
	isMinimum bool
}

func (b CalibrationBounds) list() []calibrationBound {
	return []calibrationBound{
		{"minSingleThreadRate", measurement.FigureSingleThread, b.MinSingleThreadPerSecond, true},
		{"minAllThreadsRate", measurement.FigureAllThreads, b.MinAllThreadsPerSecond, true},
		{"maxFsyncP99", measurement.FigureFsyncP99, b.MaxFsyncP99Millis, false},
		{"maxRoundTrip", measurement.FigureRoundTripP50, b.MaxRoundTripMillis, false},
		{"minBandwidth", measurement.FigureBandwidth, b.MinBandwidthMbps, true},
	}
}

// judgeCalibration compares the calibration of each pod with the bounds. A bound applies to every pod with the figure,
// and at least one pod must have it. With a bound, every calibration must be complete.
func (j *verdictBuilder) judgeCalibration() {
	bounds := j.tolerances.Calibration
	if bounds == nil {
		return
	}
	for _, bound := range bounds.list() {
		if bound.limit > 0 {
			j.judgeCalibrationBound(bound)
		}
	}
	find := j.addNote
	if *bounds != (CalibrationBounds{}) {
		find = j.addReason
	}
	for _, pod := range j.measurement.Calibration {
		if pod.Error != "" {
			find(ReasonCalibrationMissing, pod.Subject, 0, 0, "the calibration of %s is incomplete: %s", pod.Subject, pod.Error)
		}
	}
	for _, w := range j.measurement.Workers {
		if subject := measurement.WorkerSubject(w.Worker); !j.measurement.HasCalibration(subject) {
			find(ReasonCalibrationMissing, subject, 0, 0, "%s reported no calibration", subject)
		}
	}
}

func (j *verdictBuilder) judgeCalibrationBound(bound calibrationBound) {
	known := false
	for _, pod := range j.measurement.Calibration {
		for _, figure := range pod.Figures() {
			if figure.Name != bound.figure {
				continue
			}
			known = true
			if bound.isMinimum && figure.Value < bound.limit || !bound.isMinimum && figure.Value > bound.limit {
				j.addReason(ReasonCalibrationOutOfBounds, pod.Subject, figure.Value, bound.limit,
					"%s of %s was %.4g %s before the run; measure.calibrate.%s is %.4g %s",
					figure.Name, pod.Subject, figure.Value, figure.Unit, bound.field, bound.limit, figure.Unit)
			}
		}
	}
	if !known {
		j.addReason(ReasonCalibrationMissing, "", 0, bound.limit, "no pod measured %s, which measure.calibrate.%s bounds", bound.figure, bound.field)
	}
}

// CalibrationBounds are what each calibrated pod must reach; 0 means no bound.
type CalibrationBounds struct {
	MinSingleThreadPerSecond, MinAllThreadsPerSecond float64
	MaxFsyncP99Millis, MaxRoundTripMillis            float64
	MinBandwidthMbps                                 float64
}
