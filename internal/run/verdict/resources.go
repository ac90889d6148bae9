package verdict

import (
	"fmt"
	"maps"
	"slices"

	"github.com/benchnet/benchnet/internal/format"
	"github.com/benchnet/benchnet/internal/run/statistics"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// judgeMembers judges the CPU throttling of members and databases, and gaps in their CPU and memory series.
func (j *verdictBuilder) judgeMembers() {
	for _, m := range j.measurement.Members {
		if share, over := j.throttledShare(m.ThrottledPeriods, m.Periods); over {
			code, find := j.throttlingSeverity(m.Kind)
			find(code, m.Member, share, j.tolerances.ThrottledShare,
				"%s was at its CPU limit: throttled in %s of its CPU periods (%s is the bound)",
				m.Member, format.Percent(share), format.Percent(j.tolerances.ThrottledShare))
		}
		planned := j.measurement.WindowSeconds + 1
		missed := j.countMissedScrapes(&m)
		if share := statistics.Ratio(int64(missed), int64(planned)); share > j.tolerances.MissedScrapes {
			j.addNote(ReasonScrapesMissed, m.Member, float64(missed), j.tolerances.MissedScrapes*float64(planned),
				"%d of %d samples of the CPU and memory of %s are missing", missed, planned, m.Member)
		}
	}
}

// throttlingSeverity returns the code and the severity of throttling for a kind of container.
func (j *verdictBuilder) throttlingSeverity(kind measurement.MemberKind) (ReasonCode, func(ReasonCode, string, float64, float64, string, ...any)) {
	code, find := ReasonMemberThrottled, j.addNote
	if kind == measurement.KindDatabase {
		code = ReasonDatabaseThrottled
	}
	if j.tolerances.MemberThrottling == ThrottlingInvalidates {
		find = j.addReason
	}
	return code, find
}

// judgeContainers judges the memory and volumes of members and databases, and the CPU usage of the load
// workers.
func (j *verdictBuilder) judgeContainers(c RunObservations) {
	for _, m := range j.measurement.Members {
		if m.OOMKills > 0 {
			j.addReason(ReasonOutOfMemory, m.Member, float64(m.OOMKills), 0, "the kernel killed %d processes of %s because memory ran out", m.OOMKills, m.Member)
		}
		if gc := m.GarbageCollection; gc != nil && gc.Share > j.tolerances.GCShare {
			j.addNote(ReasonGarbageCollection, m.Member, gc.Share, j.tolerances.GCShare,
				"the JVM of %s spent %s of the window in %d garbage collections (%s is the bound): give it more heap",
				m.Member, format.Percent(gc.Share), gc.Collections, format.Percent(j.tolerances.GCShare))
		}
		j.judgeVolumeSpace(m)
	}
	for _, w := range j.measurement.Workers {
		if share := cpuLimitShare(w.Load, j.measurement.WindowSeconds); share > j.tolerances.WorkerCPUShare {
			j.addNote(ReasonWorkerBusy, measurement.WorkerSubject(w.Worker), share, j.tolerances.WorkerCPUShare,
				"load worker %d used %s of its CPU limit (%s is the bound): give it more CPU or use more workers",
				w.Worker, format.Percent(share), format.Percent(j.tolerances.WorkerCPUShare))
		}
	}
	j.judgeWorkerCollection()
	for _, name := range slices.Sorted(maps.Keys(c.UnobservedDatabases)) {
		j.addNote(ReasonDatabaseUnobserved, name, 0, 0, "the resource usage of database %s is unknown: %s", name, c.UnobservedDatabases[name])
	}
}

// judgeWorkerCollection notes workers whose JVM paused for garbage collection, which delays what they measure.
func (j *verdictBuilder) judgeWorkerCollection() {
	for _, w := range j.measurement.Workers {
		if w.Load == nil || w.Load.GarbageCollection == nil {
			continue
		}
		if gc := w.Load.GarbageCollection; gc.Share > j.tolerances.WorkerGCShare {
			j.addNote(ReasonGarbageCollection, measurement.WorkerSubject(w.Worker), gc.Share, j.tolerances.WorkerGCShare,
				"the JVM of load worker %d spent %s of the window in %d garbage collections (%s is the bound): give it more memory or use more workers",
				w.Worker, format.Percent(gc.Share), gc.Collections, format.Percent(j.tolerances.WorkerGCShare))
		}
	}
}

// cpuLimitShare returns the share of its CPU limit that a worker used, or 0 without a limit.
func cpuLimitShare(l *measurement.WorkerUsage, window int) float64 {
	if l == nil || l.CPULimit == 0 {
		return 0
	}
	return l.MeanCores(window) / l.CPULimit
}

// isFilled reports whether a declared fault filled the volume of a container, which all containers of its pod may share.
func (j *verdictBuilder) isFilled(m measurement.MemberUsage) bool {
	return slices.ContainsFunc(j.measurement.Faults, func(f measurement.FaultRecord) bool {
		return f.Type == measurement.FaultFillDisk && f.Kind == m.Kind && measurement.PodOf(f.Member) == measurement.PodOf(m.Member)
	})
}

func (j *verdictBuilder) judgeVolumeSpace(m measurement.MemberUsage) {
	if m.Volume == nil || m.Volume.SizeBytes == 0 {
		return
	}
	free := m.Volume.LeastAvailableBytes / m.Volume.SizeBytes
	text := fmt.Sprintf("the volume of %s had %s of its %.1f GiB left", m.Member, format.Percent(free), m.Volume.SizeBytes/(1<<30))
	switch {
	case free < j.tolerances.VolumeFreeShare && !j.isFilled(m):
		j.addReason(ReasonVolumeFull, m.Member, free, j.tolerances.VolumeFreeShare, "%s", text)
	case free < j.tolerances.VolumeFreeNoted:
		j.addNote(ReasonVolumeFull, m.Member, free, j.tolerances.VolumeFreeNoted, "%s", text)
	}
}
