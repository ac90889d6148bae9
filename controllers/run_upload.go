package controllers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/apply"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/network/networkpolicy"
	"github.com/benchnet/benchnet/internal/run/results"
	"github.com/benchnet/benchnet/internal/run/upload"
	"github.com/benchnet/benchnet/internal/status"
)

// secretRetryPeriod is how often a Secret that lacks its label is read again. Secrets of users are not watched.
const secretRetryPeriod = 15 * time.Second

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
	var outcome snapshot.Readiness
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
	} else {
		outcome, startErr = r.startUpload(ctx, run, owned)
		result.RequeueAfter = secretRetryPeriod
	}
	before := run.DeepCopy()
	content := upload.Content{Place: upload.URL(run), LeftOut: upload.LeftOut(owned.ConfigMap(naming.Upload(run.Name)))}
	meta.SetStatusCondition(&run.Status.Conditions, status.UploadCondition(run, outcome, content, r.Now()))
	ended = outcome.State != snapshot.StateWaiting
	err = patchStatus(ctx, r.Client, r.Recorder, before, run, before.Status.Conditions, run.Status.Conditions)
	return ended, result, errors.Join(err, startErr, r.nudgeQuotaBlockedOwners(ctx, owned))
}

// startUpload creates the objects of the upload, unless its Secret may not be used, and returns the outcome so far. It returns
// an error only if another attempt may succeed.
func (r *RunReconciler) startUpload(ctx context.Context, run *v1alpha1.BenchmarkRun, owned *snapshot.Snapshot) (snapshot.Readiness, error) {
	refusal, err := r.checkSecretLabel(ctx, run.Namespace,
		secretReference{"spec.workload.upload.secretName", run.Spec.Workload.Upload.SecretName, v1alpha1.LabelUpload})
	if err == nil && refusal == nil {
		err = r.createUploadObjects(ctx, run, owned)
	}
	switch problem := errors.Join(refusal, err); {
	case problem == nil:
		return snapshot.Readiness{State: snapshot.StateWaiting, Message: "the upload begins"}, nil
	case r.isFinalUploadError(run, problem):
		return snapshot.Readiness{State: snapshot.StateFailed, Message: problem.Error()}, nil
	default:
		return snapshot.Readiness{State: snapshot.StateWaiting, Message: problem.Error()}, err
	}
}

// isFinalUploadError reports whether an upload that could not start is not retried: only the user can remove a foreign object, and
// other problems, such as quotas and labels, end after upload.Timeout.
func (r *RunReconciler) isFinalUploadError(run *v1alpha1.BenchmarkRun, err error) bool {
	completed := run.Status.CompletionTime
	return errors.Is(err, apply.ErrForeign) || completed != nil && r.Now().Sub(completed.Time) >= upload.Timeout
}

// createUploadObjects creates the objects of the upload.
func (r *RunReconciler) createUploadObjects(ctx context.Context, run *v1alpha1.BenchmarkRun, owned *snapshot.Snapshot) error {
	network := &v1alpha1.BenchmarkNetwork{}
	if err := r.Client.Get(ctx, client.ObjectKey{Namespace: run.Namespace, Name: run.Spec.NetworkName}, network); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("get network %s: %w", run.Spec.NetworkName, err)
	} else if err != nil {
		network = nil
	}
	planHash, err := r.measuredPlanHash(ctx, run)
	if err != nil {
		return err
	}
	objects, err := upload.BuildObjects(run, network, planHash, r.Images.Image("agent", ""))
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

// measuredPlanHash returns the hash of the network's plan from the result of the run. It is empty if the result was deleted or
// cannot be decoded.
func (r *RunReconciler) measuredPlanHash(ctx context.Context, run *v1alpha1.BenchmarkRun) (string, error) {
	var cm corev1.ConfigMap
	err := r.APIReader.Get(ctx, client.ObjectKey{Namespace: run.Namespace, Name: run.Status.Result.ConfigMapName}, &cm)
	if apierrors.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("get result of run %s: %w", run.Name, err)
	}
	release, err := acquireDecodingSlot(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	result, err := results.DecodeRunResult(cm.BinaryData[run.Status.Result.Key])
	if err != nil {
		return "", nil // A retry cannot succeed.
	}
	return result.Environment.PlanHash, nil
}
