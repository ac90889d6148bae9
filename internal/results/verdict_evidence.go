package results

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
)

// members judges the CPU of members and databases, and whether it was seen.
func (j *judge) members() {
	for _, m := range j.m.Members {
		if share, over := j.throttled(m.ThrottledPeriods, m.Periods); over {
			code, find := j.throttling(m.Kind)
			find(code, m.Member, share, j.t.ThrottledShare,
				"%s was at its CPU limit: throttled in %s of its CPU periods (%s is the bound)", m.Member, percent(share), percent(j.t.ThrottledShare))
		}
		planned := j.m.WindowSeconds + 1
		if share := ratio(int64(m.MissedScrapes), int64(planned)); share > j.t.MissedScrapes {
			j.note(ScrapesMissed, m.Member, float64(m.MissedScrapes), j.t.MissedScrapes*float64(planned),
				"%d of %d samples of the CPU and memory of %s are missing", m.MissedScrapes, planned, m.Member)
		}
	}
}

// throttling is what it means that one of a kind is throttled.
func (j *judge) throttling(kind MemberKind) (ReasonCode, func(ReasonCode, string, float64, float64, string, ...any)) {
	code, find := MemberThrottled, j.note
	if kind == KindDatabase {
		code = DatabaseThrottled
	}
	if j.t.MemberThrottling == ThrottlingInvalidates {
		find = j.invalid
	}
	return code, find
}

// containers judges the memory and volumes of members and databases, and how busy the load workers were.
func (j *judge) containers(c Circumstances) {
	for _, m := range j.m.Members {
		if m.OOMKills > 0 {
			j.invalid(OutOfMemory, m.Member, float64(m.OOMKills), 0, "the kernel killed %d processes of %s for want of memory", m.OOMKills, m.Member)
		}
		if gc := m.GarbageCollection; gc != nil && gc.Share > j.t.GCShare {
			j.note(GarbageCollected, m.Member, gc.Share, j.t.GCShare,
				"the JVM of %s spent %s of the window in %d garbage collections (%s is the bound): give it more heap",
				m.Member, percent(gc.Share), gc.Collections, percent(j.t.GCShare))
		}
		j.room(m)
	}
	for _, w := range j.m.Workers {
		if share := w.Load.share(j.m.WindowSeconds); share > j.t.WorkerCPUShare {
			j.note(WorkerBusy, workerName(w.Worker), share, j.t.WorkerCPUShare,
				"load worker %d used %s of its CPU limit (%s is the bound): give it more CPU or use more workers",
				w.Worker, percent(share), percent(j.t.WorkerCPUShare))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Unobserved)) {
		j.note(DatabaseUnobserved, name, 0, 0, "nothing is known of what database %s used: %s", name, c.Unobserved[name])
	}
}

// Cores that a worker used on average, over what was recorded; the window unless it says otherwise.
func (l *Load) Cores(window int) float64 {
	return l.CPUSeconds / float64(cmp.Or(l.Seconds, window))
}

// share of its CPU limit that a worker used; 0 without a limit.
func (l *Load) share(window int) float64 {
	if l == nil || l.CPULimit == 0 {
		return 0
	}
	return l.Cores(window) / l.CPULimit
}

func (j *judge) room(m Member) {
	if m.Volume == nil || m.Volume.SizeBytes == 0 {
		return
	}
	free := m.Volume.LeastAvailableBytes / m.Volume.SizeBytes
	text := fmt.Sprintf("the volume of %s had %s of its %.1f GiB left", m.Member, percent(free), m.Volume.SizeBytes/(1<<30))
	switch {
	case free < j.t.RoomShare:
		j.invalid(VolumeFull, m.Member, free, j.t.RoomShare, "%s", text)
	case free < j.t.RoomNoted:
		j.note(VolumeFull, m.Member, free, j.t.RoomNoted, "%s", text)
	}
}

// hosts judges what the hosts gave to the run.
func (j *judge) hosts(c Circumstances) {
	for _, h := range j.m.hosts(c.Containers) {
		text := fmt.Sprintf("%s of the CPU time of %s went to other machines of its hypervisor", percent(h.StealShare), h.name)
		switch {
		case h.StealShare > j.t.StolenShare:
			j.invalid(CPUStolen, h.name, h.StealShare, j.t.StolenShare, "%s", text)
		case h.StealShare > j.t.StolenNoted:
			j.note(CPUStolen, h.name, h.StealShare, j.t.StolenNoted, "%s", text)
		}
		if used := h.used(); used > j.t.HostBusyShare {
			j.note(HostSaturated, h.name, used, j.t.HostBusyShare,
				"%s of the CPU time of %s was in use (%s is the bound): what ran on it waited for CPUs, also below its own limit",
				percent(used), h.name, percent(j.t.HostBusyShare))
		}
		if share := h.others() / h.CPUs; share > j.t.HostSharedShare {
			j.note(HostShared, h.name, share, j.t.HostSharedShare,
				"others than this run's containers used %s of the %s CPUs of %s (%s of them is the bound): their load is part of what was measured",
				short(h.others()), short(h.CPUs), h.name, percent(j.t.HostSharedShare))
		}
	}
	for _, t := range c.Troubles {
		if t.Kind == NodeNotReady {
			j.invalid(t.Kind, t.Subject, 1, 0, "%s", t.Message)
		} else {
			j.note(t.Kind, t.Subject, 1, 0, "%s", t.Message)
		}
	}
}

// used is the share of the CPU time that was not to be had any more.
func (h Host) used() float64 { return h.BusyShare + h.StealShare }

// clocks compares each host's clock with those of the workers that observed it, once.
func (j *judge) clocks(c Circumstances) {
	told := map[string]bool{}
	for _, m := range j.m.Members {
		if m.Clock == nil {
			continue
		}
		node, observer := nodeOf(c.Containers, m.Member), nodeOf(c.Containers, workerName(m.Clock.Worker))
		skew := math.Abs(m.Clock.OffsetMillis) - m.Clock.ErrorMillis
		if pair := node + "/" + observer; skew > j.t.ClockSkewMillis && node != observer && !told[pair] {
			told[pair] = true
			j.note(ClockSkewed, node, math.Abs(m.Clock.OffsetMillis), j.t.ClockSkewMillis,
				"the clock of %s is %+.1f ms (± %.1f ms) off that of %s: times of blocks from both do not compare to better than that",
				node, m.Clock.OffsetMillis, m.Clock.ErrorMillis, observer)
		}
	}
}
