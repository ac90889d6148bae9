package jpaxos

import (
	"fmt"
	"math"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/results"
	"github.com/benchnet/benchnet/internal/sizing"
)

// Saturated (note): which side was at its CPU limit.
const Saturated results.ReasonCode = "Saturated"

// A side is saturated if one of its containers used so much of its CPU limit, or was throttled in more than so many of its CPU periods.
const (
	saturatedShare = 0.95
	throttledShare = 0.05
)

// side is what the replicas, or the load workers, used of their CPUs.
type side struct {
	name string
	// cores that all of them used together.
	cores float64
	// busiest and throttled are the largest shares of any of them, of its CPU limit and of its CPU periods.
	busiest, throttled float64
	// measured is false if nothing is known of any of them.
	measured bool
}

func replicaSide(spec *v1alpha1.BenchmarkNetworkSpec, m *results.Measurement) side {
	s := side{name: "replica"}
	limit := sizing.MachineOf(&spec.Members).Cores
	for _, member := range m.Members {
		s.add(member.CPUSeconds.Mean(), limit.AsApproximateFloat64(), member.ThrottledPeriods, member.Periods)
	}
	return s
}

func clientSide(w *v1alpha1.Workload, m *results.Measurement) side {
	s := side{name: "client"}
	for _, worker := range m.Workers {
		if worker.Load != nil && m.WindowSeconds > 0 {
			s.add(worker.Load.Cores(m.WindowSeconds), w.Workers.Cores.AsApproximateFloat64(),
				worker.Load.ThrottledPeriods, worker.Load.Periods)
		}
	}
	return s
}

// add a container that used so many cores; NaN: unknown.
func (s *side) add(cores, limit float64, throttled, periods int64) {
	if math.IsNaN(cores) {
		return
	}
	s.measured = true
	s.cores += cores
	if limit > 0 {
		s.busiest = max(s.busiest, cores/limit)
	}
	if periods > 0 {
		s.throttled = max(s.throttled, float64(throttled)/float64(periods))
	}
}

func (s side) saturated() bool { return s.busiest >= saturatedShare || s.throttled > throttledShare }

func (s side) measures() []results.Measure {
	if !s.measured {
		return nil
	}
	return []results.Measure{
		{Name: s.name + "Cores", Value: s.cores, Unit: "cores", Source: "used by all " + s.name + " containers, mean over the window"},
		{Name: s.name + "CPUShare", Value: s.busiest * 100, Unit: "%", Source: "of its CPU limit, the busiest " + s.name + " container"},
	}
}

// saturation says which side, if any, kept the rate from being higher.
func saturation(replicas, clients side) results.Reason {
	subject, means := "neither", "neither side was at its CPU limit: what bounds the rate is latency (timers, clients too few), the network, "+
		"or a host with fewer cores than the limits add up to"
	switch {
	case replicas.saturated() && clients.saturated():
		subject, means = "both", "both sides were at their CPU limit"
	case replicas.saturated():
		subject, means = "replicas", "the replicas were at their CPU limit: the rate is what they can do"
	case clients.saturated():
		subject, means = "clients", "the clients were at their CPU limit: the rate is what they can ask, so give the workers more"
	}
	return results.Reason{Code: Saturated, Subject: subject, Value: max(replicas.busiest, clients.busiest), Limit: saturatedShare,
		Message: fmt.Sprintf("%s (the busiest replica used %s, the busiest worker %s)", means, replicas.used(), clients.used())}
}

// used is the busiest container's share in words.
func (s side) used() string {
	if !s.measured {
		return "an unknown share"
	}
	return fmt.Sprintf("%.0f %% of its limit, throttled in %.0f %% of its periods", s.busiest*100, s.throttled*100)
}
