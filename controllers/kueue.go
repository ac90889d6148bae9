package controllers

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueuev1beta1 "sigs.k8s.io/kueue/apis/kueue/v1beta1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/admission"
	"github.com/benchnet/benchnet/internal/experiment/capacity"
	"github.com/benchnet/benchnet/internal/experiment/preflight"
	"github.com/benchnet/benchnet/internal/kube/apply"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/status"
)

// KueueMode says whether Kueue admits the networks that have its label.
type KueueMode string

// The Kueue modes.
const (
	// KueueIgnore ignores the label.
	KueueIgnore KueueMode = "Ignore"
	// KueueHonour lets Kueue admit and evict labelled networks.
	KueueHonour KueueMode = "Honour"
)

// DetectKueue returns the requested mode, or KueueIgnore if the API server does not serve Kueue's API.
func DetectKueue(asked KueueMode, served discovery.ServerResourcesInterface) (KueueMode, error) {
	if asked != KueueHonour {
		return KueueIgnore, nil
	}
	_, err := served.ServerResourcesForGroupVersion(kueuev1beta1.GroupVersion.String())
	if apierrors.IsNotFound(err) {
		return KueueIgnore, nil
	}
	if err != nil {
		return "", fmt.Errorf("discover %s: %w", kueuev1beta1.GroupVersion, err)
	}
	return KueueHonour, nil
}

// isManagedByKueue reports whether Kueue decides on the admission of a network.
func (d *Dependencies) isManagedByKueue(network *v1alpha1.BenchmarkNetwork) bool {
	return d.Kueue == KueueHonour && network.Labels[admission.QueueLabel] != ""
}

// reconcileKueueWorkload requests everything that the network needs in one Workload and acts on Kueue's
// decision. Only an eviction stops an admitted network: adding the queue label or deleting the Workload does
// not. The decision is zero if Kueue does not manage the network or its spec is invalid.
func (r *NetworkReconciler) reconcileKueueWorkload(ctx context.Context, pass *networkPass) (status.AdmissionDecision, error) {
	if r.Kueue != KueueHonour {
		return status.AdmissionDecision{}, nil
	}
	workload, err := r.getKueueWorkload(ctx, pass.network)
	switch {
	case err != nil:
		return status.AdmissionDecision{}, err
	case !r.isManagedByKueue(pass.network) && workload != nil:
		return status.AdmissionDecision{}, r.Writer.Delete(ctx, workload)
	case !r.isManagedByKueue(pass.network):
		return status.AdmissionDecision{}, nil
	case workload != nil && admission.IsEvicted(workload):
		return r.handleEviction(ctx, pass, workload)
	case pass.specErr != nil:
		return status.AdmissionDecision{}, r.deleteUnadmittedWorkload(ctx, pass, workload)
	case workload == nil:
		return waitingForKueueDecision("its Workload was just created"), r.applyKueueWorkload(ctx, pass, nil)
	case admission.IsAdmitted(workload):
		decision := status.AdmissionDecision{Admitted: true, Reason: v1alpha1.ReasonAdmitted, Message: "Kueue: " + admission.WorkloadMessage(workload)}
		return decision, r.reportPodsReady(ctx, pass, workload)
	case admission.HasQuotaReserved(workload):
		return waitingForKueueDecision(admission.WorkloadMessage(workload)), nil
	default:
		return waitingForKueueDecision(admission.WorkloadMessage(workload)), r.applyKueueWorkload(ctx, pass, workload)
	}
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

// getKueueWorkload returns the Workload of a network, or nil if there is none.
func (r *NetworkReconciler) getKueueWorkload(ctx context.Context, network *v1alpha1.BenchmarkNetwork) (*kueuev1beta1.Workload, error) {
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
func (r *NetworkReconciler) applyKueueWorkload(ctx context.Context, pass *networkPass, live client.Object) error {
	needs, err := r.computeNeeds(pass.network)
	if err != nil {
		return err
	}
	owner := apply.Owner{Object: pass.network, Labels: naming.NetworkSelector(pass.network.Name)}
	return r.Writer.Apply(ctx, owner, admission.BuildWorkload(pass.network, needs), live)
}

// deleteUnadmittedWorkload deletes the Workload of a network with an invalid spec, so that it reserves no
// quota. An admitted network keeps its Workload, since its pods may exist.
func (r *NetworkReconciler) deleteUnadmittedWorkload(ctx context.Context, pass *networkPass, workload *kueuev1beta1.Workload) error {
	if workload == nil || status.IsAdmitted(pass.network) {
		return nil
	}
	return r.Writer.Delete(ctx, workload)
}

// handleEviction handles an eviction, even if the spec is invalid, since Kueue reclaims the quota. The first
// pass only records the eviction in the status, so that no objects are created even after an operator restart.
// Later passes delete the network's objects except its runs, and then release the quota.
func (r *NetworkReconciler) handleEviction(ctx context.Context, pass *networkPass, workload *kueuev1beta1.Workload) (status.AdmissionDecision, error) {
	evicted := status.AdmissionDecision{
		Evicted: true,
		Reason:  v1alpha1.ReasonEvicted,
		Message: "evicted by Kueue: " + admission.WorkloadMessage(workload),
	}
	if status.IsAdmitted(pass.network) {
		return evicted, nil
	}
	servers, err := r.dropExternalSchemas(ctx, pass)
	if servers.State != snapshot.StateReady {
		evicted.Message += "; " + servers.Message
		return evicted, err
	}
	if err != nil {
		return evicted, err
	}
	if gone, err := r.deleteOwnedObjects(ctx, pass); err != nil || !gone {
		return evicted, err
	}
	if pass.specErr != nil {
		return evicted, r.deleteUnadmittedWorkload(ctx, pass, workload)
	}
	if !admission.HasQuotaReserved(workload) {
		return waitingForKueueDecision(admission.WorkloadMessage(workload)), r.applyKueueWorkload(ctx, pass, workload)
	}
	before := workload.DeepCopy()
	admission.ReleaseQuota(workload)
	return evicted, r.patchWorkloadStatus(ctx, before, workload)
}

// deleteOwnedObjects deletes the objects of a network except its runs. It reports whether all of them are gone
// and all pods have terminated.
func (r *NetworkReconciler) deleteOwnedObjects(ctx context.Context, pass *networkPass) (gone bool, err error) {
	gone = true
	for _, object := range pass.snapshot.UnplannedObjects(nil) {
		if _, isRun := object.(*v1alpha1.BenchmarkRun); isRun {
			continue
		}
		gone = false
		if err := r.Writer.Delete(ctx, object); err != nil {
			return false, err
		}
	}
	for _, pod := range pass.snapshot.Pods() {
		gone = gone && isPodTerminal(&pod)
	}
	return gone, nil
}

func isPodTerminal(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// computeNeeds returns the resources that a network needs, including the workers of its largest workload.
func (d *Dependencies) computeNeeds(n *v1alpha1.BenchmarkNetwork) (capacity.Needs, error) {
	stage := preflight.Checker{Platforms: d.Platforms, Images: d.Images, KubeVersion: d.KubeVersion}
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
	return stage.ComputeNetworkNeeds(n, load, nil)
}

// reportPodsReady sets the condition PodsReady of the Workload, once, when the network is ready.
func (r *NetworkReconciler) reportPodsReady(ctx context.Context, pass *networkPass, workload *kueuev1beta1.Workload) error {
	before := workload.DeepCopy()
	if !meta.IsStatusConditionTrue(pass.network.Status.Conditions, v1alpha1.ConditionReady) || !admission.MarkPodsReady(workload) {
		return nil
	}
	return r.patchWorkloadStatus(ctx, before, workload)
}

// patchWorkloadStatus patches the status of a Workload with an optimistic lock, since Kueue writes it too.
func (r *NetworkReconciler) patchWorkloadStatus(ctx context.Context, before, after *kueuev1beta1.Workload) error {
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.Client.Status().Patch(ctx, after, patch); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("patch status of Workload %s: %w", after.Name, err)
	}
	return nil
}
