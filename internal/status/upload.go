package status

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/run/upload"
)

// UploadCondition returns the condition Uploaded of a run from the outcome of its Job.
func UploadCondition(run *v1alpha1.BenchmarkRun, job snapshot.Readiness, content upload.Content, now time.Time) metav1.Condition {
	l := conditionList{generation: run.Generation}
	switch job.State {
	case snapshot.StateReady:
		message := "the result is in " + content.Place
		if content.LeftOut != "" {
			message += "; left out: " + content.LeftOut
		}
		l.addBool(v1alpha1.ConditionUploaded, true, v1alpha1.ReasonUploaded, message)
	case snapshot.StateFailed:
		l.addBool(v1alpha1.ConditionUploaded, false, v1alpha1.ReasonUploadFailed, job.Message)
	default:
		l.addUnknown(v1alpha1.ConditionUploaded, v1alpha1.ReasonUploading, job.Message)
	}
	l.conditions[0].LastTransitionTime = metav1.NewTime(now)
	return l.conditions[0]
}
