package controllers

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	kueuev1beta2 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/admission"
	"github.com/benchnet/benchnet/internal/kube/apply"
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
	_, err := served.ServerResourcesForGroupVersion(kueuev1beta2.GroupVersion.String())
	if apierrors.IsNotFound(err) {
		return KueueIgnore, nil
	}
	if err != nil {
		return "", fmt.Errorf("discover %s: %w", kueuev1beta2.GroupVersion, err)
	}
	return KueueHonor, nil
}

// isManagedByKueue reports whether Kueue decides on the admission of a network or experiment.
func (d *Dependencies) isManagedByKueue(object client.Object) bool {
	return d.Kueue == KueueHonor && object.GetLabels()[admission.QueueLabel] != ""
}

// quotaFinalizer is on an admitted Workload until all pods of its owner are gone, as on those of Kueue's own jobs. Kueue counts
// the quota of a deleted Workload until then.
const quotaFinalizer = kueuev1beta2.ResourceInUseFinalizerName

// refusedByKueue returns the decision on an owner whose Workload the API server refuses.
func refusedByKueue(err error) status.AdmissionDecision {
	decision := waitingForKueueDecision(err.Error())
	decision.Unsatisfiable = isRefused(err)
	return decision
}

func waitingForKueueDecision(message string) status.AdmissionDecision {
	return status.AdmissionDecision{Reason: v1alpha1.ReasonQueued, Message: "waiting for Kueue: " + message}
}

// getKueueWorkload returns a Workload, or nil if there is none of that name.
func (d *Dependencies) getKueueWorkload(ctx context.Context, namespace, name string) (*kueuev1beta2.Workload, error) {
	w := &kueuev1beta2.Workload{}
	err := d.Client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, w)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("get Workload %s: %w", name, err)
	}
	return w, nil
}

// errPriorityClass means that a label names a WorkloadPriorityClass that does not exist or may not be read.
var errPriorityClass = errors.New("label")

// getPriorityClass returns the WorkloadPriorityClass that the label of a network or experiment names, or nil without the label.
func (d *Dependencies) getPriorityClass(ctx context.Context, object client.Object) (*kueuev1beta2.WorkloadPriorityClass, error) {
	name := object.GetLabels()[admission.PriorityClassLabel]
	if name == "" {
		return nil, nil
	}
	class := &kueuev1beta2.WorkloadPriorityClass{}
	if err := d.APIReader.Get(ctx, client.ObjectKey{Name: name}, class); err != nil {
		return nil, fmt.Errorf("%w %s: %w", errPriorityClass, admission.PriorityClassLabel, err)
	}
	return class, nil
}

// applyKueueWorkload creates a Workload, or updates the live one to the planned queue, priority and requests.
func (d *Dependencies) applyKueueWorkload(ctx context.Context, owner apply.Owner, planned, live *kueuev1beta2.Workload) error {
	// A foreground deletion of the owner must not wait for the Workload, which waits for all pods.
	owner.SkipBlockOwnerDeletion = true
	if live == nil { // Not a client.Object that holds a nil pointer.
		return d.Writer.Apply(ctx, owner, planned, nil)
	}
	return d.Writer.Apply(ctx, owner, planned, live)
}

// acceptReservation returns the decision on an owner whose Workload has quota reserved. Whoever may write Workloads may have
// created or edited this one to request less than planned. It is then replaced, as after a change of the queue: no pods
// exist yet.
func (d *Dependencies) acceptReservation(ctx context.Context, owner client.Object, planned *kueuev1beta2.Workload) (status.AdmissionDecision, error) {
	live := &kueuev1beta2.Workload{}
	if err := d.APIReader.Get(ctx, client.ObjectKeyFromObject(planned), live); err != nil { // The cache lacks what it requests.
		return status.AdmissionDecision{}, fmt.Errorf("get Workload %s: %w", planned.Name, err)
	}
	switch {
	case !metav1.IsControlledBy(live, owner) || !admission.RequestsSame(live, planned):
		log.FromContext(ctx).Info("Workload replaced, since it does not request what is planned", "object", "Workload/"+live.Name)
		return waitingForKueueDecision("its Workload did not request what it needs and is created again"), d.releaseWorkload(ctx, live)
	case !admission.IsAdmitted(live):
		return waitingForKueueDecision(admission.WorkloadMessage(live)), nil
	}
	admitted := status.AdmissionDecision{Admitted: true, Reason: v1alpha1.ReasonAdmittedByKueue, Message: admission.WorkloadMessage(live)}
	return admitted, d.patchQuotaFinalizer(ctx, live, controllerutil.AddFinalizer)
}

// releaseWorkload deletes a Workload whose owner has no pods.
func (d *Dependencies) releaseWorkload(ctx context.Context, workload *kueuev1beta2.Workload) error {
	if err := d.patchQuotaFinalizer(ctx, workload, controllerutil.RemoveFinalizer); err != nil {
		return err
	}
	return d.Writer.Delete(ctx, workload)
}

// patchQuotaFinalizer adds or removes the quotaFinalizer.
func (d *Dependencies) patchQuotaFinalizer(ctx context.Context, workload *kueuev1beta2.Workload, change func(client.Object, string) bool) error {
	changed := workload.DeepCopy()
	if !change(changed, quotaFinalizer) {
		return nil
	}
	patch := client.MergeFromWithOptions(workload, client.MergeFromWithOptimisticLock{})
	if err := d.Client.Patch(ctx, changed, patch); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("patch finalizers of Workload %s: %w", workload.Name, err)
	}
	log.FromContext(ctx).Info("finalizers changed", "object", "Workload/"+workload.Name, "finalizers", changed.Finalizers)
	return nil
}

// patchWorkloadStatus patches the status of a Workload, of which the cache holds only a part. It uses an optimistic
// lock, since Kueue writes the status too.
func (d *Dependencies) patchWorkloadStatus(ctx context.Context, cached *kueuev1beta2.Workload, change func(*kueuev1beta2.Workload)) error {
	live := &kueuev1beta2.Workload{}
	if err := d.APIReader.Get(ctx, client.ObjectKeyFromObject(cached), live); err != nil {
		return client.IgnoreNotFound(fmt.Errorf("get Workload %s: %w", cached.Name, err))
	}
	before := live.DeepCopy()
	before.ResourceVersion = cached.ResourceVersion // The decision was made on the cached version.
	change(live)
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := d.Client.Status().Patch(ctx, live, patch); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("patch status of Workload %s: %w", live.Name, err)
	}
	return nil
}
