package statistics

import (
	"fmt"
	"math"

	"github.com/aclements/go-moremath/stats"
)

// SteadyPolicy says when a measured series may end.
type SteadyPolicy struct {
	// HalfWidth of the confidence interval, as a share of the mean, at which the window may end; such as 0.05.
	HalfWidth float64
	// Confidence of that interval, such as 0.95.
	Confidence float64
	// MinWindow, MaxWarmUp and MaxWindow in seconds. MinWindow below ten batches (10 s) counts as 10.
	MinWindow, MaxWarmUp, MaxWindow int
}

// SteadyState is what a series says about its own warm-up and window.
type SteadyState struct {
	// Done says that measuring may end: the mean is known well enough, or a limit is reached.
	Done bool
	// Steady says that the series has left its warm-up and does not drift. Its mean may still be known less well than asked for:
	// then HalfWidth is above that of the policy.
	Steady bool
	// From and To bound the window: seconds of the series, From included, To not. From is a multiple of 5.
	From, To int
	// Mean of the window, per second, and half the width of its confidence interval as a share of it.
	Mean, HalfWidth float64
	// Method in short, such as "MSER-5, 12 batch means of 5 s".
	Method string
	// Reason for people: why it is done, or what it still waits for.
	Reason string
}

// Steady judges the completions of each second since the load began. It depends on nothing else: called every few seconds
// with all that there is, it gives the same answer for the same series, and once Done it stays with that answer, however the
// series goes on.
//
// Every look is one more chance for noise to pass for precision. So looks are taken at set lengths alone, which grow by a
// fifth, whenever and however often somebody asks; two in a row must find the interval narrow enough; and the window must be
// twice as long as the warm-up, since what is left of a warm-up fades against a long window alone.
func Steady(series []float64, p SteadyPolicy) SteadyState {
	limit := p.MaxWarmUp + p.MaxWindow
	state, precise := SteadyState{Reason: "the series is too short to judge", HalfWidth: unknownWidth}, 0
	for at := p.firstLook(); at <= len(series); at = nextLook(at, limit) {
		state = p.look(series[:at])
		if precise++; !state.precise(p) {
			precise = 0
		}
		if p.decide(&state, series[:at], precise >= 2); state.Done {
			break
		}
	}
	return state
}

// precise says that a look would let the window end.
func (s SteadyState) precise(p SteadyPolicy) bool {
	return s.Steady && s.HalfWidth <= p.HalfWidth && s.To-s.From >= 2*s.From
}

// firstLook is at the shortest window that there can be.
func (p SteadyPolicy) firstLook() int {
	return min(wholeBatches(max(p.MinWindow, minBatches)+mserBatch-1), p.MaxWarmUp+p.MaxWindow)
}

// nextLook after that at a length; the last one is at the limit.
func nextLook(at, limit int) int {
	if at >= limit {
		return math.MaxInt
	}
	return min(wholeBatches(max(at+at/5, at+mserBatch)), limit)
}

func wholeBatches(seconds int) int { return seconds / mserBatch * mserBatch }

// look finds the window of a series and judges it.
func (p SteadyPolicy) look(series []float64) SteadyState {
	end := wholeBatches(len(series))
	blocks := blockMeans(series[:end], mserBatch)
	cut := mser(blocks, p.MaxWarmUp/mserBatch)
	s, window := p.window(series, cut*mserBatch, end)
	switch shift := findShift(blocks, cut); {
	case s.Mean <= 0:
		s.Reason = "nothing was completed"
	case end-s.From < wholeBatches(p.MinWindow):
		s.Reason = fmt.Sprintf("the warm-up ended after %d s; the window is shorter than %d s", s.From, p.MinWindow)
	case shift.share(s.Mean) > p.HalfWidth:
		s.Reason = fmt.Sprintf("the throughput still changes: %.4g/s until second %d, %.4g/s after it", shift.before, shift.at*mserBatch, shift.after)
	case window.drift()/s.Mean > p.HalfWidth:
		s.Reason = fmt.Sprintf("the throughput drifts by %.1f %% over the window", 100*window.drift()/s.Mean)
	default:
		s.Steady, s.Reason = true, p.precision(s)
	}
	return s
}

func (p SteadyPolicy) precision(s SteadyState) string {
	return fmt.Sprintf("the mean is known to ±%.1f %%, asked for is ±%.1f %%", 100*s.HalfWidth, 100*p.HalfWidth)
}

// window measures the seconds of a series.
func (p SteadyPolicy) window(series []float64, from, to int) (SteadyState, batches) {
	b := batchMeans(series[from:to])
	mean := 0.0
	if to > from {
		mean = stats.Mean(series[from:to])
	}
	return SteadyState{
		From: from, To: to, Mean: mean, HalfWidth: b.halfWidth(p.Confidence, mean),
		Method: fmt.Sprintf("MSER-5, %d batch means of %d s", len(b.means), b.seconds),
	}, b
}

// decide whether what a look found is the end.
func (p SteadyPolicy) decide(s *SteadyState, series []float64, precise bool) {
	last := len(series) >= p.MaxWarmUp+p.MaxWindow
	switch {
	case precise:
		s.Done = true
	case s.Steady && (last || s.To-s.From >= p.MaxWindow):
		*s, _ = p.window(series, s.From, min(s.To, s.From+p.MaxWindow))
		s.Done, s.Steady, s.Reason = true, true, "the window is at its limit: "+p.precision(*s)
	case last:
		reason, end := s.Reason, wholeBatches(len(series))
		*s, _ = p.window(series, min(wholeBatches(p.MaxWarmUp), end), end)
		s.Done, s.Reason = true, "not steady at the limit: "+reason
	}
}
