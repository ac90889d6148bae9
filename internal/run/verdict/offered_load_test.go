package verdict

import (
	"cmp"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

func TestOverloadInvalidatesOpenLoop(t *testing.T) {
	even := func(perSecond int64) func(int) int64 { return func(int) int64 { return perSecond } }
	// irregular has a mean of perSecond, and a standard deviation of a third of it.
	irregular := func(perSecond int64) func(int) int64 {
		return func(second int) int64 { return perSecond * []int64{6, 14, 5, 15, 12, 8}[second%6] / 10 }
	}
	// blocks completes operations in blocks, of which the window lacks the last.
	blocks := func(size int64, seconds int) func(int) int64 {
		return func(second int) int64 {
			if second%seconds != seconds-1 || second == 59 {
				return 0
			}
			return size
		}
	}
	// dying is dead for 10 s from second 5, 25 and 45, and ends what was due meanwhile in the 5 s after that.
	dying := func(second int) int64 {
		switch phase := (second + 15) % 20; {
		case phase < 10:
			return 0
		case phase < 15:
			return 300
		}
		return 100
	}
	for name, c := range map[string]struct {
		planned           int64
		completed, failed func(second int) int64
		latencyMicros     func(second int) int64
		seconds           int
		poisson           bool
		message           string
	}{
		"a quarter achieved": {planned: 2400, completed: even(11),
			message: "11.0 of 40.0 requests per second that were offered (27.5 %), and its backlog grew by 1740 requests, at most 11 are chance"},
		"96 of 100 after a long warm-up": {planned: 6000, completed: even(96), latencyMicros: func(s int) int64 { return 14e6 + 40e3*int64(s) },
			message: "96.0 of 100.0 requests per second that were offered (96 %)"},
		"the last block ends after the window":    {planned: 6000, completed: blocks(1200, 12)},
		"irregular, and achieved":                 {planned: 6000, completed: irregular(99)},
		"irregular, and a tenth short":            {planned: 6000, completed: irregular(88), message: "87.7 of 100.0"},
		"achieved":                                {planned: 6000, completed: even(100)},
		"short by one second of Poisson arrivals": {planned: 6060, completed: even(100), poisson: true},
		"240 of 300":                              {planned: 300, completed: even(4), message: "backlog grew by 60 requests"},
		"failed in time":                          {planned: 2400, completed: even(20), failed: even(20)},
		"a slow request of a slow load":           {planned: 10, completed: blocks(1, 6)},
		"dead in half of each 20 s":               {planned: 5500, completed: dying, seconds: 55, message: "grew by 1000 requests, at most 275 are chance"},
		"short window":                            {planned: 400, completed: even(56), seconds: 4, message: "backlog grew by 176"},
		"closed loop":                             {completed: even(1)},
	} {
		t.Run(name, func(t *testing.T) {
			m := &measurement.Measurement{WindowSeconds: cmp.Or(c.seconds, 60), Histogram: measurement.NewHistogram(), Schedule: measurement.Schedule{Planned: c.planned}}
			for second := range m.WindowSeconds {
				m.Completed = append(m.Completed, c.completed(second))
				m.Failed = append(m.Failed, 0)
				if c.failed != nil {
					m.Failed[second] = c.failed(second)
				}
				if c.latencyMicros != nil {
					m.LatencyMicros = append(m.LatencyMicros, m.Completed[second]*c.latencyMicros(second))
				}
			}
			j := verdictBuilder{measurement: m, tolerances: DefaultTolerances()}
			j.judgeOfferedLoad(RunObservations{PoissonArrivals: c.poisson})
			if overloaded := joinCodes(j.reasons) == string(ReasonOfferedNotAchieved); overloaded != (c.message != "") {
				t.Fatalf("reasons %+v, want %q", j.reasons, c.message)
			}
			if c.message != "" && !strings.Contains(j.reasons[0].Message, c.message) {
				t.Errorf("message %q lacks %q", j.reasons[0].Message, c.message)
			}
		})
	}
}

func TestMissingRequestsInvalidate(t *testing.T) {
	for name, c := range map[string]struct {
		planned, counted, unfinished int64
		offeredPerSecond             float64
		workers                      int
		poisson                      bool
		reasons, notes, message      string
	}{
		"all ended":                 {planned: 20_000, counted: 20_000},
		"the rest is unfinished":    {planned: 20_000, counted: 10_009, unfinished: 9_991},
		"one is missing":            {planned: 20_000, counted: 10_009, unfinished: 9_990, reasons: "RequestsMissing", message: "1 of 20000 requests that were due"},
		"plan at its rate":          {counted: 991, offeredPerSecond: 10},
		"plan short of its rate":    {counted: 9_600, offeredPerSecond: 100, notes: "OfferedNotAchieved"},
		"plan with blocked threads": {counted: 105, offeredPerSecond: 10, reasons: "OfferedNotAchieved", message: "made 105 of the 1000 requests of the load"},
		"plan at twice its rate":    {counted: 2_010, offeredPerSecond: 10, reasons: "OfferedExceeded", message: "the load was 2010 requests, but its rate demands 1000"},
		"plan beyond its rate":      {counted: 10_400, offeredPerSecond: 100, notes: "OfferedExceeded"},
		"240 of 300, even":          {counted: 240, offeredPerSecond: 3, reasons: "OfferedNotAchieved"},
		"240 of 300, Poisson":       {counted: 240, offeredPerSecond: 3, poisson: true},
		"Poisson arrivals, by luck": {counted: 1_120, offeredPerSecond: 10, poisson: true},
		"even, one less per worker": {planned: 19, counted: 19, offeredPerSecond: 0.2},
		"even schedule, a tenth":    {planned: 900, counted: 900, offeredPerSecond: 10, reasons: "ScheduleIncomplete"},
		"closed loop":               {counted: 5},
		"lost worker":               {counted: 500, offeredPerSecond: 10, workers: 2},
		"driver beyond its rate":    {planned: 2_000, counted: 2_000, offeredPerSecond: 10, reasons: "OfferedExceeded", message: "inspect the driver"},
	} {
		t.Run(name, func(t *testing.T) {
			m := &measurement.Measurement{WindowSeconds: 100, Histogram: measurement.NewHistogram(), Schedule: measurement.Schedule{Planned: c.planned}, Workers: make([]measurement.WorkerSummary, 1)}
			for range c.counted {
				if err := m.Histogram.Record(1000); err != nil {
					t.Fatal(err)
				}
			}
			if c.unfinished > 0 {
				m.Errors = []measurement.ErrorCount{{Kind: measurement.Unfinished, Count: c.unfinished}}
			}
			j := verdictBuilder{measurement: m, tolerances: DefaultTolerances()}
			j.judgeMissingRequests()
			observed := RunObservations{ExpectedWorkers: max(1, c.workers), OfferedPerSecond: c.offeredPerSecond, PoissonArrivals: c.poisson}
			j.judgeUnscheduledLoad(observed)
			j.judgePlanned(observed)
			if joinCodes(j.reasons) != c.reasons || joinCodes(j.notes) != c.notes {
				t.Errorf("reasons %v, notes %v; want %q and %q", j.reasons, j.notes, c.reasons, c.notes)
			}
			if c.message != "" && !strings.Contains(j.reasons[0].Message, c.message) {
				t.Errorf("message %q lacks %q", j.reasons[0].Message, c.message)
			}
		})
	}
}

func TestAreAboutLoad(t *testing.T) {
	for name, c := range map[string]struct {
		codes []ReasonCode
		want  bool
	}{
		"overload":               {[]ReasonCode{ReasonOfferedNotAchieved}, true},
		"overload with errors":   {[]ReasonCode{ReasonErrors, ReasonOfferedNotAchieved}, true},
		"overload with a queue":  {[]ReasonCode{ReasonOfferedNotAchieved, ReasonLatencyUnstable, ReasonThroughputUnstable}, true},
		"errors of another kind": {[]ReasonCode{ReasonErrors}, false},
		"restart in an overload": {[]ReasonCode{ReasonMemberRestarted, ReasonOfferedNotAchieved}, false},
		"none":                   {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := AreAboutLoad(c.codes); got != c.want {
				t.Errorf("%v: %t", c.codes, got)
			}
		})
	}
}
