package statistics

// Scale says what a difference is a share of.
type Scale string

// The scales.
const (
	// Relative differences are shares of the baseline's mean.
	Relative Scale = "Relative"
	// Absolute differences are in the metric's own unit.
	Absolute Scale = "Absolute"
)

// CompareOptions say how sure a comparison shall be.
type CompareOptions struct {
	// Confidence of the interval, and one minus the significance; such as 0.95.
	Confidence float64
	// Scale of the difference. Default: Relative, as long as the baseline's mean is above 0.
	Scale Scale
	// Seed of the resampling.
	Seed int64
	// Resamples of the bootstrap. Default: 5000.
	Resamples int
}

// Compare a candidate's runs with a baseline's, each by one number.
func Compare(_, _ []float64, _ CompareOptions) Comparison {
	return Comparison{}
}

// EstimateMean of independent runs, with Student's interval.
func EstimateMean(_ []float64, _ float64) Estimate {
	return Estimate{}
}
