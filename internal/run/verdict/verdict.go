package verdict

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/benchnet/benchnet/internal/format"
	"github.com/benchnet/benchnet/internal/run/statistics"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// Verdict is the judgement of a run. The run is valid if and only if it has no Reasons.
type Verdict struct {
	// Reasons make the run invalid.
	Reasons []Reason `json:"reasons"`
	// Notes are findings for the reader that do not make the run invalid.
	Notes []Reason `json:"notes"`
}

// ReasonCode is a reason in one word, for programs.
type ReasonCode string

const (
	// ReasonErrors means that more requests failed than are tolerated. As a note: some failed, within the tolerance.
	ReasonErrors ReasonCode = "Errors"
	// ReasonNoCompletions means that nothing completed in the window.
	ReasonNoCompletions ReasonCode = "NoCompletions"
	// ReasonWorkerMissing means that a worker reported no result.
	ReasonWorkerMissing ReasonCode = "WorkerMissing"
	// ReasonWorkerThrottled means that a load worker had too little CPU. Its measurements partly describe the worker
	// itself.
	ReasonWorkerThrottled ReasonCode = "WorkerThrottled"
	// ReasonWorkerBehindSchedule means that the load generator did not offer the requested load of an open loop.
	ReasonWorkerBehindSchedule ReasonCode = "WorkerBehindSchedule"
	// ReasonOfferedNotAchieved means that the backlog of an open loop grew, or that a user's JMeter plan made fewer requests than
	// its rate. A closed loop offers only what the network processes.
	ReasonOfferedNotAchieved ReasonCode = "OfferedNotAchieved"
	// ReasonOfferedExceeded means that the load was higher than the rate of the open loop.
	ReasonOfferedExceeded ReasonCode = "OfferedExceeded"
	// ReasonClientsExhausted (note) means that requests of an open loop waited because all clients were busy.
	ReasonClientsExhausted ReasonCode = "ClientsExhausted"
	// ReasonNotSteady means that the throughput had not settled at the end of the longest window.
	ReasonNotSteady ReasonCode = "NotSteady"
	// ReasonThroughputUnstable means that the completions per second changed within the window of fixed times.
	ReasonThroughputUnstable ReasonCode = "ThroughputUnstable"
	// ReasonLatencyUnstable means that the latency changed within the window of fixed times.
	ReasonLatencyUnstable ReasonCode = "LatencyUnstable"
	// ReasonStabilityUnknown (note) means that a window was too short or too sparse to find changes, or that a driver does
	// not record latency over time.
	ReasonStabilityUnknown ReasonCode = "StabilityUnknown"
	// ReasonWorkersUnbalanced means that a worker completed much less than another.
	ReasonWorkersUnbalanced ReasonCode = "WorkersUnbalanced"
	// ReasonScheduleIncomplete means that the workers planned fewer requests than the rate demands.
	ReasonScheduleIncomplete ReasonCode = "ScheduleIncomplete"
	// ReasonRequestsMissing means that requests of an open loop were due, but are neither completed nor errors.
	ReasonRequestsMissing ReasonCode = "RequestsMissing"
	// ReasonMembersUnobserved means that the CPU and memory of members were not observed. It is a note if the network asked
	// for no observation.
	ReasonMembersUnobserved ReasonCode = "MembersUnobserved"
	// ReasonIntervalWide (note) means that the throughput had settled, but its mean is less precise than requested.
	ReasonIntervalWide ReasonCode = "IntervalWide"
	// ReasonLedgerDiffers means that the nodes recorded more or fewer transactions than the clients saw complete.
	ReasonLedgerDiffers ReasonCode = "LedgerDiffers"
	// ReasonLedgerUnchecked (note) means that the ledger was not compared with the clients.
	ReasonLedgerUnchecked ReasonCode = "LedgerUnchecked"
	// ReasonMemberRestarted and those up to ReasonDatabaseRestarted mean that the network was disturbed. The subject says whether a
	// member or a database was unreachable, evicted, replaced or changed.
	ReasonMemberRestarted   ReasonCode = "MemberRestarted"
	ReasonMemberUnreachable ReasonCode = "MemberUnreachable"
	ReasonMemberEvicted     ReasonCode = "MemberEvicted"
	ReasonMemberReplaced    ReasonCode = "MemberReplaced"
	ReasonMemberChanged     ReasonCode = "MemberChanged"
	// ReasonBarrierLost means that the ConfigMap which released the workers was deleted or changed, so that disturbances
	// are unknown.
	ReasonBarrierLost ReasonCode = "BarrierLost"
	// ReasonSecretLost means that a generated Secret of the network was deleted or changed.
	ReasonSecretLost ReasonCode = "SecretLost"
	// ReasonNetworkReplaced means that another network has the name of the one on which the run began.
	ReasonNetworkReplaced ReasonCode = "NetworkReplaced"
	// ReasonWorkersChanged means that the Job of the workers was changed after the release.
	ReasonWorkersChanged    ReasonCode = "WorkersChanged"
	ReasonDatabaseRestarted ReasonCode = "DatabaseRestarted"
	// ReasonMemberThrottled (a note by default) means that a member was at its CPU limit.
	ReasonMemberThrottled ReasonCode = "MemberThrottled"
	// ReasonScrapesMissed (note) means that a member's CPU and memory series have gaps.
	ReasonScrapesMissed ReasonCode = "ScrapesMissed"
	// ReasonWorkerBusy (note) means that a load worker used most of its CPU limit.
	ReasonWorkerBusy ReasonCode = "WorkerBusy"
	// ReasonDatabaseThrottled (a note by default) means that a database was at its CPU limit.
	ReasonDatabaseThrottled ReasonCode = "DatabaseThrottled"
	// ReasonDatabaseUnobserved (note) means that a database's resource usage is unknown.
	ReasonDatabaseUnobserved ReasonCode = "DatabaseUnobserved"
	// ReasonOutOfMemory means that the kernel killed a process of a member or database.
	ReasonOutOfMemory ReasonCode = "OutOfMemory"
	// ReasonVolumeFull means that a volume had no free space left. As a note: little.
	ReasonVolumeFull ReasonCode = "VolumeFull"
	// ReasonCPUStolen means that the hypervisor gave a host's CPU time to other machines. As a note: a little of it.
	ReasonCPUStolen ReasonCode = "CPUStolen"
	// ReasonHostSaturated means that all CPUs of a host were busy, so that containers waited for them below their
	// limits. It is a reason if others caused it, and a note about sizing if the run's own containers did.
	ReasonHostSaturated ReasonCode = "HostSaturated"
	// ReasonHostShared means that anything but the run's own containers used more of a host's CPUs than its daemons
	// need. As a note: half as much, or the run has containers on the host that were not observed.
	ReasonHostShared ReasonCode = "HostShared"
	// ReasonWorkerColocated (note) means that a load worker ran on a node with a member or database.
	ReasonWorkerColocated ReasonCode = "WorkerColocated"
	// ReasonGarbageCollection (note) means that a JVM spent much of the window in garbage collection.
	ReasonGarbageCollection ReasonCode = "GarbageCollection"
	// ReasonClockSkewed means that the clocks of two load workers differ too much for a common window. As a note: less,
	// or the clocks of two hosts do.
	ReasonClockSkewed ReasonCode = "ClockSkewed"
	// ReasonNodeNotReady means that a node of the run was not ready. ReasonNodeUnderPressure (note) means that a node runs
	// out of a resource.
	ReasonNodeNotReady      ReasonCode = "NodeNotReady"
	ReasonNodeUnderPressure ReasonCode = "NodeUnderPressure"
	// ReasonTrial (note) means that the network was only for trying (spec.purpose), so that the result is not to be quoted.
	ReasonTrial ReasonCode = "Trial"
	// ReasonNodesUnknown (note) means that the operator lacks the permission to read nodes.
	ReasonNodesUnknown ReasonCode = "NodesUnknown"
	// ReasonZoneUnknown (note) means that regions are taken from zones and a node of the run has none.
	ReasonZoneUnknown ReasonCode = "ZoneUnknown"
	// ReasonLatencyOutOfRange means that a latency was below 0 or above the histogram's range.
	ReasonLatencyOutOfRange ReasonCode = "LatencyOutOfRange"
	// ReasonCompletionGap (note) means that nothing completed in a closed loop for longer than its latencies show, or that
	// completions stalled in much of the window.
	ReasonCompletionGap ReasonCode = "CompletionGap"
	// ReasonWorkerSilent means that a load worker ended nothing for half of the window. As a note: a tenth.
	ReasonWorkerSilent ReasonCode = "WorkerSilent"
	// ReasonRequestsDuplicated means that more requests ended than were due or started. As a note: a few.
	ReasonRequestsDuplicated ReasonCode = "RequestsDuplicated"
	// ReasonClockUnknown (note) means that the clocks of load workers were not compared.
	ReasonClockUnknown ReasonCode = "ClockUnknown"
	// ReasonHostUnobserved (note) means that the CPU of a host of the run is unknown, and so is whether any was stolen.
	ReasonHostUnobserved ReasonCode = "HostUnobserved"
	// ReasonCalibrationOutOfBounds means that a pod did not reach a bound of measure.calibrate before the run.
	ReasonCalibrationOutOfBounds ReasonCode = "CalibrationOutOfBounds"
	// ReasonCalibrationMissing means that a figure is missing to which measure.calibrate sets a bound. As a note: a pod was not
	// calibrated completely.
	ReasonCalibrationMissing ReasonCode = "CalibrationMissing"
	// ReasonFaultNotApplied means that a declared fault was not injected, or that it is not proved what it did. ReasonFaultLate means that it
	// was injected more than a second after its time.
	ReasonFaultNotApplied ReasonCode = "FaultNotApplied"
	ReasonFaultLate       ReasonCode = "FaultLate"
	// ReasonFewSamples (note) means that fewer than ten latencies lie above the percentile, which is left out.
	ReasonFewSamples ReasonCode = "FewSamples"
)

// Reason is one finding. Value and Limit are the numbers that were compared, in the unit that Message states.
type Reason struct {
	Code ReasonCode `json:"code"`
	// Subject is the member, worker or percentile that the finding concerns; empty for the whole run.
	Subject string  `json:"subject,omitempty"`
	Message string  `json:"message"`
	Value   float64 `json:"value"`
	Limit   float64 `json:"limit"`
	// RecordedOnly marks a note that would make the run invalid if measure.environmentPolicy were Enforce.
	RecordedOnly bool `json:"recordedOnly,omitempty"`
}

// RunObservations holds facts about a run that the workers cannot observe.
type RunObservations struct {
	// ExpectedWorkers is the number of workers that should have reported.
	ExpectedWorkers int
	// WorkerFailures says in one line why a worker reported no result, by the index of the worker.
	WorkerFailures map[int]string
	// Disturbances are the disturbances seen during the run.
	Disturbances []Disturbance
	// Containers are the containers of the run. They map members to hosts.
	Containers []measurement.ContainerInfo
	// NodeProblems are the problems of the nodes at the end of the run: NodeNotReady, NodeUnderPressure, ZoneUnknown or
	// NodesUnknown.
	NodeProblems []Disturbance
	// EmulatesLatency reports that each member's pod has a latency sidecar, whose CPU usage is not observed.
	EmulatesLatency bool
	// UnobservedDatabases says why a database was not observed, by the name of the database.
	UnobservedDatabases map[string]string
	// ObservedMembers are the members whose CPU and memory the workers had to observe.
	ObservedMembers []string
	// WithoutObservation reports that the network asked for no observation of its members and databases.
	WithoutObservation bool
	// Trial reports that the network was only for trying.
	Trial bool
	// Clients is the number of clients of all workers; 0 if the workers need not have equal shares of the load.
	Clients int32
	// OfferedPerSecond is the rate of an open loop; else 0.
	OfferedPerSecond float64
	// PoissonArrivals reports that the arrivals of an open loop are random.
	PoissonArrivals bool
	// MaxOutstanding is the number of operations that all clients may have in flight; 0 if it is unknown.
	MaxOutstanding int32
}

// Disturbance is something that happened to the network while it was measured.
type Disturbance struct {
	// Kind is MemberRestarted, MemberUnreachable, MemberEvicted, MemberReplaced, MemberChanged, DatabaseRestarted,
	// OutOfMemory, BarrierLost, SecretLost, NetworkReplaced or WorkersChanged. For a node it is NodeNotReady, NodeUnderPressure or
	// ZoneUnknown, for all nodes NodesUnknown.
	Kind ReasonCode
	// Subject is the name of the member or node, or the DatabaseSubject.
	Subject string
	// Message describes the disturbance in one line.
	Message string
}

// Judge returns the verdict on a run: the reasons that make it invalid, and the notes.
func Judge(m *measurement.Measurement, c RunObservations, t Tolerances) Verdict {
	j := verdictBuilder{measurement: m, tolerances: t, reasons: []Reason{}, notes: []Reason{}}
	if c.Trial {
		j.addNote(ReasonTrial, "", 1, 0, "spec.purpose of the network is Trial: not to be quoted")
	}
	j.judgeNeighbours(c)
	j.judgeCalibration()
	j.judgeWorkers(c)
	j.judgeDisturbances(c)
	j.judgeFaults()
	j.judgeErrors()
	j.judgeOutOfRange()
	j.judgeSchedule()
	j.judgeOfferedLoad(c)
	j.judgeMissingRequests()
	j.judgeDuplicates(c)
	hasFaults := len(m.Faults) > 0
	if !hasFaults {
		j.judgeUnscheduledLoad(c)
	}
	j.judgeWindowSelection()
	j.judgeStability(c)
	j.judgeLedger()
	j.judgeMembers()
	j.judgeContainers(c)
	j.judgeHosts(c)
	j.judgeColocation(c)
	j.judgeClocks(c)
	if !hasFaults {
		j.judgeGaps()
		j.judgeSilence()
	}
	j.judgeWorkerClocks(c)
	j.judgeSampleCount()
	j.judgeSegments(c)
	return Verdict{Reasons: j.reasons, Notes: j.notes}
}

// IsValid reports whether the run's numbers may be used.
func (v Verdict) IsValid() bool { return len(v.Reasons) == 0 }

// Validity returns the verdict in one word, which is a v1alpha1.Verdict. The agent links this package, but not the API.
func (v Verdict) Validity() string {
	if v.IsValid() {
		return "Valid"
	}
	return "Invalid"
}

// MarshalJSON adds the verdict in one word for readers of the file.
func (v Verdict) MarshalJSON() ([]byte, error) {
	type findings Verdict
	return json.Marshal(struct {
		Validity string `json:"validity"`
		findings `json:",inline"`
	}{v.Validity(), findings(v)})
}

// verdictBuilder collects the findings of a run in the order in which Judge checks.
type verdictBuilder struct {
	measurement    *measurement.Measurement
	tolerances     Tolerances
	reasons, notes []Reason
}

// addReason adds a reason. With RecordEnvironment, a finding about the environment becomes a note.
func (j *verdictBuilder) addReason(code ReasonCode, subject string, value, limit float64, format string, args ...any) {
	reason := Reason{Code: code, Subject: subject, Message: fmt.Sprintf(format, args...), Value: value, Limit: limit}
	if j.tolerances.RecordEnvironment && code.IsEnvironmental() {
		reason.RecordedOnly = true
		j.notes = append(j.notes, reason)
		return
	}
	j.reasons = append(j.reasons, reason)
}

func (j *verdictBuilder) addNote(code ReasonCode, subject string, value, limit float64, format string, args ...any) {
	j.notes = append(j.notes, Reason{Code: code, Subject: subject, Message: fmt.Sprintf(format, args...), Value: value, Limit: limit})
}

func (j *verdictBuilder) judgeWorkers(c RunObservations) {
	reported := map[int]bool{}
	for _, w := range j.measurement.Workers {
		reported[w.Worker] = true
	}
	for i := range c.ExpectedWorkers {
		if reported[i] {
			continue
		}
		why := cmp.Or(c.WorkerFailures[i], "it did not report")
		j.addReason(ReasonWorkerMissing, measurement.WorkerSubject(i), float64(len(reported)), float64(c.ExpectedWorkers), "worker %d wrote no result: %s", i, why)
	}
	for _, w := range j.measurement.Workers {
		if w.Load == nil {
			continue
		}
		if share, over := j.throttledShare(w.Load.ThrottledPeriods, w.Load.Periods); over {
			j.addReason(ReasonWorkerThrottled, measurement.WorkerSubject(w.Worker), share, j.tolerances.ThrottledShare,
				"load worker %d was throttled in %s of its CPU periods, at most %s are tolerated: give it more CPU or use more workers",
				w.Worker, format.Percent(share), format.Percent(j.tolerances.ThrottledShare))
		}
	}
}

// DatabaseSubject returns the subject of findings about a database instance.
func DatabaseSubject(instance string) string { return "database " + instance }

// isKilledForMemory reports whether the workers observed that the kernel killed processes of the subject.
func (j *verdictBuilder) isKilledForMemory(subject string) bool {
	return slices.ContainsFunc(j.measurement.Members, func(m measurement.MemberUsage) bool {
		return m.OOMKills > 0 && (subject == m.Member || subject == DatabaseSubject(m.Member))
	})
}

func (j *verdictBuilder) judgeDisturbances(c RunObservations) {
	known := map[string]bool{}
	for _, d := range c.Disturbances {
		known[d.Subject] = true
		if d.Kind == ReasonOutOfMemory && j.isKilledForMemory(d.Subject) {
			continue // judgeContainers reports it with the number of killed processes.
		}
		j.addReason(d.Kind, d.Subject, 1, 0, "%s", d.Message)
	}
	for _, m := range j.measurement.Members {
		code, subject := ReasonMemberRestarted, m.Member
		if m.Kind == measurement.KindDatabase {
			code, subject = ReasonDatabaseRestarted, DatabaseSubject(m.Member)
		}
		if m.Resets > len(j.findRestarts(&m)) && !known[subject] {
			j.addReason(code, subject, float64(m.Resets), 0, "the CPU counter of %s went back %d times: its container was restarted", m.Member, m.Resets)
		}
	}
}

func (j *verdictBuilder) judgeErrors() {
	s := j.measurement.Summarize()
	if s.Completed == 0 {
		j.addReason(ReasonNoCompletions, "", 0, 1, "no operation completed in the window of %d s", j.measurement.WindowSeconds)
	}
	if s.Errors == 0 {
		return
	}
	text := fmt.Sprintf("%d of %d requests failed (%s), at most %s are tolerated; most often %s",
		s.Errors, s.Requests, format.Percent(s.ErrorShare), format.Percent(j.tolerances.ErrorShare), describeError(j.measurement.Errors[0]))
	if s.ErrorShare > j.tolerances.ErrorShare && len(j.measurement.Faults) == 0 {
		j.addReason(ReasonErrors, "", s.ErrorShare, j.tolerances.ErrorShare, "%s", text)
	} else {
		j.addNote(ReasonErrors, "", s.ErrorShare, j.tolerances.ErrorShare, "%s", text)
	}
}

func describeError(e measurement.ErrorCount) string {
	if e.Example == "" {
		return e.Kind
	}
	return e.Kind + ": " + e.Example
}

// judgeSchedule separates the delays of an open loop. A free client that starts late invalidates the run. Busy
// clients are a finding about the system, or about load.clients: latencies and errors include the wait.
func (j *verdictBuilder) judgeSchedule() {
	s, limit := j.measurement.Schedule, j.tolerances.LateShare
	if share := statistics.Ratio(s.Late, s.Planned); share > limit {
		j.addReason(ReasonWorkerBehindSchedule, "", share, limit,
			"free clients of the workers started %d of %d requests (%s) more than 100 ms late, at most %s are tolerated; the largest lag was %.0f ms: "+
				"lower the rate, or use more CPU or workers",
			s.Late, s.Planned, format.Percent(share), format.Percent(limit), float64(s.MaxLagMicros)/1000)
	}
	if share := statistics.Ratio(s.ClientsBusy, s.Planned); share > limit {
		j.addNote(ReasonClientsExhausted, "", share, limit,
			"all clients were busy when %d of %d requests (%s) were due, which waited more than 100 ms, at most %.0f ms; latencies and errors include "+
				"that: the network did not keep up, or load.clients is too small",
			s.ClientsBusy, s.Planned, format.Percent(share), float64(s.MaxWaitMicros)/1000)
	}
}

func (j *verdictBuilder) judgeLedger() {
	l := j.measurement.Ledger
	switch {
	case l == nil && j.measurement.LatencyKind != "":
		j.addNote(ReasonLedgerUnchecked, "", 0, 0, "the driver does not compare the ledger with the clients")
	case l == nil:
	case l.Violation != "":
		j.addReason(ReasonLedgerDiffers, "", float64(l.Recorded), float64(l.Expected), "the ledger contradicts the clients: %s", l.Violation)
	case isAboveZero(l.Lost) || isAboveZero(l.Doubled):
		j.addReason(ReasonLedgerDiffers, "", float64(l.Recorded), float64(l.Expected), "the nodes lack %s that clients saw complete, and hold %s more than once",
			describeCount(l.Lost), describeCount(l.Doubled))
	case !l.Checked:
		j.addNote(ReasonLedgerUnchecked, "", 0, 0, "the ledger was not compared with the clients: %s", l.Reason)
	case len(j.measurement.Faults) > 0 && l.Recorded > l.Expected && l.Recorded-l.Expected <= j.measurement.Summarize().Errors:
		j.addNote(ReasonLedgerDiffers, "", float64(l.Recorded), float64(l.Expected),
			"the nodes recorded %d transactions more than the clients completed: they were applied, but their clients saw an error or no end",
			l.Recorded-l.Expected)
	case l.Expected != l.Recorded:
		j.addReason(ReasonLedgerDiffers, "", float64(l.Recorded), float64(l.Expected),
			"the nodes recorded %d transactions, the clients completed %d: a difference of %+d", l.Recorded, l.Expected, l.Recorded-l.Expected)
	}
}

func isAboveZero(n *int64) bool { return n != nil && *n > 0 }

// describeCount returns a number of operations for people, or that it is unknown.
func describeCount(n *int64) string {
	if n == nil {
		return "an unknown number of operations"
	}
	return format.Count(int(*n), "operation")
}

// judgeSampleCount notes which percentiles have too few samples. They are not in the summary.
func (j *verdictBuilder) judgeSampleCount() {
	n := j.measurement.Histogram.Count()
	var blank []string
	var required int64
	for _, v := range new(measurement.Latency).Values() {
		if need := measurement.SamplesForPercentile(v.Percent); v.IsPercentile() && n < need {
			blank, required = append(blank, v.Label()), cmp.Or(required, need)
		}
	}
	if n > 0 && len(blank) > 0 {
		j.addNote(ReasonFewSamples, blank[0], float64(n), float64(required), "%d latencies are too few for %s: %s requires %d",
			n, strings.Join(blank, ", "), blank[0], required)
	}
}

func (j *verdictBuilder) throttledShare(throttled, periods int64) (share float64, over bool) {
	share = statistics.Ratio(throttled, periods)
	return share, share > j.tolerances.ThrottledShare
}
