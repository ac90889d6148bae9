package controllers

import (
	"context"
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/loadgen"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// releaseWorkers sets the start, once all workers are ready, to after the calibration. It records the network's
// pods as the baseline. The status records the release before the barrier is written, so that workers which may
// have received a start never receive another, whatever happens to the barrier.
func (r *RunReconciler) releaseWorkers(ctx context.Context, pass *runPass) error {
	barrier, job := pass.snapshot.ConfigMap(naming.BarrierConfigMap(pass.run.Name)), pass.workerJob()
	if pass.barrierRelease != nil || barrier == nil || job == nil || pass.countReadyWorkers() < pass.run.Spec.Workload.Workers.Count {
		return nil
	}
	baseline, err := snapshot.EncodeBaseline(pass.networkPods)
	if err != nil {
		return err
	}
	release := &loadgen.Release{Start: r.Now().Add(pass.releaseLead()), Baseline: baseline, ResourceVersion: barrier.ResourceVersion}
	before := pass.run.DeepCopy()
	pass.run.Status.Release = &v1alpha1.RunRelease{StartTime: metav1.NewMicroTime(release.Start), NetworkUID: pass.network.UID, JobUID: job.UID,
		JobGeneration: job.Generation, BarrierUID: barrier.UID, BarrierVersion: barrier.ResourceVersion, Digest: release.Digest()}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.Client.Status().Patch(ctx, pass.run, patch, client.FieldOwner(v1alpha1.ManagedBy)); err != nil {
		return fmt.Errorf("record release of run %s: %w", pass.run.Name, err)
	}
	pass.releasePending, pass.barrierRelease = true, release
	return nil
}

// readBarrier sets the release of the run. If the barrier of a released run was deleted or changed, it sets
// barrierProblem and the recorded start. It returns a conflict if only the cache is outdated.
func (r *RunReconciler) readBarrier(ctx context.Context, pass *runPass) error {
	if err := pass.snapshot.LoadTexts(ctx, r.APIReader, naming.BarrierConfigMap(pass.run.Name)); err != nil {
		return err
	}
	cached, record := pass.snapshot.ConfigMap(naming.BarrierConfigMap(pass.run.Name)), pass.run.Status.Release
	release, err := loadgen.ParseRelease(cached)
	if record == nil {
		pass.barrierRelease = release
		return err
	}
	if err == nil && isRecordedRelease(record, cached, release) {
		pass.barrierRelease = release
		return nil
	}
	live := &corev1.ConfigMap{}
	key := client.ObjectKey{Namespace: pass.run.Namespace, Name: naming.BarrierConfigMap(pass.run.Name)}
	if err := r.APIReader.Get(ctx, key, live); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("get barrier of run %s: %w", pass.run.Name, err)
	}
	if live.UID == record.BarrierUID && live.ResourceVersion == record.BarrierVersion {
		return nil // The operator ended before it wrote the release.
	}
	if release, err := loadgen.ParseRelease(live); err == nil && isRecordedRelease(record, live, release) {
		return apierrors.NewConflict(corev1.Resource("configmaps"), key.Name, fmt.Errorf("the cache of run %s is outdated", pass.run.Name))
	}
	what := "changed"
	if live.UID != record.BarrierUID {
		what = "deleted"
	}
	pass.barrierProblem = fmt.Sprintf("ConfigMap %s was %s after the workers were released: restarts of members since then are unknown; "+
		"create another run", key.Name, what)
	pass.barrierRelease = &loadgen.Release{Start: record.StartTime.Time}
	return nil
}

// isRecordedRelease reports whether the barrier is the one by which the run was released, with the same start and baseline.
func isRecordedRelease(record *v1alpha1.RunRelease, barrier *corev1.ConfigMap, release *loadgen.Release) bool {
	return barrier != nil && release != nil && barrier.UID == record.BarrierUID && release.Digest() == record.Digest
}

// workerJob returns the Job of the run's workers, or nil. A Job that was created after the release does not count.
func (p *runPass) workerJob() *batchv1.Job {
	job := p.snapshot.Job(naming.WorkerJob(p.run.Name))
	if job != nil && p.isReleased() && job.UID != p.run.Status.Release.JobUID {
		return nil
	}
	return job
}

// isReleased reports whether the workers may have received a start.
func (p *runPass) isReleased() bool { return p.barrierRelease != nil && p.run.Status.Release != nil }

// withoutUsedObjects leaves out the objects of a released run that must not be created again: a barrier would
// release workers twice, and new workers would begin late.
func (p *runPass) withoutUsedObjects(objects []client.Object) []client.Object {
	return slices.DeleteFunc(objects, func(o client.Object) bool {
		switch o.(type) {
		case *corev1.ConfigMap:
			return p.barrierProblem != "" && o.GetName() == naming.BarrierConfigMap(p.run.Name)
		case *batchv1.Job:
			return p.isReleased() && p.workerJob() == nil
		}
		return false
	})
}

// measuredNetworkUID returns the UID of the network with which the run was released.
func (p *runPass) measuredNetworkUID() types.UID {
	if p.run.Status.Release != nil {
		return p.run.Status.Release.NetworkUID
	}
	return p.network.UID
}

// findDisturbances returns what happened since the release to the network and to what the run was released with, besides what the faults
// explain.
func (p *runPass) findDisturbances(faults []measurement.FaultRecord) ([]verdict.Disturbance, error) {
	var all []verdict.Disturbance
	job, record := p.workerJob(), p.run.Status.Release
	if record != nil && record.NetworkUID != p.network.UID {
		all = append(all, verdict.Disturbance{Kind: verdict.ReasonNetworkReplaced, Message: fmt.Sprintf(
			"BenchmarkNetwork %s was deleted and created again during the run: it has the UID %s instead of %s; create another run",
			p.network.Name, p.network.UID, record.NetworkUID)})
	}
	ready := meta.FindStatusCondition(p.network.Status.Conditions, v1alpha1.ConditionReady)
	if ready != nil && ready.Reason == v1alpha1.ReasonSecretLost {
		all = append(all, verdict.Disturbance{Kind: verdict.ReasonSecretLost, Message: ready.Message})
	}
	if record != nil && record.JobGeneration != 0 && job != nil && job.DeletionTimestamp == nil && job.Generation != record.JobGeneration {
		all = append(all, verdict.Disturbance{Kind: verdict.ReasonWorkersChanged, Message: fmt.Sprintf(
			"Job %s of the workers was changed during the run, such as its parallelism; create another run", job.Name)})
	}
	if p.barrierProblem != "" {
		return append(all, verdict.Disturbance{Kind: verdict.ReasonBarrierLost, Message: p.barrierProblem}), nil
	}
	found, err := snapshot.FindDisturbances(p.barrierRelease.Baseline, p.networkPods, faults)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", p.run.Name, err)
	}
	return append(all, found...), nil
}
