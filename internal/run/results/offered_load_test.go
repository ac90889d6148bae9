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
			w := WorkerResult{StartMillis: startMillis}
			if err := recorder.FillResult(&w); err != nil {
				t.Fatal(err)
			}
			v := mergeWorkers(t, w).Judge(RunObservations{ExpectedWorkers: 1}, DefaultTolerances())
			if overloaded := joinCodes(v.Reasons) == string(OfferedNotAchieved); overloaded != (c.message != "") {
				t.Errorf("reasons %+v", v.Reasons)
			}
			if c.message != "" && !strings.Contains(v.Reasons[0].Message, c.message) {
				t.Errorf("message %q lacks %q", v.Reasons[0].Message, c.message)
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
