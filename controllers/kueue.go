package controllers

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	kueuev1beta1 "sigs.k8s.io/kueue/apis/kueue/v1beta1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/admission"
	"github.com/benchnet/benchnet/internal/experiment/capacity"
	"github.com/benchnet/benchnet/internal/experiment/preflight"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/status"
)

// KueueMode says whether Kueue admits the networks that have its label.
type KueueMode string

// The Kueue modes.
const (
	// KueueIgnore ignores the label.
	KueueIgnore KueueMode = "Ignore"
	// KueueHonor lets Kueue admit and evict labelled networks.
	KueueHonor KueueMode = "Honor"
)

// DetectKueue returns the requested mode, or KueueIgnore if the API server does not serve Kueue's API.
func DetectKueue(mode KueueMode, served discovery.ServerResourcesInterface) (KueueMode, error) {
	if mode != KueueHonor {
		return KueueIgnore, nil
	}
	_, err := served.ServerResourcesForGroupVersion(kueuev1beta1.GroupVersion.String())
	if apierrors.IsNotFound(err) {
		return KueueIgnore, nil
	}
	if err != nil {
		return "", fmt.Errorf("discover %s: %w", kueuev1beta1.GroupVersion, err)
	}
	return KueueHonor, nil
}

// isManagedByKueue reports whether Kueue decides on the admission of a network.
func (d *Dependencies) isManagedByKueue(network *v1alpha1.BenchmarkNetwork) bool {
	return d.Kueue == KueueHonor && network.Labels[admission.QueueLabel] != ""
}

// reconcileKueueWorkload requests everything that the network needs in one Workload and acts on Kueue's
// decision. Only an eviction stops an admitted network, and the network keeps the quota of its Workload until its
// pods are gone, whatever happens to the queue label or the Workload. The decision is zero if Kueue does not
// manage the network, its spec is invalid, or it is admitted.
func (r *NetworkReconciler) reconcileKueueWorkload(ctx context.Context, pass *networkPass) (status.AdmissionDecision, error) {
	if r.Kueue != KueueHonor {
		return status.AdmissionDecision{}, nil
	}
	workload, err := r.getKueueWorkload(ctx, client.ObjectKeyFromObject(pass.network))
	if err != nil {
		return status.AdmissionDecision{}, err
	}
	if workload != nil && !metav1.IsControlledBy(workload, pass.network) {
		return r.replaceForeignWorkload(ctx, pass, workload)
	}
	switch needed := r.wantsWorkload(pass); {
	case workload != nil && admission.IsEvicted(workload):
		return r.handleEviction(ctx, pass, workload)
	case status.IsAdmitted(pass.network):
		return status.AdmissionDecision{}, r.keepWorkload(ctx, pass, workload)
	case workload != nil && !needed:
		return status.AdmissionDecision{}, r.releaseWorkload(ctx, workload)
	case !needed:
		return status.AdmissionDecision{}, nil
	case workload == nil:
		return waitingForKueueDecision("its Workload was just created"), r.applyKueueWorkload(ctx, pass, nil)
	case workload.DeletionTimestamp != nil:
		return waitingForKueueDecision("its Workload is being deleted"), r.releaseWorkload(ctx, workload)
	case admission.HasQuotaReserved(workload):
		return r.acceptReservation(ctx, pass)
	default:
		return waitingForKueueDecision(admission.WorkloadMessage(workload)), r.applyKueueWorkload(ctx, pass, workload)
	}
}

// wantsWorkload reports whether the network has a queue label and a valid spec.
func (r *NetworkReconciler) wantsWorkload(pass *networkPass) bool {
	return r.isManagedByKueue(pass.network) && pass.specErr == nil
}

// acceptReservation admits the network if Kueue has admitted its Workload. Whoever may write Workloads may have
// created or edited this one to request less than the network needs. It is then replaced, as after a change of
// the queue: no pods exist yet.
func (r *NetworkReconciler) acceptReservation(ctx context.Context, pass *networkPass) (status.AdmissionDecision, error) {
	live := &kueuev1beta1.Workload{}
	key := client.ObjectKey{Namespace: pass.network.Namespace, Name: naming.KueueWorkload(pass.network.Name)}
	if err := r.APIReader.Get(ctx, key, live); err != nil { // The cache lacks what it requests.
		return status.AdmissionDecision{}, fmt.Errorf("get Workload %s: %w", key.Name, err)
	}
	planned, err := r.buildKueueWorkload(pass.network)
	if err != nil {
		return status.AdmissionDecision{}, err
	}
	switch {
	case !metav1.IsControlledBy(live, pass.network) || !admission.RequestsSame(live, planned):
		log.FromContext(ctx).Info("Workload replaced, since it does not request what the network needs", "object", "Workload/"+live.Name)
		return waitingForKueueDecision("its Workload did not request what the network needs and is created again"), r.releaseWorkload(ctx, live)
	case !admission.IsAdmitted(live):
		return waitingForKueueDecision(admission.WorkloadMessage(live)), nil
	}
	admitted := status.AdmissionDecision{Admitted: true, Reason: v1alpha1.ReasonAdmittedByKueue, Message: admission.WorkloadMessage(live)}
	return admitted, r.patchQuotaFinalizer(ctx, live, controllerutil.AddFinalizer)
}

// keepWorkload keeps the quota of an admitted network. A network that began without Kueue queues for quota while
// it has a queue label.
func (r *NetworkReconciler) keepWorkload(ctx context.Context, pass *networkPass, workload *kueuev1beta1.Workload) error {
	needed := r.wantsWorkload(pass)
	switch {
	case workload == nil && !needed, workload != nil && workload.DeletionTimestamp != nil:
		return nil
	case workload == nil || needed && !admission.HasQuotaReserved(workload):
		err := r.applyKueueWorkload(ctx, pass, workload)
		if isRefused(err) { // The network goes on without quota.
			log.FromContext(ctx).Info("Workload refused", "reason", err.Error())
			return nil
		}
		return err
	case !admission.HasQuotaReserved(workload):
		if pass.specErr != nil {
			return nil
		}
		return r.releaseWorkload(ctx, workload)
	}
	if err := r.patchQuotaFinalizer(ctx, workload, controllerutil.AddFinalizer); err != nil {
		return err
	}
	return r.reportPodsReady(ctx, pass, workload)
}

// refusedByKueue returns the decision on a network whose Workload the API server refuses.
func refusedByKueue(err error) status.AdmissionDecision {
	decision := waitingForKueueDecision(err.Error())
	decision.Unsatisfiable = isRefused(err)
	return decision
}

func waitingForKueueDecision(message string) status.AdmissionDecision {
	return status.AdmissionDecision{Reason: v1alpha1.ReasonQueued, Message: "waiting for Kueue: " + message}
}

// getKueueWorkload returns the Workload that has the name of a network's, or nil if there is none.
func (r *NetworkReconciler) getKueueWorkload(ctx context.Context, network client.ObjectKey) (*kueuev1beta1.Workload, error) {
	w := &kueuev1beta1.Workload{}
	err := r.Client.Get(ctx, client.ObjectKey{Namespace: network.Namespace, Name: naming.KueueWorkload(network.Name)}, w)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("get Workload of network %s: %w", network.Name, err)
	}
	return w, nil
}

// applyKueueWorkload updates the Workload to the network's current needs, queue label and priority. live is nil
// if there is no Workload yet.
func (r *NetworkReconciler) applyKueueWorkload(ctx context.Context, pass *networkPass, live *kueuev1beta1.Workload) error {
	planned, err := r.buildKueueWorkload(pass.network)
	if err != nil {
		return err
	}
	// A foreground deletion of the network must not wait for the Workload, which waits for all of the network's pods.
	owner := networkOwner(pass.network)
	owner.SkipBlockOwnerDeletion = true
	if live == nil { // Not a client.Object that holds a nil pointer.
		return r.Writer.Apply(ctx, owner, planned, nil)
	}
	return r.Writer.Apply(ctx, owner, planned, live)
}

func (r *NetworkReconciler) buildKueueWorkload(network *v1alpha1.BenchmarkNetwork) (*kueuev1beta1.Workload, error) {
	needs, err := r.computeNeeds(network)
	if err != nil {
		return nil, err
	}
	return admission.BuildWorkload(network, needs), nil
}

// computeNeeds returns the resources that a network needs, including the workers of its largest workload.
func (d *Dependencies) computeNeeds(n *v1alpha1.BenchmarkNetwork) (capacity.Needs, error) {
	stage := preflight.Checker{Platforms: d.Platforms, Images: d.Images, KubeVersion: d.KubeVersion, PodConstraints: d.PodConstraints}
	var load capacity.Needs
	for i := range n.Spec.Workloads {
		w := n.Spec.Workloads[i].Workload
		run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: naming.WorkloadRun(n.Name, w.Name), Namespace: n.Namespace},
			Spec: v1alpha1.BenchmarkRunSpec{NetworkName: n.Name, Workload: w}}
		workers, err := stage.ComputeWorkerNeeds(n, run)
		if err != nil {
			return capacity.Needs{}, err
		}
		if workers.Exceeds(load) {
			load = workers
		}
	}
	return stage.ComputeNetworkNeeds(n, load)
}

// reportPodsReady sets the condition PodsReady of the Workload, once, when the network is ready.
func (r *NetworkReconciler) reportPodsReady(ctx context.Context, pass *networkPass, workload *kueuev1beta1.Workload) error {
	if !meta.IsStatusConditionTrue(pass.network.Status.Conditions, v1alpha1.ConditionReady) || !admission.MarkPodsReady(workload.DeepCopy()) {
		return nil
	}
	return r.patchWorkloadStatus(ctx, workload, func(w *kueuev1beta1.Workload) { admission.MarkPodsReady(w) })
}

// patchWorkloadStatus patches the status of a Workload, of which the cache holds only a part. It uses an optimistic
// lock, since Kueue writes the status too.
func (r *NetworkReconciler) patchWorkloadStatus(ctx context.Context, cached *kueuev1beta1.Workload, change func(*kueuev1beta1.Workload)) error {
	live := &kueuev1beta1.Workload{}
	if err := r.APIReader.Get(ctx, client.ObjectKeyFromObject(cached), live); err != nil {
		return client.IgnoreNotFound(fmt.Errorf("get Workload %s: %w", cached.Name, err))
	}
	before := live.DeepCopy()
	before.ResourceVersion = cached.ResourceVersion // The decision was made on the cached version.
	change(live)
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.Client.Status().Patch(ctx, live, patch); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("patch status of Workload %s: %w", live.Name, err)
	}
	return nil
}
