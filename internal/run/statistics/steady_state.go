package statistics

import (
	"fmt"
	"math"

	"github.com/aclements/go-moremath/stats"
)

// SteadyStatePolicy says when a measured series may end.
type SteadyStatePolicy struct {
	// HalfWidth is the half-width of the confidence interval, as a share of the mean, at which the window may
	// end; such as 0.05.
	HalfWidth float64
	// Confidence is the confidence of that interval, such as 0.95.
	Confidence float64
	// MinWindow, MaxWarmUp and MaxWindow are in seconds. The warm-up is at least 10 s, unless MaxWarmUp is less. A
	// MinWindow below ten batches (10 s) counts as 10.
	MinWindow, MaxWarmUp, MaxWindow int
}

// RecordedSeries holds what was recorded in each second since the load began.
type RecordedSeries struct {
	// Completed counts the completions.
	Completed []float64
	// LatencySums sums their latencies, in any unit; empty if it is unknown.
	LatencySums []float64
}

func (s RecordedSeries) firstSeconds(seconds int) RecordedSeries {
	return RecordedSeries{Completed: s.Completed[:seconds], LatencySums: s.LatencySums[:min(seconds, len(s.LatencySums))]}
}

// SteadyStateResult is the warm-up and window of a series.
type SteadyStateResult struct {
	// Done reports that measuring may end: the mean is precise enough, or a limit is reached.
	Done bool
	// Steady reports that the series has left its warm-up and does not drift. Its mean may still be less
	// precise than requested; HalfWidth then exceeds that of the policy.
	Steady bool
	// From and To bound the window in seconds, From included, To excluded. From is a multiple of 5.
	From, To int
	// Mean is the mean of the window per second. HalfWidth is half the width of its confidence interval as a
	// share of the mean.
	Mean, HalfWidth float64
	// DriftBound is the largest drift of the throughput over the window, as a share of the mean, that the series
	// does not rule out.
	DriftBound float64
	// Method is a short description, such as "MSER-5, 12 batch means of 5 s".
	Method string
	// Reason says why measuring may end, or why it must continue.
	Reason string
}

// DetectSteadyState judges the completions and latencies of each second since the load began. The result depends only on the
// series and the policy. Callers pass the whole series every few seconds; once the result is Done, it stays the
// same for every longer series.
//
// Every check is one more chance for noise to look like precision. Therefore checks take place only at fixed
// lengths, which grow by a fifth, whenever and however often the function is called. Two consecutive checks
// must find the interval narrow enough and rule out a drift of maxDriftWidths. The window must be twice as long as the
// warm-up, since only a long window outweighs the rest of a warm-up.
func DetectSteadyState(series RecordedSeries, p SteadyStatePolicy) SteadyStateResult {
	limit := p.MaxWarmUp + p.MaxWindow
	state, precise := SteadyStateResult{Reason: "the series is too short to judge", HalfWidth: unknownHalfWidth, DriftBound: unknownHalfWidth}, 0
	for at := p.firstCheckSecond(); at <= len(series.Completed); at = nextCheckSecond(at, limit) {
		state = p.checkSeries(series.firstSeconds(at))
		if precise++; !state.isPreciseEnough(p) {
			precise = 0
		}
		if p.applyStopRule(&state, series.Completed[:at], precise >= 2); state.Done {
			break
		}
	}
	return state
}

// isPreciseEnough reports whether a check would let the window end.
func (s SteadyStateResult) isPreciseEnough(p SteadyStatePolicy) bool {
	return s.Steady && s.HalfWidth <= p.HalfWidth && s.DriftBound <= maxDriftWidths*p.HalfWidth && s.To-s.From >= 2*s.From
}

// firstCheckSecond returns the second of the first check, after the shortest possible window.
func (p SteadyStatePolicy) firstCheckSecond() int {
	return min(roundDownToBatch(p.leastWarmUp()+max(p.MinWindow, minBatches)+mserBatch-1), p.MaxWarmUp+p.MaxWindow)
}

// nextCheckSecond returns the second of the check after the one at the given second. The last check is at the
// limit.
func nextCheckSecond(at, limit int) int {
	if at >= limit {
		return math.MaxInt
	}
	return min(roundDownToBatch(max(at+at/5, at+mserBatch)), limit)
}

func roundDownToBatch(seconds int) int { return seconds / mserBatch * mserBatch }

// checkSeries finds the window of a series and judges it.
func (p SteadyStatePolicy) checkSeries(series RecordedSeries) SteadyStateResult {
	end := roundDownToBatch(len(series.Completed))
	blocks, latencies := averageBlocks(series.Completed[:end], mserBatch), latencyBlocks(series.firstSeconds(end))
	cut := p.truncateWarmUp(blocks, meanOfLaterHalf(blocks))
	if latencies != nil {
		cut = max(cut, p.truncateWarmUp(latencies, 1))
	}
	s, window := p.measureWindow(series.Completed, cut*mserBatch, end)
	latencyChange := changeOfLatency(latencies, cut)
	switch shift := findLevelShift(blocks, cut); {
	case s.Mean <= 0:
		s.Reason = "no operation completed"
	case end-s.From < roundDownToBatch(p.MinWindow):
		s.Reason = fmt.Sprintf("the warm-up ended after %d s; the window is shorter than %d s", s.From, p.MinWindow)
	case shift.relativeChange(s.Mean) > p.HalfWidth:
		s.Reason = fmt.Sprintf("the throughput still changes: %.4g/s until second %d, %.4g/s after it", shift.before, shift.at*mserBatch, shift.after)
	case window.linearDrift()/s.Mean > p.HalfWidth:
		s.Reason = fmt.Sprintf("the throughput drifts by %.1f %% over the window", 100*window.linearDrift()/s.Mean)
	case latencyChange > latencyWidths*p.HalfWidth:
		s.Reason = fmt.Sprintf("the latency still changes: by a factor of %.2f over the window", math.Exp(latencyChange))
	default:
		s.Steady, s.Reason = true, p.describePrecision(s)
	}
	return s
}

func meanOfLaterHalf(blocks []float64) float64 {
	if len(blocks) == 0 {
		return 0
	}
	return stats.Mean(blocks[len(blocks)/2:])
}

func (p SteadyStatePolicy) describePrecision(s SteadyStateResult) string {
	return fmt.Sprintf("the mean is known to ±%.1f %%, requested is ±%.1f %%", 100*s.HalfWidth, 100*p.HalfWidth)
}

// measureWindow returns the mean, half-width and batch means of the seconds [from, to) of a series.
func (p SteadyStatePolicy) measureWindow(series []float64, from, to int) (SteadyStateResult, batchedWindow) {
	b := computeBatchMeans(series[from:to])
	mean := 0.0
	if to > from {
		mean = stats.Mean(series[from:to])
	}
	return SteadyStateResult{
		From: from, To: to, Mean: mean, HalfWidth: b.halfWidth(p.Confidence, mean), DriftBound: b.driftBound(mean),
		Method: fmt.Sprintf("MSER-5, %d batch means of %d s", len(b.means), b.seconds),
	}, b
}

// applyStopRule sets s.Done if measuring ends with this check.
func (p SteadyStatePolicy) applyStopRule(s *SteadyStateResult, series []float64, precise bool) {
	last := len(series) >= p.MaxWarmUp+p.MaxWindow
	switch {
	case precise:
		s.Done = true
	case s.Steady && (last || s.To-s.From >= p.MaxWindow):
		*s, _ = p.measureWindow(series, s.From, min(s.To, s.From+p.MaxWindow))
		s.Done, s.Steady, s.Reason = true, true, "the window is at its limit: "+p.describePrecision(*s)
	case last:
		reason, end := s.Reason, roundDownToBatch(len(series))
		*s, _ = p.measureWindow(series, min(roundDownToBatch(p.MaxWarmUp), end), end)
		s.Done, s.Reason = true, "not steady at the limit: "+reason
	}
}
