package verdict

import "github.com/benchnet/benchnet/internal/run/measurement"

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
		subject := FaultSubject(f.Member, f.Kind)
		switch {
		case !f.IsProved():
			j.addReason(ReasonFaultNotApplied, subject, 0, 1, "fault %s (%s of %s) is not proved: %s", f.Name, f.Type, subject, f.Problem)
		case f.Injected.ToSeconds > float64(f.AtSeconds)+maxFaultDelay:
			j.addReason(ReasonFaultLate, subject, f.Injected.ToSeconds, float64(f.AtSeconds)+maxFaultDelay,
				"fault %s (%s of %s) was injected at second %.1f of the window instead of %d: the worker or the agent had no CPU, or the network was slow",
				f.Name, f.Type, subject, f.Injected.ToSeconds, f.AtSeconds)
		}
	}
}
