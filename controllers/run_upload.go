package controllers

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/apply"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/network/networkpolicy"
	"github.com/benchnet/benchnet/internal/run/upload"
	"github.com/benchnet/benchnet/internal/status"
)

// uploadResult advances the upload of a complete run's result by a Job, and reports whether it has ended. While it has not,
// the result says when to look again. It changes only the condition Uploaded of the run.
func (r *RunReconciler) uploadResult(ctx context.Context, run *v1alpha1.BenchmarkRun) (ended bool, result ctrl.Result, err error) {
	if !run.IsUploading() {
		return true, ctrl.Result{}, nil
	}
	owned, err := r.SnapshotReader.ReadOwned(ctx, run, naming.RunSelector(run.Name))
	if err != nil {
		return false, ctrl.Result{}, err
	}
	outcome := snapshot.Readiness{State: snapshot.StateWaiting, Message: "the upload begins"}
	var startErr error
	if job := owned.Job(naming.Upload(run.Name)); job != nil {
		if err := owned.ReadPodCreationFailures(ctx, r.APIReader, r.Now()); err != nil {
			return false, ctrl.Result{}, err
		}
		outcome = owned.JobOutcome(job)
		if failure := owned.PodCreationFailure(job); failure != "" {
			outcome.Message += "; " + failure
		}
		if owned.HasMissingPods() {
			result.RequeueAfter = quotaRetryPeriod
		}
	} else if startErr = r.startUpload(ctx, run, owned); startErr != nil {
		outcome.Message = startErr.Error()
		if r.isFinalUploadError(run, startErr) {
			outcome.State, startErr = snapshot.StateFailed, nil
		}
	}
	before := run.DeepCopy()
	meta.SetStatusCondition(&run.Status.Conditions, status.UploadCondition(run, outcome, upload.URL(run), r.Now()))
	ended = outcome.State != snapshot.StateWaiting
	err = patchStatus(ctx, r.Client, r.Recorder, before, run, before.Status.Conditions, run.Status.Conditions)
	return ended, result, errors.Join(err, startErr, r.nudgeQuotaBlockedOwners(ctx, owned))
}

// isFinalUploadError reports whether an upload that could not start is not retried: only the user can remove a foreign object, and
// other errors, such as of quotas, end after upload.Timeout.
func (r *RunReconciler) isFinalUploadError(run *v1alpha1.BenchmarkRun, err error) bool {
	completed := run.Status.CompletionTime
	return errors.Is(err, apply.ErrForeign) || completed != nil && r.Now().Sub(completed.Time) >= upload.Timeout
}

// startUpload creates the objects of the upload.
func (r *RunReconciler) startUpload(ctx context.Context, run *v1alpha1.BenchmarkRun, owned *snapshot.Snapshot) error {
	network := &v1alpha1.BenchmarkNetwork{}
	if err := r.Client.Get(ctx, client.ObjectKey{Namespace: run.Namespace, Name: run.Spec.NetworkName}, network); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("get network %s: %w", run.Spec.NetworkName, err)
	} else if err != nil {
		network = nil
	}
	objects, err := upload.BuildObjects(run, network, r.Images.Image("agent", ""))
	if err != nil {
		return err
	}
	if err := r.completePods(cmp.Or(network, &v1alpha1.BenchmarkNetwork{}), objects); err != nil {
		return err
	}
	owner := apply.Owner{Object: run, Labels: naming.RunSelector(run.Name)}
	for _, object := range objects {
		if _, isPolicy := object.(*networkingv1.NetworkPolicy); isPolicy && r.NetworkPolicyMode == networkpolicy.ModeNone {
			continue
		}
		if err := r.Writer.Apply(ctx, owner, object, owned.LiveObject(object)); err != nil {
			return err
		}
	}
	return nil
}
