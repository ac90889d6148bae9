package results

// PlatformMetric is a number that a platform derives from a measurement.
type PlatformMetric struct {
	// Name is in camel case, such as blockTimeP99.
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	// Unit is a unit such as ms or bit/s; empty for a count.
	Unit string `json:"unit,omitempty"`
	// Source says how the number was computed, or from what.
	Source string `json:"source,omitempty"`
}

// Interpretation holds what a platform derives from a measurement beyond operations and latencies: its own
// metrics, and its own findings for the verdict.
type Interpretation struct {
	Measures []PlatformMetric
	// Reasons make the run invalid, Notes do not.
	Reasons, Notes []Reason
}

// WithFindings adds the findings of an interpretation to a verdict.
func (v Verdict) WithFindings(i Interpretation) Verdict {
	v.Reasons = append(v.Reasons, i.Reasons...)
	v.Notes = append(v.Notes, i.Notes...)
	return v
}
