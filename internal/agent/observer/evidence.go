package observer

import (
	"math"
	"slices"

	"github.com/benchnet/benchnet/internal/agent/cgroup"
	"github.com/benchnet/benchnet/internal/agent/host"
	"github.com/benchnet/benchnet/internal/agent/jvm"
	"github.com/benchnet/benchnet/internal/agent/protocol"
	"github.com/benchnet/benchnet/internal/results"
)

// agentNames are the metrics of an agent.
var agentNames = slices.Concat(cgroup.Usage{}.Metrics().Names(), cgroup.EvidenceMetrics.Names(), jvm.Metrics.Names(), host.Metrics.Names())

// agentSeries are recorded of every container whose kernel tells them.
var agentSeries = []protocol.ObservedSeries{
	{Name: results.SeriesNetworkReceive, Unit: "B/s", Metric: host.NetworkReceived, Kind: protocol.Counter},
	{Name: results.SeriesNetworkTransmit, Unit: "B/s", Metric: host.NetworkSent, Kind: protocol.Counter},
	{Name: results.SeriesDiskRead, Unit: "B/s", Metric: cgroup.DiskRead, Kind: protocol.Counter},
	{Name: results.SeriesDiskWrite, Unit: "B/s", Metric: cgroup.DiskWritten, Kind: protocol.Counter},
}

// recorded are the agent's series, in whole bytes; one of which nothing is known is left out.
func recorded(o protocol.Observed, readings []reading, seconds int) []results.NamedSeries {
	var all []results.NamedSeries
	for _, wanted := range agentSeries {
		s := seriesOf(o, wanted, readings, seconds)
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

// evidenceOf is what the readings tell beside the usage, between the first and the last that were not missed.
func evidenceOf(readings []reading) results.Evidence {
	known := slices.DeleteFunc(slices.Clone(readings), reading.missed)
	if len(known) < 2 {
		return results.Evidence{}
	}
	s := span{known[0], known[len(known)-1]}
	e := results.Evidence{
		CPULimit:         s.level(cgroup.CPULimit),
		MemoryLimitBytes: s.level(cgroup.MemoryLimit),
		Pressure:         s.pressure(cgroup.CPUPressure, cgroup.MemoryPressure, cgroup.IOPressure),
		Host:             s.host(),
		Volume:           volumeOf(known),
		Clock:            clockOf(known),
	}
	if kills, ok := s.grown(cgroup.OOMKills); ok {
		e.OOMKills = int64(kills)
	}
	collected, ok1 := s.grown(jvm.GCSeconds)
	count, ok2 := s.grown(jvm.GCCollections)
	if ok1 && ok2 {
		e.GarbageCollection = &results.GarbageCollection{Share: fraction(collected / s.seconds()), Collections: int64(count)}
	}
	return e
}

// span lies between two readings.
type span struct{ first, last reading }

func (s span) seconds() float64 { return s.last.at.Sub(s.first.at).Seconds() }

// level is a gauge at the end; 0 where it is not told.
func (s span) level(metric string) float64 { return s.last.values[metric] }

// grown is by how much a counter grew; false where it is not told, or went back.
func (s span) grown(metric string) (float64, bool) {
	before, ok1 := s.first.values[metric]
	after, ok2 := s.last.values[metric]
	return after - before, ok1 && ok2 && after >= before
}

// share of the time in which something happened; nil where it is not told.
func (s span) share(metric string) *float64 {
	grown, ok := s.grown(metric)
	if !ok {
		return nil
	}
	return new(fraction(grown / s.seconds()))
}

func (s span) pressure(cpu, memory, io string) *results.Pressure {
	p := results.Pressure{CPU: s.share(cpu), Memory: s.share(memory), IO: s.share(io)}
	if p == (results.Pressure{}) {
		return nil
	}
	return &p
}

func (s span) host() *results.Host {
	busy, ok1 := s.grown(host.CPUBusy)
	idle, ok2 := s.grown(host.CPUIdle)
	// The kernel's sum of the idle time of its CPUs may go back by a little; a wait for disks is idle time too.
	wait, _ := s.grown(host.CPUIOWait)
	steal, ok3 := s.grown(host.CPUSteal)
	wait = max(0, wait)
	all := busy + idle + wait + steal
	if !ok1 || !ok2 || !ok3 || all <= 0 {
		return nil
	}
	return &results.Host{
		CPUs: s.level(host.CPUs), BusyShare: fraction(busy / all), StealShare: fraction(steal / all),
		IOWaitShare: fraction(wait / all), IdleShare: fraction(idle / all),
		Pressure: s.pressure(host.CPUPressure, host.MemoryPressure, host.IOPressure),
	}
}

func volumeOf(known []reading) *results.Volume {
	var v *results.Volume
	for _, r := range known {
		size, ok1 := r.values[host.VolumeSize]
		room, ok2 := r.values[host.VolumeAvailable]
		if !ok1 || !ok2 {
			continue
		}
		if v == nil {
			v = &results.Volume{SizeBytes: size, LeastAvailableBytes: room}
		}
		v.LeastAvailableBytes = min(v.LeastAvailableBytes, room)
	}
	return v
}

// clockOf takes the quickest exchange: the host read its clock between the two ends of it, so that the offset is off by at most
// half of its length.
func clockOf(known []reading) *results.Clock {
	var best *results.Clock
	for _, r := range known {
		told, ok := r.values[host.Clock]
		if !ok {
			continue
		}
		off := told*1000 - float64(r.at.UnixNano())/1e6
		if half := r.took.Seconds() * 500; best == nil || half < best.ErrorMillis {
			best = &results.Clock{OffsetMillis: micros(off), ErrorMillis: micros(half)}
		}
	}
	return best
}

// fraction of a whole, to four decimals.
func fraction(x float64) float64 { return math.Round(min(1, x)*1e4) / 1e4 }

// micros rounds milliseconds to microseconds.
func micros(millis float64) float64 { return math.Round(millis*1e3) / 1e3 }
