package controllers

import (
	"context"
	"errors"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/delivery"
	"github.com/benchnet/benchnet/internal/kube/apply"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/network/networkpolicy"
	"github.com/benchnet/benchnet/internal/status"
)

// secretRetryPeriod is how often a Secret that lacks its label is read again. Secrets of users are not watched.
const secretRetryPeriod = 15 * time.Second

// deliveryTask is an upload or a webhook of a run or an experiment that has ended.
type deliveryTask struct {
	// condition is the type of the condition that reports it.
	condition string
	// name is that of all its objects.
	name string
	// secret is the Secret that its pod uses. It is absent if its name is empty.
	secret secretReference
	// network adds its labels and pull Secrets to the pod.
	network *v1alpha1.BenchmarkNetwork
	// buildObjects returns the objects to create, the Job last.
	buildObjects func(ctx context.Context) ([]client.Object, error)
}

// deliveryPass is one reconcile of the deliveries of an ended run or experiment.
type deliveryPass struct {
	owner apply.Owner
	// conditions are those of the owner.
	conditions []metav1.Condition
	owned      *snapshot.Snapshot
	// isWaiting reports whether a delivery has not ended. result then says when to look again.
	isWaiting bool
	result    ctrl.Result
	errs      []error
}

// newDeliveryPass reads the objects of the owner, which has ended with the conditions.
func (d *Dependencies) newDeliveryPass(ctx context.Context, owner apply.Owner, conditions []metav1.Condition) (*deliveryPass, error) {
	owned, err := d.SnapshotReader.ReadOwned(ctx, owner.Object, owner.Labels)
	if err != nil {
		return nil, err
	}
	if err := owned.ReadEvents(ctx, d.APIReader, d.Now()); err != nil {
		return nil, err
	}
	pass := &deliveryPass{owner: owner, conditions: conditions, owned: owned}
	if owned.HasMissingPods() || owned.HasUnexplainedPods() {
		pass.result.RequeueAfter = quotaRetryPeriod
	}
	return pass, nil
}

// advanceDelivery starts a delivery that has no Job yet, restores one whose objects were deleted or whose Job is stuck with an
// older template, starts one that failed with an older template again, and returns the outcome so far.
func (d *Dependencies) advanceDelivery(ctx context.Context, pass *deliveryPass, task deliveryTask) snapshot.Readiness {
	var outcome snapshot.Readiness
	if job := pass.owned.Job(task.name); job != nil {
		outcome = pass.outcomeOf(job)
		if outcome.State == snapshot.StateWaiting && (pass.owned.IsStuck(job) || d.lacksObjects(pass, task)) {
			pass.errs = append(pass.errs, d.createDelivery(ctx, pass, task))
		}
		if outcome.State == snapshot.StateFailed {
			outcome = d.retryChangedDelivery(ctx, pass, task, job, outcome)
		}
	} else {
		outcome = d.startDelivery(ctx, pass, task)
	}
	pass.isWaiting = pass.isWaiting || outcome.State == snapshot.StateWaiting
	return outcome
}

// retryChangedDelivery deletes a failed Job if the delivery has changed since, so that a later pass creates it again.
func (d *Dependencies) retryChangedDelivery(
	ctx context.Context, pass *deliveryPass, task deliveryTask, failed *batchv1.Job, outcome snapshot.Readiness,
) snapshot.Readiness {
	objects, err := task.buildObjects(ctx)
	if err == nil {
		err = d.completePods(task.network, objects)
	}
	if err != nil {
		return outcome
	}
	outdated, err := d.Writer.IsOutdated(pass.owner, objects[len(objects)-1], failed)
	if err != nil || !outdated {
		return outcome
	}
	pass.errs = append(pass.errs, d.Writer.Delete(ctx, failed))
	return snapshot.Readiness{State: snapshot.StateWaiting, Message: "Job " + task.name + " is created again, since the delivery has changed"}
}

// lacksObjects reports whether an object was deleted that the Job of a delivery needs.
func (d *Dependencies) lacksObjects(pass *deliveryPass, task deliveryTask) bool {
	policy := &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Name: task.name}}
	isIsolated := d.NetworkPolicyMode != networkpolicy.ModeNone
	return pass.owned.ConfigMap(task.name) == nil || isIsolated && pass.owned.LiveObject(policy) == nil
}

// advanceWebhook advances the delivery of a document to a webhook, if it is due, and returns the condition Notified.
func (d *Dependencies) advanceWebhook(
	ctx context.Context, pass *deliveryPass, hook *v1alpha1.Webhook, document delivery.Document, task deliveryTask,
) metav1.Condition {
	generation := pass.owner.Object.GetGeneration()
	if !document.IsDue(hook) {
		return status.NotDueCondition(generation, d.Now())
	}
	return status.NotifiedCondition(generation, d.advanceDelivery(ctx, pass, task), hook, d.Now())
}

func (p *deliveryPass) outcomeOf(job *batchv1.Job) snapshot.Readiness {
	return p.owned.JobOutcome(job)
}

// startDelivery creates the objects of a delivery, unless its Secret may not be used. It records an error only if another attempt
// may succeed.
func (d *Dependencies) startDelivery(ctx context.Context, pass *deliveryPass, task deliveryTask) snapshot.Readiness {
	var refusal, err error
	if task.secret.name != "" {
		refusal, err = d.checkSecretLabel(ctx, pass.owner.Object.GetNamespace(), task.secret)
	}
	if err == nil && refusal == nil {
		err = d.createDelivery(ctx, pass, task)
	}
	switch problem := errors.Join(refusal, err); {
	case problem == nil:
		return snapshot.Readiness{State: snapshot.StateWaiting, Message: "Job " + task.name + " begins"}
	case isFinalDeliveryError(problem), d.hasDeliveryTimedOut(pass, task):
		return snapshot.Readiness{State: snapshot.StateFailed, Message: problem.Error()}
	default:
		if err == nil {
			pass.result.RequeueAfter = secretRetryPeriod
		}
		pass.errs = append(pass.errs, err)
		return snapshot.Readiness{State: snapshot.StateWaiting, Message: problem.Error()}
	}
}

// isFinalDeliveryError reports whether a delivery that could not start is not retried before its spec changes: only the user can remove
// a foreign object or correct the URL.
func isFinalDeliveryError(err error) bool {
	var invalid *delivery.URLError
	return errors.Is(err, apply.ErrForeign) || errors.As(err, &invalid)
}

// hasDeliveryTimedOut reports whether the first attempt to start the delivery, from which its condition is Unknown, was
// delivery.Timeout ago. Time without a running operator before the first attempt does not count.
func (d *Dependencies) hasDeliveryTimedOut(pass *deliveryPass, task deliveryTask) bool {
	pending := meta.FindStatusCondition(pass.conditions, task.condition)
	return pending != nil && pending.Status == metav1.ConditionUnknown && d.Now().Sub(pending.LastTransitionTime.Time) >= delivery.Timeout
}

func (d *Dependencies) createDelivery(ctx context.Context, pass *deliveryPass, task deliveryTask) error {
	objects, err := task.buildObjects(ctx)
	if err != nil {
		return err
	}
	if err := d.completePods(task.network, objects); err != nil {
		return err
	}
	for _, object := range objects {
		if _, isPolicy := object.(*networkingv1.NetworkPolicy); isPolicy && d.NetworkPolicyMode == networkpolicy.ModeNone {
			continue
		}
		if _, err := d.applyOrReplace(ctx, pass.owner, object, pass.owned); err != nil {
			return err
		}
	}
	return nil
}

// finishDeliveryPass patches the status and returns the errors of the pass.
func (d *Dependencies) finishDeliveryPass(ctx context.Context, pass *deliveryPass, before, after client.Object, old, current []metav1.Condition) error {
	err := patchStatus(ctx, d.Client, d.Recorder, before, after, old, current)
	return errors.Join(err, errors.Join(pass.errs...), d.nudgeQuotaBlockedOwners(ctx, pass.owned))
}
