package controllers

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/delivery"
	"github.com/benchnet/benchnet/internal/naming"
)

// deliverExperiment advances the webhook of a complete experiment, and reports whether it has ended. While it has not, the result
// says when to look again. It changes only the condition Notified of the experiment.
func (r *ExperimentReconciler) deliverExperiment(ctx context.Context, e *v1alpha1.BenchmarkExperiment) (ended bool, result ctrl.Result, err error) {
	if !e.IsNotifying() {
		return true, ctrl.Result{}, nil
	}
	pass, err := r.newDeliveryPass(ctx, experimentOwner(e), e.Status.Conditions)
	if err != nil {
		return false, ctrl.Result{}, err
	}
	before := e.DeepCopy()
	notified := r.advanceWebhook(ctx, pass, e.Spec.Delivery.Webhook, delivery.DescribeExperiment(e), r.webhookTask(e))
	meta.SetStatusCondition(&e.Status.Conditions, notified)
	err = r.finishDeliveryPass(ctx, pass, before, e, before.Status.Conditions, e.Status.Conditions)
	return !pass.isWaiting, pass.result, err
}

func (r *ExperimentReconciler) webhookTask(e *v1alpha1.BenchmarkExperiment) deliveryTask {
	return deliveryTask{
		condition: v1alpha1.ConditionNotified,
		name:      naming.ExperimentWebhook(e.Name),
		secret:    secretReference{"spec.delivery.webhook.secretName", e.Spec.Delivery.Webhook.SecretName, v1alpha1.LabelWebhook},
		network:   &v1alpha1.BenchmarkNetwork{Spec: v1alpha1.BenchmarkNetworkSpec{NetworkTemplate: e.Spec.Template.Network}},
		buildObjects: func(context.Context) ([]client.Object, error) {
			return delivery.BuildExperimentWebhook(e, r.Images.Image("agent", ""))
		},
	}
}
