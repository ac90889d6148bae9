// Package controllers contains the reconcilers of networks, runs and experiments. They read the state, apply
// plans and patch the status; planning and status computation are pure packages under internal/.
package controllers

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	kueuev1beta2 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/status"
)

// NetworkReconciler reconciles BenchmarkNetworks.
type NetworkReconciler struct {
	Dependencies
	// Limiter decides when a network may begin. If it is nil, networks begin at once.
	Limiter        *Limiter
	statusThrottle statusThrottle
}

// The operator writes by server-side apply (verb patch, plus create for new objects), create, merge patch and delete, never by
// update. It needs the verb get for uncached reads of charts and results, and for the Roles that it creates: RBAC allows granting
// only rights that the operator has itself. docs/security.md explains each rule; a test compares the two.
// +kubebuilder:rbac:groups=benchnet.dev,resources=benchmarknetworks,verbs=get;list;watch;patch;delete
// +kubebuilder:rbac:groups=benchnet.dev,resources=benchmarknetworks/status,verbs=patch
// +kubebuilder:rbac:groups=benchnet.dev,resources=benchmarknetworks/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=secrets;configmaps;services;serviceaccounts;persistentvolumeclaims,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=pods,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=events,verbs=list
// +kubebuilder:rbac:groups=apps,resources=statefulsets,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=networking.k8s.io,resources=networkpolicies,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=policy,resources=poddisruptionbudgets,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=roles;rolebindings,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// chartPollInterval is the requeue interval of a network while its chart is rendered, which takes some tenths
// of a second.
const chartPollInterval = 250 * time.Millisecond

// Reconcile makes one pass over a network.
func (r *NetworkReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	network := &v1alpha1.BenchmarkNetwork{}
	if err := r.getObject(ctx, req.NamespacedName, network); err != nil {
		r.statusThrottle.forgetNetwork(req.NamespacedName)
		if apierrors.IsNotFound(err) {
			err = r.releaseDeletedNetwork(ctx, req.NamespacedName)
		}
		return ctrl.Result{}, err
	}
	if r.statusThrottle.isStale(req.NamespacedName, network.ResourceVersion) {
		return ctrl.Result{}, nil // The event of the status patch causes another reconcile.
	}
	pass, err := r.readAndPlan(ctx, network)
	if err != nil {
		return ctrl.Result{}, err
	}
	if err := r.orphanRunsWithResults(ctx, pass); err != nil {
		return ctrl.Result{}, err
	}
	if network.DeletionTimestamp != nil {
		return r.tearDownNetwork(ctx, pass)
	}
	if pass.chartPending {
		log.FromContext(ctx).V(1).Info("chart is being rendered")
		return ctrl.Result{RequeueAfter: chartPollInterval}, nil
	}
	begins, err := r.checkAdmission(ctx, pass)
	switch {
	case isRefused(err), isQuotaExceeded(err):
		pass.admission, pass.reconcileErr = refusedByKueue(err), err
	case err != nil:
		return ctrl.Result{}, err
	case begins:
		pass.reconcileErr = r.applyPlan(ctx, pass)
	}
	if apierrors.HasStatusCause(pass.reconcileErr, corev1.NamespaceTerminatingCause) {
		return ctrl.Result{}, nil // The network is deleted with its namespace.
	}
	held, err := r.updateStatus(ctx, pass)
	if err != nil {
		return ctrl.Result{}, err
	}
	if err := r.nudgeQuotaBlockedOwners(ctx, pass.snapshot); err != nil {
		return ctrl.Result{}, err
	}
	return r.requeueOrExpire(ctx, pass, held)
}

// requeueOrExpire returns when to requeue the network. It deletes the network if its time to live is over.
func (r *NetworkReconciler) requeueOrExpire(ctx context.Context, pass *networkPass, held time.Duration) (ctrl.Result, error) {
	if held > 0 && pass.reconcileErr == nil && !pass.unfinished {
		return ctrl.Result{RequeueAfter: held}, nil
	}
	if pass.reconcileErr != nil || pass.specErr != nil {
		return requeueOnQuota(pass.requeueResult(), pass.reconcileErr)
	}
	return r.deleteIfExpired(ctx, pass)
}

// checkAdmission reports whether objects of the network may be created. The admission is written to the status
// before the first object is created, so that a network keeps its place if the operator restarts.
func (r *NetworkReconciler) checkAdmission(ctx context.Context, pass *networkPass) (begins bool, err error) {
	if pass.admission, err = r.reconcileKueueWorkload(ctx, pass); err != nil {
		return false, err
	}
	switch {
	case pass.specErr != nil, pass.admission.Evicted:
		return false, nil
	case status.IsAdmitted(pass.network):
		return true, nil
	case r.isManagedByKueue(pass.network):
		return false, nil
	case r.isAdmittedWithExperiment(ctx, pass.network):
		pass.admission = status.AdmissionDecision{Admitted: true, Reason: v1alpha1.ReasonAdmittedByKueue, Message: "admitted with its experiment"}
		return false, nil
	case r.Limiter == nil:
		return true, nil
	}
	pass.admission, err = r.Limiter.decideAdmission(ctx, pass.network)
	return false, err // It begins in the next pass, after the admission is written.
}

// applyPlan applies every stage whose required stages are ready, and deletes the objects that are no longer
// planned.
func (r *NetworkReconciler) applyPlan(ctx context.Context, pass *networkPass) error {
	if err := r.addFinalizers(ctx, pass); err != nil {
		return err
	}
	if err := r.restoreSecrets(ctx, pass); err != nil {
		return err
	}
	if err := r.ensureCredentials(ctx, pass); err != nil {
		return err
	}
	owner := networkOwner(pass.network)
	if err := r.Writer.Apply(ctx, owner, pass.plan.EpochRecord, pass.snapshot.LiveObject(pass.plan.EpochRecord)); err != nil {
		return err
	}
	pass.applyTimer = &applyTimer{now: r.Now}
	for _, stage := range pass.plan.Stages {
		finding := status.ObservedStage{Name: stage.Name, Provisioning: stage.Provisioning}
		finding.Started, finding.Message = pass.areNeedsReady(stage.Needs)
		var err error
		if finding.Started {
			finding.Readiness, err = r.applyStage(ctx, pass, owner, stage)
			finding.Provisioning = stage.Provisioning || isRefused(err) || isQuotaExceeded(err) // Ready names the refused object of any stage.
		}
		pass.observedStages = append(pass.observedStages, finding)
		if err != nil {
			return err
		}
	}
	for _, object := range pass.snapshot.UnplannedObjects(pass.plan.Objects()) {
		if err := r.Writer.Delete(ctx, object); err != nil {
			return err
		}
	}
	return nil
}

// updateStatus patches the status if it changed and records events for the transitions. Changes that are only
// progress are held back for up to progressStatusPeriod, so that one patch covers many of them; held is the
// time left.
func (r *NetworkReconciler) updateStatus(ctx context.Context, pass *networkPass) (held time.Duration, err error) {
	network := pass.network
	computed := status.ComputeNetwork(status.NetworkInput{Network: network, SpecError: pass.specErr, Admission: pass.admission, Plan: pass.plan,
		Snapshot: pass.snapshot, Stages: pass.allObservedStages(), Runs: pass.runs, Now: r.Now()})
	key, now := client.ObjectKeyFromObject(network), r.Now()
	if !status.HasChanged(network.Status, computed) {
		return 0, nil
	}
	if status.IsProgressOnly(network.Status, computed) {
		if held = r.statusThrottle.remainingDelay(key, now); held > 0 {
			return held, nil
		}
	}
	return 0, r.patchNetworkStatus(ctx, network, computed)
}

// patchNetworkStatus patches the status and records the resource version that it replaced, so that a pass over
// an older cache does not patch it again.
func (r *NetworkReconciler) patchNetworkStatus(ctx context.Context, network *v1alpha1.BenchmarkNetwork, computed v1alpha1.BenchmarkNetworkStatus) error {
	before := network.DeepCopy()
	network.Status = computed
	if err := patchStatus(ctx, r.Client, r.Recorder, before, network, before.Status.Conditions, computed.Conditions); err != nil {
		return err
	}
	var write statusWrite
	if network.ResourceVersion != before.ResourceVersion { // Otherwise nothing changed, and there is no event.
		write.baseVersion = before.ResourceVersion
	}
	r.statusThrottle.recordWrite(client.ObjectKeyFromObject(network), write)
	return nil
}

// deleteIfExpired deletes the network when its time to live after the last workload is over.
func (r *NetworkReconciler) deleteIfExpired(ctx context.Context, pass *networkPass) (ctrl.Result, error) {
	deadline, ok := status.NetworkExpiry(pass.network, pass.runs)
	if !ok {
		return pass.requeueResult(), nil
	}
	return r.deleteAfterDeadline(ctx, pass.network, deadline)
}

// SetupWithManager watches networks, the objects that they own, and the runs on them. Owned objects change in
// bursts, mostly as an echo of the operator's own writes, so their events are debounced.
func (r *NetworkReconciler) SetupWithManager(mgr ctrl.Manager, concurrency int) error {
	build := ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.BenchmarkNetwork{}).
		Watches(&v1alpha1.BenchmarkRun{}, handler.EnqueueRequestsFromMapFunc(mapRunToNetwork)).
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrency}).
		WithLogConstructor(newLogConstructor(mgr, "network"))
	watchOwnedKinds(build, debounced(handler.EnqueueRequestsFromMapFunc(mapByLabel(v1alpha1.LabelNetwork))))
	if r.Kueue == KueueHonor {
		build.Watches(&kueuev1beta2.Workload{}, handler.EnqueueRequestForOwner(mgr.GetScheme(), mgr.GetRESTMapper(),
			&v1alpha1.BenchmarkNetwork{}, handler.OnlyControllerOwner()))
	}
	if r.WatchAPIServers {
		build.Watches(&discoveryv1.EndpointSlice{}, handler.EnqueueRequestsFromMapFunc(r.mapToAllNetworks))
	}
	if r.Limiter != nil {
		next := handler.EnqueueRequestsFromMapFunc(r.Limiter.mapToAdmissibleNetworks)
		build.Watches(&v1alpha1.BenchmarkNetwork{}, next, builder.WithPredicates(freesPlacePredicate()))
		build.Watches(&corev1.Pod{}, next, builder.WithPredicates(deletionPredicate()))
	}
	return build.Complete(requeueOnConflict(r))
}
