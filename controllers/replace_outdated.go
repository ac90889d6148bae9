package controllers

import (
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/apply"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
)

// withoutOutdatedPod returns the planned object. A StatefulSet whose pod has an older template and is not ready is returned with no
// replicas; once that pod is gone, a later pass creates it again. While a run is measured, a member keeps its pod: the verdict
// reports what happens to it.
func (p *networkPass) withoutOutdatedPod(ctx context.Context, planned client.Object) client.Object {
	live, ok := p.snapshot.LiveObject(planned).(*appsv1.StatefulSet)
	if !ok {
		return planned
	}
	pod := p.snapshot.OutdatedPod(live)
	if pod == nil || p.isMeasured() {
		return planned
	}
	if scaled := snapshot.ScaleToZero(planned); scaled != nil {
		log.FromContext(ctx).Info("pod is replaced, because it is not ready and has an older template", "object", "Pod/"+pod.Name)
		return scaled
	}
	return planned
}

// isMeasured reports whether a run on the network was released and has not ended.
func (p *networkPass) isMeasured() bool {
	return slices.ContainsFunc(p.runs, func(run *v1alpha1.BenchmarkRun) bool { return run.Status.Release != nil && !run.IsComplete() })
}

// applyOrReplace applies an object. A Job is not changed, but it is deleted if it is stuck and was created from another template, for
// example with an image that does not exist. A later pass creates it again.
func (d *Dependencies) applyOrReplace(ctx context.Context, owner apply.Owner, desired client.Object, owned *snapshot.Snapshot) (client.Object, error) {
	live := owned.LiveObject(desired)
	if job, ok := live.(*batchv1.Job); ok && owned.IsStuck(job) {
		outdated, err := d.Writer.IsOutdated(owner, desired, job)
		if err != nil {
			return nil, err
		}
		if outdated {
			return live, d.Writer.Delete(ctx, job)
		}
	}
	return d.Writer.ApplyAndReturn(ctx, owner, desired, live)
}
