package verdict

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/measurement/measurementtest"
)

// newQuietRun returns a run of two workers with many samples and no finding.
func newQuietRun(t *testing.T) (*measurement.Measurement, RunObservations) {
	t.Helper()
	m := measurementtest.MergeWorkers(t, measurementtest.NewWorkerResult(t, 0, 10, 20), measurementtest.NewWorkerResult(t, 1, 10, 20))
	for range 10_000 {
		if err := m.Histogram.Record(1000); err != nil {
			t.Fatal(err)
		}
	}
	m.Members = []measurement.MemberUsage{{Member: "member-0", CPUSeconds: measurement.Series{1, 1}, MemoryBytes: measurement.Series{1, 1}, Periods: 1000, ThrottledPeriods: 50}}
	// Half of the CPUs would be busy by the member alone.
	m.Members[0].Host = &measurement.Host{CPUs: 2, BusyShare: 0.5}
	for i := range m.Workers {
		m.Workers[i].Clock = &measurement.WorkerClock{Reference: "member-0", Before: &measurement.ClockOffset{}, After: &measurement.ClockOffset{}}
	}
	m.Workers[0].Load = &measurement.WorkerUsage{Host: &measurement.Host{CPUs: 2}}
	return m, RunObservations{ExpectedWorkers: 2, Containers: []measurement.ContainerInfo{{Subject: "member-0", Node: "node-1"}, {Subject: "worker-0", Node: "node-2"}}}
}

func joinCodes(reasons []Reason) string {
	var all []string
	for _, r := range reasons {
		all = append(all, strings.TrimSuffix(fmt.Sprintf("%s/%s", r.Code, r.Subject), "/"))
	}
	return strings.Join(all, " ")
}

func TestJudge(t *testing.T) {
	for name, c := range map[string]struct {
		change         func(*measurement.Measurement, *RunObservations, *Tolerances)
		reasons, notes string
		message        string
	}{
		"quiet": {change: func(*measurement.Measurement, *RunObservations, *Tolerances) {}},
		"one error": {
			change: func(m *measurement.Measurement, _ *RunObservations, _ *Tolerances) {
				m.Errors = []measurement.ErrorCount{{Kind: "X", Count: 1, Example: "boom"}}
			},
			reasons: "Errors", message: "1 of 10005 requests failed (<0.01 %), at most 0 % are tolerated; most often X: boom",
		},
		"tolerated error": {
			change: func(m *measurement.Measurement, _ *RunObservations, tol *Tolerances) {
				m.Errors, tol.ErrorShare = []measurement.ErrorCount{{Kind: "X", Count: 1, Example: ""}}, 0.01
			},
			notes: "Errors",
		},
		"no operation completed": {
			change:  func(m *measurement.Measurement, _ *RunObservations, _ *Tolerances) { m.Completed = []int64{0, 0} },
			reasons: "NoCompletions",
		},
		"worker failed": {
			change: func(_ *measurement.Measurement, c *RunObservations, _ *Tolerances) {
				c.ExpectedWorkers, c.WorkerFailures = 4, map[int]string{3: "no route"}
			},
			reasons: "WorkerMissing/worker-2 WorkerMissing/worker-3", message: "worker 3 wrote no result: no route",
		},
		"disturbed": {
			change: func(m *measurement.Measurement, c *RunObservations, _ *Tolerances) {
				c.Disturbances = []Disturbance{{ReasonMemberEvicted, "member-0", "pod member-0 was evicted: disk pressure"}}
				m.Members[0].Resets = 1
			},
			reasons: "MemberEvicted/member-0", message: "disk pressure",
		},
		"restart seen by its counter alone": {
			change:  func(m *measurement.Measurement, _ *RunObservations, _ *Tolerances) { m.Members[0].Resets = 2 },
			reasons: "MemberRestarted/member-0", message: "went back 2 times",
		},
		"member at its limit": {
			change: func(m *measurement.Measurement, _ *RunObservations, _ *Tolerances) {
				m.Members[0].ThrottledPeriods = 51
			},
			notes: "MemberThrottled/member-0",
		},
		"member at its limit, where that invalidates": {
			change: func(m *measurement.Measurement, _ *RunObservations, tol *Tolerances) {
				m.Members[0].ThrottledPeriods, tol.MemberThrottling = 510, ThrottlingInvalidates
			},
			reasons: "MemberThrottled/member-0", message: "throttled in 51 % of its CPU periods (5 % is the bound)",
		},
		"worker at its limit": {
			change: func(m *measurement.Measurement, _ *RunObservations, _ *Tolerances) {
				m.Workers[1].Load = &measurement.WorkerUsage{Periods: 100, ThrottledPeriods: 6}
			},
			reasons: "WorkerThrottled/worker-1", message: "load worker 1 was throttled in 6 %",
		},
		"on schedule": {
			change: func(m *measurement.Measurement, _ *RunObservations, _ *Tolerances) {
				m.Completed, m.Schedule = []int64{5002, 5002}, measurement.Schedule{Planned: 10_004, Late: 100, MaxLagMicros: 150_000}
			},
		},
		"behind schedule": {
			change: func(m *measurement.Measurement, _ *RunObservations, _ *Tolerances) {
				m.Completed, m.Schedule = []int64{5002, 5002}, measurement.Schedule{Planned: 10_004, Late: 200, MaxLagMicros: 150_000}
			},
			reasons: "WorkerBehindSchedule",
			message: "started 200 of 10004 requests (2 %) more than 100 ms late, at most 1 % are tolerated; the largest lag was 150 ms",
		},
		"stalled system with all clients busy": {
			change: func(m *measurement.Measurement, _ *RunObservations, _ *Tolerances) {
				m.Completed, m.Schedule = []int64{5002, 5002}, measurement.Schedule{Planned: 10_004, ClientsBusy: 4000, MaxWaitMicros: 1_000_000}
			},
			notes: "ClientsExhausted",
		},
		"ledger has more": {
			change:  func(m *measurement.Measurement, _ *RunObservations, _ *Tolerances) { m.Ledger.Recorded = 6 },
			reasons: "LedgerDiffers", message: "recorded 6 transactions, the clients completed 4: a difference of +2",
		},
		"ledger contradicts": {
			change: func(m *measurement.Measurement, _ *RunObservations, _ *Tolerances) {
				m.Ledger.Violation = "account 3 lost 5 wei"
			},
			reasons: "LedgerDiffers", message: "the ledger contradicts the clients: account 3 lost 5 wei",
		},
		"ledger unchecked": {
			change: func(m *measurement.Measurement, _ *RunObservations, _ *Tolerances) {
				m.Ledger = &measurement.Ledger{Reason: "own flow"}
			},
			notes: "LedgerUnchecked",
		},
		"trial": {
			change: func(_ *measurement.Measurement, c *RunObservations, _ *Tolerances) { c.Trial = true },
			notes:  "Trial",
		},
		"scrape missed": {
			change: func(m *measurement.Measurement, _ *RunObservations, _ *Tolerances) { m.Members[0].MissedScrapes = 1 },
			notes:  "ScrapesMissed/member-0",
		},
		"database at its limit": {
			change: func(m *measurement.Measurement, _ *RunObservations, _ *Tolerances) {
				m.Members[0].Kind, m.Members[0].ThrottledPeriods = measurement.KindDatabase, 51
			},
			notes: "DatabaseThrottled/member-0",
		},
		"killed for memory": {
			change:  func(m *measurement.Measurement, _ *RunObservations, _ *Tolerances) { m.Members[0].OOMKills = 1 },
			reasons: "OutOfMemory/member-0", message: "the kernel killed 1 processes of member-0",
		},
		"collecting": {
			change: func(m *measurement.Measurement, _ *RunObservations, _ *Tolerances) {
				m.Members[0].GarbageCollection = &measurement.GarbageCollection{Share: 0.11, Collections: 7}
			},
			notes: "GarbageCollection/member-0",
		},
		"volume nearly full": {
			change: func(m *measurement.Measurement, _ *RunObservations, _ *Tolerances) {
				m.Members[0].Volume = &measurement.VolumeUsage{SizeBytes: 1000, LeastAvailableBytes: 99}
			},
			notes: "VolumeFull/member-0",
		},
		"volume full": {
			change: func(m *measurement.Measurement, _ *RunObservations, _ *Tolerances) {
				m.Members[0].Volume = &measurement.VolumeUsage{SizeBytes: 10 << 30, LeastAvailableBytes: 1 << 20}
			},
			reasons: "VolumeFull/member-0", message: "the volume of member-0 had <0.01 % of its 10.0 GiB left",
		},
		"volume filled by a fault": {
			change: func(m *measurement.Measurement, _ *RunObservations, _ *Tolerances) {
				m.Members[0].Volume = &measurement.VolumeUsage{SizeBytes: 10 << 30}
				at := &measurement.Bracket{}
				m.Faults = []measurement.FaultRecord{{Fault: measurement.Fault{Type: measurement.FaultFillDisk, Member: "member-0/execution"},
					FaultEffect: measurement.FaultEffect{Injected: at, Healed: at}}}
			},
			notes: "VolumeFull/member-0",
		},
		"busy worker": {
			change: func(m *measurement.Measurement, _ *RunObservations, _ *Tolerances) {
				m.Workers[1].Load = &measurement.WorkerUsage{CPUSeconds: 3.4, CPULimit: 2, Periods: 10}
			},
			notes: "WorkerBusy/worker-1",
		},
		"a little stolen, of a full host": {
			change: func(m *measurement.Measurement, _ *RunObservations, _ *Tolerances) {
				m.Members[0].Host = &measurement.Host{CPUs: 2, BusyShare: 0.93, StealShare: 0.03}
				m.Members[0].CPUSeconds = measurement.Series{1.8, 1.8}
			},
			notes: "HostSaturated/node-1 CPUStolen/node-1",
		},
		"worker in collection": {
			change: func(m *measurement.Measurement, _ *RunObservations, _ *Tolerances) {
				m.Workers[1].Load = &measurement.WorkerUsage{GarbageCollection: &measurement.GarbageCollection{Share: 0.02, Collections: 9}}
			},
			notes: "GarbageCollection/worker-1",
		},
		"worker beside a member": {
			change: func(_ *measurement.Measurement, c *RunObservations, _ *Tolerances) {
				c.Containers = append(c.Containers, measurement.ContainerInfo{Subject: "worker-1", Role: measurement.RoleWorker, Node: "node-1"})
			},
			notes: "WorkerColocated/node-1",
		},
		"stolen": {
			change: func(m *measurement.Measurement, _ *RunObservations, _ *Tolerances) {
				m.Workers[0].Load = &measurement.WorkerUsage{Host: &measurement.Host{CPUs: 2, StealShare: 0.06}}
			},
			reasons: "CPUStolen/node-2", message: "6 % of the CPU time of node-2 was stolen by other machines",
		},
		"clocks apart": {
			change: func(m *measurement.Measurement, _ *RunObservations, _ *Tolerances) {
				m.Members[0].Clock = &measurement.Clock{OffsetMillis: -12, ErrorMillis: 1.5}
			},
			notes: "ClockSkewed/node-1",
		},
		"clocks within the error": {
			change: func(m *measurement.Measurement, _ *RunObservations, _ *Tolerances) {
				m.Members[0].Clock = &measurement.Clock{OffsetMillis: 12, ErrorMillis: 2.5}
			},
		},
		"node not ready": {
			change: func(_ *measurement.Measurement, c *RunObservations, _ *Tolerances) {
				c.NodeProblems = []Disturbance{{ReasonNodeNotReady, "node-1", "stopped posting"}}
			},
			reasons: "NodeNotReady/node-1", message: "stopped posting",
		},
		"node under pressure": {
			change: func(_ *measurement.Measurement, c *RunObservations, _ *Tolerances) {
				c.NodeProblems = []Disturbance{{ReasonNodeUnderPressure, "node-1", "disk"}}
			},
			notes: "NodeUnderPressure/node-1",
		},
		"database unknown": {
			change: func(_ *measurement.Measurement, c *RunObservations, _ *Tolerances) {
				c.UnobservedDatabases = map[string]string{"db": "its chart is supplied by the user"}
			},
			notes: "DatabaseUnobserved/db",
		},
		"few samples": {
			change: func(m *measurement.Measurement, _ *RunObservations, _ *Tolerances) {
				m.Histogram = measurement.NewHistogram()
				recordLatencies(m, 999)
			},
			notes: "FewSamples/p99",
		},
		"too few samples for any percentile": {
			change: func(m *measurement.Measurement, _ *RunObservations, _ *Tolerances) {
				m.Histogram = measurement.NewHistogram()
				recordLatencies(m, 19)
			},
			notes: "FewSamples/p50",
		},
		"enough samples for p99": {
			change: func(m *measurement.Measurement, _ *RunObservations, _ *Tolerances) {
				m.Histogram = measurement.NewHistogram()
				recordLatencies(m, 1000)
			},
			notes: "FewSamples/p99.9",
		},
	} {
		t.Run(name, func(t *testing.T) {
			m, circumstances := newQuietRun(t)
			tolerances := DefaultTolerances()
			c.change(m, &circumstances, &tolerances)
			got := Judge(m, circumstances, tolerances)
			if joinCodes(got.Reasons) != c.reasons || joinCodes(got.Notes) != c.notes {
				t.Errorf("reasons %q, notes %q; want %q and %q", joinCodes(got.Reasons), joinCodes(got.Notes), c.reasons, c.notes)
			}
			if valid := c.reasons == ""; got.IsValid() != valid {
				t.Errorf("%s with reasons %q", got.Validity(), joinCodes(got.Reasons))
			}
			if !strings.Contains(fmt.Sprint(got.Reasons), c.message) {
				t.Errorf("no message %q in %v", c.message, got.Reasons)
			}
		})
	}
}

func TestJudgeWithoutWorkers(t *testing.T) {
	got := Judge(measurementtest.MergeWorkers(t), RunObservations{ExpectedWorkers: 1, WorkerFailures: map[int]string{0: "no target answers"}}, DefaultTolerances())
	if got.IsValid() || joinCodes(got.Reasons) != "WorkerMissing/worker-0 NoCompletions" || len(got.Notes) != 0 {
		t.Errorf("got %+v", got)
	}
}

// TestVerdictAsJSON checks that the verdict in one word is written and follows from the reasons, whatever a file says.
func TestVerdictAsJSON(t *testing.T) {
	for validity, reasons := range map[string]string{"Valid": "[]", "Invalid": `[{"code":"Errors","message":"3 of 9 failed","value":3,"limit":0}]`} {
		t.Run(validity, func(t *testing.T) {
			var v Verdict
			if err := json.Unmarshal([]byte(`{"validity":"any","reasons":`+reasons+`,"notes":[]}`), &v); err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(v)
			if want := `{"validity":"` + validity + `","reasons":` + reasons + `,"notes":[]}`; err != nil || string(text) != want {
				t.Errorf("got %s (%v), want %s", text, err, want)
			}
		})
	}
}

func recordLatencies(m *measurement.Measurement, n int) {
	for range n {
		_ = m.Histogram.Record(1000)
	}
}
