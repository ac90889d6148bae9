package verdict

import "github.com/benchnet/benchnet/internal/run/measurement"

// Interpretation holds what a platform derives from a measurement beyond operations and latencies: its own
// metrics, and its own findings for the verdict.
type Interpretation struct {
	Measures []measurement.PlatformMetric
	// Reasons make the run invalid, Notes do not.
	Reasons, Notes []Reason
}

// WithFindings adds the findings of an interpretation to a verdict.
func (v Verdict) WithFindings(i Interpretation) Verdict {
	v.Reasons = append(v.Reasons, i.Reasons...)
	v.Notes = append(v.Notes, i.Notes...)
	return v
}
