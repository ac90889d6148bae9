package experiment

import (
	"fmt"
	"math"
	"slices"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

const (
	// clientMargin is how many times the clients of an open loop exceed those that are busy, by Little's law, when
	// the mean latency is at the limit. With fewer, busy clients are no evidence that the system is slow.
	clientMargin = 2
	// maxClients and maxClientsPerWorker are the largest numbers of clients of a load and of one worker.
	maxClients, maxClientsPerWorker = 20000, 2000
)

// workloadAtLoad returns the workload with that many clients, or at that rate with enough clients for it.
func workloadAtLoad(workload v1alpha1.Workload, load int64, spec *v1alpha1.SaturationSearch) v1alpha1.Workload {
	w, scale := *workload.DeepCopy(), scaleOf(spec)
	if w.Load.Model == v1alpha1.LoadOpen {
		w.Load.RatePerSecond = scale.quantity(load)
		if w.Type.LimitsOutstanding() {
			possible := min(maxClients, maxClientsPerWorker*int64(max(1, w.Workers.Count)))
			w.Load.Clients = max(w.Load.Clients, int32(min(possible, requiredClients(scale.value(load), spec))))
		}
		return w
	}
	w.Load.Clients, w.Load.MaxOutstanding = int32(load), nil
	return w
}

// requiredClients returns the number of clients with which a rate can be judged.
func requiredClients(rate float64, spec *v1alpha1.SaturationSearch) int64 {
	return int64(math.Ceil(clientMargin * rate * spec.ServiceLevel().MaxLatency.Seconds()))
}

// newTrial returns the trial of a run with that workload. A percentile of few latencies counts, because the share
// above the limit is what the level is about, and near the limit several runs decide. The largest of them would miss
// almost any level at a low load if latencies are skewed.
func newTrial(load int64, run Run, spec *v1alpha1.SaturationSearch, w v1alpha1.Workload) Trial {
	percentile := spec.ServiceLevel().Metric
	latency, known := run.Metrics[percentile]
	if !known {
		latency, known = run.Load.ScarcePercentiles[percentile]
	}
	required := requiredClients(scaleOf(spec).value(load), spec)
	t := Trial{Load: load,
		Throughput: run.Metrics[string(v1alpha1.MetricThroughput)],
		Latency:    latency,
		ErrorShare: run.Metrics[string(v1alpha1.MetricErrorShare)], Offered: run.Load.OfferedPerSecond}
	t.Evidence, t.Problem = run.trialEvidence()
	if t.Evidence == Measured && t.Throughput > 0 && !known {
		t.Evidence, t.Problem = NoEvidence, percentile+" is unknown"
	}
	if t.Evidence != NoEvidence && run.Load.ClientsExhausted && w.Type.LimitsOutstanding() && int64(w.Load.Clients) < required {
		t.Evidence = GeneratorLimited
		t.Problem = fmt.Sprintf("all %d clients were busy, and %d are required to judge the level: raise workers.count or load.clients",
			w.Load.Clients, required)
	}
	return t
}

// numbersDecide lists the faults of the system that the numbers of the run show: whether it keeps to the level
// depends on the level's own limits.
var numbersDecide = []verdict.ReasonCode{verdict.ReasonErrors, verdict.ReasonOfferedNotAchieved}

// trialEvidence returns what the run shows about its load, and the first reason that decides it.
func (r *Run) trialEvidence() (TrialEvidence, string) {
	switch {
	case r.Verdict == RunValid:
		return Measured, ""
	case r.Verdict != RunInvalid || len(r.Codes) == 0:
		return NoEvidence, string(r.Verdict)
	}
	if i := slices.IndexFunc(r.Codes, func(c verdict.ReasonCode) bool { return !c.IsSystemFault() }); i >= 0 {
		return NoEvidence, string(r.Codes[i])
	}
	if i := slices.IndexFunc(r.Codes, func(c verdict.ReasonCode) bool { return !slices.Contains(numbersDecide, c) }); i >= 0 {
		return SystemFailed, string(r.Codes[i])
	}
	return Measured, ""
}
