package observe

import (
	"slices"
	"time"

	"github.com/benchnet/benchnet/internal/agent/container"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// ContainerSample is a sample of the observer's own container and its host.
type ContainerSample struct{ scrapeSample }

// SampleContainer samples the container of reader and its host.
func SampleContainer(reader container.Reader) (ContainerSample, error) {
	usage, err := reader.Read()
	if err != nil {
		return ContainerSample{}, err
	}
	values := map[string]float64{}
	for _, m := range slices.Concat(reader.ReadEvidence(), container.ReadJVMs("/"), container.HostReader{Root: "/", Now: time.Now}.Read()) {
		values[m.Name] = m.Value
	}
	return ContainerSample{scrapeSample{takenAt: time.Now(), usage: &usage, values: values}}, nil
}

// LoadBetween returns the container's usage and garbage collection between two samples, and its host's load.
func LoadBetween(before, after ContainerSample) *measurement.WorkerUsage {
	s := sampleSpan{before.scrapeSample, after.scrapeSample}
	return &measurement.WorkerUsage{
		CPUSeconds:       (after.usage.CPU - before.usage.CPU).Seconds(),
		Periods:          int64(after.usage.Periods - before.usage.Periods),
		ThrottledPeriods: int64(after.usage.ThrottledPeriods - before.usage.ThrottledPeriods),
		CPULimit:         s.lastValue(container.CPULimit),
		Host:             s.hostShares(),

		GarbageCollection: s.garbageCollection(),
	}
}

// minIntervals is the number of intervals from which a share of them is reported.
const minIntervals = 2

// saturatedShare returns the share of the intervals between samples in which the host's CPUs were busy or stolen,
// without processes of lowered priority. It returns nil for too few intervals.
func saturatedShare(known []scrapeSample) *float64 {
	saturated, intervals := 0, 0
	for i := 1; i < len(known); i++ {
		h := sampleSpan{known[i-1], known[i]}.hostShares()
		if h == nil {
			continue
		}
		intervals++
		if h.BusyShare-h.NiceShare+h.StealShare >= measurement.HostCPUThreshold {
			saturated++
		}
	}
	if intervals < minIntervals {
		return nil
	}
	return new(roundFraction(float64(saturated) / float64(intervals)))
}

// busiestThread returns the use of the busiest thread, or nil if the agent does not report it.
func busiestThread(known []scrapeSample) *measurement.ThreadUsage {
	sum, hot, count := 0.0, 0, 0
	for _, r := range known {
		cores, ok := r.values[container.BusiestThreadShare]
		if !ok {
			continue
		}
		sum, count = sum+cores, count+1
		if cores >= measurement.ThreadThreshold {
			hot++
		}
	}
	if count == 0 {
		return nil
	}
	return &measurement.ThreadUsage{Cores: roundFraction(sum / float64(count)), AtLimitShare: roundFraction(float64(hot) / float64(count))}
}
