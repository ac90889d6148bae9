package driver

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/agent/protocol"
)

// Orders are what every platform's driver is told alike: the load, what counts of it, and what is kept. The platform adds
// whom to call and what to do, the run its reference.
func Orders(w *v1alpha1.Workload) Workload {
	return Workload{
		Load:    loadOf(w.Load),
		Measure: measureOf(&w.Measure),
		KeepJTL: w.JTL == v1alpha1.RetentionKeep,
	}
}

const (
	// steadySeconds is the length of an interval of a run whose window is found afterwards. The steady state begins with a multiple of it.
	steadySeconds = 5
	// maxIntervals of a run: with more, a worker's report might not fit into a ConfigMap. Longer runs have longer intervals.
	maxIntervals = 240
)

// measureOf is what is measured. Where the steady state decides, all that the load lasts is recorded, in intervals, and cut afterwards.
func measureOf(m *v1alpha1.Measure) protocol.Measure {
	warmUp, window, drain := int(m.WarmUp.Seconds()), int(m.Window.Seconds()), int(m.Drain.Seconds())
	if m.SteadyState == nil {
		return protocol.Measure{WarmUpSeconds: warmUp, WindowSeconds: window, DrainSeconds: drain}
	}
	longest := warmUp + window
	interval := steadySeconds * ((longest + steadySeconds*maxIntervals - 1) / (steadySeconds * maxIntervals))
	return protocol.Measure{WindowSeconds: longest - longest%interval, DrainSeconds: drain, IntervalSeconds: interval}
}

func loadOf(l *v1alpha1.Load) *Load {
	if l == nil {
		return nil
	}
	load := Load{Model: string(l.Model), Clients: l.Clients}
	if l.MaxOutstanding != nil {
		load.MaxOutstanding = *l.MaxOutstanding
	}
	if l.RatePerSecond != nil {
		load.RatePerSecond = l.RatePerSecond.AsApproximateFloat64()
	}
	return &load
}

// Validate refuses a load that no driver could share out or count; path is that of the workload.
func Validate(w *v1alpha1.Workload, path *field.Path) field.ErrorList {
	if w.Load == nil {
		return field.ErrorList{field.Required(path.Child("load"), "says how much is asked of the network")}
	}
	var errs field.ErrorList
	if w.Load.Clients < w.Workers.Count {
		errs = append(errs, field.Invalid(path.Child("load", "clients"), w.Load.Clients, fmt.Sprintf(
			"must be at least workers.count (%d): every worker needs a client", w.Workers.Count)))
	}
	if m := w.Load.MaxOutstanding; m != nil && *m < w.Workers.Count {
		errs = append(errs, field.Invalid(path.Child("load", "maxOutstanding"), *m, fmt.Sprintf(
			"must be at least workers.count (%d): every worker needs an operation of its own", w.Workers.Count)))
	}
	if r := w.Load.RatePerSecond; r != nil && r.Sign() <= 0 {
		errs = append(errs, field.Invalid(path.Child("load", "ratePerSecond"), r.String(), "must be greater than 0, such as 20 or 500m"))
	}
	return append(errs, ValidateMeasure(w, path)...)
}

// ValidateMeasure refuses what could not be measured in whole seconds.
func ValidateMeasure(w *v1alpha1.Workload, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, d := range []struct {
		name  string
		value time.Duration
	}{{"warmUp", w.Measure.WarmUp.Duration}, {"window", w.Measure.Window.Duration}, {"drain", w.Measure.Drain.Duration}} {
		if d.value%time.Second != 0 {
			errs = append(errs, field.Invalid(path.Child("measure", d.name), d.value.String(), "must be whole seconds"))
		}
	}
	if m := &w.Measure; m.SteadyState != nil {
		errs = append(errs, validateSteady(m, path.Child("measure"))...)
	}
	return errs
}

// longestSteady bounds what is told of each second while the run goes on.
const longestSteady = time.Hour

func validateSteady(m *v1alpha1.Measure, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if d := m.SteadyState.MinWindow.Duration; d < 2*steadySeconds*time.Second {
		errs = append(errs, field.Invalid(path.Child("steadyState", "minWindow"), d.String(), "must be at least 10s"))
	}
	if d := m.WarmUp.Duration + m.Window.Duration; d > longestSteady {
		errs = append(errs, field.Invalid(path.Child("window"), m.Window.Duration.String(),
			fmt.Sprintf("with warmUp it lasts %s; with steadyState the two may last 1h", d)))
	}
	return errs
}
