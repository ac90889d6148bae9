package controllers

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	kueuev1beta2 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/admission"
	"github.com/benchnet/benchnet/internal/experiment/capacity"
	"github.com/benchnet/benchnet/internal/experiment/preflight"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/status"
)

// reconcileKueueWorkload requests everything that the network needs in one Workload and acts on Kueue's
// decision. Only an eviction stops an admitted network, and the network keeps the quota of its Workload until its
// pods are gone, whatever happens to the queue label or the Workload. The decision is zero if Kueue does not
// manage the network, its spec is invalid, or it is admitted.
func (r *NetworkReconciler) reconcileKueueWorkload(ctx context.Context, pass *networkPass) (status.AdmissionDecision, error) {
	if r.Kueue != KueueHonor {
		return status.AdmissionDecision{}, nil
	}
	workload, err := r.getKueueWorkload(ctx, pass.network.Namespace, naming.KueueWorkload(pass.network.Name))
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
		return waitingForKueueDecision("its Workload was just created"), r.applyNetworkWorkload(ctx, pass, nil)
	case workload.DeletionTimestamp != nil:
		return waitingForKueueDecision("its Workload is being deleted"), r.releaseWorkload(ctx, workload)
	case admission.HasQuotaReserved(workload):
		planned, err := r.buildNetworkWorkload(ctx, pass.network)
		if err != nil {
			return status.AdmissionDecision{}, err
		}
		return r.acceptReservation(ctx, pass.network, planned)
	default:
		return waitingForKueueDecision(admission.WorkloadMessage(workload)), r.applyNetworkWorkload(ctx, pass, workload)
	}
}

// wantsWorkload reports whether the network has a queue label and a valid spec.
func (r *NetworkReconciler) wantsWorkload(pass *networkPass) bool {
	return r.isManagedByKueue(pass.network) && pass.specErr == nil
}

// keepWorkload keeps the quota of an admitted network. A network that began without Kueue queues for quota while
// it has a queue label.
func (r *NetworkReconciler) keepWorkload(ctx context.Context, pass *networkPass, workload *kueuev1beta2.Workload) error {
	needed := r.wantsWorkload(pass)
	switch {
	case workload == nil && !needed, workload != nil && workload.DeletionTimestamp != nil:
		return nil
	case workload == nil || needed && !admission.HasQuotaReserved(workload):
		err := r.applyNetworkWorkload(ctx, pass, workload)
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

// applyNetworkWorkload updates the Workload to the network's current needs, queue and priority. live is nil if there is no
// Workload yet.
func (r *NetworkReconciler) applyNetworkWorkload(ctx context.Context, pass *networkPass, live *kueuev1beta2.Workload) error {
	planned, err := r.buildNetworkWorkload(ctx, pass.network)
	if err != nil {
		return err
	}
	return r.applyKueueWorkload(ctx, networkOwner(pass.network), planned, live)
}

func (r *NetworkReconciler) buildNetworkWorkload(ctx context.Context, network *v1alpha1.BenchmarkNetwork) (*kueuev1beta2.Workload, error) {
	class, err := r.getPriorityClass(ctx, network)
	if err != nil {
		return nil, err
	}
	needs, err := r.computeNeeds(network)
	if err != nil {
		return nil, err
	}
	return admission.BuildWorkload(naming.KueueWorkload(network.Name), network, class, needs), nil
}

// computeNeeds returns the resources that a network needs, including the workers of its largest workload.
func (d *Dependencies) computeNeeds(n *v1alpha1.BenchmarkNetwork) (capacity.Needs, error) {
	checker := preflight.Checker{Platforms: d.Platforms, Images: d.Images, KubeVersion: d.KubeVersion, PodConstraints: d.PodConstraints}
	var load capacity.Needs
	for i := range n.Spec.Workloads {
		w := n.Spec.Workloads[i].Workload
		run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: naming.WorkloadRun(n.Name, w.Name), Namespace: n.Namespace},
			Spec: v1alpha1.BenchmarkRunSpec{NetworkName: n.Name, Workload: w}}
		workers, err := checker.ComputeWorkerNeeds(n, run)
		if err != nil {
			return capacity.Needs{}, err
		}
		if workers.Exceeds(load) {
			load = workers
		}
	}
	return checker.ComputeNetworkNeeds(n, load)
}

// reportPodsReady sets the condition PodsReady of the Workload, once, when the network is ready.
func (r *NetworkReconciler) reportPodsReady(ctx context.Context, pass *networkPass, workload *kueuev1beta2.Workload) error {
	if !meta.IsStatusConditionTrue(pass.network.Status.Conditions, v1alpha1.ConditionReady) || !admission.MarkPodsReady(workload.DeepCopy()) {
		return nil
	}
	return r.patchWorkloadStatus(ctx, workload, func(w *kueuev1beta2.Workload) { admission.MarkPodsReady(w) })
}
