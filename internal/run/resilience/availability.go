package resilience

import (
	"fmt"
	"strconv"

	"github.com/benchnet/benchnet/internal/run/statistics"
)

// availablePercent is how many of the operations of an interval must succeed for the network to be available in it. Our choice.
const availablePercent = 99

// Availability is how much of what was due since the first fault succeeded: in all, and over time.
type Availability struct {
	// FromSeconds is the start of the interval in which the first fault was due, in seconds of the window.
	FromSeconds int `json:"fromSeconds"`
	// Problem says why the availability is unknown, and is empty if it is known. The following fields are otherwise absent.
	Problem string `json:"problem,omitempty"`
	// Due is the number of operations that were due from then to the end of the window, Succeeded that of those that completed without an
	// error before the end of the drain, and Share the quotient.
	Due       int64    `json:"due,omitempty"`
	Succeeded int64    `json:"succeeded,omitempty"`
	Share     *float64 `json:"share,omitempty"`
	// Intervals is the number of the intervals of IntervalSeconds in which operations were due, and AvailableIntervals that of those in
	// which at least 99 % of them succeeded. TimeShare is the quotient.
	IntervalSeconds    int      `json:"intervalSeconds,omitempty"`
	Intervals          int64    `json:"intervals,omitempty"`
	AvailableIntervals int64    `json:"availableIntervals,omitempty"`
	TimeShare          *float64 `json:"timeShare,omitempty"`
}

// MeasureAvailability returns the availability since the interval in which the first fault was due. A closed loop has none: its clients
// send nothing while they wait, so that an outage would hardly count (Hauer et al., NSDI 2020).
func (w Window) MeasureAvailability(firstFaultSeconds int) Availability {
	switch {
	case w.Due == nil:
		return Availability{FromSeconds: firstFaultSeconds, Problem: "only in an open loop are operations due while the network does not answer"}
	case w.LatencySeconds == 0:
		return Availability{FromSeconds: firstFaultSeconds, Problem: noIntervalsProblem}
	}
	first := firstFaultSeconds / w.LatencySeconds
	a := Availability{FromSeconds: first * w.LatencySeconds, IntervalSeconds: w.LatencySeconds}
	for _, i := range w.Latencies[min(first, len(w.Latencies)):] {
		succeeded := i.Latencies.Count()
		due := succeeded + i.Failed
		if due == 0 {
			continue
		}
		a.Due, a.Succeeded, a.Intervals = a.Due+due, a.Succeeded+succeeded, a.Intervals+1
		if 100*succeeded >= availablePercent*due {
			a.AvailableIntervals++
		}
	}
	if a.Due == 0 {
		return Availability{FromSeconds: a.FromSeconds, Problem: "no operation was due"}
	}
	a.Share, a.TimeShare = new(statistics.Ratio(a.Succeeded, a.Due)), new(statistics.Ratio(a.AvailableIntervals, a.Intervals))
	return a
}

// FormatAvailability formats a share in percent with up to six digits, because every nine counts.
func FormatAvailability(share float64) string { return fmt.Sprintf("%.6g %%", 100*share) }

// AvailabilityColumns are the headings of the cells that Describe returns.
var AvailabilityColumns = []string{"From s", "Due", "Succeeded", "Availability", "Available intervals"}

// Describe returns the availability as cells of a table. A cell without a value is empty.
func (a *Availability) Describe() []string {
	cells := append([]string{strconv.Itoa(a.FromSeconds)}, make([]string, len(AvailabilityColumns)-1)...)
	if a.Share != nil {
		copy(cells[1:], []string{strconv.FormatInt(a.Due, 10), strconv.FormatInt(a.Succeeded, 10), FormatAvailability(*a.Share),
			fmt.Sprintf("%d of %d of %d s", a.AvailableIntervals, a.Intervals, a.IntervalSeconds)})
	}
	return cells
}
