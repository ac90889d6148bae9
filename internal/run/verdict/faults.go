package verdict

import (
	"math"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// maxFaultDelay is how many seconds after its time a fault may be injected.
const maxFaultDelay = 1.0

// FaultSubject returns the subject of findings about a fault of a container.
func FaultSubject(member string, kind measurement.MemberKind) string {
	if kind == measurement.KindDatabase {
		return DatabaseSubject(member)
	}
	return member
}

// judgeFaults makes a run invalid if a declared fault is not proved or was late: its numbers are then those of another experiment. What a
// proved fault does to throughput, latency and errors is a result, so only the time before the first fault must be steady.
func (j *verdictBuilder) judgeFaults() {
	for _, f := range j.measurement.Faults {
		subject, latest := FaultSubject(f.Member, f.Kind), float64(f.AtSeconds)+maxFaultDelay
		if f.Role == measurement.RoleProposer {
			latest += measurement.MaxTurnWait.Seconds()
		}
		switch {
		case !f.IsProved():
			j.addReason(ReasonFaultNotApplied, subject, 0, 1, "fault %s (%s of %s) is not proved: %s", f.Name, f.Type, subject, f.Problem)
		case f.Injected.ToSeconds > latest:
			j.addReason(ReasonFaultLate, subject, f.Injected.ToSeconds, latest,
				"fault %s (%s of %s) was injected at second %.1f of the window instead of %d: the worker or the agent had no CPU, or the network was slow",
				f.Name, f.Type, subject, f.Injected.ToSeconds, f.AtSeconds)
		}
	}
}

// findRestarts returns the proved faults that ended the agent of a container.
func (j *verdictBuilder) findRestarts(m *measurement.MemberUsage) []measurement.FaultRecord {
	var all []measurement.FaultRecord
	for _, f := range j.measurement.Faults {
		isTarget := f.Member == m.Member || f.EndsPod() && f.Member == measurement.PodOf(m.Member)
		if isTarget && f.Kind == m.Kind && f.EndsAgent() && f.IsProved() {
			all = append(all, f)
		}
	}
	return all
}

// countMissedScrapes counts the samples of a container that are missing although no fault had ended its agent.
func (j *verdictBuilder) countMissedScrapes(m *measurement.MemberUsage) int {
	missed, restarts := m.MissedScrapes, j.findRestarts(m)
	for i, value := range m.MemoryBytes {
		for _, f := range restarts {
			if at := float64(i + 1); math.IsNaN(value) && at >= f.Injected.FromSeconds && at <= f.Healed.ToSeconds+1 {
				missed--
				break
			}
		}
	}
	return missed
}
