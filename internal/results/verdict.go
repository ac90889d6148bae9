package results

import (
	"fmt"
	"math"
)

// Validity says whether a run may be used.
type Validity string

const (
	Valid   Validity = "Valid"
	Invalid Validity = "Invalid"
)

// Verdict is the judgement of a run: Valid if and only if it has no Reasons.
type Verdict struct {
	Validity Validity `json:"validity"`
	// Reasons that make the run invalid.
	Reasons []Reason `json:"reasons"`
	// Notes are what a reader should know; they do not make the run invalid.
	Notes []Reason `json:"notes"`
}

// ReasonCode is a reason in one word, for programs.
type ReasonCode string

const (
	// Errors: more requests failed than are tolerated. As a note: some failed, and are tolerated.
	Errors ReasonCode = "Errors"
	// NoCompletions: nothing completed in the window.
	NoCompletions ReasonCode = "NoCompletions"
	// WorkerMissing: a worker left no result.
	WorkerMissing ReasonCode = "WorkerMissing"
	// WorkerThrottled: a load generator had too little CPU; what it measured is partly itself.
	WorkerThrottled ReasonCode = "WorkerThrottled"
	// WorkerBehindSchedule: an open loop did not offer the load that was asked for.
	WorkerBehindSchedule ReasonCode = "WorkerBehindSchedule"
	// NotSteady: the throughput had not settled when the longest window was over.
	NotSteady ReasonCode = "NotSteady"
	// IntervalWide (note): it had, but its mean is known less well than was asked for.
	IntervalWide ReasonCode = "IntervalWide"
	// LedgerDiffers: the nodes recorded more or less than the clients saw complete.
	LedgerDiffers ReasonCode = "LedgerDiffers"
	// LedgerUnchecked (note): the comparison was not made.
	LedgerUnchecked ReasonCode = "LedgerUnchecked"
	// MemberRestarted, MemberEvicted, MemberReplaced, DatabaseRestarted: the network was disturbed.
	MemberRestarted   ReasonCode = "MemberRestarted"
	MemberEvicted     ReasonCode = "MemberEvicted"
	MemberReplaced    ReasonCode = "MemberReplaced"
	DatabaseRestarted ReasonCode = "DatabaseRestarted"
	// MemberThrottled (a note unless the policy says otherwise): a member was at its CPU limit.
	MemberThrottled ReasonCode = "MemberThrottled"
	// ScrapesMissed (note): a member's CPU and memory series have gaps.
	ScrapesMissed ReasonCode = "ScrapesMissed"
	// WorkerBusy (note): a load generator used most of the CPU that it may.
	WorkerBusy ReasonCode = "WorkerBusy"
	// DatabaseThrottled (note): a database was at its CPU limit.
	DatabaseThrottled ReasonCode = "DatabaseThrottled"
	// DatabaseUnobserved (note): nothing is known of what a database used.
	DatabaseUnobserved ReasonCode = "DatabaseUnobserved"
	// OutOfMemory: the kernel killed a process of a member or database.
	OutOfMemory ReasonCode = "OutOfMemory"
	// VolumeFull: a volume had no room left; as a note: little.
	VolumeFull ReasonCode = "VolumeFull"
	// CPUStolen: the hypervisor gave a host's CPUs to others; as a note: a little.
	CPUStolen ReasonCode = "CPUStolen"
	// HostSaturated (note): all CPUs of a host were at work, so that containers waited for them below their limits.
	HostSaturated ReasonCode = "HostSaturated"
	// HostShared (note): others than the run's own containers used much of a host.
	HostShared ReasonCode = "HostShared"
	// GarbageCollected (note): a JVM spent much of the window in collection.
	GarbageCollected ReasonCode = "GarbageCollection"
	// ClockSkewed (note): the clocks of two hosts differ.
	ClockSkewed ReasonCode = "ClockSkewed"
	// NodeNotReady: a node of the run no longer told that it was well. NodeUnderPressure (note): it runs out of something.
	NodeNotReady      ReasonCode = "NodeNotReady"
	NodeUnderPressure ReasonCode = "NodeUnderPressure"
	// NodesUnknown (note): the operator may not read nodes.
	NodesUnknown ReasonCode = "NodesUnknown"
	// FewSamples (note): fewer than ten latencies lie above the percentile.
	FewSamples ReasonCode = "FewSamples"
)

// Reason is one finding. Value and Limit are the numbers that were compared, in the unit that Message states.
type Reason struct {
	Code ReasonCode `json:"code"`
	// Subject is the member, worker or percentile that it is about; empty if it is about the whole run.
	Subject string  `json:"subject,omitempty"`
	Message string  `json:"message"`
	Value   float64 `json:"value"`
	Limit   float64 `json:"limit"`
	// RecordedOnly marks a note that would make the run invalid if measure.environmentPolicy were Enforce.
	RecordedOnly bool `json:"recordedOnly,omitempty"`
}

// Circumstances are what the workers cannot know of a run.
type Circumstances struct {
	// Workers that should have reported.
	Workers int
	// Failures by the index of the worker: why it left no result, in one line.
	Failures map[int]string
	// Disturbances that were seen during the run.
	Disturbances []Disturbance
	// Containers of the run; they tell which host a member was on.
	Containers []Container
	// Troubles of the nodes as they were when the run was over: NodeNotReady or NodeUnderPressure; or NodesUnknown.
	Troubles []Disturbance
	// Unobserved databases by name, with why nothing is known of them.
	Unobserved map[string]string
}

// Disturbance is something that happened to the network while it was measured.
type Disturbance struct {
	// Kind is MemberRestarted, MemberEvicted, MemberReplaced or DatabaseRestarted; of a node NodeNotReady or NodeUnderPressure;
	// of all nodes NodesUnknown.
	Kind ReasonCode
	// Subject is the name of the member, database or node.
	Subject string
	// Message says what was seen, in one line.
	Message string
}

// Judge decides whether a run is valid.
func (m *Measurement) Judge(c Circumstances, t Tolerances) Verdict {
	j := judge{m: m, t: t, reasons: []Reason{}, notes: []Reason{}}
	j.workers(c)
	j.disturbances(c)
	j.errors()
	j.schedule()
	j.steady()
	j.ledger()
	j.members()
	j.containers(c)
	j.hosts(c)
	j.clocks(c)
	j.samples()
	v := Verdict{Validity: Valid, Reasons: j.reasons, Notes: j.notes}
	if len(v.Reasons) > 0 {
		v.Validity = Invalid
	}
	return v
}

// judge collects findings, in the order of their weight.
type judge struct {
	m              *Measurement
	t              Tolerances
	reasons, notes []Reason
}

// invalid adds a reason. A finding about the environment becomes a note if it is only recorded.
func (j *judge) invalid(code ReasonCode, subject string, value, limit float64, format string, args ...any) {
	reason := Reason{Code: code, Subject: subject, Message: fmt.Sprintf(format, args...), Value: value, Limit: limit}
	if j.t.RecordEnvironment && code.IsEnvironmental() {
		reason.RecordedOnly = true
		j.notes = append(j.notes, reason)
		return
	}
	j.reasons = append(j.reasons, reason)
}

func (j *judge) note(code ReasonCode, subject string, value, limit float64, format string, args ...any) {
	j.notes = append(j.notes, Reason{Code: code, Subject: subject, Message: fmt.Sprintf(format, args...), Value: value, Limit: limit})
}

func (j *judge) workers(c Circumstances) {
	reported := map[int]bool{}
	for _, w := range j.m.Workers {
		reported[w.Worker] = true
	}
	for i := range c.Workers {
		if reported[i] {
			continue
		}
		why := c.Failures[i]
		if why == "" {
			why = "it reported nothing"
		}
		j.invalid(WorkerMissing, workerName(i), float64(len(reported)), float64(c.Workers), "worker %d left no result: %s", i, why)
	}
	for _, w := range j.m.Workers {
		if w.Load == nil {
			continue
		}
		if share, over := j.throttled(w.Load.ThrottledPeriods, w.Load.Periods); over {
			j.invalid(WorkerThrottled, workerName(w.Worker), share, j.t.ThrottledShare,
				"load worker %d was throttled in %s of its CPU periods, tolerated are %s: give it more CPU or use more workers",
				w.Worker, percent(share), percent(j.t.ThrottledShare))
		}
	}
}

func (j *judge) disturbances(c Circumstances) {
	known := map[string]bool{}
	for _, d := range c.Disturbances {
		known[d.Subject] = true
		j.invalid(d.Kind, d.Subject, 1, 0, "%s", d.Message)
	}
	for _, m := range j.m.Members {
		if m.Resets > 0 && !known[m.Member] {
			j.invalid(MemberRestarted, m.Member, float64(m.Resets), 0, "the CPU counter of %s went back %d times: its container was restarted", m.Member, m.Resets)
		}
	}
}

func (j *judge) errors() {
	s := j.m.Summarize()
	if s.Completed == 0 {
		j.invalid(NoCompletions, "", 0, 1, "nothing completed in the window of %d s", j.m.WindowSeconds)
	}
	if s.Errors == 0 {
		return
	}
	text := fmt.Sprintf("%d of %d requests failed (%s), tolerated are %s; most often %s",
		s.Errors, s.Requests, percent(s.ErrorShare), percent(j.t.ErrorShare), j.m.Errors[0].describe())
	if s.ErrorShare > j.t.ErrorShare {
		j.invalid(Errors, "", s.ErrorShare, j.t.ErrorShare, "%s", text)
	} else {
		j.note(Errors, "", s.ErrorShare, j.t.ErrorShare, "%s", text)
	}
}

func (e ErrorCount) describe() string {
	if e.Example == "" {
		return e.Kind
	}
	return e.Kind + ": " + e.Example
}

func (j *judge) schedule() {
	s := j.m.Schedule
	if share := ratio(s.Late, s.Planned); share > j.t.LateShare {
		j.invalid(WorkerBehindSchedule, "", share, j.t.LateShare,
			"%d of %d requests (%s) started more than 100 ms after their instant, tolerated are %s; the largest lag was %.0f ms: "+
				"offer less, or use more clients or workers",
			s.Late, s.Planned, percent(share), percent(j.t.LateShare), millis(s.MaxLagMicros))
	}
}

func (j *judge) ledger() {
	l := j.m.Ledger
	switch {
	case l == nil:
	case !l.Checked:
		j.note(LedgerUnchecked, "", 0, 0, "the ledger was not compared with the clients: %s", l.Reason)
	case l.Expected != l.Recorded:
		j.invalid(LedgerDiffers, "", float64(l.Recorded), float64(l.Expected),
			"the nodes recorded %d transactions, the clients saw %d complete: a difference of %+d", l.Recorded, l.Expected, l.Recorded-l.Expected)
	}
}

// samples: a percentile q of n samples rests on the n·(1-q) samples above it; ten are asked for.
func (j *judge) samples() {
	n := j.m.Histogram.Count()
	if n == 0 {
		return
	}
	for _, p := range []struct {
		name string
		need int64
	}{{"p99", 1000}, {"p99.9", 10000}} {
		if n < p.need {
			j.note(FewSamples, p.name, float64(n), float64(p.need), "%d latencies are few for %s, which asks for %d", n, p.name, p.need)
		}
	}
}

func (j *judge) throttled(throttled, periods int64) (share float64, over bool) {
	share = ratio(throttled, periods)
	return share, share > j.t.ThrottledShare
}

func ratio(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// percent prints a share with at most two decimals, and never a small share as nothing.
func percent(share float64) string {
	value := share * 100
	if value > 0 && value < 0.01 {
		return "under 0.01 %"
	}
	return fmt.Sprintf("%g %%", math.Round(value*100)/100)
}
