package verdict

import (
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// newSteadyMinute returns a run of two workers over 60 s at 2000 requests per second and 1 ms, and what was expected
// of it. There is no finding.
func newSteadyMinute(t *testing.T) (*measurement.Measurement, RunObservations) {
	t.Helper()
	m, c := newQuietRun(t)
	m.WindowSeconds, m.Completed, m.Failed, m.LatencyMicros = 60, make([]int64, 60), make([]int64, 60), make([]int64, 60)
	for i := range m.Completed {
		m.Completed[i], m.LatencyMicros[i] = 2000, 2000*1000
	}
	m.Workers[0].Completed, m.Workers[1].Completed = 60_000, 60_000
	m.Schedule.Planned = 120_000
	c.Clients, c.OfferedPerSecond, c.ObservedMembers = 10, 2000, []string{"member-0"}
	return m, c
}

// TestJudgeWithoutObservation checks that a network without observation is neither invalid for it, even with the strict
// policy, nor blamed for the use of its host.
func TestJudgeWithoutObservation(t *testing.T) {
	for name, policy := range map[string]func(*Tolerances){
		"tolerant": func(*Tolerances) {},
		"strict":   func(t *Tolerances) { t.Stability = StabilityStrict },
	} {
		t.Run(name, func(t *testing.T) {
			m, c := newSteadyMinute(t)
			m.Members, m.Schedule.Planned, c.OfferedPerSecond, c.ObservedMembers, c.WithoutObservation = nil, 0, 0, nil, true
			tolerances := DefaultTolerances()
			policy(&tolerances)
			v := Judge(m, c, tolerances)
			if joinCodes(v.Reasons) != "" || joinCodes(v.Notes) != "MembersUnobserved" {
				t.Errorf("reasons %v, notes %v; want only the note MembersUnobserved", v.Reasons, v.Notes)
			}
			c.Disturbances = []Disturbance{{Kind: ReasonMemberRestarted, Subject: "member-0", Message: "restarted"}}
			if v = Judge(m, c, tolerances); joinCodes(v.Reasons) != "MemberRestarted/member-0" {
				t.Errorf("reasons %v after a restart", v.Reasons)
			}
		})
	}
}

// TestJudgeStability checks which findings are reasons and notes with either policy.
func TestJudgeStability(t *testing.T) {
	for name, c := range map[string]struct {
		change                         func(*measurement.Measurement, *RunObservations)
		tolerantReasons, tolerantNotes string
		// moderateReasons differ from tolerantReasons if they are not empty.
		moderateReasons        string
		strictReasons, message string
	}{
		"steady": {change: func(*measurement.Measurement, *RunObservations) {}},
		"dead after 5 s": {
			change: func(m *measurement.Measurement, _ *RunObservations) {
				clear(m.Completed[5:])
				clear(m.LatencyMicros[5:])
			},
			tolerantReasons: "ThroughputUnstable", tolerantNotes: "StabilityUnknown/latency", strictReasons: "ThroughputUnstable StabilityUnknown/latency",
		},
		"throughput falls by 80 %": {
			change: func(m *measurement.Measurement, _ *RunObservations) {
				for i := range m.Completed {
					m.Completed[i] -= int64(1600 * i / 59)
					m.LatencyMicros[i] = m.Completed[i] * 1000
				}
			},
			tolerantReasons: "ThroughputUnstable", strictReasons: "ThroughputUnstable", message: "the throughput drifted from 2014/s to 387.0/s",
		},
		"latency grows from 1 ms to 6 s": {
			change: func(m *measurement.Measurement, _ *RunObservations) {
				for i := range m.Completed {
					m.LatencyMicros[i] = m.Completed[i] * int64(1000+100_000*i)
				}
			},
			tolerantReasons: "LatencyUnstable", strictReasons: "LatencyUnstable",
		},
		"throughput rises by a quarter": {
			change: func(m *measurement.Measurement, _ *RunObservations) {
				for i := range 30 {
					m.Completed[i], m.LatencyMicros[i] = 1600, 1600*1000
				}
			},
			tolerantNotes: "ThroughputUnstable", strictReasons: "ThroughputUnstable",
		},
		"throughput falls by a third": {
			change: func(m *measurement.Measurement, _ *RunObservations) {
				for i := range 30 {
					m.Completed[i], m.LatencyMicros[i] = 3000, 3000*1000
				}
			},
			tolerantNotes: "ThroughputUnstable", moderateReasons: "ThroughputUnstable", strictReasons: "ThroughputUnstable",
		},
		"throughput falls by a seventh": {
			change: func(m *measurement.Measurement, _ *RunObservations) {
				for i := range 30 {
					m.Completed[i], m.LatencyMicros[i] = 2300, 2300*1000
				}
			},
			tolerantNotes: "ThroughputUnstable", strictReasons: "ThroughputUnstable",
		},
		"latency triples": {
			change: func(m *measurement.Measurement, _ *RunObservations) {
				for i := range 30 {
					m.LatencyMicros[i] *= 3
				}
			},
			tolerantNotes: "LatencyUnstable", moderateReasons: "LatencyUnstable", strictReasons: "LatencyUnstable",
		},
		"latency rises by half": {
			change: func(m *measurement.Measurement, _ *RunObservations) {
				for i := range 30 {
					m.LatencyMicros[i] += m.LatencyMicros[i] / 2
				}
			},
			tolerantNotes: "LatencyUnstable", strictReasons: "LatencyUnstable",
		},
		"idle second worker": {
			change: func(m *measurement.Measurement, _ *RunObservations) {
				m.Workers[0].Completed, m.Workers[1].Completed = 120_000, 0
			},
			tolerantReasons: "WorkersUnbalanced/worker-1", strictReasons: "WorkersUnbalanced/worker-1",
			message: "load worker 1 completed 0 operations, the best worker 120000",
		},
		"slow second worker": {
			change: func(m *measurement.Measurement, _ *RunObservations) {
				m.Workers[0].Completed, m.Workers[1].Completed = 90_000, 30_000
			},
			tolerantNotes: "WorkersUnbalanced/worker-1", strictReasons: "WorkersUnbalanced/worker-1",
		},
		"a quarter is planned": {
			change:          func(m *measurement.Measurement, _ *RunObservations) { m.Schedule.Planned = 30_000 },
			tolerantReasons: "ScheduleIncomplete", strictReasons: "ScheduleIncomplete", message: "the workers planned 30000 of 120000 requests (25 %)",
		},
		"nothing is observed": {
			change:          func(m *measurement.Measurement, _ *RunObservations) { m.Members = nil },
			tolerantReasons: "MembersUnobserved/member-0", strictReasons: "MembersUnobserved/member-0",
		},
		"one of two is not observed": {
			change: func(_ *measurement.Measurement, c *RunObservations) {
				c.ObservedMembers = []string{"member-0", "member-1"}
			},
			tolerantNotes: "MembersUnobserved/member-1", strictReasons: "MembersUnobserved/member-1",
		},
		"one of two has metrics of its own": {
			change: func(m *measurement.Measurement, c *RunObservations) {
				c.ObservedMembers = []string{"member-0", "member-0/consensus"}
				m.Series = append(m.Series, measurement.NamedSeries{Subject: "member-0/consensus", Name: "heights", Values: measurement.Series{measurement.Missing, 1}})
			},
		},
		"no latency over time": {
			change:        func(m *measurement.Measurement, _ *RunObservations) { m.LatencyMicros = nil },
			tolerantNotes: "StabilityUnknown/latency", strictReasons: "StabilityUnknown/latency",
		},
		"short window": {
			change: func(m *measurement.Measurement, _ *RunObservations) {
				m.WindowSeconds, m.Completed, m.LatencyMicros, m.Schedule.Planned = 20, m.Completed[:20], m.LatencyMicros[:20], 40_000
			},
			strictReasons: "StabilityUnknown/throughput StabilityUnknown/latency",
		},
		"selected window": {
			change: func(m *measurement.Measurement, _ *RunObservations) {
				clear(m.Completed[5:])
				m.WindowSelection = &measurement.WindowSelection{State: measurement.SelectionSettled}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, policy := range []StabilityPolicy{StabilityTolerant, StabilityModerate, StabilityStrict} {
				m, observations := newSteadyMinute(t)
				c.change(m, &observations)
				j := verdictBuilder{measurement: m, tolerances: DefaultTolerances()}
				j.tolerances.Stability = policy
				j.judgeStability(observations)
				reasons, notes := c.tolerantReasons, c.tolerantNotes
				switch {
				case policy == StabilityStrict:
					reasons, notes = c.strictReasons, ""
				case policy == StabilityModerate && c.moderateReasons != "":
					reasons, notes = c.moderateReasons, ""
				}
				if joinCodes(j.reasons) != reasons || joinCodes(j.notes) != notes {
					t.Errorf("%s: reasons %v, notes %v; want %q and %q", policy, j.reasons, j.notes, reasons, notes)
				}
				if c.message != "" && !strings.Contains(j.reasons[0].Message, c.message) {
					t.Errorf("no message %q in %v", c.message, j.reasons)
				}
			}
		})
	}
}
