package controllers

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/agent/protocol"
	"github.com/benchnet/benchnet/internal/driver"
	"github.com/benchnet/benchnet/internal/names"
	"github.com/benchnet/benchnet/internal/observe"
	"github.com/benchnet/benchnet/internal/plan"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/quantity"
	"github.com/benchnet/benchnet/internal/results"
	"github.com/benchnet/benchnet/internal/status"
)

// runPass is what one pass over a run knows.
type runPass struct {
	run      *v1alpha1.BenchmarkRun
	network  *v1alpha1.BenchmarkNetwork
	platform platform.Platform
	snapshot *observe.Snapshot
	// imageVersion is the version of the project's images that the network was made with.
	imageVersion string
	// networkPods are members, databases and workers.
	networkPods []corev1.Pod
	driver      driver.Driver
	released    *driver.Release
	// reports of the workers once they have ended; nil before.
	reports *reports
	// result of the run once it is written.
	result *results.Result
	// release frees the decoding slot that the pass holds for the result; nil without a result.
	release func()
	// failure is why the run ended without a result.
	failure failedRun
	// refusal is why the run cannot be carried out at all.
	refusal error
	// problem is what kept the pass from its end.
	problem error
	// waiting is what the run waits for before it can begin.
	waiting status.Waiting
}

// failedRun is the reason and the message of a run that ended without a result; both are empty as long as it has not.
type failedRun struct{ reason, message string }

// gather reads all that decides about a run.
func (r *RunReconciler) gather(ctx context.Context, run *v1alpha1.BenchmarkRun) (*runPass, error) {
	pass := &runPass{run: run}
	var err error
	if pass.snapshot, err = r.Reader.Owned(ctx, run, runLabels(run)); err != nil {
		return nil, err
	}
	if err := r.readResult(ctx, pass); err != nil || pass.result != nil || pass.failure.message != "" {
		return pass, err
	}
	if err := pass.snapshot.Refusals(ctx, r.Direct, r.Now()); err != nil {
		return nil, err
	}
	network := &v1alpha1.BenchmarkNetwork{}
	err = r.Client.Get(ctx, client.ObjectKey{Namespace: run.Namespace, Name: run.Spec.NetworkName}, network)
	if apierrors.IsNotFound(err) {
		pass.waiting = status.Waiting{Reason: v1alpha1.ReasonWaitingForNetwork,
			Message: fmt.Sprintf("BenchmarkNetwork %s does not exist", run.Spec.NetworkName)}
		return pass, nil
	}
	if err != nil {
		return nil, fmt.Errorf("get network %s: %w", run.Spec.NetworkName, err)
	}
	pass.network = network
	if pass.imageVersion, err = r.imageVersion(ctx, network); err != nil {
		return nil, err
	}
	if pass.refusal = r.accept(pass); pass.refusal != nil {
		return pass, nil
	}
	return pass, r.gatherNetwork(ctx, pass)
}

// imageVersion returns the version of the project's images that the network was made with, or an empty string while the network has
// no record of it.
func (r *RunReconciler) imageVersion(ctx context.Context, network *v1alpha1.BenchmarkNetwork) (string, error) {
	record := &corev1.ConfigMap{}
	key := client.ObjectKey{Namespace: network.Namespace, Name: names.Epoch(network.Name)}
	if err := r.Client.Get(ctx, key, record); err != nil {
		return "", client.IgnoreNotFound(fmt.Errorf("get ConfigMap %s: %w", key.Name, err))
	}
	return plan.ImageVersion(record), nil
}

// accept makes the driver, or says why the workload cannot be carried out.
func (r *RunReconciler) accept(pass *runPass) error {
	p, err := r.Platforms.Get(pass.network.Spec.Platform.Type)
	if err != nil {
		return err
	}
	workload := &pass.run.Spec.Workload
	if problems := quantity.Check(&pass.run.Spec, field.NewPath("spec")); len(problems) > 0 {
		return problems.ToAggregate()
	}
	problems := platform.ValidateWorkload(p, &pass.network.Spec, workload, field.NewPath("spec", "workload"))
	if err := problems.ToAggregate(); err != nil {
		return err
	}
	pass.platform = p
	topology := p.Topology(pass.network)
	load, err := p.(platform.Loadable).Load(platform.Input{Network: pass.network, Images: r.Images, NetworkVersion: pass.imageVersion}, topology, workload)
	if err != nil {
		return fmt.Errorf("spec.workload: %w", err)
	}
	load.Workload.Reference = string(pass.run.UID)
	load.Labels = plan.PodLabels(pass.network)
	databases, _ := plan.ObservedDatabases(p, pass.network)
	load.Workload.Observe = append(load.Workload.Observe, databases...)
	if problem := driver.ValidateSamples(&load.Workload, &workload.Workers, field.NewPath("spec", "workload")); problem != nil {
		return problem
	}
	pass.driver = load
	return nil
}

// gatherNetwork reads the network's pods and whether it is the run's turn. A run that began goes on whatever happens
// to the network; its verdict will say so.
func (r *RunReconciler) gatherNetwork(ctx context.Context, pass *runPass) error {
	var pods corev1.PodList
	if err := r.Client.List(ctx, &pods, client.InNamespace(pass.run.Namespace), client.MatchingLabels(networkLabels(pass.network))); err != nil {
		return fmt.Errorf("list pods of network %s: %w", pass.network.Name, err)
	}
	for _, pod := range pods.Items {
		if pod.Labels[v1alpha1.LabelRun] == "" {
			pass.networkPods = append(pass.networkPods, pod)
		}
	}
	pass.networkPods = append(pass.networkPods, pass.workers()...)
	var err error
	if pass.released, err = driver.ReleaseOf(pass.snapshot.ConfigMap(names.Barrier(pass.run.Name))); err != nil {
		return err
	}
	if pass.snapshot.Job(pass.run.Name) != nil {
		return nil
	}
	runs, err := runsOn(ctx, r.Client, pass.run.Namespace, pass.network.Name)
	if err != nil {
		return err
	}
	pass.waiting = turn(pass.run, pass.network, runs)
	return nil
}

// waitedTooLong returns why a run gives up waiting for its network or for nodes for its workers, or an empty string. In that case left is
// how long it still waits; 0: without a limit.
func (p *runPass) waitedTooLong(now time.Time) (why string, left time.Duration) {
	within := p.run.Spec.NetworkReadyWithin
	switch {
	case within == nil:
		return "", 0
	case p.waiting.Reason == v1alpha1.ReasonWaitingForNetwork, p.waiting.Reason == v1alpha1.ReasonWaitingForReset:
		return p.waitedForNetwork(within.Duration, now)
	case !p.lacksNodes():
		return "", 0
	}
	job := p.snapshot.Job(p.run.Name)
	if left = job.CreationTimestamp.Add(within.Duration).Sub(now); left <= 0 {
		return fmt.Sprintf("not all workers had a node within %s: %s", within.Duration, p.snapshot.JobOutcome(job).Message), 0
	}
	return "", left
}

// waitedForNetwork is waitedTooLong of a run whose network is not ready.
func (p *runPass) waitedForNetwork(within time.Duration, now time.Time) (why string, left time.Duration) {
	if p.network != nil && meta.IsStatusConditionTrue(p.network.Status.Conditions, v1alpha1.ConditionStalled) {
		return p.waiting.Message, 0
	}
	since := p.run.CreationTimestamp.Time
	if p.network != nil {
		admitted := meta.FindStatusCondition(p.network.Status.Conditions, v1alpha1.ConditionAdmitted)
		switch {
		case admitted == nil:
		case admitted.Status != metav1.ConditionTrue:
			return "", 0 // Time before the admission does not count, and the admission changes the network, which is watched.
		case admitted.LastTransitionTime.After(since):
			since = admitted.LastTransitionTime.Time
		}
	}
	if left = since.Add(within).Sub(now); left <= 0 {
		return fmt.Sprintf("it was not ready within %s: %s", within, p.waiting.Message), 0
	}
	return "", left
}

// lacksNodes reports whether the Job of a run that was not released yet has workers without a node, or without a pod.
func (p *runPass) lacksNodes() bool {
	job := p.snapshot.Job(p.run.Name)
	if job == nil || p.released != nil || p.waiting.Reason != "" || p.snapshot.JobOutcome(job).State != observe.Waiting {
		return false
	}
	placed := int32(0)
	for _, worker := range p.workers() {
		if worker.Spec.NodeName != "" {
			placed++
		}
	}
	return placed < p.run.Spec.Workload.Workers.Count
}

// retry comes back when the run has waited too long, and for pods that cannot be made.
func (p *runPass) retry(now time.Time) ctrl.Result {
	_, left := p.waitedTooLong(now)
	if p.snapshot.Podless() && (left == 0 || left > quotaRecheck) {
		left = quotaRecheck
	}
	return ctrl.Result{RequeueAfter: left}
}

// turn is what a run that has not begun waits for: its network, an older run on it, or its reset. The network says whose turn it
// is once it is ready for that run, and does not take it back.
func turn(run *v1alpha1.BenchmarkRun, network *v1alpha1.BenchmarkNetwork, runs []*v1alpha1.BenchmarkRun) status.Waiting {
	ready := meta.FindStatusCondition(network.Status.Conditions, v1alpha1.ConditionReady)
	standing := ready != nil && ready.Status == metav1.ConditionTrue && network.Status.ObservedGeneration == network.Generation
	older := firstBefore(run, runs)
	switch {
	case network.Spec.Suspend:
		return status.Waiting{Reason: v1alpha1.ReasonSuspended, Message: fmt.Sprintf("BenchmarkNetwork %s is suspended", network.Name)}
	case ready != nil && ready.Reason == v1alpha1.ReasonResetting:
		return status.Waiting{Reason: v1alpha1.ReasonWaitingForReset, Message: fmt.Sprintf("BenchmarkNetwork %s: %s", network.Name, ready.Message)}
	case !standing && ready != nil && ready.Message != "":
		return status.Waiting{Reason: v1alpha1.ReasonWaitingForNetwork, Message: fmt.Sprintf("BenchmarkNetwork %s is not ready: %s", network.Name, ready.Message)}
	case !standing:
		return status.Waiting{Reason: v1alpha1.ReasonWaitingForNetwork, Message: fmt.Sprintf("BenchmarkNetwork %s is not ready", network.Name)}
	case network.Status.Epoch != nil && network.Status.Epoch.Turn == run.UID:
		return status.Waiting{}
	case older != nil:
		return status.Waiting{Reason: v1alpha1.ReasonWaitingForTurn, Message: fmt.Sprintf("BenchmarkRun %s goes first", older.Name)}
	}
	return status.Waiting{Reason: v1alpha1.ReasonWaitingForTurn, Message: fmt.Sprintf("BenchmarkNetwork %s has not given it its turn yet", network.Name)}
}

// firstBefore is the oldest run before another one that has not ended, or nil.
func firstBefore(run *v1alpha1.BenchmarkRun, runs []*v1alpha1.BenchmarkRun) *v1alpha1.BenchmarkRun {
	for _, other := range runs {
		if other.Name == run.Name {
			return nil
		}
		if !plan.Ended(other) {
			return other
		}
	}
	return nil
}

// workers returns the pods that the run's Job controls. Any pod may carry the run's labels, so they do not count.
func (p *runPass) workers() []corev1.Pod {
	job := p.snapshot.Job(p.run.Name)
	if job == nil {
		return nil
	}
	return p.snapshot.ControlledPods(job)
}

// workersReady counts the ready workers. A pod that is being deleted may still be ready, but will not measure anything.
func (p *runPass) workersReady() int32 {
	var ready int32
	workers := p.workers()
	for i := range workers {
		if workers[i].DeletionTimestamp == nil && observe.PodReady(&workers[i]) {
			ready++
		}
	}
	return ready
}

// statusInput is what the status of the run follows from.
func (p *runPass) statusInput(now time.Time) status.RunInput {
	in := status.RunInput{Run: p.run, Refusal: p.refusal, Waiting: p.waiting, Result: p.result, Problem: p.problem,
		WorkersReady: p.workersReady(), Workers: p.workers(), Now: now}
	if job := p.snapshot.Job(p.run.Name); job != nil {
		in.Refused = p.snapshot.Refusal(job)
	}
	if p.released != nil {
		in.Start = &p.released.Start
	}
	for i := range p.run.Spec.Workload.Workers.Count {
		if cm := p.snapshot.ConfigMap(names.Report(p.run.Name, i)); cm != nil {
			in.Progress = append(in.Progress, cm.Data[protocol.ProgressKey])
		}
	}
	in.Failure, in.FailureReason = p.failure.message, p.failure.reason
	if in.Failure == "" && p.problem == nil {
		in.Failure, _ = p.waitedTooLong(now)
	}
	return in
}
