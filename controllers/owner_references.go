package controllers

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/apply"
	"github.com/benchnet/benchnet/internal/naming"
)

// networkOwner returns the owner of the objects of a network.
func networkOwner(network *v1alpha1.BenchmarkNetwork) apply.Owner {
	return apply.Owner{Object: network, Labels: naming.NetworkSelector(network.Name), CommonLabels: network.Spec.CommonLabels}
}

// runOwner returns the owner of the objects of a run on a network.
func runOwner(run *v1alpha1.BenchmarkRun, network *v1alpha1.BenchmarkNetwork) apply.Owner {
	return apply.Owner{Object: run, Labels: naming.RunSelector(run.Name), CommonLabels: network.Spec.CommonLabels}
}

// experimentOwner returns the owner of the objects of an experiment.
func experimentOwner(e *v1alpha1.BenchmarkExperiment) apply.Owner {
	return apply.Owner{Object: e, Labels: naming.ExperimentSelector(e.Name), CommonLabels: e.Spec.Template.Network.CommonLabels}
}

// addNetworkOwner adds a non-controlling owner reference to a run that the network did not create, so that the
// run is deleted with the network until it has a result.
func (d *Dependencies) addNetworkOwner(ctx context.Context, run *v1alpha1.BenchmarkRun, network *v1alpha1.BenchmarkNetwork) error {
	if slices.ContainsFunc(run.OwnerReferences, isReferenceTo(network.UID)) {
		return nil
	}
	return d.patchOwnerReferences(ctx, run, append(slices.Clone(run.OwnerReferences), metav1.OwnerReference{
		APIVersion: v1alpha1.GroupVersion.String(), Kind: "BenchmarkNetwork", Name: network.Name, UID: network.UID}))
}

// removeOwnerReferences removes the matching owner references of a run, so that it survives the deletion of
// these owners.
func (d *Dependencies) removeOwnerReferences(ctx context.Context, run *v1alpha1.BenchmarkRun, of func(metav1.OwnerReference) bool) error {
	if !slices.ContainsFunc(run.OwnerReferences, of) {
		return nil
	}
	return d.patchOwnerReferences(ctx, run, slices.DeleteFunc(slices.Clone(run.OwnerReferences), of))
}

// patchOwnerReferences replaces the owner references of a run. It uses an optimistic lock: the patch contains
// the whole list and must not drop an owner that another client added.
func (d *Dependencies) patchOwnerReferences(ctx context.Context, run *v1alpha1.BenchmarkRun, owners []metav1.OwnerReference) error {
	before := run.DeepCopy()
	run.OwnerReferences = owners
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := d.Client.Patch(ctx, run, patch); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("set owner references of run %s: %w", run.Name, err)
	}
	log.FromContext(ctx).Info("owner references changed", "object", "BenchmarkRun/"+run.Name, "owners", ownerNames(owners))
	return nil
}

func ownerNames(owners []metav1.OwnerReference) []string {
	names := make([]string, 0, len(owners))
	for _, o := range owners {
		names = append(names, o.Kind+"/"+o.Name)
	}
	return names
}

// isReferenceTo returns a predicate for owner references with that UID.
func isReferenceTo(uid types.UID) func(metav1.OwnerReference) bool {
	return func(ref metav1.OwnerReference) bool { return ref.UID == uid }
}

// isNonControllingNetwork reports whether an owner reference names a network that did not create the run.
func isNonControllingNetwork(ref metav1.OwnerReference) bool {
	return ref.Kind == "BenchmarkNetwork" && (ref.Controller == nil || !*ref.Controller)
}
