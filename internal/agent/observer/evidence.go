package observer

import (
	"math"
	"slices"

	"github.com/benchnet/benchnet/internal/agent/cgroup"
	"github.com/benchnet/benchnet/internal/agent/host"
	"github.com/benchnet/benchnet/internal/agent/jvm"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/run/results"
)

// agentMetricNames are the metrics of an agent.
var agentMetricNames = slices.Concat(cgroup.Usage{}.Metrics().Names(), cgroup.EvidenceMetrics.Names(), jvm.Metrics.Names(), host.Metrics.Names())

// agentSeries are recorded of every container whose kernel tells them.
var agentSeries = []protocol.ObservedSeries{
	{Name: results.SeriesNetworkReceive, Unit: "B/s", Metric: host.NetworkReceived, Kind: protocol.Counter},
	{Name: results.SeriesNetworkTransmit, Unit: "B/s", Metric: host.NetworkSent, Kind: protocol.Counter},
	{Name: results.SeriesDiskRead, Unit: "B/s", Metric: cgroup.DiskRead, Kind: protocol.Counter},
	{Name: results.SeriesDiskWrite, Unit: "B/s", Metric: cgroup.DiskWritten, Kind: protocol.Counter},
}

// buildAgentSeries are the agent's series, in whole bytes; one of which nothing is known is left out.
func buildAgentSeries(o protocol.ObservedEndpoint, readings []scrapeSample, seconds int) []results.NamedSeries {
	var all []results.NamedSeries
	for _, wanted := range agentSeries {
		s := buildSeries(o, wanted, readings, seconds)
		if math.IsNaN(s.Values.Mean()) {
			continue
		}
		for i, v := range s.Values {
			s.Values[i] = math.Round(v)
		}
		all = append(all, s)
	}
	return all
}

// computeEvidence is what the readings tell beside the usage, between the first and the last that were not missed.
func computeEvidence(readings []scrapeSample) results.Evidence {
	known := slices.DeleteFunc(slices.Clone(readings), scrapeSample.isMissed)
	if len(known) < 2 {
		return results.Evidence{}
	}
	s := sampleSpan{known[0], known[len(known)-1]}
	e := results.Evidence{
		CPULimit:         s.lastValue(cgroup.CPULimit),
		MemoryLimitBytes: s.lastValue(cgroup.MemoryLimit),
		Pressure:         s.pressureShares(cgroup.CPUPressure, cgroup.MemoryPressure, cgroup.IOPressure),
		Host:             s.hostShares(),
		Volume:           computeVolume(known),
		Clock:            estimateClockOffset(known),
	}
	if kills, ok := s.counterGrowth(cgroup.OOMKills); ok {
		e.OOMKills = int64(kills)
	}
	collected, ok1 := s.counterGrowth(jvm.GCSeconds)
	count, ok2 := s.counterGrowth(jvm.GCCollections)
	if ok1 && ok2 {
		e.GarbageCollection = &results.GarbageCollection{Share: roundFraction(collected / s.durationSeconds()), Collections: int64(count)}
	}
	return e
}

// sampleSpan lies between two readings.
type sampleSpan struct{ first, last scrapeSample }

func (s sampleSpan) durationSeconds() float64 { return s.last.takenAt.Sub(s.first.takenAt).Seconds() }

// lastValue is a gauge at the end; 0 where it is not told.
func (s sampleSpan) lastValue(metric string) float64 { return s.last.values[metric] }

// counterGrowth is by how much a counter grew; false where it is not told, or went back.
func (s sampleSpan) counterGrowth(metric string) (float64, bool) {
	before, ok1 := s.first.values[metric]
	after, ok2 := s.last.values[metric]
	return after - before, ok1 && ok2 && after >= before
}

// timeShare of the time in which something happened; nil where it is not told.
func (s sampleSpan) timeShare(metric string) *float64 {
	grown, ok := s.counterGrowth(metric)
	if !ok {
		return nil
	}
	return new(roundFraction(grown / s.durationSeconds()))
}

func (s sampleSpan) pressureShares(cpu, memory, io string) *results.Pressure {
	p := results.Pressure{CPU: s.timeShare(cpu), Memory: s.timeShare(memory), IO: s.timeShare(io)}
	if p == (results.Pressure{}) {
		return nil
	}
	return &p
}

func (s sampleSpan) hostShares() *results.Host {
	busy, ok1 := s.counterGrowth(host.CPUBusy)
	idle, ok2 := s.counterGrowth(host.CPUIdle)
	// The kernel's sum of the idle time of its CPUs may go back by a little; a wait for disks is idle time too.
	wait, _ := s.counterGrowth(host.CPUIOWait)
	steal, ok3 := s.counterGrowth(host.CPUSteal)
	wait = max(0, wait)
	all := busy + idle + wait + steal
	if !ok1 || !ok2 || !ok3 || all <= 0 {
		return nil
	}
	return &results.Host{
		CPUs: s.lastValue(host.CPUs), BusyShare: roundFraction(busy / all), StealShare: roundFraction(steal / all),
		IOWaitShare: roundFraction(wait / all), IdleShare: roundFraction(idle / all),
		Pressure: s.pressureShares(host.CPUPressure, host.MemoryPressure, host.IOPressure),
	}
}

func computeVolume(known []scrapeSample) *results.VolumeUsage {
	var v *results.VolumeUsage
	for _, r := range known {
		size, ok1 := r.values[host.VolumeSize]
		room, ok2 := r.values[host.VolumeAvailable]
		if !ok1 || !ok2 {
			continue
		}
		if v == nil {
			v = &results.VolumeUsage{SizeBytes: size, LeastAvailableBytes: room}
		}
		v.LeastAvailableBytes = min(v.LeastAvailableBytes, room)
	}
	return v
}

// estimateClockOffset takes the quickest exchange: the host read its clock between the two ends of it, so that the offset is off by at most
// half of its length.
func estimateClockOffset(known []scrapeSample) *results.Clock {
	var best *results.Clock
	for _, r := range known {
		told, ok := r.values[host.Clock]
		if !ok {
			continue
		}
		off := told*1000 - float64(r.takenAt.UnixNano())/1e6
		if half := r.duration.Seconds() * 500; best == nil || half < best.ErrorMillis {
			best = &results.Clock{OffsetMillis: roundToMicros(off), ErrorMillis: roundToMicros(half)}
		}
	}
	return best
}

// roundFraction of a whole, to four decimals.
func roundFraction(x float64) float64 { return math.Round(min(1, x)*1e4) / 1e4 }

// roundToMicros rounds milliseconds to microseconds.
func roundToMicros(millis float64) float64 { return math.Round(millis*1e3) / 1e3 }
