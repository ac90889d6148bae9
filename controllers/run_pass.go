package controllers

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/kinds"
	"github.com/benchnet/benchnet/internal/kube/limits"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/network/plan"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/loadgen"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/status"
)

// runPass is the state of one reconcile of a run.
type runPass struct {
	run      *v1alpha1.BenchmarkRun
	network  *v1alpha1.BenchmarkNetwork
	platform platform.Platform
	snapshot *snapshot.Snapshot
	// imageVersion is the version of the project's images with which the network was created.
	imageVersion string
	// networkPods are the pods of members, databases and workers.
	networkPods    []corev1.Pod
	driver         loadgen.Driver
	barrierRelease *loadgen.Release
	// barrierProblem is what happened to the barrier of a released run; empty if it is intact.
	barrierProblem string
	// releasePending says that this pass decided on barrierRelease and has not written it yet.
	releasePending bool
	// reports are the workers' reports; nil until the workers have ended.
	reports *workerReports
	// result is the written result of the run; nil before. resultDigest is the digest of its document.
	result       *document.RunResult
	resultDigest string
	// releaseSlot releases the decoding slot that the pass holds for the result; nil without a result.
	releaseSlot func()
	// failure is why the run ended without a result.
	failure runFailure
	// specErr is why the run cannot be carried out.
	specErr error
	// reconcileErr is the error that ended the pass early.
	reconcileErr error
	// waitReason is what the run waits for before it can begin.
	waitReason status.WaitReason
	// networkEvicted reports that the workers have to stop, since the network was evicted.
	networkEvicted bool
}

// runFailure is the reason and the message of a run that ended without a result. Both are empty for any other
// run.
type runFailure struct{ reason, message string }

// readState reads everything that a pass over the run depends on.
func (r *RunReconciler) readState(ctx context.Context, run *v1alpha1.BenchmarkRun) (*runPass, error) {
	pass := &runPass{run: run}
	var err error
	if pass.snapshot, err = r.SnapshotReader.ReadOwned(ctx, run, naming.RunSelector(run.Name)); err != nil {
		return nil, err
	}
	if err := r.readResult(ctx, pass); err != nil || pass.result != nil || pass.failure.message != "" {
		return pass, err
	}
	if run.Spec.Cancelled { // It ends whatever the state of its network is.
		return pass, r.readBarrier(ctx, pass)
	}
	if pass.specErr = kinds.ValidateSpecSize(run); pass.specErr != nil {
		return pass, nil
	}
	if err := pass.snapshot.ReadEvents(ctx, r.APIReader, r.Now()); err != nil {
		return nil, err
	}
	network := &v1alpha1.BenchmarkNetwork{}
	err = r.getObject(ctx, client.ObjectKey{Namespace: run.Namespace, Name: run.Spec.NetworkName}, network)
	if apierrors.IsNotFound(err) {
		if run.Status.Release != nil && pass.haveWorkersEnded() {
			pass.failure = runFailure{v1alpha1.ReasonRunFailed, fmt.Sprintf("BenchmarkNetwork %s was deleted while the run measured it", run.Spec.NetworkName)}
		}
		pass.waitReason = status.WaitReason{Reason: v1alpha1.ReasonWaitingForNetwork,
			Message: fmt.Sprintf("BenchmarkNetwork %s does not exist", run.Spec.NetworkName)}
		return pass, nil
	}
	if err != nil {
		return nil, fmt.Errorf("get network %s: %w", run.Spec.NetworkName, err)
	}
	pass.network = network
	if kinds.ValidateSpecSize(network) != nil { // Its status says so.
		pass.waitReason = waitReasonOf(run, network, nil)
		return pass, nil
	}
	if pass.imageVersion, err = r.recordedImageVersion(ctx, network); err != nil {
		return nil, err
	}
	if pass.specErr = r.prepareDriver(pass); pass.specErr != nil {
		return pass, nil
	}
	return pass, r.readNetworkState(ctx, pass)
}

// addClaimSizes adds the sizes of the volumes that faults fill. That of a container without a claim is 0.
func (r *RunReconciler) addClaimSizes(ctx context.Context, pass *runPass) error {
	for i := range pass.driver.Workload.Faults {
		f := &pass.driver.Workload.Faults[i]
		if f.Type != measurement.FaultFillDisk {
			continue
		}
		set, name := &appsv1.StatefulSet{}, f.Member
		if f.Kind == "" {
			name = naming.Member(pass.network.Name, measurement.PodOf(f.Member))
		}
		if err := r.Client.Get(ctx, client.ObjectKey{Namespace: pass.run.Namespace, Name: name}, set); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("get StatefulSet %s: %w", name, err)
		}
		for _, claim := range set.Spec.VolumeClaimTemplates {
			f.FillDisk.ClaimBytes = claim.Spec.Resources.Requests.Storage().Value()
		}
	}
	return nil
}

// recordedImageVersion returns the version of the project's images with which the network was created. It is
// empty while the network has no record of it.
func (r *RunReconciler) recordedImageVersion(ctx context.Context, network *v1alpha1.BenchmarkNetwork) (string, error) {
	record := &corev1.ConfigMap{}
	key := client.ObjectKey{Namespace: network.Namespace, Name: naming.EpochConfigMap(network.Name)}
	if err := r.Client.Get(ctx, key, record); err != nil {
		return "", client.IgnoreNotFound(fmt.Errorf("get ConfigMap %s: %w", key.Name, err))
	}
	return plan.ImageVersion(record), nil
}

// prepareDriver sets the platform and the driver of the pass. It returns an error if the workload cannot be
// carried out.
func (r *RunReconciler) prepareDriver(pass *runPass) error {
	p, err := r.Platforms.Get(pass.network.Spec.Platform.Type)
	if err != nil {
		return err
	}
	workload := &pass.run.Spec.Workload
	if problems := limits.ValidateQuantities(&pass.run.Spec, field.NewPath("spec")); len(problems) > 0 {
		return problems.ToAggregate()
	}
	problems := platform.ValidateWorkload(p, &pass.network.Spec, workload, field.NewPath("spec", "workload"))
	begun := pass.snapshot.Job(naming.WorkerJob(pass.run.Name)) != nil // Its queries are undecided without a Prometheus.
	problems = append(problems, r.validateByOptions(workload, pass.run.Namespace, begun, field.NewPath("spec", "workload"))...)
	if err := problems.ToAggregate(); err != nil {
		return err
	}
	pass.platform = p
	topology := p.Topology(pass.network)
	load, err := p.BuildDriver(
		platform.Input{Network: pass.network, Images: r.Images, NetworkImageVersion: pass.imageVersion},
		topology,
		workload,
	)
	if err != nil {
		return fmt.Errorf("spec.workload: %w", err)
	}
	loadgen.IdentifyRun(&load.Workload, pass.run.UID)
	load.Labels = naming.PodLabels(pass.network, pass.network.Labels[v1alpha1.LabelExperiment])
	databases, _ := plan.DatabaseEndpoints(p, pass.network)
	load.Workload.Observe = append(load.Workload.Observe, databases...)
	if pass.network.Spec.Observation == v1alpha1.ObservationNone {
		load.Workload.Observe = nil
	}
	faults, _ := platform.ResolveFaults(p, &pass.network.Spec, workload, field.NewPath("spec", "workload")) // ValidateWorkload returned its errors.
	if err := loadgen.BindFaults(&load.Workload, faults, pass.network.Name, field.NewPath("spec", "workload")); err != nil {
		return err
	}
	if problem := loadgen.ValidateSampleMemory(&load.Workload, &workload.Workers, field.NewPath("spec", "workload")); problem != nil {
		return problem
	}
	pass.driver = load
	return nil
}

// readNetworkState reads the network's pods and determines what the run waits for. A run that has begun
// continues whatever happens to the network; its verdict reports it.
func (r *RunReconciler) readNetworkState(ctx context.Context, pass *runPass) error {
	var pods corev1.PodList
	if err := r.Client.List(ctx, &pods, client.InNamespace(pass.run.Namespace), client.MatchingLabels(naming.NetworkSelector(pass.network.Name))); err != nil {
		return fmt.Errorf("list pods of network %s: %w", pass.network.Name, err)
	}
	if err := r.addClaimSizes(ctx, pass); err != nil {
		return err
	}
	for _, pod := range pods.Items {
		if pod.Labels[v1alpha1.LabelRun] == "" {
			pass.networkPods = append(pass.networkPods, pod)
		}
	}
	pass.networkPods = append(pass.networkPods, pass.workerPods()...)
	if err := r.readBarrier(ctx, pass); err != nil {
		return err
	}
	if err := r.readProgress(ctx, pass); err != nil {
		return err
	}
	if pass.isReleased() || pass.snapshot.Job(naming.WorkerJob(pass.run.Name)) != nil {
		pass.endOnEviction()
		return nil
	}
	runs, err := listRunsOnNetwork(ctx, r.Client, pass.run.Namespace, pass.network.Name)
	if err != nil {
		return err
	}
	pass.waitReason = waitReasonOf(pass.run, pass.network, runs)
	return nil
}

// waitedTooLong returns why a run stops waiting for its network or for nodes for its workers. If the reason is
// empty, left is the remaining time, or 0 if there is no limit.
func (p *runPass) waitedTooLong(now time.Time) (why string, left time.Duration) {
	within := p.run.Spec.StartTimeout
	switch {
	case within == nil, p.run.Spec.Cancelled:
		return "", 0
	case p.waitReason.Reason == v1alpha1.ReasonWaitingForNetwork, p.waitReason.Reason == v1alpha1.ReasonWaitingForReset:
		return p.waitedTooLongForNetwork(within.Duration, now)
	case !p.hasUnscheduledWorkers():
		return "", 0
	}
	job := p.snapshot.Job(naming.WorkerJob(p.run.Name))
	if left = job.CreationTimestamp.Add(within.Duration).Sub(now); left <= 0 {
		return fmt.Sprintf("not all workers had a node within %s: %s", within.Duration, p.snapshot.JobOutcome(job).Message), 0
	}
	return "", left
}

// waitedTooLongForNetwork implements waitedTooLong for a run whose network is not ready.
func (p *runPass) waitedTooLongForNetwork(within time.Duration, now time.Time) (why string, left time.Duration) {
	if p.network != nil && meta.IsStatusConditionTrue(p.network.Status.Conditions, v1alpha1.ConditionStalled) {
		return p.waitReason.Message, 0
	}
	since := p.run.CreationTimestamp.Time
	if p.network != nil {
		for _, kind := range []string{v1alpha1.ConditionAdmitted, v1alpha1.ConditionReconciling} {
			c := meta.FindStatusCondition(p.network.Status.Conditions, kind)
			switch {
			case c == nil:
			case c.Status != metav1.ConditionTrue:
				return "", 0 // Time before the admission does not count. The admission changes the network, which is watched.
			case c.LastTransitionTime.After(since): // Neither does time in which the network was ready or paused.
				since = c.LastTransitionTime.Time
			}
		}
	}
	if left = since.Add(within).Sub(now); left <= 0 {
		return fmt.Sprintf("it was not ready within %s: %s", within, p.waitReason.Message), 0
	}
	return "", left
}

// hasUnscheduledWorkers reports whether the Job of an unreleased run has workers without a node or without a
// pod.
func (p *runPass) hasUnscheduledWorkers() bool {
	job := p.snapshot.Job(naming.WorkerJob(p.run.Name))
	if job == nil || p.barrierRelease != nil || p.waitReason.Reason != "" || p.snapshot.JobOutcome(job).State != snapshot.StateWaiting {
		return false
	}
	placed := int32(0)
	for _, worker := range p.workerPods() {
		if worker.Spec.NodeName != "" {
			placed++
		}
	}
	return placed < p.run.Spec.Workload.Workers.Count
}

// requeueResult requeues the run when its waiting time is over, and earlier while pods are missing or not
// ready without a visible cause.
func (p *runPass) requeueResult(now time.Time) ctrl.Result {
	_, left := p.waitedTooLong(now)
	for _, poll := range []struct {
		needed bool
		period time.Duration
	}{{p.snapshot.HasMissingPods(), quotaRetryPeriod}, {p.snapshot.HasUnexplainedPods(), unexplainedPodInterval}} {
		if poll.needed && (left == 0 || left > poll.period) {
			left = poll.period
		}
	}
	return ctrl.Result{RequeueAfter: left}
}

// waitReasonOf returns what a run that has not begun waits for: its network, an older run on it, a pause, or a
// reset. Once the network is ready for a run, its status.epoch.turn is the UID of that run, and spec.pause Now
// waits for the end of that run.
func waitReasonOf(run *v1alpha1.BenchmarkRun, network *v1alpha1.BenchmarkNetwork, runs []*v1alpha1.BenchmarkRun) status.WaitReason {
	ready := meta.FindStatusCondition(network.Status.Conditions, v1alpha1.ConditionReady)
	usable := ready != nil && ready.Status == metav1.ConditionTrue && network.Status.ObservedGeneration == network.Generation
	hasTurn := usable && network.Status.Epoch != nil && network.Status.Epoch.Turn == run.UID
	pausedBy, older := pausedRunsMessage(network, hasTurn), firstUnfinishedRunBefore(run, runs)
	switch {
	case network.DeletionTimestamp != nil: // It may look ready until the end.
		return status.WaitReason{Reason: v1alpha1.ReasonWaitingForNetwork, Message: fmt.Sprintf("BenchmarkNetwork %s is being deleted", network.Name)}
	case pausedBy != "":
		return status.WaitReason{Reason: v1alpha1.ReasonPaused, Message: pausedBy}
	case ready != nil && ready.Reason == v1alpha1.ReasonResetting:
		return status.WaitReason{Reason: v1alpha1.ReasonWaitingForReset, Message: fmt.Sprintf("BenchmarkNetwork %s: %s", network.Name, ready.Message)}
	case !usable && ready != nil && ready.Message != "":
		return status.WaitReason{
			Reason:  v1alpha1.ReasonWaitingForNetwork,
			Message: fmt.Sprintf("BenchmarkNetwork %s is not ready: %s", network.Name, ready.Message),
		}
	case !usable:
		return status.WaitReason{Reason: v1alpha1.ReasonWaitingForNetwork, Message: fmt.Sprintf("BenchmarkNetwork %s is not ready", network.Name)}
	case hasTurn:
		return status.WaitReason{}
	case older != nil:
		return status.WaitReason{Reason: v1alpha1.ReasonWaitingForTurn, Message: fmt.Sprintf("BenchmarkRun %s runs first", older.Name)}
	}
	return status.WaitReason{Reason: v1alpha1.ReasonWaitingForTurn, Message: fmt.Sprintf("BenchmarkNetwork %s has not scheduled it yet", network.Name)}
}

// pausedRunsMessage returns which field of the network keeps a run from starting, or "".
func pausedRunsMessage(network *v1alpha1.BenchmarkNetwork, hasTurn bool) string {
	switch {
	case network.Spec.Pause == v1alpha1.PauseNow && hasTurn:
		return ""
	case network.Spec.Pause == v1alpha1.PauseNow:
		return fmt.Sprintf("spec.pause of BenchmarkNetwork %s is Now", network.Name)
	case network.Spec.PauseRuns:
		return fmt.Sprintf("spec.pauseRuns of BenchmarkNetwork %s is true", network.Name)
	}
	return ""
}

// firstUnfinishedRunBefore returns the oldest unfinished run that precedes the run in the list, or nil.
func firstUnfinishedRunBefore(run *v1alpha1.BenchmarkRun, runs []*v1alpha1.BenchmarkRun) *v1alpha1.BenchmarkRun {
	for _, other := range runs {
		if other.Name == run.Name {
			return nil
		}
		if !other.IsComplete() {
			return other
		}
	}
	return nil
}

// workerPods returns the pods that the run's Job controls. The run's labels do not count, since any pod may
// carry them.
func (p *runPass) workerPods() []corev1.Pod {
	job := p.workerJob()
	if job == nil {
		return nil
	}
	return p.snapshot.ControlledPods(job)
}

// countReadyWorkers counts the ready workers. It leaves out pods that are being deleted: they may still be
// ready but will not measure.
func (p *runPass) countReadyWorkers() int32 {
	var ready int32
	workers := p.workerPods()
	for i := range workers {
		if workers[i].DeletionTimestamp == nil && snapshot.IsPodReady(&workers[i]) {
			ready++
		}
	}
	return ready
}

// hasNotBegun reports whether the workers' Job does not exist and has not existed.
func (p *runPass) hasNotBegun() bool {
	return p.result == nil && p.barrierRelease == nil && p.snapshot.Job(naming.WorkerJob(p.run.Name)) == nil
}

// statusInput returns the input for the computation of the run's status.
func (p *runPass) statusInput(now time.Time) status.RunInput {
	in := status.RunInput{Run: p.run, SpecError: p.specErr, WaitReason: p.waitReason, Result: p.result, ResultDigest: p.resultDigest,
		ReconcileError: p.reconcileErr, WorkersReady: p.countReadyWorkers(), Workers: p.workerPods(), Now: now}
	if job := p.snapshot.Job(naming.WorkerJob(p.run.Name)); job != nil {
		in.WorkersProblem = p.snapshot.FirstPodProblem(job)
	}
	if p.barrierRelease != nil && !p.releasePending {
		in.Start = &p.barrierRelease.Start
	}
	in.Unit = p.driver.Workload.Unit
	for i := range p.run.Spec.Workload.Workers.Count {
		if cm := p.snapshot.ConfigMap(naming.WorkerReport(p.run.Name, i)); cm != nil {
			in.Progress = append(in.Progress, cm.Data[protocol.ProgressKey])
		}
	}
	in.Failure, in.FailureReason = p.failure.message, p.failure.reason
	if in.Failure == "" && p.reconcileErr == nil {
		in.Failure, _ = p.waitedTooLong(now)
	}
	return in
}
