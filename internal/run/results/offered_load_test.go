package results

import (
	"strings"
	"testing"
	"time"
)

func TestOverloadInvalidatesOpenLoop(t *testing.T) {
	for name, c := range map[string]struct {
		planned, completed, failed int64
		message                    string
	}{
		"a quarter achieved":            {planned: 800, completed: 224, message: "11.2 of 40.0 requests per second that were offered (28 %), at least 95 % are required"},
		"just below":                    {planned: 400, completed: 379, message: "94.75 %"},
		"just achieved":                 {planned: 400, completed: 380},
		"failed in time":                {planned: 400, completed: 200, failed: 200},
		"a slow request of a slow load": {planned: 10, completed: 9},
		"closed loop":                   {completed: 1},
	} {
		t.Run(name, func(t *testing.T) {
			recorder := NewRequestRecorder(20, 0)
			recorder.RecordPlanned(0, c.planned, 0)
			recorder.RecordCompleted(time.Second, c.completed)
			recorder.RecordFailed(time.Second, c.failed)
			recorder.RecordError(0, c.planned, Unfinished, "")
			w := WorkerResult{StartMillis: startMillis}
			if err := recorder.FillResult(&w); err != nil {
				t.Fatal(err)
			}
			tolerances := DefaultTolerances()
			tolerances.ErrorShare = 1
			v := mergeWorkers(t, w).Judge(RunObservations{ExpectedWorkers: 1}, tolerances)
			if overloaded := joinCodes(v.Reasons) == string(OfferedNotAchieved); overloaded != (c.message != "") {
				t.Errorf("reasons %+v", v.Reasons)
			}
			if c.message != "" && !strings.Contains(v.Reasons[0].Message, c.message) {
				t.Errorf("message %q lacks %q", v.Reasons[0].Message, c.message)
			}
		})
	}
}

func TestMissingRequestsInvalidate(t *testing.T) {
	for name, c := range map[string]struct {
		planned, counted, unfinished int64
		offeredPerSecond             float64
		workers                      int
		reasons, notes, message      string
	}{
		"all ended":                 {planned: 20_000, counted: 20_000},
		"the rest is unfinished":    {planned: 20_000, counted: 10_009, unfinished: 9_991},
		"one is missing":            {planned: 20_000, counted: 10_009, unfinished: 9_990, reasons: "RequestsMissing", message: "1 of 20000 requests that were due"},
		"plan at its rate":          {counted: 980, offeredPerSecond: 10},
		"plan short of its rate":    {counted: 9_400, offeredPerSecond: 100, notes: "OfferedNotAchieved"},
		"plan with blocked threads": {counted: 105, offeredPerSecond: 10, reasons: "OfferedNotAchieved", message: "made 105 of the 1000 requests of load.ratePerSecond"},
		"plan at twice its rate":    {counted: 2_010, offeredPerSecond: 10, reasons: "OfferedExceeded", message: "the load was 2010 requests, but load.ratePerSecond demands 1000"},
		"plan beyond its rate":      {counted: 10_600, offeredPerSecond: 100, notes: "OfferedExceeded"},
		"plan at its rate, by luck": {counted: 1_120, offeredPerSecond: 10},
		"closed loop":               {counted: 5},
		"lost worker":               {counted: 500, offeredPerSecond: 10, workers: 2},
		"driver beyond its rate":    {planned: 2_000, counted: 2_000, offeredPerSecond: 10, reasons: "OfferedExceeded", message: "inspect the driver"},
	} {
		t.Run(name, func(t *testing.T) {
			m := &Measurement{WindowSeconds: 100, Histogram: NewHistogram(), Schedule: Schedule{Planned: c.planned}, Workers: make([]WorkerSummary, 1)}
			for range c.counted {
				if err := m.Histogram.Record(1000); err != nil {
					t.Fatal(err)
				}
			}
			if c.unfinished > 0 {
				m.Errors = []ErrorCount{{Kind: Unfinished, Count: c.unfinished}}
			}
			j := verdictBuilder{measurement: m, tolerances: DefaultTolerances()}
			j.judgeMissingRequests()
			observed := RunObservations{ExpectedWorkers: max(1, c.workers), OfferedPerSecond: c.offeredPerSecond}
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
		"overload":               {[]ReasonCode{OfferedNotAchieved}, true},
		"overload with errors":   {[]ReasonCode{Errors, OfferedNotAchieved}, true},
		"overload with a queue":  {[]ReasonCode{OfferedNotAchieved, LatencyUnstable, ThroughputUnstable}, true},
		"errors of another kind": {[]ReasonCode{Errors}, false},
		"restart in an overload": {[]ReasonCode{MemberRestarted, OfferedNotAchieved}, false},
		"none":                   {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := AreAboutLoad(c.codes); got != c.want {
				t.Errorf("%v: %t", c.codes, got)
			}
		})
	}
}
