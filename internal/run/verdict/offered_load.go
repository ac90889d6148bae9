package verdict

import (
	"math"

	"github.com/benchnet/benchnet/internal/format"
	"github.com/benchnet/benchnet/internal/run/statistics"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// judgeOfferedLoad invalidates an open loop whose backlog grew by more than chance explains. The requests are in a queue
// that grows as long as the load lasts, so throughput and latency depend on the length of the window. Failures count as
// ended, because measure.maxErrorPercent judges them.
func (j *verdictBuilder) judgeOfferedLoad(c RunObservations) {
	m := j.measurement
	planned, ended := m.Schedule.Planned, statistics.Sum(m.Completed)+statistics.Sum(m.Failed)
	if planned == 0 || len(m.Segments) > 0 {
		return // Each segment is judged by its own load.
	}
	w := statistics.OpenLoopWindow{Planned: float64(planned), Poisson: c.PoissonArrivals, Ended: statistics.Floats(m.Completed),
		Completed: statistics.Floats(m.Completed), LatencySums: statistics.Floats(m.LatencyMicros)}
	for i, n := range m.Failed {
		w.Ended[i] += float64(n)
	}
	growth, limit := w.BacklogGrowth(1 - j.tolerances.AchievedShare)
	if growth <= limit {
		return
	}
	seconds := float64(max(1, m.WindowSeconds))
	j.addReason(ReasonOfferedNotAchieved, "", growth, limit,
		"the network ended %s of %s requests per second that were offered (%s), and its backlog grew by %.0f requests, at most %.0f are chance: "+
			"it is overloaded, and its latency grows with the window; lower the rate of the load",
		format.Number(float64(ended)/seconds), format.Number(float64(planned)/seconds), format.Percent(statistics.Ratio(ended, planned)), growth, limit)
}

// judgeMissingRequests finds requests of an open loop that were due, but are neither completed, failed nor unfinished:
// whatever happened to them is not in the numbers. Drivers must count every request that they planned.
func (j *verdictBuilder) judgeMissingRequests() {
	due, counted := float64(j.measurement.Schedule.Planned), float64(j.measurement.Summarize().Requests)
	if counted < due {
		j.addReason(ReasonRequestsMissing, "", due-counted, 0, "%.0f of %.0f requests that were due are neither completed nor errors", due-counted, due)
	}
}

// judgeUnscheduledLoad compares the requests of an open loop without a schedule with the rate. A user's JMeter plan
// reports no schedule. It falls short of the rate if its threads wait for the network.
func (j *verdictBuilder) judgeUnscheduledLoad(c RunObservations) {
	due, counted := c.OfferedPerSecond*float64(j.measurement.WindowSeconds), float64(j.measurement.Summarize().Requests)
	if due == 0 || j.measurement.Schedule.Planned > 0 || len(j.measurement.Workers) < c.ExpectedWorkers {
		return
	}
	j.judgeExcess(c, counted, due, "the plan gets its worker's share of the load as properties such as benchnet.ratePerSecond: use them")
	missing := max(0, due-counted-c.arrivalChance(due)) / due
	j.addStabilityFinding(ReasonOfferedNotAchieved, "", missing, unplannedNoted, unplannedLimit,
		"the JMeter plan made %.0f of the %.0f requests of the load: lower its rate if its threads wait for the network; "+
			"else use its properties, such as benchnet.ratePerSecond, and enough threads", counted, due)
}

// judgeDuplicates finds requests that were counted more than once. In an open loop each request that was due is counted
// once. In a closed loop at most as many more end in the window than start in it as may be in flight at its start.
func (j *verdictBuilder) judgeDuplicates(c RunObservations) {
	m := j.measurement
	counted, due := float64(m.Summarize().Requests), float64(m.Schedule.Planned)
	if due == 0 {
		ended, inFlight := float64(statistics.Sum(m.Completed)+statistics.Sum(m.Failed)), float64(c.MaxOutstanding)
		if inFlight == 0 || m.LatencyKind != measurement.ServiceTime {
			return
		}
		counted, due = ended-inFlight, counted
	}
	if counted > due {
		j.addStabilityFinding(ReasonRequestsDuplicated, "", (counted-due)/max(1, due), 0, unplannedLimit,
			"%.0f requests more ended than started: they are counted or sent more than once; inspect the driver", counted-due)
	}
}

// arrivalChance returns by how many requests a schedule may deviate from the rate: Poisson arrivals by a quantile, even
// arrivals by one of each worker.
func (c RunObservations) arrivalChance(due float64) float64 {
	if c.PoissonArrivals {
		return scheduleDeviations * math.Sqrt(due)
	}
	return float64(c.ExpectedWorkers)
}

// judgeExcess finds requests beyond the rate, with the tolerance of too few: the numbers are then those of another load.
func (j *verdictBuilder) judgeExcess(c RunObservations, requests, due float64, advice string) {
	excess := max(0, requests-due-c.arrivalChance(due)) / due
	j.addStabilityFinding(ReasonOfferedExceeded, "", excess, unplannedNoted, unplannedLimit,
		"the load was %.0f requests, but its rate demands %.0f: %s", requests, due, advice)
}

// AreAboutLoad reports whether a run is invalid only because its load was too high: it fell short of the offered
// rate, perhaps with errors or a growing latency. Such a run measured what it should have, and a repetition would do
// so again.
func AreAboutLoad(codes []ReasonCode) bool {
	short := false
	for _, code := range codes {
		switch code {
		case ReasonOfferedNotAchieved, ReasonErrors, ReasonThroughputUnstable, ReasonLatencyUnstable:
		default:
			return false
		}
		short = short || code == ReasonOfferedNotAchieved
	}
	return short
}
