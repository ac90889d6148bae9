package results

import (
	"math"
	"slices"

	"github.com/benchnet/benchnet/internal/format"
	"github.com/benchnet/benchnet/internal/run/statistics"
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
	if m.LatencyKind == "" || sum(m.Completed) == 0 {
		return
	}
	name, limit := m.Summarize().Latency.highestPercentile()
	gap, at := longestGap(m.Completed)
	if m.LatencyKind == ServiceTime && limit != nil && gap >= 1 && float64(1000*gap) > *limit {
		j.addNote(CompletionGap, "", float64(gap), *limit/1000,
			"nothing completed for %d s from second %d of the window, longer than the %s of the service time, %s ms: in a closed loop "+
				"hardly any latency shows such a stall; see the corrected percentiles", gap, at, name, format.Number(*limit))
		return
	}
	if j.hasFinding(ThroughputUnstable) {
		return
	}
	stalled, first := statistics.StalledSeconds(toFloats(m.Completed))
	if share := float64(stalled) / float64(m.WindowSeconds); share > stalledNoted {
		j.addNote(CompletionGap, "", share, stalledNoted,
			"completions fell below half of their mean in %d of %d s, first in second %d: the throughput is a mean of work and stalls%s",
			stalled, m.WindowSeconds, first, m.LatencyKind.describeStalls())
	}
}

// describeStalls says what stalls mean for a kind of latency.
func (k LatencyKind) describeStalls() string {
	if k == ServiceTime {
		return ", which few latencies of a closed loop show; see the corrected percentiles"
	}
	return ""
}

// hasFinding reports whether the verdict has a reason or note with the code.
func (j *verdictBuilder) hasFinding(code ReasonCode) bool {
	return slices.ContainsFunc(slices.Concat(j.reasons, j.notes), func(r Reason) bool { return r.Code == code })
}

// highestPercentile returns the highest percentile that is known, or nil.
func (l Latency) highestPercentile() (name string, millis *float64) {
	names, values := []string{"p99.9", "p99", "p95", "p90", "p50"}, []*float64{l.P999, l.P99, l.P95, l.P90, l.P50}
	if i := slices.IndexFunc(values, func(p *float64) bool { return p != nil }); i >= 0 {
		return names[i], values[i]
	}
	return "", nil
}

// longestGap returns the length and the start of the longest sequence of zeros.
func longestGap(perSecond []int64) (seconds, start int) {
	length := 0
	for i, n := range perSecond {
		if n > 0 {
			length = 0
			continue
		}
		if length++; length > seconds {
			seconds, start = length, i-length+1
		}
	}
	return seconds, start
}

// Silence is a part of the window in which a worker reported neither a completion nor a failure.
type Silence struct {
	// From is the first second of the window, Seconds the length.
	From    int `json:"from"`
	Seconds int `json:"seconds"`
	// MedianGap is the median distance of two seconds with completions or failures.
	MedianGap int `json:"medianGap"`
}

// longestSilence returns the longest silence of a worker, or nil if it is shorter than two seconds.
func (w *WorkerResult) longestSilence() *Silence {
	ended := slices.Clone(w.CompletedPerSecond)
	for i, n := range w.FailedPerSecond {
		ended[i] += n
	}
	seconds, from := longestGap(ended)
	if seconds < 2 {
		return nil
	}
	return &Silence{From: from, Seconds: seconds, MedianGap: statistics.MedianGap(toFloats(ended))}
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
		others := sum(m.Completed[s.From : s.From+s.Seconds])
		if missing < silenceOperations || others == 0 {
			continue
		}
		j.addStabilityFinding(WorkerSilent, WorkerSubject(w.Worker), float64(s.Seconds)/float64(m.WindowSeconds), silenceNoted, silenceLimit,
			"load worker %d ended nothing for %d s from second %d of the window, in which others completed %d: about %.0f operations are missing",
			w.Worker, s.Seconds, s.From, others, math.Round(missing))
	}
}
