package results

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Resource is what may be at its limit.
type Resource string

// The resources.
const (
	// ResourceNone: nothing was at its limit.
	ResourceNone     Resource = "None"
	MemberCPU        Resource = "MemberCPU"
	DatabaseCPU      Resource = "DatabaseCPU"
	WorkerCPU        Resource = "WorkerCPU"
	HostCPU          Resource = "HostCPU"
	ConnectionsInUse Resource = "DatabaseConnections"
	DatabaseWaits    Resource = "DatabaseWaits"
	HeapCollection   Resource = "GarbageCollection"
	NetworkBandwidth Resource = "Network"
	DiskPressure     Resource = "DiskPressure"
	DiskSpace        Resource = "DiskSpace"
)

// Bottleneck is the resource that kept a run from more, as far as what was observed tells.
type Bottleneck struct {
	Resource Resource `json:"resource"`
	// Subject is the member, database, worker or host; empty for None.
	Subject string `json:"subject,omitempty"`
	// Utilization of it over the window, 0 to 1; for None that of the first evidence.
	Utilization float64 `json:"utilization"`
	// Message is one line for people.
	Message string `json:"message"`
	// Evidence is every resource of which something is known, the nearest to its limit first.
	Evidence []Utilization `json:"evidence"`
}

// Utilization is how much of one resource was in use over the window.
type Utilization struct {
	Resource Resource `json:"resource"`
	Subject  string   `json:"subject"`
	// Value of Limit, in Unit.
	Value float64 `json:"value"`
	Limit float64 `json:"limit"`
	Unit  string  `json:"unit"`
	// Utilization is Value / Limit; from Threshold on the resource was at its limit.
	Utilization float64 `json:"utilization"`
	Threshold   float64 `json:"threshold"`
	Message     string  `json:"message"`

	limitKind limitKind
}

// limitKind says how much a utilization proves.
type limitKind int

const (
	// capacityLimit that is used up limits by itself.
	capacityLimit limitKind = iota
	// waitSymptom is waiting that one sees; what it waits for may be a capacity.
	waitSymptom
)

// isAtLimit tells whether the resource held the run back.
func (u Utilization) isAtLimit() bool { return u.Utilization >= u.Threshold }

// thresholdRatio orders by how near a resource was to its limit.
func (u Utilization) thresholdRatio() float64 { return u.Utilization / u.Threshold }

// FindBottleneck finds what was at its limit. Containers tell hosts' names, and the emulation what a link can carry; it may be nil.
// A capacity that is used up stands before a symptom, since it explains it: who is throttled on a full host waits for the host.
func (m *Measurement) FindBottleneck(containers []ContainerInfo, emulated *EmulatedLatency) *Bottleneck {
	all := slices.Concat(
		m.containerUtilizations(),
		m.workerUtilizations(),
		m.hostUtilizations(containers),
		m.databaseUtilizations(),
		m.linkUtilizations(emulated),
	)
	slices.SortStableFunc(all, func(a, b Utilization) int {
		return cmp.Or(compareTrueFirst(a.isAtLimit(), b.isAtLimit()), compareLimitKind(a, b), cmp.Compare(b.thresholdRatio(), a.thresholdRatio()))
	})
	switch {
	case len(all) == 0:
		return &Bottleneck{Resource: ResourceNone, Message: "unknown: nothing was observed", Evidence: []Utilization{}}
	case !all[0].isAtLimit():
		return &Bottleneck{Resource: ResourceNone, Utilization: all[0].Utilization, Evidence: all,
			Message: "none: nothing was at its limit, the load is too small or waits for answers; nearest " + all[0].Message}
	}
	first := all[0]
	return &Bottleneck{Resource: first.Resource, Subject: first.Subject, Utilization: first.Utilization, Message: first.Message, Evidence: all}
}

// compareTrueFirst puts true first.
func compareTrueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// compareLimitKind puts capacities before symptoms where both are at their limits.
func compareLimitKind(a, b Utilization) int {
	if !a.isAtLimit() || !b.isAtLimit() {
		return 0
	}
	return cmp.Compare(a.limitKind, b.limitKind)
}

// capacityUtilization is a capacity of which value is used.
func capacityUtilization(r Resource, subject string, value, limit, threshold float64, unit string) Utilization {
	u := Utilization{Resource: r, Subject: subject, Value: roundUtilization(value), Limit: roundUtilization(limit), Unit: unit,
		Utilization: roundUtilization(value / limit), Threshold: threshold, limitKind: capacityLimit}
	u.Message = fmt.Sprintf(
		"%s %s %s (%s of %s %s)",
		subject,
		resourceLabels[r],
		formatWholePercent(u.Utilization),
		formatDecimal(value),
		formatDecimal(limit),
		unit,
	)
	return u
}

// waitUtilization is a symptom: the share of something that waited.
func waitUtilization(r Resource, subject string, value, limit, threshold float64, unit, message string) Utilization {
	u := capacityUtilization(r, subject, value, limit, threshold, unit)
	u.limitKind = waitSymptom
	u.Message = fmt.Sprintf("%s %s %s", subject, message, formatWholePercent(u.Utilization))
	return u
}

// resourceLabels for people.
var resourceLabels = map[Resource]string{
	MemberCPU: "CPU", DatabaseCPU: "CPU", WorkerCPU: "CPU", HostCPU: "host CPU", ConnectionsInUse: "database connections",
	NetworkBandwidth: "network", DiskSpace: "disk space",
}

// formatDecimal has at most two decimals.
func formatDecimal(x float64) string { return strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64) }

func roundUtilization(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// formatWholePercent is a share in whole percent.
func formatWholePercent(share float64) string { return fmt.Sprintf("%.0f %%", share*100) }
