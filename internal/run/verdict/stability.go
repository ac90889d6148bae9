package verdict

import (
	"fmt"
	"math"
	"strings"

	"github.com/benchnet/benchnet/internal/format"
	"github.com/benchnet/benchnet/internal/run/statistics"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// Findings about stability are notes above the first limit and reasons above the second. With StabilityStrict the
// first limit decides. docs/verdict.md lists them.
const (
	throughputChangeNoted, latencyChangeNoted = 0.1, 0.2
	imbalanceNoted, imbalanceLimit            = 0.5, 0.9
	unplannedNoted, unplannedLimit            = 0.01, 0.05
	unobservedNoted, unobservedLimit          = 0, 0.99

	// stabilitySeconds is the shortest window whose stability is expected to be known.
	stabilitySeconds = 30
	// balanceCompletions is the number of completions of the best worker that a comparison of workers needs.
	balanceCompletions = 30
	// scheduleDeviations is the number of standard deviations by which Poisson arrivals may fall short of the rate.
	scheduleDeviations = 4
)

// changeLimits returns the limits of the relative change of the throughput and of the latency.
func (p StabilityPolicy) changeLimits() (throughput, latency float64) {
	if p == StabilityModerate {
		return 0.2, 0.5
	}
	return 0.5, 0.8
}

// judgeStability finds changes within the window, and evidence that is missing: a window of fixed times is a
// measurement only if one level describes it.
func (j *verdictBuilder) judgeStability(c RunObservations) {
	if m := j.measurement; m.WindowSelection == nil && len(m.Segments) == 0 {
		j.judgeChanges()
	}
	j.judgeBalance(c)
	j.judgePlanned(c)
	j.judgeObservation(c)
}

func (j *verdictBuilder) judgeChanges() {
	if statistics.Sum(j.measurement.Completed) > 0 {
		j.judgeThroughputChange()
		j.judgeLatencyChange()
	}
}

// addStabilityFinding adds a reason if value exceeds the limit, and a note if it exceeds only noted.
func (j *verdictBuilder) addStabilityFinding(code ReasonCode, subject string, value, noted, limit float64, message string, args ...any) {
	if j.tolerances.Stability == StabilityStrict {
		limit = noted
	}
	switch {
	case value > limit:
		j.addReason(code, subject, value, limit, message, args...)
	case value > noted:
		j.addNote(code, subject, value, limit, message, args...)
	}
}

func (j *verdictBuilder) judgeThroughputChange() {
	change, judged := statistics.DetectThroughputChange(statistics.Floats(j.measurement.Completed))
	if !judged {
		j.addStabilityUnknown("throughput", "at least 30 s with 50 completions or 30 blocks are needed to find changes of the throughput")
		return
	}
	limit, _ := j.tolerances.Stability.changeLimits()
	j.addStabilityFinding(ReasonThroughputUnstable, "", change.Relative(), throughputChangeNoted, limit,
		"the throughput %s: discard a longer warm-up, or find out what changed", describeChange(change, 1, "/s"))
}

func (j *verdictBuilder) judgeLatencyChange() {
	m := j.measurement
	if m.LatencyMicros == nil {
		j.addStabilityUnknown("latency", "the driver does not record latency over time")
		return
	}
	change, judged := statistics.DetectLatencyChange(statistics.Floats(m.Completed), statistics.Floats(m.LatencyMicros))
	if !judged {
		j.addStabilityUnknown("latency", "at least 30 s with 50 completions or 30 blocks are needed to find changes of the latency")
		return
	}
	_, limit := j.tolerances.Stability.changeLimits()
	j.addStabilityFinding(ReasonLatencyUnstable, "", change.Relative(), latencyChangeNoted, limit,
		"the mean latency %s: the percentiles describe no single state of the network", describeChange(change, 1e-3, " ms"))
}

// addStabilityUnknown notes that changes could not be found. Short windows are too common for a note.
func (j *verdictBuilder) addStabilityUnknown(subject, message string) {
	switch {
	case j.tolerances.Stability == StabilityStrict:
		j.addReason(ReasonStabilityUnknown, subject, 1, 0, "%s", message)
	case j.measurement.WindowSeconds >= stabilitySeconds:
		j.addNote(ReasonStabilityUnknown, subject, 1, 0, "%s", message)
	}
}

func describeChange(c statistics.LevelChange, scale float64, unit string) string {
	before, after := format.Number(c.Before*scale)+unit, format.Number(c.After*scale)+unit
	if c.Gradual {
		return fmt.Sprintf("drifted from %s to %s over the window", before, after)
	}
	return fmt.Sprintf("changed from %s to %s, which holds from second %d", before, after, c.Second)
}

// judgeBalance compares the completions of each worker, per client, with those of the best worker.
func (j *verdictBuilder) judgeBalance(c RunObservations) {
	if c.Clients == 0 || c.ExpectedWorkers < 2 || len(j.measurement.Faults) > 0 {
		return
	}
	var best int64
	for _, w := range j.measurement.Workers {
		best = max(best, w.Completed)
	}
	if best < balanceCompletions {
		return
	}
	// The clients of two workers differ by at most one.
	fewest := float64(int(c.Clients) / c.ExpectedWorkers)
	most := math.Ceil(float64(c.Clients) / float64(c.ExpectedWorkers))
	for _, w := range j.measurement.Workers {
		short := 1 - float64(w.Completed)/float64(best)*most/max(1, fewest)
		j.addStabilityFinding(ReasonWorkersUnbalanced, measurement.WorkerSubject(w.Worker), short, imbalanceNoted, imbalanceLimit,
			"load worker %d completed %d operations, the best worker %d", w.Worker, w.Completed, best)
	}
}

// judgePlanned compares the requests that were planned with the rate. Without a schedule, judgeUnscheduledLoad compares
// the requests that were made.
func (j *verdictBuilder) judgePlanned(c RunObservations) {
	offered, planned := c.OfferedPerSecond*float64(j.measurement.WindowSeconds), float64(j.measurement.Schedule.Planned)
	if offered == 0 || planned == 0 || len(j.measurement.Workers) < c.ExpectedWorkers {
		return
	}
	j.judgeExcess(c, planned, offered, "inspect the driver")
	missing := max(0, offered-planned-c.arrivalChance(offered)) / offered
	j.addStabilityFinding(ReasonScheduleIncomplete, "", missing, unplannedNoted, unplannedLimit,
		"the workers planned %.0f of %.0f requests (%s)", planned, offered, format.Percent(planned/offered))
}

// judgeObservation finds members without any sample of their CPU.
func (j *verdictBuilder) judgeObservation(c RunObservations) {
	if c.WithoutObservation {
		j.addNote(ReasonMembersUnobserved, "", 1, 0,
			"spec.observation of the network is None: the members' CPU, memory and metrics are unknown, and so is a bottleneck")
		return
	}
	observed := map[string]bool{}
	for _, m := range j.measurement.Members {
		observed[m.Member] = len(m.CPUSeconds.Measured()) > 0
	}
	// Programs with metrics of their own, such as a consensus engine, report series instead of CPU and memory.
	for _, s := range j.measurement.Series {
		observed[s.Subject] = observed[s.Subject] || len(s.Values.Measured()) > 0
	}
	var missing []string
	for _, member := range c.ObservedMembers {
		if !observed[member] {
			missing = append(missing, member)
		}
	}
	if len(missing) == 0 || len(j.measurement.Workers) < c.ExpectedWorkers {
		return
	}
	j.addStabilityFinding(ReasonMembersUnobserved, missing[0],
		statistics.Ratio(int64(len(missing)), int64(len(c.ObservedMembers))), unobservedNoted, unobservedLimit,
		"nothing is known about the CPU and memory of %d of %d members: %s", len(missing), len(c.ObservedMembers),
		strings.Join(missing[:min(len(missing), 5)], ", "))
}

// judgeWindowSelection adds a finding only if the times were not fixed.
func (j *verdictBuilder) judgeWindowSelection() {
	s := j.measurement.WindowSelection
	switch {
	case s == nil:
	case s.State == measurement.SelectionUnsteady:
		j.addReason(ReasonNotSteady, "", s.HalfWidth, s.TargetHalfWidth, "%s; %d s were recorded", s.Reason, s.RecordedSeconds)
	case s.State == measurement.SelectionImprecise:
		j.addNote(ReasonIntervalWide, "", s.HalfWidth, s.TargetHalfWidth,
			"the mean throughput is known to ± %s at %s confidence at the end of the longest window, requested were ± %s",
			format.Percent(s.HalfWidth), format.Percent(s.Confidence), format.Percent(s.TargetHalfWidth))
	}
}
