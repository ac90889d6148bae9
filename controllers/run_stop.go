package controllers

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/run/statistics"
	"github.com/benchnet/benchnet/internal/run/steadystate"
	"github.com/benchnet/benchnet/internal/status"
)

// stopWhenSteady ends the window once the workers' progress suffices. The decision depends only on the workers'
// reports, and a stop that is written is final. A run without a stop ends with its longest window.
func (r *RunReconciler) stopWhenSteady(pass *runPass) {
	measure := &pass.run.Spec.Workload.Measure
	barrier := pass.snapshot.ConfigMap(naming.BarrierConfigMap(pass.run.Name))
	if measure.SteadyState == nil || barrier == nil || pass.barrierRelease == nil || pass.barrierProblem != "" || pass.barrierRelease.Stop != nil {
		return
	}
	window := pass.driver.Workload.Measure.NewWindow(pass.barrierRelease.Start)
	if stop, ok := steadystate.FindStopTime(pass.recordedSeries(), steadystate.PolicyFor(measure), window, r.Now()); ok {
		pass.barrierRelease.Stop, pass.barrierRelease.ResourceVersion = &stop, barrier.ResourceVersion
	}
}

// readProgress reads the workers' progress that is too long for the cache. Only runs that may end early report so much.
func (r *RunReconciler) readProgress(ctx context.Context, pass *runPass) error {
	if pass.run.Spec.Workload.Measure.SteadyState == nil {
		return nil
	}
	for i := range pass.run.Spec.Workload.Workers.Count {
		if err := pass.snapshot.LoadTexts(ctx, r.APIReader, naming.WorkerReport(pass.run.Name, i)); err != nil {
			return err
		}
	}
	return nil
}

// recordedSeries returns what was recorded in each second of the window so far, summed over all workers. It is empty
// until every worker has reported some.
func (p *runPass) recordedSeries() statistics.RecordedSeries {
	var sum steadystate.WorkerSum
	for i := range p.run.Spec.Workload.Workers.Count {
		var progress protocol.Progress
		if cm := p.snapshot.ConfigMap(naming.WorkerReport(p.run.Name, i)); cm != nil {
			// Unreadable progress counts as none; the worker soon reports again.
			_ = json.Unmarshal([]byte(cm.Data[protocol.ProgressKey]), &progress)
		}
		sum.AddWorker(progress.CompletedPerSecond, progress.LatencyMicrosPerSecond)
	}
	return sum.Recorded()
}

// endOnEviction ends a run that has begun when Kueue evicts its network: the members are gone, and the eviction waits for the
// workers. Once they are gone, the network may be admitted again before the next pass; the reason of the run still says
// then that they were stopped.
func (p *runPass) endOnEviction() {
	job := p.workerJob()
	if job == nil || p.haveWorkersEnded() {
		return
	}
	admitted := meta.FindStatusCondition(p.network.Status.Conditions, v1alpha1.ConditionAdmitted)
	reported := meta.FindStatusCondition(p.run.Status.Conditions, v1alpha1.ConditionReady)
	wasStopped := snapshot.IsSuspended(job) && reported != nil && reported.Reason == v1alpha1.ReasonWaitingForNetwork
	if p.networkEvicted = wasStopped || admitted != nil && admitted.Reason == v1alpha1.ReasonEvicted; !p.networkEvicted {
		return
	}
	message := fmt.Sprintf("Kueue evicted BenchmarkNetwork %s during the run", p.network.Name)
	if snapshot.IsSuspended(job) && firstRunningPod(p.workerPods(), nil) == "" {
		p.failure = runFailure{v1alpha1.ReasonRunFailed, message}
		return
	}
	p.waitReason = status.WaitReason{Reason: v1alpha1.ReasonWaitingForNetwork, Message: message + ": its workers are being stopped"}
}

// stopWorkers suspends the Job of a run that was cancelled or whose network was evicted. The Job controller then deletes the running pods; pods that
// have ended stay with their logs, as those of a failed run do.
func (r *RunReconciler) stopWorkers(ctx context.Context, pass *runPass) error {
	job := pass.snapshot.Job(naming.WorkerJob(pass.run.Name))
	if job == nil || snapshot.IsSuspended(job) || pass.snapshot.JobOutcome(job).State != snapshot.StateWaiting {
		return nil
	}
	patch := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"suspend":true}}`))
	if err := r.Client.Patch(ctx, job.DeepCopy(), patch); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("suspend Job %s: %w", job.Name, err)
	}
	log.FromContext(ctx).Info("workers stopped", "object", "Job/"+job.Name)
	return nil
}
