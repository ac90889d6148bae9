package verdict

import (
	"math"
	"slices"

	"github.com/benchnet/benchnet/internal/format"
	"github.com/benchnet/benchnet/internal/run/statistics"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

const (
	// stalledNoted is the share of the window in which completions may stall before it is noted.
	stalledNoted = 0.05
	// silenceNoted and silenceLimit are shares of the window in which one worker may be silent.
	silenceNoted, silenceLimit = 0.1, 0.5
	// silenceOperations is how many operations must be missing in a silence, and silenceGaps how many times as long as the
	// median distance of completions it must be.
	silenceOperations, silenceGaps = 20, 5
)

// judgeGaps notes that nothing completed in a closed loop for longer than almost all requests took, because all clients
// waited at once, or that completions stalled again and again in any loop. A change of the throughput that is found already
// needs no second note.
func (j *verdictBuilder) judgeGaps() {
	m := j.measurement
	if m.LatencyKind == "" || statistics.Sum(m.Completed) == 0 {
		return
	}
	latency := m.Summarize().Latency
	name, limit := latency.HighestPercentile()
	gap, at := statistics.LongestGap(m.Completed)
	if m.LatencyKind == measurement.ServiceTime && limit != nil && gap >= 1 && float64(1000*gap) > *limit {
		j.addNote(ReasonCompletionGap, "", float64(gap), *limit/1000,
			"nothing completed for %d s from second %d of the window, longer than the %s of the service time, %s ms: in a closed loop "+
				"hardly any latency shows such a stall; see the corrected percentiles", gap, at, name, format.Number(*limit))
		return
	}
	if j.hasFinding(ReasonThroughputUnstable) {
		return
	}
	stalled, first := statistics.StalledSeconds(statistics.Floats(m.Completed))
	if share := float64(stalled) / float64(m.WindowSeconds); share > stalledNoted {
		j.addNote(ReasonCompletionGap, "", share, stalledNoted,
			"completions fell below half of their mean in %d of %d s, first in second %d: the throughput is a mean of work and stalls%s",
			stalled, m.WindowSeconds, first, describeStalls(m.LatencyKind))
	}
}

// describeStalls says what stalls mean for a kind of latency.
func describeStalls(k measurement.LatencyKind) string {
	if k == measurement.ServiceTime {
		return ", which few latencies of a closed loop show; see the corrected percentiles"
	}
	return ""
}

// hasFinding reports whether the verdict has a reason or note with the code.
func (j *verdictBuilder) hasFinding(code ReasonCode) bool {
	return slices.ContainsFunc(slices.Concat(j.reasons, j.notes), func(r Reason) bool { return r.Code == code })
}

// judgeSilence finds workers that were silent while others were not, longer than their rate explains. Their share of the
// load was missing, although the sum of all workers may look steady.
func (j *verdictBuilder) judgeSilence() {
	m := j.measurement
	for _, w := range m.Workers {
		if w.Silence == nil || w.Silence.Seconds < silenceGaps*w.Silence.MedianGap {
			continue
		}
		s := *w.Silence
		active := float64(max(1, m.WindowSeconds-s.Seconds))
		missing := float64((w.Completed+w.Failed)*int64(s.Seconds)) / active
		others := statistics.Sum(m.Completed[s.From : s.From+s.Seconds])
		if missing < silenceOperations || others == 0 {
			continue
		}
		j.addStabilityFinding(ReasonWorkerSilent, measurement.WorkerSubject(w.Worker), float64(s.Seconds)/float64(m.WindowSeconds), silenceNoted, silenceLimit,
			"load worker %d ended nothing for %d s from second %d of the window, in which others completed %d: about %.0f operations are missing",
			w.Worker, s.Seconds, s.From, others, math.Round(missing))
	}
}

// judgeOutOfRange makes a run invalid whose recorders clamped a latency.
func (j *verdictBuilder) judgeOutOfRange() {
	if o := j.measurement.OutOfRange; o.CountAll() > 0 {
		j.addReason(ReasonLatencyOutOfRange, "", float64(o.CountAll()), 0,
			"%d latencies are below 0 and %d above 1 h, so mean and percentiles are wrong: inspect the clocks and the driver", o.Negative, o.TooLong)
	}
}
