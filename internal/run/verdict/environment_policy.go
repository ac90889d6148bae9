package verdict

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
