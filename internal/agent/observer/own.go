package observer

import (
	"time"

	"github.com/benchnet/benchnet/internal/agent/cgroup"
	"github.com/benchnet/benchnet/internal/agent/host"
	"github.com/benchnet/benchnet/internal/results"
)

// Sight is the observer's own container and its host at one instant.
type Sight struct {
	usage  cgroup.Usage
	values reading
}

// Look takes a sight of the container that reader reads.
func Look(reader cgroup.Reader) (Sight, error) {
	usage, err := reader.Read()
	if err != nil {
		return Sight{}, err
	}
	values := map[string]float64{}
	for _, m := range append(reader.Evidence(), host.Reader{Root: "/"}.Read()...) {
		values[m.Name] = m.Value
	}
	return Sight{usage: usage, values: reading{at: time.Now(), values: values}}, nil
}

// LoadBetween is what the container used from one sight to the next, and what its host was doing.
func LoadBetween(before, after Sight) *results.Load {
	s := span{before.values, after.values}
	return &results.Load{
		CPUSeconds:       (after.usage.CPU - before.usage.CPU).Seconds(),
		Periods:          int64(after.usage.Periods - before.usage.Periods),
		ThrottledPeriods: int64(after.usage.ThrottledPeriods - before.usage.ThrottledPeriods),
		CPULimit:         s.level(cgroup.CPULimit),
		Host:             s.host(),
	}
}
