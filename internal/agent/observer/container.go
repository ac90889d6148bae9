package observer

import (
	"time"

	"github.com/benchnet/benchnet/internal/agent/cgroup"
	"github.com/benchnet/benchnet/internal/agent/host"
	"github.com/benchnet/benchnet/internal/run/results"
)

// ContainerSample is the observer's own container and its host at one instant.
type ContainerSample struct {
	usage  cgroup.Usage
	sample scrapeSample
}

// SampleContainer takes a sight of the container that reader reads.
func SampleContainer(reader cgroup.Reader) (ContainerSample, error) {
	usage, err := reader.Read()
	if err != nil {
		return ContainerSample{}, err
	}
	values := map[string]float64{}
	for _, m := range append(reader.ReadEvidence(), host.Reader{Root: "/"}.Read()...) {
		values[m.Name] = m.Value
	}
	return ContainerSample{usage: usage, sample: scrapeSample{takenAt: time.Now(), values: values}}, nil
}

// LoadBetween is what the container used from one sight to the next, and what its host was doing.
func LoadBetween(before, after ContainerSample) *results.WorkerUsage {
	s := sampleSpan{before.sample, after.sample}
	return &results.WorkerUsage{
		CPUSeconds:       (after.usage.CPU - before.usage.CPU).Seconds(),
		Periods:          int64(after.usage.Periods - before.usage.Periods),
		ThrottledPeriods: int64(after.usage.ThrottledPeriods - before.usage.ThrottledPeriods),
		CPULimit:         s.lastValue(cgroup.CPULimit),
		Host:             s.hostShares(),
	}
}
