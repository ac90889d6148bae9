package verdict

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/benchnet/benchnet/internal/format"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// judgeNeighbours judges how much of each host others used, and whether they saturated it. It runs first, so that
// this finding precedes its consequences. With unobserved containers of the run on a host, whose use it cannot
// tell from that of others, it only notes.
func (j *verdictBuilder) judgeNeighbours(c RunObservations) {
	for _, h := range SummarizeHosts(j.measurement, c, j.tolerances) {
		shared := h.Others > h.OthersLimit
		find := j.addReason
		text := h.describeOthers()
		if len(h.Unobserved) > 0 {
			find = j.addNote
			text += ". Others may be of this run, which did not observe " + strings.Join(h.Unobserved, ", ")
		}
		switch {
		case shared:
			find(ReasonHostShared, h.Name, h.Others, h.OthersLimit, "%s (%s CPUs is the bound)", text, format.Decimal(h.OthersLimit))
		case h.Others > h.OthersLimit/2:
			j.addNote(ReasonHostShared, h.Name, h.Others, h.OthersLimit, "%s (%s CPUs is the bound)", text, format.Decimal(h.OthersLimit))
		}
		if used := (h.Busy + h.Stolen) / h.CPUs; used > j.tolerances.HostBusyShare {
			if !shared && h.Stolen/h.CPUs <= j.tolerances.StolenShare {
				find = j.addNote
			}
			find(ReasonHostSaturated, h.Name, used, j.tolerances.HostBusyShare,
				"%s of the CPU time of %s was in use or stolen (%s is the bound): its containers waited for CPUs even below their own limits",
				format.Percent(used), h.Name, format.Percent(j.tolerances.HostBusyShare))
		}
	}
}

// judgeHosts judges stolen CPU time and node problems of the hosts.
func (j *verdictBuilder) judgeHosts(c RunObservations) {
	for _, h := range observedHosts(j.measurement, c.Containers) {
		text := fmt.Sprintf("%s of the CPU time of %s was stolen by other machines of its hypervisor", format.Percent(h.StealShare), h.name)
		switch {
		case h.StealShare > j.tolerances.StolenShare:
			j.addReason(ReasonCPUStolen, h.name, h.StealShare, j.tolerances.StolenShare, "%s", text)
		case h.StealShare > j.tolerances.StolenNoted:
			j.addNote(ReasonCPUStolen, h.name, h.StealShare, j.tolerances.StolenNoted, "%s", text)
		}
	}
	j.judgeUnobservedHosts(c)
	for _, t := range c.NodeProblems {
		if t.Kind == ReasonNodeNotReady {
			j.addReason(t.Kind, t.Subject, 1, 0, "%s", t.Message)
		} else {
			j.addNote(t.Kind, t.Subject, 1, 0, "%s", t.Message)
		}
	}
}

// judgeUnobservedHosts notes the hosts whose CPU nothing in the run reported. Without observation, that is expected.
func (j *verdictBuilder) judgeUnobservedHosts(c RunObservations) {
	if c.WithoutObservation {
		return
	}
	observed := observedHosts(j.measurement, c.Containers)
	var unknown []string
	for _, container := range c.Containers {
		known := slices.ContainsFunc(observed, func(h namedHost) bool { return h.name == container.Node })
		if container.Node != "" && !known && !slices.Contains(unknown, container.Node) {
			unknown = append(unknown, container.Node)
		}
	}
	for _, node := range unknown {
		j.addNote(ReasonHostUnobserved, node, 1, 0, "nothing is known about the CPU of %s: others may have used it, or its hypervisor stolen it", node)
	}
}

// judgeColocation notes each node on which load workers ran beside members or databases.
func (j *verdictBuilder) judgeColocation(c RunObservations) {
	workers, measured := map[string][]string{}, map[string][]string{}
	for _, container := range c.Containers {
		on := measured
		if container.Role == measurement.RoleWorker {
			on = workers
		}
		if container.Node != "" && !slices.Contains(on[container.Node], container.Subject) {
			on[container.Node] = append(on[container.Node], container.Subject)
		}
	}
	for _, node := range slices.Sorted(maps.Keys(workers)) {
		if n := len(measured[node]); n > 0 {
			j.addNote(ReasonWorkerColocated, node, float64(n), 0, "%s ran on %s beside %d of the members and databases, first %s: what it uses, they lack",
				workers[node][0], node, n, measured[node][0])
		}
	}
}
