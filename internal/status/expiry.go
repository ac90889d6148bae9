package status

import (
	"time"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// NetworkExpiry returns when a network is to be deleted: its time to live after the last of its workloads
// ended. It returns false while a run is unfinished, uploads its result or notifies its webhook, before all
// workloads have run, or without ttlSecondsAfterFinished.
func NetworkExpiry(network *v1alpha1.BenchmarkNetwork, runs []*v1alpha1.BenchmarkRun) (time.Time, bool) {
	ttl := network.Spec.TTLSecondsAfterFinished
	if ttl == nil || len(runs) == 0 || len(runs) < len(network.Spec.Workloads) {
		return time.Time{}, false
	}
	var last time.Time
	for _, run := range runs {
		if !run.IsComplete() || run.IsDelivering() || run.Status.CompletionTime == nil {
			return time.Time{}, false
		}
		if run.Status.CompletionTime.After(last) {
			last = run.Status.CompletionTime.Time
		}
	}
	return last.Add(time.Duration(*ttl) * time.Second), true
}
