package verdict

import (
	"testing"
	"time"

	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/measurement/measurementtest"
)

// recordStalls returns the measurement of a system that serves a request in 20 ms and stalls from stall to resume seconds
// of each 10 s. Ten clients of a closed loop wait for it; in an open loop 300 requests per second are due.
func recordStalls(t *testing.T, kind measurement.LatencyKind, stall, resume float64) *measurement.Measurement {
	t.Helper()
	recorder := measurement.NewRequestRecorder(60, 0)
	end := func(start time.Duration) time.Duration {
		cycle := start.Truncate(10 * time.Second)
		from, to := cycle+time.Duration(stall*1e9), cycle+time.Duration(resume*1e9)
		if start+20*time.Millisecond > from && start < to {
			return to + 20*time.Millisecond
		}
		return start + 20*time.Millisecond
	}
	record := func(start time.Duration) time.Duration {
		recorder.RecordCompleted(end(start), 1)
		recorder.RecordLatency(start, end(start)-start)
		recorder.RecordLatencySum(end(start), end(start)-start)
		return end(start)
	}
	if kind == measurement.ServiceTime {
		for range 10 {
			for start := time.Duration(0); start < time.Minute; {
				start = record(start)
			}
		}
	} else {
		for i := range 18_000 {
			due := time.Duration(i) * time.Second / 300
			recorder.RecordPlanned(due, 1, 0)
			record(due)
		}
	}
	w := measurement.WorkerResult{StartMillis: measurementtest.StartMillis}
	if err := recorder.FillResult(&w); err != nil {
		t.Fatal(err)
	}
	m := measurementtest.MergeWorkers(t, w)
	m.LatencyKind, m.Ledger = kind, &measurement.Ledger{Checked: true}
	return m
}

// TestStallsAreNoted checks stalls that neither the percentiles nor a change of level show.
func TestStallsAreNoted(t *testing.T) {
	for name, c := range map[string]struct {
		kind          measurement.LatencyKind
		stall, resume float64
		notes         string
	}{
		"1.9 s in a closed loop":                          {kind: measurement.ServiceTime, stall: 5.5, resume: 7.4, notes: "CompletionGap"},
		"1.9 s between whole seconds":                     {kind: measurement.ServiceTime, stall: 5.05, resume: 6.95, notes: "CompletionGap"},
		"0.4 s in a closed loop":                          {kind: measurement.ServiceTime, stall: 5.3, resume: 5.7},
		"none in a closed loop":                           {kind: measurement.ServiceTime},
		"half of the time in an open loop":                {kind: measurement.ResponseTime, stall: 2, resume: 7, notes: "CompletionGap"},
		"a short pause in an open loop, as of collection": {kind: measurement.ResponseTime, stall: 5.3, resume: 5.7},
	} {
		t.Run(name, func(t *testing.T) {
			v := Judge(recordStalls(t, c.kind, c.stall, c.resume), RunObservations{ExpectedWorkers: 1}, DefaultTolerances())
			if len(v.Reasons) > 0 || joinCodes(v.Notes) != c.notes {
				t.Errorf("reasons %v, notes %v; want %q", v.Reasons, v.Notes, c.notes)
			}
		})
	}
}

// TestSilentWorkers checks ten workers of which one is silent for some seconds.
func TestSilentWorkers(t *testing.T) {
	const steady = 1
	for name, c := range map[string]struct {
		// rate are the operations of each worker per second, every is the distance of its blocks in seconds.
		rate           int64
		every, silent  int
		all            bool
		reasons, notes string
	}{
		"a third of the window":                     {rate: 10, every: steady, silent: 20, notes: "WorkerSilent/worker-3"},
		"most of the window":                        {rate: 10, every: steady, silent: 40, reasons: "WorkerSilent/worker-3"},
		"a twentieth":                               {rate: 10, every: steady, silent: 3},
		"all workers at once are no worker's fault": {rate: 10, every: steady, silent: 10, all: true},
		"blocks every 12 s":                         {rate: 120, every: 12},
		"too slow to tell":                          {rate: 1, every: 2, silent: 12},
	} {
		t.Run(name, func(t *testing.T) {
			var workers []measurement.WorkerResult
			for i := range 10 {
				w := measurementtest.NewWorkerResult(t, i, make([]int64, 60)...)
				clear(w.CompletedPerSecond)
				for second := range 60 {
					silent := second >= 20 && second < 20+c.silent && (i == 3 || c.all)
					if second%c.every == 0 && !silent {
						w.CompletedPerSecond[second] = c.rate
					}
				}
				workers = append(workers, w)
			}
			j := verdictBuilder{measurement: measurementtest.MergeWorkers(t, workers...), tolerances: DefaultTolerances()}
			j.judgeSilence()
			if joinCodes(j.reasons) != c.reasons || joinCodes(j.notes) != c.notes {
				t.Errorf("reasons %v, notes %v; want %q and %q", j.reasons, j.notes, c.reasons, c.notes)
			}
		})
	}
}

// TestDuplicateRequests checks requests that are counted more than once.
func TestDuplicateRequests(t *testing.T) {
	for name, c := range map[string]struct {
		kind                     measurement.LatencyKind
		planned, requests, ended int64
		maxOutstanding           int32
		reasons, notes           string
	}{
		"open, each twice":               {kind: measurement.ResponseTime, planned: 6000, requests: 12_000, ended: 12_000, reasons: "RequestsDuplicated"},
		"open, each once":                {kind: measurement.ResponseTime, planned: 6000, requests: 6000, ended: 6000},
		"open, a backlog of the warm-up": {kind: measurement.ResponseTime, planned: 6000, requests: 6000, ended: 9000},
		"open, one twice":                {kind: measurement.ResponseTime, planned: 6000, requests: 6001, ended: 6001, notes: "RequestsDuplicated"},
		"closed, each twice":             {kind: measurement.ServiceTime, requests: 6000, ended: 12_000, maxOutstanding: 10, reasons: "RequestsDuplicated"},
		"closed, in flight at the start": {kind: measurement.ServiceTime, requests: 6000, ended: 6010, maxOutstanding: 10},
		"closed, by an unknown number":   {kind: measurement.ServiceTime, requests: 6000, ended: 6010},
	} {
		t.Run(name, func(t *testing.T) {
			m := &measurement.Measurement{WindowSeconds: 1, Histogram: measurement.NewHistogram(), LatencyKind: c.kind, Completed: []int64{c.ended}, Schedule: measurement.Schedule{Planned: c.planned}}
			for range c.requests {
				if err := m.Histogram.Record(1000); err != nil {
					t.Fatal(err)
				}
			}
			j := verdictBuilder{measurement: m, tolerances: DefaultTolerances()}
			j.judgeDuplicates(RunObservations{MaxOutstanding: c.maxOutstanding})
			if joinCodes(j.reasons) != c.reasons || joinCodes(j.notes) != c.notes {
				t.Errorf("reasons %v, notes %v; want %q and %q", j.reasons, j.notes, c.reasons, c.notes)
			}
		})
	}
}

// TestMissingEvidenceIsNoted checks that what nothing observed is said.
func TestMissingEvidenceIsNoted(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*measurement.Measurement, *RunObservations)
		notes  string
	}{
		"complete":           {change: func(*measurement.Measurement, *RunObservations) {}},
		"host of one member": {change: func(m *measurement.Measurement, _ *RunObservations) { m.Members[0].Host = nil }, notes: "HostUnobserved/node-1"},
		"both hosts": {
			change: func(m *measurement.Measurement, _ *RunObservations) { m.Members[0].Host, m.Workers[0].Load = nil, nil },
			notes:  "HostUnobserved/node-1 HostUnobserved/node-2",
		},
		"clock of a worker": {change: func(m *measurement.Measurement, _ *RunObservations) { m.Workers[1].Clock = nil }, notes: "ClockUnknown/worker-1"},
		"clock at the end":  {change: func(m *measurement.Measurement, _ *RunObservations) { m.Workers[1].Clock.After = nil }, notes: "ClockUnknown/worker-1"},
		"clock of one worker": {change: func(m *measurement.Measurement, o *RunObservations) {
			m.Workers, o.ExpectedWorkers = m.Workers[:1], 1
			m.Workers[0].Clock = nil
		}},
		"ledger": {change: func(m *measurement.Measurement, _ *RunObservations) {
			m.Ledger, m.LatencyKind = nil, measurement.ResponseTime
		}, notes: "LedgerUnchecked"},
		"ledger of own blocks": {change: func(m *measurement.Measurement, _ *RunObservations) { m.Ledger = nil }},
	} {
		t.Run(name, func(t *testing.T) {
			m, o := newQuietRun(t)
			c.change(m, &o)
			if v := Judge(m, o, DefaultTolerances()); len(v.Reasons) > 0 || joinCodes(v.Notes) != c.notes {
				t.Errorf("reasons %v, notes %v; want %q", v.Reasons, v.Notes, c.notes)
			}
		})
	}
}
