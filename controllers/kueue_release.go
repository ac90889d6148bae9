package controllers

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueuev1beta2 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/admission"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/status"
)

// handleEviction handles an eviction, even if the spec is invalid or the queue label was removed, since Kueue
// reclaims the quota. The first pass only records the eviction in the status, so that no objects are created even
// after an operator restart. Later passes delete the network's objects except its runs, and then return the quota.
func (r *NetworkReconciler) handleEviction(ctx context.Context, pass *networkPass, workload *kueuev1beta2.Workload) (status.AdmissionDecision, error) {
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
	if left, err := r.deleteOwnedObjects(ctx, pass); err != nil || left != "" {
		evicted.Message += "; waiting for the deletion of " + left
		return evicted, err
	}
	switch {
	case !r.wantsWorkload(pass) || workload.DeletionTimestamp != nil:
		return evicted, r.releaseWorkload(ctx, workload)
	case !admission.HasQuotaReserved(workload):
		return waitingForKueueDecision(admission.WorkloadMessage(workload)), r.applyNetworkWorkload(ctx, pass, workload)
	}
	return evicted, r.patchWorkloadStatus(ctx, workload, admission.ReleaseQuota)
}

// deleteOwnedObjects deletes the objects of a network except its runs. It returns the first object or pod that
// still exists, or an empty string.
func (r *NetworkReconciler) deleteOwnedObjects(ctx context.Context, pass *networkPass) (left string, err error) {
	for _, object := range pass.snapshot.UnplannedObjects(nil) {
		if _, isRun := object.(*v1alpha1.BenchmarkRun); isRun {
			continue
		}
		if left == "" {
			left = "object " + object.GetName()
		}
		if err := r.Writer.Delete(ctx, object); err != nil {
			return left, err
		}
	}
	if pod := firstRunningPod(pass.snapshot.Pods(), nil); left == "" && pod != "" {
		return "pod " + pod, nil
	}
	return left, nil
}

// replaceForeignWorkload handles a Workload that has the name of the network's but another owner. That of an earlier
// network of the same name holds its quota until the pods of that network are gone. An object that anybody else
// created stays, and keeps a network from its admission; an admitted one goes on.
func (r *NetworkReconciler) replaceForeignWorkload(ctx context.Context, pass *networkPass, workload *kueuev1beta2.Workload) (status.AdmissionDecision, error) {
	left, err := r.releaseLeftoverWorkload(ctx, workload, pass.network)
	switch {
	case err != nil || status.IsAdmitted(pass.network) || !r.wantsWorkload(pass):
		return status.AdmissionDecision{}, err
	case left != "":
		return waitingForKueueDecision("an earlier network of this name holds its quota until the deletion of " + left), nil
	}
	return waitingForKueueDecision("its Workload was just created"), r.applyNetworkWorkload(ctx, pass, nil)
}

// releaseDeletedNetwork releases the Workload of a deleted network once its pods are gone. The deletion of a pod
// causes another call.
func (r *NetworkReconciler) releaseDeletedNetwork(ctx context.Context, network client.ObjectKey) error {
	if r.Kueue != KueueHonor {
		return nil
	}
	workload, err := r.getKueueWorkload(ctx, network.Namespace, naming.KueueWorkload(network.Name))
	if err != nil || workload == nil {
		return err
	}
	_, err = r.releaseLeftoverWorkload(ctx, workload, nil)
	return err
}

// releaseLeftoverWorkload releases the deleted Workload of a deleted network once nothing of that network runs. It
// returns what still does. successor is the network that has the name now, or nil.
func (r *NetworkReconciler) releaseLeftoverWorkload(
	ctx context.Context, workload *kueuev1beta2.Workload, successor *v1alpha1.BenchmarkNetwork,
) (left string, err error) {
	owner := metav1.GetControllerOf(workload)
	if owner == nil || workload.DeletionTimestamp == nil {
		return "", nil
	}
	earlier := &v1alpha1.BenchmarkNetwork{ObjectMeta: metav1.ObjectMeta{Name: owner.Name, Namespace: workload.Namespace, UID: owner.UID}}
	owned, err := r.SnapshotReader.ReadOwned(ctx, earlier, naming.NetworkSelector(owner.Name))
	if err != nil {
		return "", err
	}
	for _, object := range owned.UnplannedObjects(nil) {
		switch o := object.(type) {
		case *appsv1.StatefulSet:
			return "StatefulSet " + o.Name, nil
		case *batchv1.Job:
			if owned.JobOutcome(o).State == snapshot.StateWaiting {
				return "Job " + o.Name, nil
			}
		}
	}
	if pod := firstRunningPod(owned.Pods(), successor); pod != "" {
		return "pod " + pod, nil
	}
	return "", r.releaseWorkload(ctx, workload)
}

// firstRunningPod returns the first name of a pod that has not ended, or an empty string. It leaves out the pods that
// are younger than the successor of their network.
func firstRunningPod(pods []corev1.Pod, successor *v1alpha1.BenchmarkNetwork) (first string) {
	for i := range pods {
		younger := successor != nil && pods[i].CreationTimestamp.After(successor.CreationTimestamp.Time)
		if !younger && !snapshot.HasPodEnded(&pods[i]) && (first == "" || pods[i].Name < first) {
			first = pods[i].Name
		}
	}
	return first
}
