package jpaxos

import (
	"fmt"
	"math"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/format"
	"github.com/benchnet/benchnet/internal/platform/members"
	"github.com/benchnet/benchnet/internal/platform/sizing"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// Saturated (note) names the side that was at its CPU limit.
const Saturated verdict.ReasonCode = "Saturated"

// A side is saturated if one of its containers used at least saturatedShare of its CPU limit, or was throttled
// in more than throttledShare of its CPU periods.
const (
	saturatedShare = 0.95
	throttledShare = 0.05
)

// cpuUsage is the CPU usage of the replicas or of the load workers.
type cpuUsage struct {
	name string
	// cores is the total over all containers.
	cores float64
	// maxShare is the largest share of its CPU limit that a container used. maxThrottled is the largest share
	// of throttled CPU periods.
	maxShare, maxThrottled float64
	// known is false if no container's usage is known.
	known bool
}

func replicaUsage(spec *v1alpha1.BenchmarkNetworkSpec, m *measurement.Measurement) cpuUsage {
	s := cpuUsage{name: "replica"}
	limits := map[string]float64{}
	for i := range spec.Members.Count {
		cores := sizing.MachineOf(&spec.ForMember(members.Name(i)).Members).Cores
		limits[members.Name(i)] = cores.AsApproximateFloat64()
	}
	for _, member := range m.Members {
		s.addContainer(member.CPUSeconds.Mean(), limits[member.Member], member.ThrottledPeriods, member.Periods)
	}
	return s
}

func clientUsage(w *v1alpha1.Workload, m *measurement.Measurement) cpuUsage {
	s := cpuUsage{name: "client"}
	for _, worker := range m.Workers {
		if worker.Load != nil && m.WindowSeconds > 0 {
			s.addContainer(worker.Load.MeanCores(m.WindowSeconds), w.Workers.Cores.AsApproximateFloat64(),
				worker.Load.ThrottledPeriods, worker.Load.Periods)
		}
	}
	return s
}

// addContainer adds a container that used the given number of cores. NaN means unknown and is skipped.
func (s *cpuUsage) addContainer(cores, limit float64, throttled, periods int64) {
	if math.IsNaN(cores) {
		return
	}
	s.known = true
	s.cores += cores
	if limit > 0 {
		s.maxShare = max(s.maxShare, cores/limit)
	}
	if periods > 0 {
		s.maxThrottled = max(s.maxThrottled, float64(throttled)/float64(periods))
	}
}

func (s cpuUsage) isSaturated() bool {
	return s.maxShare >= saturatedShare || s.maxThrottled > throttledShare
}

func (s cpuUsage) asMeasures() []measurement.PlatformMetric {
	if !s.known {
		return nil
	}
	return []measurement.PlatformMetric{
		{Name: s.name + "Cores", Value: s.cores, Unit: "cores", Source: "used by all " + s.name + " containers, mean over the window"},
		{Name: s.name + "CPUShare", Value: s.maxShare * 100, Unit: "%", Source: "of its CPU limit, the busiest " + s.name + " container"},
	}
}

// saturationNote returns a note that names the side, if any, whose CPU limited the rate.
func saturationNote(replicas, clients cpuUsage) verdict.Reason {
	subject, means := "neither", "neither side was at its CPU limit: the rate is bounded by latency (timers, too few clients), the network, "+
		"or a host with fewer cores than the sum of the limits"
	switch {
	case replicas.isSaturated() && clients.isSaturated():
		subject, means = "both", "both sides were at their CPU limit"
	case replicas.isSaturated():
		subject, means = "replicas", "the replicas were at their CPU limit and bound the rate"
	case clients.isSaturated():
		subject, means = "clients", "the clients were at their CPU limit and bound the rate: give the workers more cores"
	}
	return verdict.Reason{Code: Saturated, Subject: subject, Value: max(replicas.maxShare, clients.maxShare), Limit: saturatedShare,
		Message: fmt.Sprintf("%s (the busiest replica used %s, the busiest worker %s)", means, replicas.describeMaxShare(), clients.describeMaxShare())}
}

// describeMaxShare describes the usage of the busiest container in words.
func (s cpuUsage) describeMaxShare() string {
	if !s.known {
		return "an unknown share"
	}
	return fmt.Sprintf("%s of its limit, throttled in %s of its periods", format.WholePercent(s.maxShare), format.WholePercent(s.maxThrottled))
}
