package results

// ThrottlingPolicy says what a member at its CPU limit means.
type ThrottlingPolicy string

const (
	// ThrottlingNoted is for runs that ask what a given size achieves: the limit is part of what is measured.
	ThrottlingNoted ThrottlingPolicy = "Note"
	// ThrottlingInvalidates is for runs that compare software, where the limit must not be what is seen.
	ThrottlingInvalidates ThrottlingPolicy = "Invalidate"
)

// Tolerances bound what a valid run may show. Shares are from 0 to 1. docs/results.md gives the reasons for each.
type Tolerances struct {
	// ErrorShare of the requests that may fail.
	ErrorShare float64
	// ThrottledShare of the CPU periods in which a container may be throttled.
	ThrottledShare float64
	// LateShare of an open loop's requests that may start more than 100 ms late.
	LateShare float64
	// MissedScrapes is the share of a member's scrapes that may be missed before it is noted.
	MissedScrapes float64
	// MemberThrottling says what it means that a member exceeds ThrottledShare.
	MemberThrottling ThrottlingPolicy
	// WorkerCPUShare of its limit that a load worker may use before it is noted.
	WorkerCPUShare float64
	// StolenShare of a host's CPU time that the hypervisor may give to others; StolenNoted is noted already.
	StolenShare, StolenNoted float64
	// HostBusyShare of a host's CPU time that may be used or stolen before it is noted.
	HostBusyShare float64
	// HostSharedShare of a host's CPUs that others than the run's containers may use before it is noted.
	HostSharedShare float64
	// GCShare of the window that a JVM may spend in collection before it is noted.
	GCShare float64
	// VolumeFreeShare of a volume that must stay free; RoomNoted is noted already.
	VolumeFreeShare, VolumeFreeNoted float64
	// ClockSkewMillis between two hosts, beyond what the comparison can be off by, before it is noted.
	ClockSkewMillis float64
	// RecordEnvironment keeps findings about the environment as notes (ReasonCode.IsEnvironmental).
	RecordEnvironment bool
}

// DefaultTolerances are no error at all; 5 % of periods throttled, below which the effect on a percentile
// up to p95 is small, and a member above it only noted; 1 % of requests late, and of scrapes missed.
func DefaultTolerances() Tolerances {
	return Tolerances{
		ErrorShare: 0, ThrottledShare: 0.05, LateShare: 0.01, MissedScrapes: 0.01, MemberThrottling: ThrottlingNoted,
		WorkerCPUShare: 0.8, StolenShare: 0.05, StolenNoted: 0.01, HostBusyShare: 0.95, HostSharedShare: 0.2, GCShare: 0.1,
		VolumeFreeShare: 0.01, VolumeFreeNoted: 0.1, ClockSkewMillis: 10,
	}
}
