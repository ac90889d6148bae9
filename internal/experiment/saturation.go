package experiment

import "github.com/benchnet/benchnet/api/v1alpha1"

// Trial is one run of a saturation search that has ended.
type Trial struct {
	// Load that was asked for: clients, or operations a second.
	Load int64
	// Throughput in operations per second, Latency of the service level's percentile in ms, ErrorShare from 0 to 1.
	Throughput, Latency, ErrorShare float64
	// Valid says that the numbers count. A failed run is not valid.
	Valid bool
}

// Search is how far a saturation search has come.
type Search struct {
	// Next load to run, which may be one that was tried before; 0 when the search is done.
	Next int64
	// Load that is the highest to meet the service level, 0 if none did; Unmet is the lowest that does not, 0 if all did.
	Load, Unmet int64
	// Knee is the load from which throughput grows clearly less than the load; 0 if there is none among those tried.
	Knee int64
	// Message for people: how sure this is, or what comes next.
	Message string
}

// NextLoad says what to try next, from the trials so far in the order in which they were made, and from nothing else.
func NextLoad(_ *v1alpha1.SaturationSearch, _ v1alpha1.LoadModel, _ []Trial) Search {
	return Search{}
}
