package loadgen

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

const (
	// minBaseline is the shortest time of the window before the first fault. Thirty seconds are enough to see by how much the throughput
	// varies.
	minBaseline = 30 * time.Second
	// recoveryMargin is the time that must be left in the window after a fault: the hold by which a recovery is recognized.
	recoveryMargin = 10 * time.Second
	// maxFaultDuration keeps a fault within the time that the agents accept.
	maxFaultDuration = 10 * time.Minute
	// restartReset is how long a container must run until kubelet restarts it without a delay again.
	restartReset = 10 * time.Minute
)

// Segments of a window with faults and without a profile.
const (
	baselineSegment = "baseline"
	faultsSegment   = "faults"
)

// faultSegments returns the part of the window before the first fault, to the last whole interval, and the rest; or nil without faults or
// if no interval lies before them.
func faultSegments(w *v1alpha1.Workload) []measurement.Segment {
	interval := convertPhases(&w.Measure).IntervalSeconds
	if len(w.Faults) == 0 || interval == 0 {
		return nil
	}
	earliest := slices.MinFunc(w.Faults, func(a, b v1alpha1.Fault) int { return int(a.At.Duration - b.At.Duration) })
	window, first := int(w.Measure.Window.Seconds()), int(earliest.At.Seconds())
	before := first - first%interval
	if before <= 0 || before >= window {
		return nil
	}
	rate := w.Load.Rate()
	return []measurement.Segment{
		{Name: baselineSegment, Seconds: before, OfferedPerSecond: rate, Constant: true},
		{Name: faultsSegment, FromSeconds: before, Seconds: window - before, OfferedPerSecond: rate},
	}
}

// SelectProposer is the selection Leader of members that propose in turn: the fault begins with the next turn of its target.
const SelectProposer v1alpha1.FaultSelection = "Proposer"

// rolesBySelection are the roles that targets must have when the fault begins.
var rolesBySelection = map[v1alpha1.FaultSelection]measurement.ConsensusRole{v1alpha1.SelectLeader: measurement.RoleLeader,
	v1alpha1.SelectFollowers: measurement.RoleFollower, SelectProposer: measurement.RoleProposer}

// ValidateFaults rejects faults that cannot be scored, or that overlap on one target. Their targets have names. The path is that of the
// workload.
func ValidateFaults(w *v1alpha1.Workload, path *field.Path) field.ErrorList {
	if len(w.Faults) == 0 {
		return nil
	}
	var errs field.ErrorList
	if w.Measure.SteadyState != nil {
		return append(errs, field.Forbidden(path.Child("measure", "steadyState"), "cannot be set with faults: it looks for one constant level"))
	}
	window, names := w.Measure.Window.Duration, map[string]bool{}
	path = path.Child("faults")
	for i := range w.Faults {
		f, path := &w.Faults[i], path.Index(i)
		if names[f.Name] { // A variant of an experiment can repeat a name.
			errs = append(errs, field.Duplicate(path.Child("name"), f.Name))
		}
		names[f.Name] = true
		duration := FaultDuration(f)
		if f.At.Duration < minBaseline {
			errs = append(errs, field.Invalid(path.Child("at"), f.At.Duration.String(), fmt.Sprintf(
				"must be at least %s from the start of the window: there would be nothing to compare with", minBaseline)))
		}
		if duration > maxFaultDuration || f.Type != v1alpha1.FaultKill && f.Type != v1alpha1.FaultEvict && duration < time.Second {
			errs = append(errs, field.Invalid(path.Child("duration"), duration.String(), fmt.Sprintf("must be from 1s, or 0s with type Kill, to %s", maxFaultDuration)))
		}
		errs = append(errs, validateSides(f, path)...)
		errs = append(errs, validateStrength(f, path)...)
		errs = append(errs, validateEnd(f, path)...)
		if end := latestEnd(f); end+recoveryMargin > window {
			errs = append(errs, field.Invalid(path.Child("at"), f.At.Duration.String(), fmt.Sprintf(
				"ends the fault at %s of the window, which needs %s more to recover: raise measure.window, %s", end, recoveryMargin, window)))
		}
	}
	errs = append(errs, validateOverlaps(w.Faults, path)...)
	if len(errs) == 0 && len(SegmentsOf(w)) == 0 {
		errs = append(errs, field.Invalid(path, window.String(), fmt.Sprintf(
			"need a measure.window with an interval of whole seconds before the first fault; its intervals last %ds: choose a multiple of %ds",
			convertPhases(&w.Measure).IntervalSeconds, minInterval(int(window.Seconds())))))
	}
	return errs
}

// validateSides rejects sides that a fault of the network cannot have, and sides of other faults.
func validateSides(f *v1alpha1.Fault, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if f.Type == v1alpha1.FaultSlowDatabase && (len(f.Target.Databases) == 0 || len(f.Target.Members) > 0) {
		errs = append(errs, field.Forbidden(path.Child("target"), "must have only databases with type SlowDatabase"))
	}
	if !f.Type.IsOfNetwork() {
		if len(f.From) > 0 {
			errs = append(errs, field.Forbidden(path.Child("from"), "belongs to types Partition and Link"))
		}
		if f.Direction != "" {
			errs = append(errs, field.Forbidden(path.Child("direction"), "belongs to types Partition and Link"))
		}
		return errs
	}
	if f.Type == v1alpha1.FaultLink && f.Target.Select == v1alpha1.SelectFollowers && len(f.From) == 0 {
		errs = append(errs, field.Required(path.Child("from"), "must be set for Followers with type Link: the link between two would be impaired twice"))
	}
	if len(f.Target.Databases) > 0 {
		errs = append(errs, field.Forbidden(path.Child("target", "databases"), fmt.Sprintf("cannot be set with type %s, which is between members", f.Type)))
	}
	for i, name := range f.Target.Members {
		if strings.Contains(name, "/") {
			errs = append(errs, field.Invalid(path.Child("target", "members").Index(i), name, "must be a member: the fault hits all of its containers"))
		}
	}
	for i, name := range f.From {
		if slices.Contains(f.Target.Members, name) {
			errs = append(errs, field.Invalid(path.Child("from").Index(i), name, "is a target, on the other side of the fault"))
		}
	}
	return errs
}

// Bounds of the strength of faults.
const (
	maxLossPercent    = 50
	minBandwidth      = 8000
	minMemoryHeadroom = 64 << 20
	minDatabasePause  = 10 * time.Millisecond
	maxDatabasePause  = 900 * time.Millisecond
)

// validateStrength rejects strengths that do not belong to the type of the fault, and values without a meaning.
func validateStrength(f *v1alpha1.Fault, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, c := range []struct {
		of              v1alpha1.FaultType
		name            string
		isSet, isNeeded bool
	}{
		{v1alpha1.FaultLink, "link", f.Link != nil, true},
		{v1alpha1.FaultPressure, "pressure", f.Pressure != nil, true},
		{v1alpha1.FaultFillDisk, "fillDisk", f.FillDisk != nil, false},
		{v1alpha1.FaultSlowDatabase, "slowDatabase", f.SlowDatabase != nil, true},
	} {
		switch {
		case c.isSet && f.Type != c.of:
			errs = append(errs, field.Forbidden(path.Child(c.name), fmt.Sprintf("belongs to type %s", c.of)))
		case c.isNeeded && !c.isSet && f.Type == c.of:
			errs = append(errs, field.Required(path.Child(c.name), fmt.Sprintf("must be set with type %s", c.of)))
		}
	}
	errs = append(errs, validateLink(f, path.Child("link"))...)
	if p := f.Pressure; p != nil && p.MemoryHeadroom != nil && p.MemoryHeadroom.Value() < minMemoryHeadroom {
		errs = append(errs, field.Invalid(path.Child("pressure", "memoryHeadroom"), p.MemoryHeadroom.String(),
			"must be at least 64Mi: with less the kernel might kill the target"))
	}
	if convertFillDisk(f.FillDisk).LeaveFreeBytes < 0 {
		errs = append(errs, field.Invalid(path.Child("fillDisk", "leaveFree"), f.FillDisk.LeaveFree.String(), "must not be negative"))
	}
	if s := f.SlowDatabase; s != nil && (s.Pause.Duration < minDatabasePause || s.Pause.Duration > maxDatabasePause) {
		errs = append(errs, field.Invalid(path.Child("slowDatabase", "pause"), s.Pause.String(),
			fmt.Sprintf("must be from %v to %v", minDatabasePause, maxDatabasePause)))
	}
	return errs
}

// validateLink rejects a link whose values have no meaning, or that nothing would prove.
func validateLink(f *v1alpha1.Fault, path *field.Path) field.ErrorList {
	l, one := f.Link, convertLink(f.Link)
	if l == nil {
		return nil
	}
	var errs field.ErrorList
	if one == (measurement.LinkFault{}) {
		errs = append(errs, field.Required(path, "must add a round trip, a loss or a bandwidth"))
	}
	if l.RoundTrip != nil && (one.RoundTripMicros <= 0 || 2*one.RoundTripMicros > FaultDuration(f).Microseconds()) {
		errs = append(errs, field.Invalid(path.Child("roundTrip"), l.RoundTrip.String(), "must be above 0 and at most half of the duration"))
	}
	if l.RoundTrip != nil && f.Direction == v1alpha1.DirectionFromTarget {
		errs = append(errs, field.Forbidden(path.Child("roundTrip"), "cannot be set with direction FromTarget: TCP of the target would count the packets "+
			"that wait as its own and send fewer; exchange target and from, with direction ToTarget"))
	}
	if one.JitterMicros > one.RoundTripMicros {
		errs = append(errs, field.Invalid(path.Child("jitter"), l.Jitter.String(), "must not exceed roundTrip"))
	}
	if l.LossPercent != nil && (one.LossPercent <= 0 || one.LossPercent > maxLossPercent) {
		errs = append(errs, field.Invalid(path.Child("lossPercent"), l.LossPercent.String(), fmt.Sprintf(
			"must be above 0 and at most %d: type Partition loses all packets", maxLossPercent)))
	}
	if l.Bandwidth != nil && one.BitsPerSecond < minBandwidth {
		errs = append(errs, field.Invalid(path.Child("bandwidth"), l.Bandwidth.String(), "must be at least 8k bits per second"))
	}
	return errs
}

// validateEnd rejects what a fault that ends containers or pods cannot have, and the scope of a kill with another type.
func validateEnd(f *v1alpha1.Fault, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if f.Kill != nil && f.Type != v1alpha1.FaultKill {
		errs = append(errs, field.Forbidden(path.Child("kill"), "belongs to type Kill"))
	}
	if f.Duration != nil && (f.EndsContainer() || f.EndsPod()) {
		errs = append(errs, field.Forbidden(path.Child("duration"), "cannot be set if the container or the pod ends: Kubernetes decides when it starts again"))
	}
	for i, name := range f.Target.Members {
		if f.EndsPod() && strings.Contains(name, "/") {
			errs = append(errs, field.Invalid(path.Child("target", "members").Index(i), name, "must be a member: the fault ends all containers of its pod"))
		}
	}
	return errs
}

// ValidatePodFaults rejects faults that end pods unless the operator allows them. The path is that of the workload.
func ValidatePodFaults(w *v1alpha1.Workload, allowed bool, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range w.Faults {
		if w.Faults[i].EndsPod() && !allowed {
			errs = append(errs, field.Forbidden(path.Child("faults").Index(i),
				"ends pods, which the operator may not grant: set --pod-faults (faults.pods in the chart), or use type Kill with kill.of Container"))
		}
	}
	return errs
}

// convertKill converts the scope of a kill; the processes are the default.
func convertKill(k *v1alpha1.KillFault) measurement.KillScope {
	if k == nil || k.Of == v1alpha1.KillProcess {
		return ""
	}
	return measurement.KillScope(k.Of)
}

// convertLink converts the link of a fault; nil adds nothing.
func convertLink(l *v1alpha1.LinkFault) measurement.LinkFault {
	if l == nil {
		return measurement.LinkFault{}
	}
	loss, bandwidth := ptr.Deref(l.LossPercent, resource.Quantity{}), ptr.Deref(l.Bandwidth, resource.Quantity{})
	return measurement.LinkFault{RoundTripMicros: ptr.Deref(l.RoundTrip, v1alpha1.Latency{}).Microseconds(),
		JitterMicros: ptr.Deref(l.Jitter, v1alpha1.Latency{}).Microseconds(), LossPercent: loss.AsApproximateFloat64(), BitsPerSecond: bandwidth.Value()}
}

// convertPressure converts the pressure of a fault; nil takes nothing.
func convertPressure(p *v1alpha1.PressureFault) measurement.PressureFault {
	if p == nil {
		return measurement.PressureFault{}
	}
	headroom := ptr.Deref(p.MemoryHeadroom, resource.Quantity{})
	return measurement.PressureFault{CPUPercent: int(ptr.Deref(p.CPUPercent, 0)), MemoryHeadroomBytes: headroom.Value()}
}

// convertFillDisk converts the fill of a fault; nil leaves nothing free.
func convertFillDisk(d *v1alpha1.FillDiskFault) measurement.FillDiskFault {
	if d == nil {
		return measurement.FillDiskFault{}
	}
	leaveFree := ptr.Deref(d.LeaveFree, resource.Quantity{})
	return measurement.FillDiskFault{LeaveFreeBytes: leaveFree.Value()}
}

// convertSlowDatabase converts the pauses of a fault; nil has none.
func convertSlowDatabase(s *v1alpha1.SlowDatabaseFault) measurement.SlowDatabaseFault {
	return measurement.SlowDatabaseFault{PauseMicros: ptr.Deref(s, v1alpha1.SlowDatabaseFault{}).Pause.Microseconds()}
}

// FaultDuration returns how long a fault lasts, 0 by default.
func FaultDuration(f *v1alpha1.Fault) time.Duration {
	return ptr.Deref(f.Duration, v1alpha1.Seconds{}).Duration
}

// latestEnd returns when a fault ends at the latest, from the start of the window.
func latestEnd(f *v1alpha1.Fault) time.Duration {
	end := f.At.Duration + FaultDuration(f)
	if f.Target.Select == SelectProposer {
		end += measurement.MaxTurnWait
	}
	return end
}

// validateOverlaps rejects two faults of one target at one time, since an agent injects one fault after the other, and two that hit the packets
// between the same members, since neither would be proved. It also rejects two that end one container within the time in which kubelet delays
// its restart.
func validateOverlaps(faults []v1alpha1.Fault, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range faults {
		for k := range i {
			a, b := &faults[k], &faults[i]
			if a.At.Duration > b.At.Duration {
				a, b = b, a
			}
			target := cmp.Or(commonTarget(a, b), commonPair(a, b))
			if end := latestEnd(a) + protocol.FaultLead + time.Second; target != "" && b.At.Duration < end {
				errs = append(errs, field.Invalid(path.Index(i).Child("at"), faults[i].At.Duration.String(), fmt.Sprintf(
					"overlaps with fault %s on %s: the later one of both must begin at %s or after it", faults[k].Name, target, end)))
			}
			if target := commonTarget(a, b); target != "" && a.EndsContainer() && b.EndsContainer() && b.At.Duration-a.At.Duration < restartReset {
				errs = append(errs, field.Invalid(path.Index(i).Child("at"), faults[i].At.Duration.String(), fmt.Sprintf(
					"is less than %s from fault %s on %s: kubelet would delay the second restart; use kill.of Process", restartReset, faults[k].Name, target)))
			}
		}
	}
	return errs
}

// commonTarget returns a target that both faults may have, or "".
func commonTarget(a, b *v1alpha1.Fault) string {
	for _, targets := range [][2][]string{{a.Target.Members, b.Target.Members}, {a.Target.Databases, b.Target.Databases}} {
		for _, name := range targets[0] {
			if slices.Contains(targets[1], name) {
				return name
			}
		}
	}
	return ""
}

// commonPair names two members between which both faults of the network may hit packets, in whatever direction, or returns "".
func commonPair(a, b *v1alpha1.Fault) string {
	one, other := targetAcross(a, b), targetAcross(b, a)
	if one == "" || other == "" || !a.Type.IsOfNetwork() || !b.Type.IsOfNetwork() {
		return ""
	}
	return fmt.Sprintf("packets between %s and %s", one, other)
}

// targetAcross names a target of a fault that may be on the other side of another one, or returns "".
func targetAcross(of, other *v1alpha1.Fault) string {
	if len(of.Target.Members) == 0 {
		return "selected members"
	}
	for _, name := range of.Target.Members {
		if slices.Contains(other.From, name) || len(other.From) == 0 && !slices.Contains(other.Target.Members, name) {
			return name
		}
	}
	return ""
}

// faultDirections are the directions other than both.
var faultDirections = map[v1alpha1.FaultDirection]measurement.FaultDirection{
	v1alpha1.DirectionToTarget: measurement.DirectionToTarget, v1alpha1.DirectionFromTarget: measurement.DirectionFromTarget}

// BindFaults adds the faults, whose targets have names, to the workload file of a run on the network, each with the endpoint whose agent
// injects it. It fails if a target has none, except a database while the network has none yet. The path is that of the workload.
func BindFaults(w *protocol.WorkloadFile[any], faults []v1alpha1.Fault, network string, path *field.Path) error {
	prefixes := map[measurement.MemberKind]string{measurement.KindDatabase: naming.DatabasePrefix(network)}
	endpoints := map[measurement.MemberKind]map[string]bool{"": {}, measurement.KindDatabase: {}}
	for _, o := range w.Observe {
		if o.CommandsURL != "" {
			endpoints[o.Kind][strings.TrimPrefix(o.Member, prefixes[o.Kind])] = true
		}
	}
	var errs field.ErrorList
	for i := range faults {
		f, target := &faults[i], path.Child("faults").Index(i).Child("target")
		one := measurement.Fault{Name: f.Name, Type: measurement.FaultType(f.Type), AtSeconds: int(f.At.Seconds()), DurationSeconds: int(FaultDuration(f).Seconds()),
			From: strings.Join(f.From, ","), Link: convertLink(f.Link), Pressure: convertPressure(f.Pressure), Kill: convertKill(f.Kill),
			FillDisk: convertFillDisk(f.FillDisk), SlowDatabase: convertSlowDatabase(f.SlowDatabase), Role: rolesBySelection[f.Target.Select],
			Direction: faultDirections[f.Direction]}
		if f.Type.IsOfNetwork() && one.Role == "" {
			one.Targets = strings.Join(f.Target.Members, ",")
		}
		for _, of := range []struct {
			kind  measurement.MemberKind
			field string
			names []string
		}{{"", "members", f.Target.Members}, {measurement.KindDatabase, "databases", f.Target.Databases}} {
			for k, name := range of.names {
				if _, ok := endpoints[of.kind][name]; !ok && (of.kind == "" || len(endpoints[of.kind]) > 0) {
					errs = append(errs, field.NotSupported(target.Child(of.field).Index(k), name, slices.Sorted(maps.Keys(endpoints[of.kind]))))
				}
				one.Member, one.Kind = prefixes[of.kind]+name, of.kind
				w.Faults = append(w.Faults, one)
			}
		}
	}
	for i := range w.Faults {
		if f := &w.Faults[i]; f.EndsPod() {
			f.Pod = naming.MemberPod(network, strings.TrimPrefix(f.Member, prefixes[f.Kind]))
		}
	}
	if n := len(w.Faults); n > measurement.MaxFaults {
		errs = append(errs, field.TooMany(path.Child("faults"), n, measurement.MaxFaults))
	}
	return errs.ToAggregate()
}
