package verdict

import "slices"

// environmentalCodes lists the findings with a cause outside of the network, its load and its settings:
// neighbours on a host, the hypervisor, and the nodes themselves. measure.environmentPolicy decides whether
// those of them that are reasons make a run invalid. The list omits the consequences of such causes, such as errors, late requests or
// restarts: with these the run did not measure what its specification requests, whatever the cause.
// docs/statistics.md has the same table.
var environmentalCodes = map[ReasonCode]bool{
	ReasonCPUStolen:              true,
	ReasonHostSaturated:          true,
	ReasonHostShared:             true,
	ReasonNodeNotReady:           true,
	ReasonNodeUnderPressure:      true,
	ReasonClockSkewed:            true,
	ReasonCalibrationOutOfBounds: true,
	ReasonCalibrationMissing:     true,
}

// IsEnvironmental reports whether the cause of a finding lies in the environment of the run.
func (c ReasonCode) IsEnvironmental() bool { return environmentalCodes[c] }

// IsMissingEvidence reports whether a finding says that something was not observed.
func (c ReasonCode) IsMissingEvidence() bool { return missingEvidence[c] }

// missingEvidence lists the notes about what was not observed.
var missingEvidence = map[ReasonCode]bool{
	ReasonHostUnobserved: true, ReasonClockUnknown: true, ReasonLedgerUnchecked: true, ReasonMembersUnobserved: true,
	ReasonDatabaseUnobserved: true, ReasonNodesUnknown: true,
}

// RecordedOnlyNotes returns the notes that would make the run invalid if environmentPolicy were Enforce.
func (v Verdict) RecordedOnlyNotes() []Reason {
	var found []Reason
	for _, note := range v.Notes {
		if note.RecordedOnly {
			found = append(found, note)
		}
	}
	return found
}

// workerFaults lists the findings about the load workers themselves, which measure and are not measured.
var workerFaults = map[ReasonCode]bool{
	ReasonWorkerMissing:        true,
	ReasonWorkerThrottled:      true,
	ReasonWorkerBehindSchedule: true,
}

// IsExogenous reports whether the cause of a finding lies outside of the system under test: in the environment
// or in a load worker. A finding that is neither exogenous nor a system fault (IsSystemFault), such as an evicted
// member, may have either cause. docs/statistics.md has the same table.
func (c ReasonCode) IsExogenous() bool { return c.IsEnvironmental() || workerFaults[c] }

// HasOnlyExogenousReasons reports whether the run is invalid for causes outside of the system under test only.
// Comparisons leave out such a run. With any other reason the run counts as a failure of the system, because a
// system that fails must not look better for it.
func (v Verdict) HasOnlyExogenousReasons() bool {
	return len(v.Reasons) > 0 && !slices.ContainsFunc(v.Reasons, func(r Reason) bool { return !r.Code.IsExogenous() })
}

// systemFaults lists the findings whose cause is the measured system under its load: it failed operations, broke,
// did not keep up or did not settle. They are evidence about the system, so an experiment counts such a run
// against it. All other reasons (workers, nodes, hosts, disturbances from outside) say nothing about the system,
// and such a run is no evidence.
var systemFaults = map[ReasonCode]bool{
	ReasonNoCompletions:      true,
	ReasonErrors:             true,
	ReasonOfferedNotAchieved: true,
	ReasonNotSteady:          true,
	ReasonThroughputUnstable: true,
	ReasonLatencyUnstable:    true,
	ReasonLedgerDiffers:      true,
	ReasonMemberRestarted:    true,
	ReasonDatabaseRestarted:  true,
	ReasonOutOfMemory:        true,
	ReasonVolumeFull:         true,
	ReasonMemberThrottled:    true,
	ReasonDatabaseThrottled:  true,
}

// IsSystemFault reports whether the cause of a finding is the measured system under its load.
func (c ReasonCode) IsSystemFault() bool { return systemFaults[c] }

// IsEvidence reports whether the run is evidence about the system: it is valid, or invalid by faults of the
// system only.
func (v Verdict) IsEvidence() bool {
	return !slices.ContainsFunc(v.Reasons, func(r Reason) bool { return !r.Code.IsSystemFault() })
}
