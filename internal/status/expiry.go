package status

import (
	"time"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/network/plan"
)

// NetworkExpiry returns when a network is to be deleted: its time to live after the last run on it ended. It returns
// false while a run is unfinished, uploads its result or notifies its webhook, before all workloads of the network have
// run, or without ttlSecondsAfterFinished. Runs that were kept from an earlier network of the same name do not count.
func NetworkExpiry(network *v1alpha1.BenchmarkNetwork, runs []*v1alpha1.BenchmarkRun) (time.Time, bool) {
	ttl := network.Spec.TTLSecondsAfterFinished
	if ttl == nil {
		return time.Time{}, false
	}
	var last time.Time
	ended := 0
	for _, run := range runs {
		switch {
		case !run.IsComplete() || run.IsDelivering() || run.Status.CompletionTime == nil:
			return time.Time{}, false
		case run.Status.CompletionTime.Before(&network.CreationTimestamp):
			continue
		case plan.IsNetworkRun(network, run):
			ended++
		}
		if run.Status.CompletionTime.After(last) {
			last = run.Status.CompletionTime.Time
		}
	}
	if last.IsZero() || ended < len(network.Spec.Workloads) {
		return time.Time{}, false
	}
	return last.Add(time.Duration(*ttl) * time.Second), true
}
