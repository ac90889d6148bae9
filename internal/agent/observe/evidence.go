package observe

import (
	"math"
	"slices"

	"github.com/benchnet/benchnet/internal/agent/container"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// agentSeries are the series of every container whose kernel provides them.
var agentSeries = []protocol.ObservedSeries{
	{Name: measurement.SeriesNetworkReceive, Unit: "B/s", Metric: container.NetworkReceived, Kind: protocol.SeriesCounter},
	{Name: measurement.SeriesNetworkTransmit, Unit: "B/s", Metric: container.NetworkSent, Kind: protocol.SeriesCounter},
	{Name: measurement.SeriesDiskRead, Unit: "B/s", Metric: container.DiskRead, Kind: protocol.SeriesCounter},
	{Name: measurement.SeriesDiskWrite, Unit: "B/s", Metric: container.DiskWritten, Kind: protocol.SeriesCounter},
}

// buildAgentSeries returns the agent's series, rounded to whole bytes, without those that have no values.
func buildAgentSeries(o protocol.ObservedEndpoint, readings []scrapeSample, seconds int) []measurement.NamedSeries {
	var all []measurement.NamedSeries
	for _, series := range agentSeries {
		s := buildSeries(o, series, readings, seconds)
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

// computeEvidence returns the evidence besides the usage, between the first and the last reading that was not missed.
func computeEvidence(readings []scrapeSample) measurement.Evidence {
	known := slices.DeleteFunc(slices.Clone(readings), scrapeSample.isMissed)
	if len(known) < 2 {
		return measurement.Evidence{}
	}
	s := sampleSpan{known[0], known[len(known)-1]}
	e := measurement.Evidence{
		CPULimit:          s.lastValue(container.CPULimit),
		MemoryLimitBytes:  s.lastValue(container.MemoryLimit),
		Pressure:          s.pressureShares(container.CPUPressure, container.MemoryPressure, container.IOPressure),
		Host:              s.hostShares(),
		Volume:            computeVolume(known),
		Clock:             estimateClockOffset(known),
		BusiestThread:     busiestThread(known),
		GarbageCollection: s.garbageCollection(),
	}
	if e.Host != nil {
		e.Host.SaturatedShare = saturatedShare(known)
	}
	if kills, ok := s.counterGrowth(container.OOMKills); ok {
		e.OOMKills = int64(kills)
	}
	return e
}

// sampleSpan is the time between two readings.
type sampleSpan struct{ first, last scrapeSample }

func (s sampleSpan) durationSeconds() float64 { return s.last.takenAt.Sub(s.first.takenAt).Seconds() }

// lastValue returns a gauge at the end of the span, or 0 if it is missing.
func (s sampleSpan) lastValue(metric string) float64 { return s.last.values[metric] }

// counterGrowth returns the increase of a counter. It returns false if the counter is missing or decreased.
func (s sampleSpan) counterGrowth(metric string) (float64, bool) {
	before, ok1 := s.first.values[metric]
	after, ok2 := s.last.values[metric]
	return after - before, ok1 && ok2 && after >= before
}

// timeShare returns the counter's seconds as a share of the span, or nil if they are unknown.
func (s sampleSpan) timeShare(metric string) *float64 {
	grown, ok := s.counterGrowth(metric)
	if !ok {
		return nil
	}
	return new(roundFraction(grown / s.durationSeconds()))
}

func (s sampleSpan) pressureShares(cpu, memory, io string) *measurement.Pressure {
	p := measurement.Pressure{CPU: s.timeShare(cpu), Memory: s.timeShare(memory), IO: s.timeShare(io)}
	if p == (measurement.Pressure{}) {
		return nil
	}
	return &p
}

func (s sampleSpan) hostShares() *measurement.Host {
	busy, ok1 := s.counterGrowth(container.HostCPUBusy)
	idle, ok2 := s.counterGrowth(container.HostCPUIdle)
	// The kernel's idle time, summed over its CPUs, can decrease slightly. Waiting for disks is idle time too.
	wait, _ := s.counterGrowth(container.HostCPUIOWait)
	steal, ok3 := s.counterGrowth(container.HostCPUSteal)
	wait = max(0, wait)
	all := busy + idle + wait + steal
	if !ok1 || !ok2 || !ok3 || all <= 0 {
		return nil
	}
	nice, _ := s.counterGrowth(container.HostCPUNice)
	interrupts, _ := s.counterGrowth(container.HostCPUInterrupt)
	return &measurement.Host{
		CPUs: s.lastValue(container.HostCPUs), BusyShare: roundFraction(busy / all), StealShare: roundFraction(steal / all),
		NiceShare: roundFraction(max(0, nice) / all), InterruptShare: roundFraction(max(0, interrupts) / all), OwnCPUs: s.ownCPUs(),
		IOWaitShare: roundFraction(wait / all), IdleShare: roundFraction(idle / all),
		Pressure: s.pressureShares(container.HostCPUPressure, container.HostMemoryPressure, container.HostIOPressure),
	}
}

// garbageCollection returns the work of the container's JVMs, or nil if there is none.
func (s sampleSpan) garbageCollection() *measurement.GarbageCollection {
	collected, ok1 := s.counterGrowth(container.GCSeconds)
	count, ok2 := s.counterGrowth(container.GCCollections)
	if !ok1 || !ok2 {
		return nil
	}
	return &measurement.GarbageCollection{Share: roundFraction(collected / s.durationSeconds()), Collections: int64(count)}
}

// ownCPUs returns the mean number of CPUs that the container used in the span, or 0 if it restarted or its usage is unknown.
func (s sampleSpan) ownCPUs() float64 {
	if s.first.hasNoUsage() || s.last.hasNoUsage() {
		return 0
	}
	used := counterRate(s.first.usage.CPU.Seconds(), s.last.usage.CPU.Seconds(), s.last.takenAt.Sub(s.first.takenAt))
	if math.IsNaN(used) {
		return 0
	}
	return used
}

func computeVolume(known []scrapeSample) *measurement.VolumeUsage {
	var v *measurement.VolumeUsage
	for _, r := range known {
		size, ok1 := r.values[container.VolumeSize]
		room, ok2 := r.values[container.VolumeAvailable]
		if !ok1 || !ok2 {
			continue
		}
		if v == nil {
			v = &measurement.VolumeUsage{SizeBytes: size, LeastAvailableBytes: room}
		}
		v.LeastAvailableBytes = min(v.LeastAvailableBytes, room)
	}
	return v
}

// estimateClockOffset uses the shortest exchange. The host read its clock during the exchange, so the error is
// at most half of its duration.
func estimateClockOffset(known []scrapeSample) *measurement.Clock {
	var best *measurement.Clock
	for _, r := range known {
		hostTime, ok := r.values[container.HostClock]
		if !ok {
			continue
		}
		off := hostTime*1000 - float64(r.takenAt.UnixNano())/1e6
		if half := r.duration.Seconds() * 500; best == nil || half < best.ErrorMillis {
			best = &measurement.Clock{OffsetMillis: roundToMicros(off), ErrorMillis: roundToMicros(half)}
		}
	}
	return best
}

// roundFraction rounds a fraction to four decimals and caps it at 1.
func roundFraction(x float64) float64 { return math.Round(min(1, x)*1e4) / 1e4 }

// roundToMicros rounds milliseconds to microseconds.
func roundToMicros(millis float64) float64 { return math.Round(millis*1e3) / 1e3 }
