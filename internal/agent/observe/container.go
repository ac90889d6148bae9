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
