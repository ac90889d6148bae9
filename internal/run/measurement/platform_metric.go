package measurement

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
