package verdict

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
	for _, reason := range v.Reasons {
		if !reason.Code.IsExogenous() {
			return false
		}
	}
	return len(v.Reasons) > 0
}
