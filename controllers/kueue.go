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
	"github.com/benchnet/benchnet/internal/apply"
	"github.com/benchnet/benchnet/internal/capacity"
	"github.com/benchnet/benchnet/internal/kueue"
	"github.com/benchnet/benchnet/internal/names"
	"github.com/benchnet/benchnet/internal/observe"
	"github.com/benchnet/benchnet/internal/rehearsal"
	"github.com/benchnet/benchnet/internal/status"
)

// KueueMode says who decides about networks that have a label for Kueue.
type KueueMode string

// The modes.
const (
	// KueueIgnore leaves the label without effect.
	KueueIgnore KueueMode = "Ignore"
	// KueueHonour lets Kueue decide.
	KueueHonour KueueMode = "Honour"
)

// FindKueue is the mode that is asked for, or Ignore where the API server does not know Kueue.
func FindKueue(asked KueueMode, served discovery.ServerResourcesInterface) (KueueMode, error) {
	if asked != KueueHonour {
		return KueueIgnore, nil
	}
	_, err := served.ServerResourcesForGroupVersion(kueuev1beta1.GroupVersion.String())
	if apierrors.IsNotFound(err) {
		return KueueIgnore, nil
	}
	if err != nil {
		return "", fmt.Errorf("look for %s: %w", kueuev1beta1.GroupVersion, err)
	}
	return KueueHonour, nil
}

// byKueue tells whether Kueue decides about a network.
func (d *Dependencies) byKueue(network *v1alpha1.BenchmarkNetwork) bool {
	return d.Kueue == KueueHonour && network.Labels[kueue.QueueLabel] != ""
}

// heedKueue asks by a Workload for all that the network needs, and heeds what Kueue decided. Who stands gives way to an eviction alone: a
// label that comes later, or a Workload that somebody deletes, takes nothing away. Zero where Kueue does not decide.
func (r *NetworkReconciler) heedKueue(ctx context.Context, pass *networkPass) (status.AdmissionDecision, error) {
	if r.Kueue != KueueHonour {
		return status.AdmissionDecision{}, nil
	}
	workload, err := r.workload(ctx, pass.network)
	switch {
	case err != nil:
		return status.AdmissionDecision{}, err
	case !r.byKueue(pass.network) && workload != nil:
		return status.AdmissionDecision{}, r.Writer.Delete(ctx, workload)
	case !r.byKueue(pass.network):
		return status.AdmissionDecision{}, nil
	case workload != nil && kueue.Evicted(workload):
		return r.giveWay(ctx, pass, workload)
	case pass.refusal != nil:
		return status.AdmissionDecision{}, r.refuseToAsk(ctx, pass, workload)
	case workload == nil:
		return waitsForKueue("it was asked a moment ago"), r.askKueue(ctx, pass, nil)
	case kueue.Admitted(workload):
		decision := status.AdmissionDecision{Admitted: true, Reason: v1alpha1.ReasonAdmitted, Message: "Kueue: " + kueue.Message(workload)}
		return decision, r.tellReady(ctx, pass, workload)
	case kueue.Reserved(workload):
		return waitsForKueue(kueue.Message(workload)), nil
	default:
		return waitsForKueue(kueue.Message(workload)), r.askKueue(ctx, pass, workload)
	}
}

func waitsForKueue(message string) status.AdmissionDecision {
	return status.AdmissionDecision{Reason: v1alpha1.ReasonQueued, Message: "waits for Kueue: " + message}
}

// workload of a network, or nil.
func (r *NetworkReconciler) workload(ctx context.Context, network *v1alpha1.BenchmarkNetwork) (*kueuev1beta1.Workload, error) {
	w := &kueuev1beta1.Workload{}
	err := r.Client.Get(ctx, client.ObjectKey{Namespace: network.Namespace, Name: names.KueueWorkload(network.Name)}, w)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("get Workload of network %s: %w", network.Name, err)
	}
	return w, nil
}

// askKueue makes the Workload what the network, its label and its priority are now; live is nil where there is none yet.
func (r *NetworkReconciler) askKueue(ctx context.Context, pass *networkPass, live client.Object) error {
	needs, err := r.needsOf(pass.network)
	if err != nil {
		return err
	}
	owner := apply.Owner{Object: pass.network, Labels: networkLabels(pass.network)}
	return r.Writer.Apply(ctx, owner, kueue.Workload(pass.network, needs), live)
}

// refuseToAsk takes the Workload of a network back whose spec is refused, so that no quota is held for nothing. One that stands keeps it:
// its pods are there all the same.
func (r *NetworkReconciler) refuseToAsk(ctx context.Context, pass *networkPass, workload *kueuev1beta1.Workload) error {
	if workload == nil || status.Admitted(pass.network) {
		return nil
	}
	return r.Writer.Delete(ctx, workload)
}

// giveWay to an eviction, whether the spec is refused or not, since Kueue counts on the room: it is written first, so that nothing is
// made any more whatever happens to the operator; then all of the network but its runs goes; then its quota is released.
func (r *NetworkReconciler) giveWay(ctx context.Context, pass *networkPass, workload *kueuev1beta1.Workload) (status.AdmissionDecision, error) {
	evicted := status.AdmissionDecision{Withdrawn: true, Reason: v1alpha1.ReasonEvicted, Message: "Kueue took its place back: " + kueue.Message(workload)}
	if status.Admitted(pass.network) {
		return evicted, nil
	}
	servers, err := r.leaveServers(ctx, pass)
	if servers.State != observe.Ready {
		evicted.Message += "; " + servers.Message
		return evicted, err
	}
	if err != nil {
		return evicted, err
	}
	if gone, err := r.vacate(ctx, pass); err != nil || !gone {
		return evicted, err
	}
	if pass.refusal != nil {
		return evicted, r.refuseToAsk(ctx, pass, workload)
	}
	if !kueue.Reserved(workload) {
		return waitsForKueue(kueue.Message(workload)), r.askKueue(ctx, pass, workload)
	}
	before := workload.DeepCopy()
	kueue.Release(workload)
	return evicted, r.patchWorkload(ctx, before, workload)
}

// vacate removes all of a network in the cluster but its runs, and tells whether it is gone, its pods included.
func (r *NetworkReconciler) vacate(ctx context.Context, pass *networkPass) (gone bool, err error) {
	gone = true
	for _, object := range pass.snapshot.Unplanned(nil) {
		if _, isRun := object.(*v1alpha1.BenchmarkRun); isRun {
			continue
		}
		gone = false
		if err := r.Writer.Delete(ctx, object); err != nil {
			return false, err
		}
	}
	for _, pod := range pass.snapshot.Pods() {
		gone = gone && ended(&pod)
	}
	return gone, nil
}

func ended(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// needsOf returns what a network needs together with the workers of its largest workload.
func (d *Dependencies) needsOf(n *v1alpha1.BenchmarkNetwork) (capacity.Needs, error) {
	stage := rehearsal.Rehearsal{Platforms: d.Platforms, Images: d.Images, KubeVersion: d.KubeVersion}
	var load capacity.Needs
	for i := range n.Spec.Workloads {
		w := n.Spec.Workloads[i].Workload
		run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: names.Run(n.Name, w.Name), Namespace: n.Namespace},
			Spec: v1alpha1.BenchmarkRunSpec{NetworkName: n.Name, Workload: w}}
		workers, err := stage.Workers(n, run)
		if err != nil {
			return capacity.Needs{}, err
		}
		if workers.More(load) {
			load = workers
		}
	}
	return stage.Network(n, load)
}

// tellReady lets Kueue know, once, that all of the network stands.
func (r *NetworkReconciler) tellReady(ctx context.Context, pass *networkPass, workload *kueuev1beta1.Workload) error {
	before := workload.DeepCopy()
	if !meta.IsStatusConditionTrue(pass.network.Status.Conditions, v1alpha1.ConditionReady) || !kueue.Ready(workload) {
		return nil
	}
	return r.patchWorkload(ctx, before, workload)
}

// patchWorkload writes a Workload's status on what was read alone: Kueue writes it too.
func (r *NetworkReconciler) patchWorkload(ctx context.Context, before, after *kueuev1beta1.Workload) error {
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.Client.Status().Patch(ctx, after, patch); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("patch status of Workload %s: %w", after.Name, err)
	}
	return nil
}
