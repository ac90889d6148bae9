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

	sign sign
}

// sign says how much a utilization proves.
type sign int

const (
	// capacity that is used up limits by itself.
	capacity sign = iota
	// symptom is waiting that one sees; what it waits for may be a capacity.
	symptom
)

// atLimit tells whether the resource held the run back.
func (u Utilization) atLimit() bool { return u.Utilization >= u.Threshold }

// nearness orders by how near a resource was to its limit.
func (u Utilization) nearness() float64 { return u.Utilization / u.Threshold }

// Bottleneck finds what was at its limit. Containers tell hosts' names, and the emulation what a link can carry; it may be nil.
// A capacity that is used up stands before a symptom, since it explains it: who is throttled on a full host waits for the host.
func (m *Measurement) Bottleneck(containers []Container, emulated *Emulation) *Bottleneck {
	all := slices.Concat(m.containersUse(), m.workersUse(), m.hostsUse(containers), m.databasesUse(), m.linksUse(emulated))
	slices.SortStableFunc(all, func(a, b Utilization) int {
		return cmp.Or(boolOrder(a.atLimit(), b.atLimit()), bySign(a, b), cmp.Compare(b.nearness(), a.nearness()))
	})
	switch {
	case len(all) == 0:
		return &Bottleneck{Resource: ResourceNone, Message: "unknown: nothing was observed", Evidence: []Utilization{}}
	case !all[0].atLimit():
		return &Bottleneck{Resource: ResourceNone, Utilization: all[0].Utilization, Evidence: all,
			Message: "none: nothing was at its limit, the load is too small or waits for answers; nearest " + all[0].Message}
	}
	first := all[0]
	return &Bottleneck{Resource: first.Resource, Subject: first.Subject, Utilization: first.Utilization, Message: first.Message, Evidence: all}
}

// boolOrder puts true first.
func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// bySign puts capacities before symptoms where both are at their limits.
func bySign(a, b Utilization) int {
	if !a.atLimit() || !b.atLimit() {
		return 0
	}
	return cmp.Compare(a.sign, b.sign)
}

// use is a capacity of which value is used.
func use(r Resource, subject string, value, limit, threshold float64, unit string) Utilization {
	u := Utilization{Resource: r, Subject: subject, Value: rounded(value), Limit: rounded(limit), Unit: unit,
		Utilization: rounded(value / limit), Threshold: threshold, sign: capacity}
	u.Message = fmt.Sprintf("%s %s %s (%s of %s %s)", subject, words[r], whole(u.Utilization), short(value), short(limit), unit)
	return u
}

// wait is a symptom: the share of something that waited.
func wait(r Resource, subject string, value, limit, threshold float64, unit, message string) Utilization {
	u := use(r, subject, value, limit, threshold, unit)
	u.sign = symptom
	u.Message = fmt.Sprintf("%s %s %s", subject, message, whole(u.Utilization))
	return u
}

// words for people.
var words = map[Resource]string{
	MemberCPU: "CPU", DatabaseCPU: "CPU", WorkerCPU: "CPU", HostCPU: "host CPU", ConnectionsInUse: "database connections",
	NetworkBandwidth: "network", DiskSpace: "disk space",
}

// short has at most two decimals.
func short(x float64) string { return strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64) }

func rounded(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// whole is a share in whole percent.
func whole(share float64) string { return fmt.Sprintf("%.0f %%", share*100) }
