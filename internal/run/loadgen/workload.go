package loadgen

import (
	"fmt"
	"hash/fnv"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// NewWorkloadFile returns the part of the workload file that all platforms share: the load, the measure, and
// what to keep. The platform adds targets and operation, and the run adds its reference.
func NewWorkloadFile(w *v1alpha1.Workload) protocol.WorkloadFile[any] {
	segments, _ := expandProfile(w.Load, nil)
	return protocol.WorkloadFile[any]{
		Load:     convertLoad(w.Load, &w.Measure, segments),
		Measure:  convertMeasure(&w.Measure, segments),
		Segments: SegmentsOf(w),
		KeepJTL:  w.SampleLogRetention == v1alpha1.RetentionRetain,
	}
}

const (
	// minIntervalSeconds is the shortest interval. A steady state begins at a multiple of the interval.
	minIntervalSeconds = 5
	// maxIntervals is the maximum number of intervals. With more, a worker's report might not fit into a
	// ConfigMap, so longer runs have longer intervals.
	maxIntervals = 240
	// maxFixedIntervals is the maximum number of intervals of a fixed window. Each takes 200 kB of a worker's memory.
	maxFixedIntervals = 60
)

// convertMeasure returns the lengths of the phases.
func convertMeasure(m *v1alpha1.Measure, segments []profileSegment) protocol.MeasureTimes {
	times := convertPhases(m)
	times.CalibrationSeconds = int(m.CalibrationDuration().Seconds())
	if len(segments) > 0 {
		times.IntervalSeconds = profileIntervalSeconds(times.WindowSeconds, segments)
	}
	return times
}

// convertPhases returns the lengths of the phases of the load. With a steady state, the whole load is recorded and cut
// afterwards.
func convertPhases(m *v1alpha1.Measure) protocol.MeasureTimes {
	warmUp, window, drain := int(m.WarmUp.Seconds()), int(m.Window.Seconds()), int(m.Drain.Seconds())
	if m.SteadyState == nil {
		return protocol.MeasureTimes{WarmUpSeconds: warmUp, WindowSeconds: window, DrainSeconds: drain, IntervalSeconds: findInterval(window, window, window/2)}
	}
	longest := int(m.RecordedDuration().Seconds())
	interval := minIntervalSeconds * ((longest + minIntervalSeconds*maxIntervals - 1) / (minIntervalSeconds * maxIntervals))
	return protocol.MeasureTimes{WindowSeconds: longest - longest%interval, DrainSeconds: drain, IntervalSeconds: interval, StopsEarly: true}
}

// findInterval returns the length of the intervals of a window, for latencies over time: the shortest, up to longest, that
// divides a part of the window, and the window into at most maxFixedIntervals; or 0 if there is none.
func findInterval(window, part, longest int) int {
	for each := minInterval(window); each <= longest; each++ {
		if part%each == 0 {
			return each
		}
	}
	return 0
}

func minInterval(window int) int {
	return max(minIntervalSeconds, (window+maxFixedIntervals-1)/maxFixedIntervals)
}

func convertLoad(l *v1alpha1.Load, m *v1alpha1.Measure, segments []profileSegment) *protocol.OfferedLoad {
	if l == nil {
		return nil
	}
	load := protocol.OfferedLoad{Model: string(l.Model), Clients: l.Clients, RatePerSecond: l.Rate(),
		Rates: profileRates(segments, int(m.WarmUp.Seconds())), MaxOutstanding: ptr.Deref(l.MaxOutstanding, 0)}
	if l.Model == v1alpha1.LoadClosed {
		for _, p := range load.Rates {
			load.ClientPieces = append(load.ClientPieces, protocol.ClientPiece{Seconds: p.Seconds, From: int32(p.FromPerSecond), To: int32(p.ToPerSecond)})
		}
		load.Rates = nil
	}
	if l.Arrivals == v1alpha1.ArrivalsPoisson {
		load.Arrivals, load.Seed = protocol.ArrivalsPoisson, l.Seed
	}
	return &load
}

// IdentifyRun adds what differs between runs of the same workload: the reference, and the seed of Poisson
// arrivals unless the spec sets it.
func IdentifyRun(w *protocol.WorkloadFile[any], uid types.UID) {
	w.Reference = string(uid)
	if w.Load != nil && w.Load.Arrivals == protocol.ArrivalsPoisson && w.Load.Seed == nil {
		h := fnv.New32a()
		h.Write([]byte(uid))
		w.Load.Seed = new(int64(h.Sum32()))
	}
}

// ValidateLoad rejects a load that cannot be divided among the workers, a rate that is not positive, and an
// invalid measure. The path is that of the workload.
func ValidateLoad(w *v1alpha1.Workload, path *field.Path) field.ErrorList {
	if w.Load == nil {
		return field.ErrorList{field.Required(path.Child("load"), "must define the load on the network")}
	}
	var errs field.ErrorList
	if w.Load.Clients < w.Workers.Count {
		errs = append(errs, field.Invalid(path.Child("load", "clients"), w.Load.Clients, fmt.Sprintf(
			"must be at least workers.count (%d): every worker needs a client", w.Workers.Count)))
	}
	if m := w.Load.MaxOutstanding; m != nil && *m < w.Workers.Count {
		errs = append(errs, field.Invalid(path.Child("load", "maxOutstanding"), *m, fmt.Sprintf(
			"must be at least workers.count (%d): every worker needs its own operation", w.Workers.Count)))
	}
	if r := w.Load.RatePerSecond; r != nil && r.Sign() <= 0 {
		errs = append(errs, field.Invalid(path.Child("load", "ratePerSecond"), r.String(), "must be greater than 0, such as 20 or 500m"))
	}
	errs = append(errs, validateProfile(w, path)...)
	return append(errs, ValidateMeasure(w, path)...)
}

// ValidateMeasure rejects durations that are not whole seconds, a percentage of errors outside 0 to 100, and invalid settings of the
// calibration and the steady state.
func ValidateMeasure(w *v1alpha1.Workload, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if p := w.Measure.MaxErrorPercent; p.Sign() < 0 || p.CmpInt64(100) > 0 {
		errs = append(errs, field.Invalid(path.Child("measure", "maxErrorPercent"), p.String(), "must be from 0 to 100, such as 1 or \"0.5\""))
	}
	for _, d := range []struct {
		name  string
		value time.Duration
	}{{"warmUp", w.Measure.WarmUp.Duration}, {"window", w.Measure.Window.Duration}, {"drain", w.Measure.Drain.Duration}} {
		if d.value%time.Second != 0 {
			errs = append(errs, field.Invalid(path.Child("measure", d.name), d.value.String(), "must be whole seconds"))
		}
	}
	if c := w.Measure.Calibrate; c != nil {
		errs = append(errs, validateCalibration(c, path.Child("measure", "calibrate"))...)
	}
	if m := &w.Measure; m.SteadyState != nil {
		errs = append(errs, validateSteadyState(m, path.Child("measure"))...)
	}
	return errs
}

func validateCalibration(c *v1alpha1.Calibration, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if d := c.Duration.Duration; d < time.Second || d > time.Minute {
		errs = append(errs, field.Invalid(path.Child("duration"), d.String(), "must be from 1s to 60s, such as 10s"))
	}
	if c.MinBandwidth != nil && c.MinBandwidth.Sign() <= 0 {
		errs = append(errs, field.Invalid(path.Child("minBandwidth"), c.MinBandwidth.String(), "must be above 0 bit/s, such as 500M"))
	}
	for name, bound := range map[string]*v1alpha1.Latency{"maxFsyncP99": c.MaxFsyncP99, "maxRoundTrip": c.MaxRoundTrip} {
		if bound != nil && bound.Duration <= 0 {
			errs = append(errs, field.Invalid(path.Child(name), bound.String(), "must be above 0s, such as 20ms"))
		}
	}
	return errs
}

// maxSteadyDuration bounds the per-second data that workers report while the run lasts.
const maxSteadyDuration = time.Hour

func validateSteadyState(m *v1alpha1.Measure, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if d := m.SteadyState.MinWindow.Duration; d < 2*minIntervalSeconds*time.Second {
		errs = append(errs, field.Invalid(path.Child("steadyState", "minWindow"), d.String(), "must be at least 10s"))
	}
	if d := m.RecordedDuration(); d > maxSteadyDuration {
		errs = append(errs, field.Invalid(path.Child("window"), m.Window.Duration.String(),
			fmt.Sprintf("with warmUp it lasts %s; with steadyState both may last at most 1h", d)))
	}
	return errs
}

// CalibrationBoundsOf returns the bounds of a calibration, or nil without one.
func CalibrationBoundsOf(c *v1alpha1.Calibration) *verdict.CalibrationBounds {
	if c == nil {
		return nil
	}
	bandwidth := ptr.Deref(c.MinBandwidth, resource.Quantity{})
	return &verdict.CalibrationBounds{
		MinSingleThreadPerSecond: float64(ptr.Deref(c.MinSingleThreadRate, 0)),
		MinAllThreadsPerSecond:   float64(ptr.Deref(c.MinAllThreadsRate, 0)),
		MaxFsyncP99Millis:        ptr.Deref(c.MaxFsyncP99, v1alpha1.Latency{}).Seconds() * 1000,
		MaxRoundTripMillis:       ptr.Deref(c.MaxRoundTrip, v1alpha1.Latency{}).Seconds() * 1000,
		MinBandwidthMbps:         bandwidth.AsApproximateFloat64() / 1e6,
	}
}

// ValidateSampleMemory rejects a workload whose samples would take more than half of a worker's memory. The
// agent keeps them until the window has ended. The path is that of the workload.
func ValidateSampleMemory(w *protocol.WorkloadFile[any], workers *v1alpha1.Workers, path *field.Path) *field.Error {
	var largest int64
	for worker := range int(workers.Count) {
		var samples int64
		for i := worker; i < len(w.Observe); i += int(workers.Count) {
			samples += int64(w.Measure.WindowSeconds / w.Observe[i].SampleIntervalSeconds())
		}
		largest = max(largest, samples)
	}
	needed := largest * protocol.SampleBytes
	if needed <= workers.Memory.Value()/2 {
		return nil
	}
	return field.Invalid(path.Child("workers"), workers.Count, fmt.Sprintf(
		"is too few: a worker would keep %d samples of members over a window of %d s, which need %d MiB, more than half of workers.memory (%s): "+
			"raise workers.count or workers.memory, or shorten measure.window", largest, w.Measure.WindowSeconds, needed>>20, workers.Memory.String()))
}
