package driver

import "github.com/benchnet/benchnet/api/v1alpha1"

// Orders are what every platform's driver is told alike: the load, what counts of it, and what is kept. The platform adds
// whom to call and what to do, the run its reference.
func Orders(w *v1alpha1.Workload) Workload {
	load := Load{Model: string(w.Load.Model), Clients: w.Load.Clients}
	if w.Load.MaxOutstanding != nil {
		load.MaxOutstanding = *w.Load.MaxOutstanding
	}
	if w.Load.RatePerSecond != nil {
		load.RatePerSecond = w.Load.RatePerSecond.AsApproximateFloat64()
	}
	return Workload{
		Load: load,
		Measure: Measure{
			WarmUpSeconds: int(w.Measure.WarmUp.Seconds()),
			WindowSeconds: int(w.Measure.Window.Seconds()),
			DrainSeconds:  int(w.Measure.Drain.Seconds()),
		},
		KeepJTL: w.JTL == v1alpha1.RetentionKeep,
	}
}
