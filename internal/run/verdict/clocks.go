package verdict

import (
	"math"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// skewOf returns by how much two offsets certainly differ, or 0 if either is unknown.
func skewOf(o, other *measurement.ClockOffset) float64 {
	if o == nil || other == nil {
		return 0
	}
	return math.Abs(o.OffsetMillis-other.OffsetMillis) - o.ErrorMillis - other.ErrorMillis
}

// judgeWorkerClocks compares the clocks of workers with each other, and each with itself at the end of the window.
// Workers share a window, and in an open loop a schedule, only as far as their clocks agree. Latencies do not depend
// on it: each begins and ends on the clock of one worker. Without observation, clocks are not compared.
func (j *verdictBuilder) judgeWorkerClocks(c RunObservations) {
	if !c.WithoutObservation {
		j.judgeUnknownClocks()
	}
	worst, first, second := 0.0, 0, 0
	for i, a := range j.measurement.Workers {
		if a.Clock == nil {
			continue
		}
		if moved := skewOf(a.Clock.Before, a.Clock.After); moved > j.tolerances.ClockSkewMillis {
			j.addNote(ReasonClockSkewed, measurement.WorkerSubject(a.Worker), moved, j.tolerances.ClockSkewMillis,
				"the clock of worker %d moved by %.1f ms against that of %s during the run", a.Worker, moved, a.Clock.Reference)
		}
		for _, b := range j.measurement.Workers[:i] {
			if b.Clock == nil || b.Clock.Reference != a.Clock.Reference {
				continue
			}
			if skew := max(skewOf(a.Clock.Before, b.Clock.Before), skewOf(a.Clock.After, b.Clock.After)); skew > worst {
				worst, first, second = skew, b.Worker, a.Worker
			}
		}
	}
	text, find, limit := "the clocks of workers %d and %d differ by %.1f ms or more (%.0f ms is the bound): their windows are not the same seconds",
		j.addNote, j.tolerances.ClockSkewMillis
	if worst > j.tolerances.WorkerClockSkewMillis {
		find, limit = j.addReason, j.tolerances.WorkerClockSkewMillis
	}
	if worst > limit {
		find(ReasonClockSkewed, measurement.WorkerSubject(second), worst, limit, text, first, second, worst, j.tolerances.WorkerClockSkewMillis)
	}
}

// judgeUnknownClocks notes workers whose clocks cannot be compared with that of the first worker at both ends of the
// window.
func (j *verdictBuilder) judgeUnknownClocks() {
	workers := j.measurement.Workers
	if len(workers) < 2 {
		return
	}
	var unknown []string
	for _, w := range workers {
		if w.Clock == nil || w.Clock.Before == nil || w.Clock.After == nil || workers[0].Clock != nil && w.Clock.Reference != workers[0].Clock.Reference {
			unknown = append(unknown, measurement.WorkerSubject(w.Worker))
		}
	}
	if len(unknown) > 0 {
		j.addNote(ReasonClockUnknown, unknown[0], float64(len(unknown)), 0, "the clocks of %d of %d workers were not compared with the others', first %s: "+
			"whether their windows are the same seconds is unknown", len(unknown), len(workers), unknown[0])
	}
}

// judgeClocks notes each pair of hosts once if the clock of the one differs from that of a worker on the other.
func (j *verdictBuilder) judgeClocks(c RunObservations) {
	noted := map[string]bool{}
	for _, m := range j.measurement.Members {
		if m.Clock == nil {
			continue
		}
		node, observer := nodeNameOf(c.Containers, m.Member), nodeNameOf(c.Containers, measurement.WorkerSubject(m.Clock.Worker))
		skew := math.Abs(m.Clock.OffsetMillis) - m.Clock.ErrorMillis
		if pair := node + "/" + observer; skew > j.tolerances.ClockSkewMillis && node != observer && !noted[pair] {
			noted[pair] = true
			j.addNote(ReasonClockSkewed, node, math.Abs(m.Clock.OffsetMillis), j.tolerances.ClockSkewMillis,
				"the clock of %s is %+.1f ms (± %.1f ms) off that of %s: block times from both are comparable only to that precision",
				node, m.Clock.OffsetMillis, m.Clock.ErrorMillis, observer)
		}
	}
}
