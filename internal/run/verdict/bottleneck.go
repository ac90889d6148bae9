package verdict

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/benchnet/benchnet/internal/format"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// Resource is a resource that may be at its limit.
type Resource string

const (
	// ResourceNone means that nothing was at its limit.
	ResourceNone Resource = "None"
	MemberCPU    Resource = "MemberCPU"
	DatabaseCPU  Resource = "DatabaseCPU"
	WorkerCPU    Resource = "WorkerCPU"
	HostCPU      Resource = "HostCPU"
	// NeighborCPU is a host's CPU that others than the run used.
	NeighborCPU Resource = "NeighborCPU"
	// ThreadCPU is the one core that a thread can use.
	ThreadCPU Resource = "ThreadCPU"
	// CPUPressure means that a container waited for a CPU.
	CPUPressure      Resource = "CPUPressure"
	ConnectionsInUse Resource = "DatabaseConnections"
	DatabaseWaits    Resource = "DatabaseWaits"
	HeapCollection   Resource = "GarbageCollection"
	NetworkBandwidth Resource = "Network"
	DiskPressure     Resource = "DiskPressure"
	DiskSpace        Resource = "DiskSpace"
)

// Bottleneck is the resource that limited the throughput of a run, as far as the observations show.
type Bottleneck struct {
	Resource Resource `json:"resource"`
	// Subject is the member, database, worker or host; empty for ResourceNone.
	Subject string `json:"subject,omitempty"`
	// Utilization is the utilization of the resource over the window, 0 to 1. For ResourceNone it is that of
	// the first evidence.
	Utilization float64 `json:"utilization"`
	// Message is one line for people.
	Message string `json:"message"`
	// Evidence lists every resource that was observed, the one nearest to its limit first.
	Evidence []Utilization `json:"evidence"`
}

// Utilization is how much of one resource was in use over the window.
type Utilization struct {
	Resource Resource `json:"resource"`
	Subject  string   `json:"subject"`
	// Value is how much of Limit was used. Both are in Unit.
	Value float64 `json:"value"`
	Limit float64 `json:"limit"`
	Unit  string  `json:"unit"`
	// Utilization is Value / Limit. Without AtLimitShare the resource was at its limit if it is at least
	// Threshold.
	Utilization float64 `json:"utilization"`
	Threshold   float64 `json:"threshold"`
	// AtLimitShare is the share of the seconds in which the utilization was at least Threshold. The resource was
	// at its limit if that is at least half. It is absent if only the mean is known.
	AtLimitShare *float64 `json:"atLimitShare,omitempty"`
	Message      string   `json:"message"`

	limitKind limitKind
	// ruledOut reports that other evidence excludes the resource as a limit.
	ruledOut bool
}

// limitKind says how much a utilization proves.
type limitKind int

const (
	// capacityLimit is a capacity. An exhausted capacity is a limit by itself.
	capacityLimit limitKind = iota
	// waitSymptom is observed waiting. Its cause may be a capacity.
	waitSymptom
)

// isAtLimit reports whether the resource limited the run.
func (u Utilization) isAtLimit() bool {
	switch {
	case u.ruledOut:
		return false
	case u.AtLimitShare != nil:
		return *u.AtLimitShare >= atLimitThreshold
	}
	return u.Utilization >= u.Threshold
}

// withAtLimitShare adds the share of the seconds at the limit, and names it if the mean hides it.
func (u Utilization) withAtLimitShare(share float64) Utilization {
	u.AtLimitShare = new(roundUtilization(share))
	if share > 0 && share < 1 {
		u.Message += fmt.Sprintf(", at its limit in %s of the seconds", format.WholePercent(share))
	}
	return u
}

// thresholdRatio returns the utilization as a multiple of its threshold. Evidence is sorted by it.
func (u Utilization) thresholdRatio() float64 { return u.Utilization / u.Threshold }

// FindBottleneck returns the resource that was at its limit. The containers provide the names of hosts. The
// emulated latency, which may be nil, provides the bandwidth of links. An exhausted capacity sorts before a
// symptom because it explains it: a throttled container on a full host waits for the host.
func FindBottleneck(m *measurement.Measurement, containers []measurement.ContainerInfo, emulated *EmulatedLatency) *Bottleneck {
	all := slices.Concat(
		containerUtilizations(m),
		workerUtilizations(m),
		hostUtilizations(m, containers),
		databaseUtilizations(m),
		linkUtilizations(m, emulated),
	)
	slices.SortStableFunc(all, func(a, b Utilization) int {
		return cmp.Or(compareTrueFirst(a.isAtLimit(), b.isAtLimit()), compareLimitKind(a, b), cmp.Compare(b.thresholdRatio(), a.thresholdRatio()))
	})
	switch {
	case len(all) == 0:
		return &Bottleneck{Resource: ResourceNone, Message: "unknown: nothing was observed", Evidence: []Utilization{}}
	case !all[0].isAtLimit():
		return &Bottleneck{Resource: ResourceNone, Utilization: all[0].Utilization, Evidence: all,
			Message: "none: no resource was at its limit, the load is too small or waits for responses; nearest " + all[0].Message}
	}
	first := all[0]
	return &Bottleneck{Resource: first.Resource, Subject: first.Subject, Utilization: first.Utilization, Message: first.Message, Evidence: all}
}

// compareTrueFirst sorts true before false.
func compareTrueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// compareLimitKind sorts capacities before symptoms if both are at their limits.
func compareLimitKind(a, b Utilization) int {
	if !a.isAtLimit() || !b.isAtLimit() {
		return 0
	}
	return cmp.Compare(a.limitKind, b.limitKind)
}

// capacityUtilization returns the utilization of a capacity.
func capacityUtilization(r Resource, subject string, value, limit, threshold float64, unit string) Utilization {
	u := Utilization{Resource: r, Subject: subject, Value: roundUtilization(value), Limit: roundUtilization(limit), Unit: unit,
		Utilization: roundUtilization(value / limit), Threshold: threshold, limitKind: capacityLimit}
	u.Message = fmt.Sprintf(
		"%s %s %s (%s of %s %s)",
		subject,
		resourceLabels[r],
		format.WholePercent(u.Utilization),
		format.Decimal(value),
		format.Decimal(limit),
		unit,
	)
	return u
}

// waitUtilization returns the utilization of a symptom: the share of something that waited.
func waitUtilization(r Resource, subject string, value, limit, threshold float64, unit, message string) Utilization {
	u := capacityUtilization(r, subject, value, limit, threshold, unit)
	u.limitKind = waitSymptom
	u.Message = fmt.Sprintf("%s %s %s", subject, message, format.WholePercent(u.Utilization))
	return u
}

// resourceLabels are the names of resources in messages.
var resourceLabels = map[Resource]string{
	MemberCPU: "CPU", DatabaseCPU: "CPU", WorkerCPU: "CPU", HostCPU: "host CPU",
	NeighborCPU: "host CPU", ThreadCPU: "busiest thread", ConnectionsInUse: "database connections",
	NetworkBandwidth: "network", DiskSpace: "disk space",
}

func roundUtilization(x float64) float64 { return math.Round(x*1e4) / 1e4 }
