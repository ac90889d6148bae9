package verdict

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/benchnet/benchnet/internal/format"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// HostUsage splits the CPU time of one host between the run and everything else on it. All numbers are means over
// the window, in CPUs.
type HostUsage struct {
	// Name is the name of the node.
	Name string  `json:"name"`
	CPUs float64 `json:"cpus"`
	// Busy and Stolen are in use and taken by the hypervisor.
	Busy   float64 `json:"busyCPUs"`
	Stolen float64 `json:"stolenCPUs"`
	// Own were used by the run's containers: members, databases and load workers.
	Own float64 `json:"ownCPUs"`
	// Others is the rest of Busy without interrupts: used by anything but the run. OthersLimit is the bound of
	// HostShared.
	Others      float64 `json:"othersCPUs"`
	OthersLimit float64 `json:"othersLimitCPUs"`
	// CPUPressure is the share of the window, 0 to 1, in which a task waited for a CPU: the highest of the run's
	// containers on the host, or of the whole host if PressureOf is Host. It is absent without PSI.
	CPUPressure *float64 `json:"cpuPressure,omitempty"`
	// PressureOf is the member to which CPUPressure belongs, or Host.
	PressureOf string `json:"pressureOf,omitempty"`
	// Unobserved lists the run's members and databases whose CPU usage is part of Others because it is unknown.
	Unobserved []string `json:"unobserved,omitempty"`
}

// pressureOfHost marks a CPUPressure of the whole host.
const pressureOfHost = "Host"

// SummarizeHosts returns the CPU usage of each host of the run.
func SummarizeHosts(m *measurement.Measurement, o RunObservations, t Tolerances) []HostUsage {
	all := []HostUsage{}
	for _, h := range observedHosts(m, o.Containers) {
		all = append(all, summarizeHost(m, h, o, t))
	}
	return all
}

func summarizeHost(m *measurement.Measurement, h namedHost, o RunObservations, t Tolerances) HostUsage {
	usage := HostUsage{
		Name: h.name, CPUs: h.CPUs, Busy: roundUtilization(h.BusyShare * h.CPUs), Stolen: roundUtilization(h.StealShare * h.CPUs),
		Own: roundUtilization(h.ownCPUs), Others: roundUtilization(h.othersCPUs()), OthersLimit: t.othersLimit(h.CPUs),
		Unobserved: unobservedOn(m, h.name, o),
	}
	usage.CPUPressure, usage.PressureOf = h.cpuPressure()
	return usage
}

// describeOthers says how much of the host others used, and what the run's containers waited.
func (u HostUsage) describeOthers() string {
	text := fmt.Sprintf("others used %s of the %s CPUs of %s (%s), this run %s", format.Decimal(u.Others), format.Decimal(u.CPUs), u.Name,
		format.WholePercent(u.Others/u.CPUs), format.Decimal(u.Own))
	return text + u.describePressure()
}

// describePressure says who waited for CPUs, or nothing if that is unknown.
func (u HostUsage) describePressure() string {
	switch {
	case u.CPUPressure == nil:
		return ""
	case u.PressureOf == pressureOfHost:
		return fmt.Sprintf("; a task of the host waited for a CPU in %s of the time", format.WholePercent(*u.CPUPressure))
	}
	return fmt.Sprintf("; %s waited for a CPU in %s of the time", u.PressureOf, format.WholePercent(*u.CPUPressure))
}

// namedHost is a host of the run.
type namedHost struct {
	name string
	measurement.Host
	// ownCPUs is the mean number of CPUs that members, databases and workers used on the host.
	ownCPUs float64
	// pressures holds the share of time in which a task of a container waited for a CPU, by container.
	pressures map[string]float64
}

// othersCPUs returns the number of CPUs in use by anything but the run's observed containers. Interrupts
// do not count, because the run's own packets cause them too.
func (h namedHost) othersCPUs() float64 {
	return max(0, (h.BusyShare-h.InterruptShare)*h.CPUs-h.ownCPUs)
}

// cpuPressure returns the highest CPU pressure of the run's containers with its container, or else that of the
// host. It returns nil if the kernel reports neither.
func (h namedHost) cpuPressure() (*float64, string) {
	if len(h.pressures) > 0 {
		names := slices.Sorted(maps.Keys(h.pressures))
		first := slices.MaxFunc(names, func(a, b string) int { return cmp.Compare(h.pressures[a], h.pressures[b]) })
		return new(h.pressures[first]), first
	}
	if h.Pressure != nil && h.Pressure.CPU != nil {
		return h.Pressure.CPU, pressureOfHost
	}
	return nil, ""
}

// observedHosts returns the hosts of members, databases and workers, each once, in the order in which they were
// first seen. The containers map a subject to its node. A host without a known name is named after the subject.
func observedHosts(m *measurement.Measurement, containers []measurement.ContainerInfo) []namedHost {
	var all []namedHost
	add := func(subject string, h *measurement.Host, cores float64, p *measurement.Pressure) {
		if h == nil {
			return
		}
		name := nodeNameOf(containers, subject)
		i := slices.IndexFunc(all, func(known namedHost) bool { return known.name == name })
		if i < 0 {
			i, all = len(all), append(all, namedHost{name: name, Host: *h, pressures: map[string]float64{}})
		}
		if own := cmp.Or(h.OwnCPUs, cores); !math.IsNaN(own) {
			all[i].ownCPUs += own
		}
		if p != nil && p.CPU != nil {
			all[i].pressures[subject] = *p.CPU
		}
	}
	for _, member := range m.Members {
		add(member.Member, member.Host, member.CPUSeconds.Mean(), member.Pressure)
	}
	for _, w := range m.Workers {
		if w.Load != nil {
			add(measurement.WorkerSubject(w.Worker), w.Load.Host, w.Load.MeanCores(m.WindowSeconds), nil)
		}
	}
	return all
}

// unobservedOn returns the members and databases of the run on the host whose CPU usage is unknown. The exporters
// beside databases count as observed: they use next to nothing.
func unobservedOn(m *measurement.Measurement, host string, o RunObservations) []string {
	unknown := map[string]bool{}
	for _, c := range o.Containers {
		if c.Node != host || c.Role == measurement.RoleWorker {
			continue
		}
		unknown[c.Subject] = !slices.ContainsFunc(m.Members, func(u measurement.MemberUsage) bool { return measurement.PodOf(u.Member) == c.Subject })
		if o.EmulatesLatency && c.Role == measurement.RoleMember {
			unknown[c.Subject+"'s latency sidecar"] = true
		}
	}
	for _, member := range m.Members {
		if math.IsNaN(member.CPUSeconds.Mean()) && nodeNameOf(o.Containers, member.Member) == host {
			unknown[member.Member] = true
		}
	}
	maps.DeleteFunc(unknown, func(_ string, is bool) bool { return !is })
	return slices.Sorted(maps.Keys(unknown))
}

// nodeNameOf returns the node of a subject's pod. The subject of one container among several is the pod and the
// container: member-0/execution.
func nodeNameOf(containers []measurement.ContainerInfo, subject string) string {
	pod := measurement.PodOf(subject)
	for _, c := range containers {
		if c.Subject == pod && c.Node != "" {
			return c.Node
		}
	}
	return "the host of " + pod
}
