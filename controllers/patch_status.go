package controllers

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/limits"
)

// EventRecorder records events about an object.
type EventRecorder = events.EventRecorder

// patchStatus patches the status if it changed, logs the change, and records an event for each condition
// transition that users should see. A deleted object is not an error.
func patchStatus(ctx context.Context, c client.Client, recorder EventRecorder, before, after client.Object, old, current []metav1.Condition) error {
	if equality.Semantic.DeepEqual(before, after) {
		log.FromContext(ctx).V(2).Info("status unchanged", "waits", describeWaits(current))
		return nil
	}
	err := c.Status().Patch(ctx, after, client.MergeFrom(before), client.FieldOwner(v1alpha1.ManagedBy))
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("patch status of %T %s: %w", after, client.ObjectKeyFromObject(after), err)
	}
	logStatusChange(ctx, before, after, old, current)
	recordTransitionEvents(recorder, after, old, current)
	return nil
}

func recordTransitionEvents(recorder EventRecorder, object runtime.Object, old, current []metav1.Condition) {
	for _, c := range changedConditions(old, current) {
		if len(old) == 0 && !emitsInitialEvent(c) || suppressesEvent(c) {
			continue
		}
		kind := corev1.EventTypeNormal
		if c.Type == v1alpha1.ConditionStalled && c.Reason != v1alpha1.ReasonCancelled || c.Reason == v1alpha1.ReasonInvalidSpec ||
			c.Reason == v1alpha1.ReasonClusterTooSmall || c.Reason == v1alpha1.ReasonUploadFailed || c.Reason == v1alpha1.ReasonNotificationFailed {
			kind = corev1.EventTypeWarning
		}
		recorder.Eventf(object, nil, kind, c.Reason, c.Type, "%s", limits.Truncate(c.Message, limits.MaxNote))
	}
}

// emitsInitialEvent reports whether a condition of a new object deserves an event: Ready, when it names what the
// object waits for besides its own stages, and a forecast that the nodes are too small.
func emitsInitialEvent(c metav1.Condition) bool {
	return c.Type == v1alpha1.ConditionReady && c.Reason != v1alpha1.ReasonStageNotReady || c.Reason == v1alpha1.ReasonClusterTooSmall
}

// suppressesEvent reports whether a condition never emits an event: another condition says the same, nothing is
// known yet, or nothing happened.
func suppressesEvent(c metav1.Condition) bool {
	waitsForPlace := c.Reason == v1alpha1.ReasonQueued || c.Reason == v1alpha1.ReasonLimitReached
	return c.Type == v1alpha1.ConditionReconciling || c.Type == v1alpha1.ConditionReady && waitsForPlace ||
		c.Status == metav1.ConditionUnknown || c.Reason == v1alpha1.ReasonNotLimited || c.Reason == v1alpha1.ReasonNotificationNotDue
}

// setObservedGeneration sets the generation of all conditions, in place. A failed delivery keeps that of its spec, so that it is tried
// again after a change.
func setObservedGeneration(conditions []metav1.Condition, generation int64) {
	for i := range conditions {
		isDelivery := conditions[i].Type == v1alpha1.ConditionUploaded || conditions[i].Type == v1alpha1.ConditionNotified
		if !isDelivery || conditions[i].Status != metav1.ConditionFalse {
			conditions[i].ObservedGeneration = generation
		}
	}
}

// changedConditions returns the current conditions that are new or whose status or reason differs from the old ones.
func changedConditions(old, current []metav1.Condition) []metav1.Condition {
	var changed []metav1.Condition
	for _, c := range current {
		if before := meta.FindStatusCondition(old, c.Type); before == nil || before.Status != c.Status || before.Reason != c.Reason {
			changed = append(changed, c)
		}
	}
	return changed
}
