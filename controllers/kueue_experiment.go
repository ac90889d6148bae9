package controllers

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueuev1beta2 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/admission"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/status"
)

// podsPollInterval is how often the last pods of an experiment are looked up, whose end causes no reconcile of the experiment.
const podsPollInterval = 5 * time.Second

// reconcileKueueWorkload requests in one Workload what the networks of the experiment need that exist at one time, and acts on
// Kueue's decision. An experiment that began without Kueue stays without, and an admitted one keeps its quota from one network
// to the next, whatever happens to the label. The decision is zero if Kueue does not manage the experiment or has admitted it.
func (r *ExperimentReconciler) reconcileKueueWorkload(ctx context.Context, pass *experimentPass) (status.AdmissionDecision, error) {
	if r.Kueue != KueueHonor {
		return status.AdmissionDecision{}, nil
	}
	e := pass.experiment
	workload, err := r.getKueueWorkload(ctx, e.Namespace, naming.ExperimentKueueWorkload(e.Name))
	if err != nil {
		return status.AdmissionDecision{}, err
	}
	if workload != nil && !metav1.IsControlledBy(workload, e) {
		if left, err := r.releaseExperimentWorkload(ctx, e.Name, workload); err != nil || left != "" {
			return waitingForKueueDecision("an earlier experiment of this name holds its quota until the deletion of " + left), err
		}
		workload = nil // If somebody else created it, its name is refused below.
	}
	wanted := r.isManagedByKueue(e) && !pass.step.IsDone()
	switch {
	case workload != nil && admission.IsEvicted(workload) && !pass.step.IsDone():
		return r.evictExperiment(ctx, pass, workload)
	case status.IsExperimentAdmitted(e), e.Status.StartTime != nil && !status.IsExperimentQueued(e):
		return status.AdmissionDecision{}, nil
	case wanted:
		return r.queueExperiment(ctx, pass, workload)
	case workload != nil:
		return status.AdmissionDecision{}, r.releaseWorkload(ctx, workload)
	}
	return status.AdmissionDecision{}, nil
}

// queueExperiment returns the decision on an experiment that is not admitted. workload is its Workload, or nil. The needs are computed
// only to create, change or accept the Workload.
func (r *ExperimentReconciler) queueExperiment(ctx context.Context, pass *experimentPass, workload *kueuev1beta2.Workload) (status.AdmissionDecision, error) {
	e := pass.experiment
	if workload != nil && workload.DeletionTimestamp != nil {
		return waitingForKueueDecision("its Workload is being deleted"), r.releaseWorkload(ctx, workload)
	}
	class, err := r.getPriorityClass(ctx, e)
	if err != nil {
		return status.AdmissionDecision{}, err
	}
	reserved := workload != nil && admission.HasQuotaReserved(workload)
	if workload != nil && !reserved && admission.IsQueuedAs(workload, e, class) {
		return waitingForKueueDecision(admission.WorkloadMessage(workload)), nil
	}
	planned, err := r.buildExperimentWorkload(ctx, pass, class)
	if err != nil {
		return status.AdmissionDecision{}, err
	}
	if reserved {
		return r.acceptExperiment(ctx, pass, workload, planned)
	}
	return waitingForKueueDecision("its Workload was just created or changed"), r.applyKueueWorkload(ctx, experimentOwner(e), planned, workload)
}

// buildExperimentWorkload returns the planned Workload. It computes the needs again if an earlier pass did, since they are not
// stored.
func (r *ExperimentReconciler) buildExperimentWorkload(ctx context.Context, pass *experimentPass, class *kueuev1beta2.WorkloadPriorityClass) (
	*kueuev1beta2.Workload, error) {
	e := pass.experiment
	if pass.forecast == nil {
		var err error
		checker := r.newChecker()
		if pass.forecast, err = checker.CheckExperiment(ctx, e, pass.design, pass.design.GroupRuns(&e.Spec, experiment.Seed(e))); err != nil {
			return nil, fmt.Errorf("compute the needs of experiment %s: %w", e.Name, err)
		}
	}
	return admission.BuildWorkload(naming.ExperimentKueueWorkload(e.Name), e, class, pass.forecast.Needs), nil
}

// acceptExperiment admits the experiment if Kueue has admitted its Workload. The Workload counts as ready at once: the networks
// come one after the other, and each waits for its nodes for failures.startTimeout.
func (r *ExperimentReconciler) acceptExperiment(ctx context.Context, pass *experimentPass, workload, planned *kueuev1beta2.Workload) (
	status.AdmissionDecision, error) {
	decision, err := r.acceptReservation(ctx, pass.experiment, planned)
	if err != nil || !decision.Admitted || meta.IsStatusConditionTrue(workload.Status.Conditions, kueuev1beta2.WorkloadPodsReady) {
		return decision, err
	}
	live := &kueuev1beta2.Workload{}
	if err := r.APIReader.Get(ctx, client.ObjectKeyFromObject(workload), live); err != nil { // The finalizer was just added.
		return status.AdmissionDecision{}, fmt.Errorf("get Workload %s: %w", workload.Name, err)
	}
	return decision, r.patchWorkloadStatus(ctx, live, func(w *kueuev1beta2.Workload) { admission.MarkPodsReady(w) })
}

// evictExperiment deletes the networks of an evicted experiment, which ends the active runs, and then returns the quota. Ended
// runs count, and after the next admission the experiment goes on with new networks. The first pass only records the eviction.
func (r *ExperimentReconciler) evictExperiment(ctx context.Context, pass *experimentPass, workload *kueuev1beta2.Workload) (status.AdmissionDecision, error) {
	evicted := status.AdmissionDecision{Evicted: true, Reason: v1alpha1.ReasonEvicted, Message: "evicted by Kueue: " + admission.WorkloadMessage(workload)}
	if status.IsExperimentAdmitted(pass.experiment) {
		return evicted, nil
	}
	if err := r.deleteNetworksExcept(ctx, pass, nil); err != nil {
		return evicted, err
	}
	left, err := r.firstRemainingObject(ctx, pass.experiment.Namespace, pass.experiment.Name, pass.experiment.UID)
	switch {
	case err != nil:
		return evicted, err
	case left != "":
		evicted.Message += "; waiting for the deletion of " + left
		pass.pollAfter = podsPollInterval
		return evicted, nil
	case workload.DeletionTimestamp != nil, !r.isManagedByKueue(pass.experiment):
		return evicted, r.releaseWorkload(ctx, workload)
	case admission.HasQuotaReserved(workload):
		return evicted, r.patchWorkloadStatus(ctx, workload, admission.ReleaseQuota)
	}
	return waitingForKueueDecision(admission.WorkloadMessage(workload)), nil
}

// releaseQuota releases the Workload of an experiment that has ended or was deleted, once its networks and their pods are gone.
// It returns when to look again.
func (r *ExperimentReconciler) releaseQuota(ctx context.Context, experiment client.ObjectKey) (ctrl.Result, error) {
	if r.Kueue != KueueHonor {
		return ctrl.Result{}, nil
	}
	workload, err := r.getKueueWorkload(ctx, experiment.Namespace, naming.ExperimentKueueWorkload(experiment.Name))
	if err != nil || workload == nil {
		return ctrl.Result{}, err
	}
	left, err := r.releaseExperimentWorkload(ctx, experiment.Name, workload)
	if err != nil || left == "" {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: podsPollInterval}, nil
}

// releaseExperimentWorkload releases the Workload of an experiment once nothing of the experiment that owns it runs. It returns
// what still does. A Workload that an experiment does not own stays.
func (r *ExperimentReconciler) releaseExperimentWorkload(ctx context.Context, experiment string, workload *kueuev1beta2.Workload) (left string, err error) {
	owner := metav1.GetControllerOf(workload)
	if owner == nil || owner.Kind != "BenchmarkExperiment" {
		return "", nil
	}
	if left, err = r.firstRemainingObject(ctx, workload.Namespace, experiment, owner.UID); err != nil || left != "" {
		return left, err
	}
	return "", r.releaseWorkload(ctx, workload)
}

// firstRemainingObject returns the first network of an experiment, or running pod of one, or an empty string.
func (r *ExperimentReconciler) firstRemainingObject(ctx context.Context, namespace, name string, uid types.UID) (string, error) {
	var networks v1alpha1.BenchmarkNetworkList
	if err := r.Client.List(ctx, &networks, client.InNamespace(namespace), client.MatchingLabels(naming.ExperimentSelector(name)),
		client.UnsafeDisableDeepCopy); err != nil {
		return "", fmt.Errorf("list networks of experiment %s: %w", name, err)
	}
	for i := range networks.Items {
		if owner := metav1.GetControllerOfNoCopy(&networks.Items[i]); owner != nil && owner.UID == uid {
			return "BenchmarkNetwork " + networks.Items[i].Name, nil
		}
	}
	var pods corev1.PodList
	if err := r.Client.List(ctx, &pods, client.InNamespace(namespace), client.HasLabels{v1alpha1.LabelNetwork}, client.UnsafeDisableDeepCopy); err != nil {
		return "", fmt.Errorf("list pods of experiment %s: %w", name, err)
	}
	owned := slices.DeleteFunc(pods.Items, func(p corev1.Pod) bool { return !naming.IsExperimentNetwork(name, p.Labels[v1alpha1.LabelNetwork]) })
	if pod := firstRunningPod(owned, nil); pod != "" {
		return "pod " + pod, nil
	}
	return "", nil
}

// isAdmittedWithExperiment reports whether a network belongs to an experiment that Kueue has admitted. Only the operator writes
// that into the status of an experiment.
func (d *Dependencies) isAdmittedWithExperiment(ctx context.Context, network *v1alpha1.BenchmarkNetwork) bool {
	owner := metav1.GetControllerOfNoCopy(network)
	if d.Kueue != KueueHonor || owner == nil || owner.Kind != "BenchmarkExperiment" || !naming.IsExperimentNetwork(owner.Name, network.Name) {
		return false
	}
	e := &v1alpha1.BenchmarkExperiment{}
	err := d.Client.Get(ctx, client.ObjectKey{Namespace: network.Namespace, Name: owner.Name}, e, client.UnsafeDisableDeepCopy)
	return err == nil && e.UID == owner.UID && status.IsExperimentAdmitted(e)
}
