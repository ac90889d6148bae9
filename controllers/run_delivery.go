package controllers

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/delivery"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/status"
)

// deliverRun advances the upload and the webhook of a complete run, and reports whether both have ended. While they have not, the
// result says when to look again. It changes only the conditions Uploaded and Notified of the run.
func (r *RunReconciler) deliverRun(ctx context.Context, run *v1alpha1.BenchmarkRun) (ended bool, result ctrl.Result, err error) {
	if !run.IsDelivering() {
		return true, ctrl.Result{}, nil
	}
	network, err := r.getNetworkOfRun(ctx, run)
	if err != nil {
		return false, ctrl.Result{}, err
	}
	pass, err := r.newDeliveryPass(ctx, runOwner(run, network), run.Status.Conditions)
	if err != nil {
		return false, ctrl.Result{}, err
	}
	before := run.DeepCopy()
	if run.IsUploading() {
		outcome := r.advanceDelivery(ctx, pass, r.uploadTask(run, network))
		upload := delivery.DescribeUpload(run, pass.owned.ConfigMap(naming.Upload(run.Name)))
		meta.SetStatusCondition(&run.Status.Conditions, status.UploadCondition(run.Generation, outcome, upload, r.Now()))
	}
	if run.IsNotifying() {
		notified := r.advanceWebhook(ctx, pass, run.Spec.Delivery.Webhook, delivery.DescribeRun(run), r.webhookTask(run, network))
		meta.SetStatusCondition(&run.Status.Conditions, notified)
	}
	err = r.finishDeliveryPass(ctx, pass, before, run, before.Status.Conditions, run.Status.Conditions)
	return !pass.isWaiting, pass.result, err
}

// getNetworkOfRun returns the network of a run, or an empty one if it was deleted.
func (r *RunReconciler) getNetworkOfRun(ctx context.Context, run *v1alpha1.BenchmarkRun) (*v1alpha1.BenchmarkNetwork, error) {
	network := &v1alpha1.BenchmarkNetwork{}
	err := r.getObject(ctx, client.ObjectKey{Namespace: run.Namespace, Name: run.Spec.NetworkName}, network)
	if client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("get network %s: %w", run.Spec.NetworkName, err)
	}
	return network, nil
}

// uploadTask returns the upload of a run.
func (r *RunReconciler) uploadTask(run *v1alpha1.BenchmarkRun, network *v1alpha1.BenchmarkNetwork) deliveryTask {
	return deliveryTask{
		condition: v1alpha1.ConditionUploaded,
		name:      naming.Upload(run.Name),
		secret:    secretReference{"spec.delivery.upload.secretName", run.Spec.Delivery.Upload.SecretName, v1alpha1.LabelUpload},
		network:   network,
		buildObjects: func(ctx context.Context) ([]client.Object, error) {
			planHash, err := r.measuredPlanHash(ctx, run)
			if err != nil {
				return nil, err
			}
			return delivery.BuildUpload(run, network, planHash, r.Images.Image("agent", ""))
		},
	}
}

// measuredPlanHash returns the hash of the network's plan from the result of the run. It is empty if the result was deleted or
// cannot be decoded. It fails if the result was replaced.
func (r *RunReconciler) measuredPlanHash(ctx context.Context, run *v1alpha1.BenchmarkRun) (string, error) {
	var cm corev1.ConfigMap
	err := r.APIReader.Get(ctx, client.ObjectKey{Namespace: run.Namespace, Name: run.Status.Result.ConfigMapName}, &cm)
	if apierrors.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("get result of run %s: %w", run.Name, err)
	}
	packed := cm.BinaryData[run.Status.Result.Key]
	if err := document.CheckDigest(packed, run.Status.Result.Digest); err != nil {
		return "", fmt.Errorf("ConfigMap %s: %w", cm.Name, err)
	}
	release, err := acquireDecodingSlot(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	result, err := document.DecodeRunResult(packed)
	if err != nil {
		return "", nil // A retry cannot succeed.
	}
	return result.Environment.PlanHash, nil
}

// webhookTask returns the webhook of a run.
func (r *RunReconciler) webhookTask(run *v1alpha1.BenchmarkRun, network *v1alpha1.BenchmarkNetwork) deliveryTask {
	return deliveryTask{
		condition: v1alpha1.ConditionNotified,
		name:      naming.RunWebhook(run.Name),
		secret:    secretReference{"spec.delivery.webhook.secretName", run.Spec.Delivery.Webhook.SecretName, v1alpha1.LabelWebhook},
		network:   network,
		buildObjects: func(context.Context) ([]client.Object, error) {
			return delivery.BuildRunWebhook(run, r.Images.Image("agent", ""))
		},
	}
}
