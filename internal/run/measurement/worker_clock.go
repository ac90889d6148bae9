package measurement

// WorkerClock compares the clock of a worker with that of a member, which is the same for all workers. The
// difference of two workers' offsets is the difference of their clocks.
type WorkerClock struct {
	// Reference is the member whose agent reported its clock.
	Reference string `json:"reference"`
	// Before was measured when the barrier opened, After at the end of the window. Either is absent if the
	// reference did not answer.
	Before *ClockOffset `json:"before,omitempty"`
	After  *ClockOffset `json:"after,omitempty"`
}

// ClockOffset is the result of several exchanges, of which the shortest counts (F. Cristian, 1989).
type ClockOffset struct {
	// OffsetMillis is how far the reference is ahead of the worker. The true offset lies within ErrorMillis of
	// it: half of the shortest round trip.
	OffsetMillis float64 `json:"offsetMillis"`
	ErrorMillis  float64 `json:"errorMillis"`
}
