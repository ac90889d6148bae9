package verdict

import "github.com/benchnet/benchnet/internal/format"

// ThrottlingPolicy says how the verdict treats a member at its CPU limit.
type ThrottlingPolicy string

const (
	// ThrottlingNoted is for runs that measure what a given size achieves: the limit is part of the
	// measurement.
	ThrottlingNoted ThrottlingPolicy = "Note"
	// ThrottlingInvalidates is for runs that compare software, where the limit must not affect the result.
	ThrottlingInvalidates ThrottlingPolicy = "Invalidate"
)

// StabilityPolicy says which findings about changes within the window and about missing evidence make a run invalid.
type StabilityPolicy string

const (
	// StabilityTolerant is for gross changes: half of the throughput, or a factor of five of the latency.
	StabilityTolerant StabilityPolicy = "Tolerant"
	// StabilityModerate is for runs that are compared: a fifth of the throughput, or a factor of two of the latency.
	StabilityModerate StabilityPolicy = "Moderate"
	// StabilityStrict is for every change that is noted, and for missing evidence.
	StabilityStrict StabilityPolicy = "Strict"
)

// Tolerances are the bounds within which a run is valid. Shares are from 0 to 1. docs/verdict.md lists
// them.
type Tolerances struct {
	// ErrorShare is the share of requests that may fail.
	ErrorShare float64
	// ThrottledShare is the share of CPU periods in which a container may be throttled.
	ThrottledShare float64
	// LateShare is the share of an open loop's requests that may start more than 100 ms late.
	LateShare float64
	// AchievedShare is the share of an open loop's requests that must end within the window, unless the growth of the
	// backlog decides before.
	AchievedShare float64
	// MissedScrapes is the share of a member's scrapes that may be missed before it is noted.
	MissedScrapes float64
	// MemberThrottling is the policy for a member that exceeds ThrottledShare.
	MemberThrottling ThrottlingPolicy
	// WorkerCPUShare is the share of its CPU limit that a load worker may use before it is noted.
	WorkerCPUShare float64
	// StolenShare is the share of a host's CPU time that the hypervisor may give to other machines. Above
	// StolenNoted it is noted.
	StolenShare, StolenNoted float64
	// HostBusyShare is the share of a host's CPU time that may be used or stolen.
	HostBusyShare float64
	// HostDaemonCPUs and HostSharedShare bound what anything but the run's containers may use on a host: a
	// number of CPUs for the node's daemons, and a share of all its CPUs. Half of the sum is noted.
	HostDaemonCPUs, HostSharedShare float64
	// GCShare is the share of the window that a JVM may spend in garbage collection before it is noted.
	GCShare float64
	// WorkerGCShare is the same for the JVM of a load worker. Its pauses are part of the measured latencies.
	WorkerGCShare float64
	// VolumeFreeShare is the share of a volume that must stay free. Below VolumeFreeNoted it is noted.
	VolumeFreeShare, VolumeFreeNoted float64
	// ClockSkewMillis is the clock difference between two hosts, less the error of the comparison, above which
	// it is noted.
	ClockSkewMillis float64
	// WorkerClockSkewMillis is the same between two load workers, above which their windows differ too much.
	WorkerClockSkewMillis float64
	// Calibration bounds what the pods must reach before the run; nil without a calibration.
	Calibration *CalibrationBounds
	// RecordEnvironment keeps findings about the environment as notes (ReasonCode.IsEnvironmental).
	RecordEnvironment bool
	// Stability is the policy for changes within the window and for missing evidence.
	Stability StabilityPolicy
}

// DefaultTolerances returns the default tolerances. They allow no errors, 1 % late requests and 1 % missed scrapes, and
// require 95 % of the offered rate, besides a backlog that does not grow. They allow throttling in 5 % of CPU periods,
// below which the effect on percentiles up to p95 is small; a member above that is only noted.
func DefaultTolerances() Tolerances {
	return Tolerances{
		Stability:  StabilityTolerant,
		ErrorShare: 0, ThrottledShare: 0.05, LateShare: 0.01, AchievedShare: 0.95, MissedScrapes: 0.01, MemberThrottling: ThrottlingNoted,
		WorkerCPUShare: 0.8, StolenShare: 0.05, StolenNoted: 0.01, HostBusyShare: 0.95, HostDaemonCPUs: 0.5, HostSharedShare: 0.05,
		GCShare: 0.1, WorkerGCShare: 0.01,
		VolumeFreeShare: 0.01, VolumeFreeNoted: 0.1, ClockSkewMillis: 10, WorkerClockSkewMillis: 100,
	}
}

// Policies are what the user chose about the verdict of a run.
type Policies struct {
	// Environment is Enforce or Record.
	Environment string          `json:"environment"`
	Stability   StabilityPolicy `json:"stability"`
	// MaxErrorShare is the share of requests that may fail.
	MaxErrorShare float64 `json:"maxErrorShare"`
}

// Policies returns the policies that the tolerances follow.
func (t Tolerances) Policies() *Policies {
	p := &Policies{Environment: "Enforce", Stability: t.Stability, MaxErrorShare: t.ErrorShare}
	if t.RecordEnvironment {
		p.Environment = "Record"
	}
	return p
}

// String returns the policies for people, such as "Enforce, Tolerant, 0 % errors".
func (p *Policies) String() string {
	return p.Environment + ", " + string(p.Stability) + ", " + format.Percent(p.MaxErrorShare) + " errors"
}

// othersLimit returns the number of CPUs that anything but the run's containers may use on a host with the given
// number of CPUs.
func (t Tolerances) othersLimit(cpus float64) float64 {
	return t.HostDaemonCPUs + t.HostSharedShare*cpus
}
