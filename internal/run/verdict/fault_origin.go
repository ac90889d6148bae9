package verdict

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
	for _, reason := range v.Reasons {
		if !reason.Code.IsSystemFault() {
			return false
		}
	}
	return true
}
