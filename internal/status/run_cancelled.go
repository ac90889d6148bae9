package status

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
)

// setCancelled sets the status of a cancelled run. A released run is complete when no worker applies load any
// longer, so that the next run starts undisturbed; any other run is complete at once. The live numbers stay.
func setCancelled(s *v1alpha1.BenchmarkRunStatus, l *conditionList, in RunInput) {
	running := 0
	if in.Start != nil {
		setLiveProgress(s, in)
		s.Window = elapsedWindow(s.Window, in.Now)
		running = countRunningPods(in.Workers)
	}
	if running > 0 {
		s.Phase, s.Display.Progress = v1alpha1.PhaseCancelling, "Cancelling"
		addRunInProgress(l, v1alpha1.ReasonCancelled, fmt.Sprintf("spec.cancelled is true: %d workers are being stopped", running))
		return
	}
	setFailed(s, l, in.Now, v1alpha1.ReasonCancelled, "the run was cancelled by spec.cancelled and has no result")
	s.Phase, s.Display.Progress = v1alpha1.PhaseCancelled, "Cancelled"
}

// elapsedWindow returns the part of a window before now, or nil if the window has not begun.
func elapsedWindow(window *v1alpha1.MeasuredWindow, now time.Time) *v1alpha1.MeasuredWindow {
	switch {
	case !window.Start.Time.Before(now):
		return nil
	case window.End.After(now):
		return &v1alpha1.MeasuredWindow{Start: window.Start, End: metav1.NewMicroTime(now)}
	}
	return window
}

func countRunningPods(pods []corev1.Pod) int {
	running := 0
	for i := range pods {
		if !snapshot.HasPodEnded(&pods[i]) {
			running++
		}
	}
	return running
}
