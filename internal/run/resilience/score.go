// Package resilience scores what declared faults did to the throughput and the latencies of a run. docs/faults.md states the definitions and their
// sources.
package resilience

import (
	"fmt"
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"

	"github.com/benchnet/benchnet/internal/format"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/statistics"
)

// The stages of a fault (impact, degraded service, recovery) are those of Nagaraja et al., USITS 2003.
const (
	// bandTolerance is how far normal throughput may fall below that of the baseline. The band of normal behavior around a run
	// without faults is that of Brown and Patterson, USENIX ATC 2000. Its width is our choice.
	bandTolerance = 0.1
	// holdSeconds is how long the throughput must stay in the band to have recovered, so that a system that alternates has not.
	// Our choice too.
	holdSeconds = 10
	// noiseDeviations is how many standard deviations of a bin the band must allow: a normal variable is lower than its mean by
	// more in 0.05 % of cases.
	noiseDeviations = 3.3
	// minBaselineBins is the least number of bins that show the noise.
	minBaselineBins = 4
	// minShareOfDue is the least share of the due operations that the baseline must complete. With less, the throughput does not
	// follow what is due.
	minShareOfDue = 0.5
	// outageSecondsAfterHeal is how long after the heal an outage may begin to count as an effect of the fault.
	outageSecondsAfterHeal = 60
)

// binWidths are the widths of bins in seconds, of which the smallest with little noise is used.
var binWidths = []int{1, 2, 5, 10}

// Window is the throughput of a run, and its latencies.
type Window struct {
	// Completed has the operations that completed in each second of the window, of all workers.
	Completed []int64
	// Due has the operations that were due in each second of an open loop. It is nil in closed loops and if the network makes its
	// own load.
	Due []float64
	// Latencies are those of the intervals of the window, each of LatencySeconds; 0 if they are unknown.
	Latencies      []measurement.LatencyInterval
	LatencySeconds int
}

// Span is the time of one fault over all its containers, from the earliest possible injection to the latest heal, in seconds of the
// window.
type Span struct {
	Name                       string
	FromSeconds, HealedSeconds float64
}

// Effect is when a fault changed what is compared, and until when. Times are in seconds from the injection.
type Effect struct {
	// ImpactSeconds is the start of the first bin or interval that shows an impact; nil if there is none.
	ImpactSeconds *float64 `json:"impactSeconds,omitempty"`
	// RecoverySeconds is the start of the first later one with which 10 s as before the fault begin: 0 without an impact, nil if none do
	// until CensoredSeconds, when the window or the time before the next fault ends.
	RecoverySeconds *float64 `json:"recoverySeconds,omitempty"`
	CensoredSeconds float64  `json:"censoredSeconds,omitempty"`
}

// recoveryTime returns the time to the recovery.
func (e Effect) recoveryTime() Time {
	if e.RecoverySeconds == nil {
		return Time{e.CensoredSeconds, true}
	}
	return Time{*e.RecoverySeconds, false}
}

// Score is the effect of one fault on the throughput, and on latencies.
type Score struct {
	// BaselinePerSecond is the mean throughput before the first fault of the window, in operations per second.
	BaselinePerSecond float64 `json:"baselinePerSecond"`
	// BaselineGapSeconds is the longest sequence of seconds without a completion before the first fault.
	BaselineGapSeconds int `json:"baselineGapSeconds"`
	// OutageSeconds is the longest sequence of whole seconds without a completion that begins between the injection and 60 s after the
	// heal, up to the next fault. The time without a completion is up to 2 s longer.
	OutageSeconds int `json:"outageSeconds"`
	// OutageCensored reports that the window or the time before the next fault ended during the outage, so that it is longer.
	OutageCensored bool `json:"outageCensored,omitempty"`
	// BinSeconds is the width of the bins in which the throughput is compared; 0 if it cannot be compared, and Problem says why.
	// The following fields are then empty.
	BinSeconds int    `json:"binSeconds"`
	Problem    string `json:"problem,omitempty"`
	// Effect is on the throughput. Two successive bins below the band of the baseline, or a bin without a completion, are an impact.
	Effect
	// DegradationSeconds is the throughput that is missing from the impact to the recovery, in seconds of a whole outage. Operations
	// that complete later do not reduce it.
	DegradationSeconds float64 `json:"degradationSeconds"`
	// Latency is the effect on latencies.
	Latency LatencyScore `json:"latency"`
}

// ScoreFaults returns the score of each fault, in their order. Faults that begin in the same second are scored as one. It returns
// nil if no second precedes the first fault. Every run is compared with its own time before the first fault, as DBench-OLTP compares
// a baseline phase with phases of faults (Vieira and Madeira, VLDB 2003).
func ScoreFaults(w Window, spans []Span) []Score {
	first := math.Inf(1)
	for _, s := range spans {
		first = min(first, s.FromSeconds)
	}
	baseline := w.secondOf(first)
	if baseline == 0 {
		return nil
	}
	var base Score
	base.BaselinePerSecond = float64(statistics.Sum(w.Completed[:baseline])) / float64(baseline)
	base.BaselineGapSeconds, _ = statistics.LongestGap(w.Completed[:baseline])
	perSecond, problem := w.expectCompletions(baseline, base.BaselinePerSecond)
	if base.Problem = problem; problem == "" {
		base.BinSeconds, base.Problem = chooseBinSeconds(perSecond[:baseline])
	}
	scores, latencies := make([]Score, len(spans)), w.compareLatencies(baseline)
	for i, s := range spans {
		joint, horizon := w.jointSpan(spans, s)
		scores[i] = w.scoreSpan(base, perSecond, joint, horizon)
		scores[i].Latency = latencies.scoreSpan(joint, horizon)
	}
	return scores
}

// secondOf returns the second that contains the instant, within the bounds of the window.
func (w Window) secondOf(seconds float64) int {
	return int(min(max(0, seconds), float64(len(w.Completed))))
}

// bin is a time in which completions are compared.
type bin struct{ completed, expected float64 }

// isBelow reports whether the throughput is below the band.
func (b bin) isBelow() bool { return b.completed < (1-bandTolerance)*b.expected }

func sumBins(bins []bin) (sum bin) {
	for _, b := range bins {
		sum.completed, sum.expected = sum.completed+b.completed, sum.expected+b.expected
	}
	return sum
}

// mergeBins returns the whole bins of the width from the start of the window's seconds.
func mergeBins(perSecond []bin, width int) []bin {
	bins := make([]bin, len(perSecond)/width)
	for i := range bins {
		bins[i] = sumBins(perSecond[i*width : (i+1)*width])
	}
	return bins
}

// expectCompletions returns each second with the completions that are expected without a fault: the mean of the baseline, or with
// a schedule the share of the due operations that the baseline completed. It returns the problem if these are unknown.
func (w Window) expectCompletions(baseline int, mean float64) (perSecond []bin, problem string) {
	perSecond = make([]bin, len(w.Completed))
	for i, n := range w.Completed {
		perSecond[i].completed = float64(n)
		switch {
		case w.Due == nil:
			perSecond[i].expected = mean
		case i < len(w.Due):
			perSecond[i].expected = w.Due[i]
		}
	}
	sum := sumBins(perSecond[:baseline])
	if sum.completed == 0 || sum.expected == 0 {
		return nil, "nothing completed before the fault, or nothing was due"
	}
	share := min(1, sum.completed/sum.expected)
	if share < minShareOfDue {
		return nil, fmt.Sprintf("%s of the operations that were due before the fault completed, at least %s allow a comparison",
			format.Percent(share), format.Percent(minShareOfDue))
	}
	for i := range perSecond {
		perSecond[i].expected *= share
	}
	return perSecond, ""
}

// chooseBinSeconds returns the smallest width of bins in which the noise of the baseline rarely leaves the band, or the problem. The
// last bin ends with the baseline.
func chooseBinSeconds(baseline []bin) (seconds int, problem string) {
	problem = fmt.Sprintf("the fault begins less than %d s after the start of the window", minBaselineBins)
	for _, width := range binWidths {
		bins := mergeBins(baseline[len(baseline)%width:], width)
		if len(bins) < minBaselineBins {
			break
		}
		deviations := make([]float64, len(bins))
		for i, b := range bins {
			deviations[i] = b.completed - b.expected
		}
		variation := noiseDeviations * stats.StdDev(deviations) / (sumBins(bins).expected / float64(len(bins)))
		if variation <= bandTolerance {
			return width, ""
		}
		problem = fmt.Sprintf("completions vary by %s per %d s before the fault, at most %s allow a comparison",
			format.Percent(variation), width, format.Percent(bandTolerance))
	}
	return 0, problem
}

// jointSpan returns the time of all faults that begin in the same second as a fault, and when the next fault begins or the window
// ends.
func (w Window) jointSpan(spans []Span, joint Span) (_ Span, horizon float64) {
	second := math.Floor(joint.FromSeconds)
	horizon = float64(len(w.Completed))
	for _, s := range spans {
		switch begin := math.Floor(s.FromSeconds); {
		case begin == second:
			joint.FromSeconds, joint.HealedSeconds = min(joint.FromSeconds, s.FromSeconds), max(joint.HealedSeconds, s.HealedSeconds)
		case begin > second:
			horizon = min(horizon, s.FromSeconds)
		}
	}
	return joint, horizon
}

// scoreSpan adds the effect of a fault to the score of the baseline.
func (w Window) scoreSpan(score Score, perSecond []bin, s Span, horizon float64) Score {
	start, end := w.secondOf(s.FromSeconds), w.secondOf(horizon)
	outage, isCut := longestOutage(w.Completed[:end], start+1, w.secondOf(s.HealedSeconds+outageSecondsAfterHeal))
	score.OutageSeconds, score.OutageCensored = outage, isCut && outage > score.BaselineGapSeconds
	width := score.BinSeconds
	if width == 0 {
		return score
	}
	bins := mergeBins(perSecond[start:end], width)
	impact := findImpact(bins)
	switch {
	case impact < 0 && len(bins) < 2:
		score.BinSeconds = 0
		score.Problem = fmt.Sprintf("the window or the time before the next fault ends within two bins of %d s after the fault", width)
		return score
	case impact < 0:
		score.RecoverySeconds = new(0.0)
		return score
	}
	startOf := func(bin int) *float64 {
		return new(statistics.RoundMillis(max(0, float64(start+bin*width)-s.FromSeconds)))
	}
	score.ImpactSeconds = startOf(impact)
	isBelow := func(i int) bool { return bins[i].isBelow() }
	recovery, found := findRecovery(len(bins), isBelow, impact, (holdSeconds+width-1)/width)
	if found {
		score.RecoverySeconds = startOf(recovery)
	} else {
		score.CensoredSeconds = statistics.RoundMillis(horizon - s.FromSeconds)
	}
	degraded := bins[impact:recovery]
	below := sumBins(slices.DeleteFunc(slices.Clone(degraded), func(b bin) bool { return !b.isBelow() }))
	missing := (below.expected - below.completed) / sumBins(degraded).expected
	score.DegradationSeconds = statistics.RoundMillis(missing * float64(len(degraded)*width))
	return score
}

// longestOutage returns the length of the longest sequence of seconds without a completion that begins in second from or later, and before
// second before, and whether the completions end during that sequence.
func longestOutage(completed []int64, from, before int) (longest int, isCut bool) {
	length := 0
	for second := from; second < len(completed) && (second < before || length > 0); second++ {
		if completed[second] > 0 {
			length = 0
			continue
		}
		length++
		longest = max(longest, length)
	}
	return longest, length > 0 && length == longest
}

// findImpact returns the first bin below the band that is empty or precedes another bin below it, or -1.
func findImpact(bins []bin) int {
	for i, b := range bins {
		if b.isBelow() && (b.completed == 0 || i+1 < len(bins) && bins[i+1].isBelow()) {
			return i
		}
	}
	return -1
}

// findRecovery returns the first of n bins after the impact with which a sequence of bins in the band begins that lasts for the hold. It
// returns n and false if there is none.
func findRecovery(n int, isOut func(bin int) bool, impact, hold int) (recovery int, found bool) {
	recovery = impact + 1
	for i := recovery; i < n; i++ {
		if isOut(i) {
			recovery = i + 1
		} else if i+1-recovery == hold {
			return recovery, true
		}
	}
	return n, false
}
