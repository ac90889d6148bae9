package status

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/delivery"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
)

type deliveryReasons struct{ pending, done, failed string }

var (
	uploadReasons  = deliveryReasons{v1alpha1.ReasonUploading, v1alpha1.ReasonUploaded, v1alpha1.ReasonUploadFailed}
	webhookReasons = deliveryReasons{v1alpha1.ReasonNotifying, v1alpha1.ReasonNotified, v1alpha1.ReasonNotificationFailed}
)

// UploadCondition returns the condition Uploaded from the outcome of the upload's Job.
func UploadCondition(generation int64, job snapshot.Readiness, upload delivery.Upload, now time.Time) metav1.Condition {
	done := "the result is in " + upload.Place
	if upload.LeftOut != "" {
		done += "; left out: " + upload.LeftOut
	}
	return deliveryCondition(v1alpha1.ConditionUploaded, uploadReasons, generation, job, done, now)
}

// NotifiedCondition returns the condition Notified from the outcome of the webhook's Job.
func NotifiedCondition(generation int64, job snapshot.Readiness, hook *v1alpha1.Webhook, now time.Time) metav1.Condition {
	return deliveryCondition(v1alpha1.ConditionNotified, webhookReasons, generation, job, hook.URL+" has received the document", now)
}

// NotDueCondition returns the condition Notified of a webhook that receives other outcomes only.
func NotDueCondition(generation int64, now time.Time) metav1.Condition {
	l := conditionList{generation: generation}
	l.addBool(v1alpha1.ConditionNotified, false, v1alpha1.ReasonNotificationNotDue, "no gate failed or is undecided, and delivery.webhook.when is GatesNotPassed")
	l.conditions[0].LastTransitionTime = metav1.NewTime(now)
	return l.conditions[0]
}

func deliveryCondition(kind string, reasons deliveryReasons, generation int64, job snapshot.Readiness, done string, now time.Time) metav1.Condition {
	l := conditionList{generation: generation}
	switch job.State {
	case snapshot.StateReady:
		l.addBool(kind, true, reasons.done, done)
	case snapshot.StateFailed:
		l.addBool(kind, false, reasons.failed, job.Message)
	default:
		l.addUnknown(kind, reasons.pending, job.Message)
	}
	l.conditions[0].LastTransitionTime = metav1.NewTime(now)
	return l.conditions[0]
}
