package kinds

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/internal/kube/limits"
	"github.com/benchnet/benchnet/internal/kube/termination"
)

// trimPodStatus keeps what status and results report of a pod, with bounded lists and messages. Of the output of a failed
// container, it keeps the line that says why it failed.
func trimPodStatus(status *corev1.PodStatus) corev1.PodStatus {
	kept := corev1.PodStatus{Phase: status.Phase, Reason: boundMessage(status.Reason), Message: boundMessage(status.Message),
		Conditions:            reportedConditions(status.Conditions),
		InitContainerStatuses: trimContainerStatuses(status.InitContainerStatuses), ContainerStatuses: trimContainerStatuses(status.ContainerStatuses)}
	for i := range kept.Conditions {
		c := &kept.Conditions[i]
		c.Reason, c.Message = boundMessage(c.Reason), boundMessage(c.Message)
	}
	return kept
}

func trimContainerStatuses(all []corev1.ContainerStatus) []corev1.ContainerStatus {
	var kept []corev1.ContainerStatus
	for _, c := range all[:min(len(all), maxItems)] {
		kept = append(kept, corev1.ContainerStatus{Name: c.Name, Image: boundMessage(c.Image), ImageID: boundMessage(c.ImageID), Ready: c.Ready, Started: c.Started,
			RestartCount: c.RestartCount, State: boundState(c.State), LastTerminationState: boundState(c.LastTerminationState)})
	}
	return kept
}

// boundState bounds the texts of a container's state, in place.
func boundState(state corev1.ContainerState) corev1.ContainerState {
	if w := state.Waiting; w != nil {
		w.Reason, w.Message = boundMessage(w.Reason), boundMessage(w.Message)
	}
	if t := state.Terminated; t != nil {
		t.Reason = boundMessage(t.Reason)
		if t.ExitCode == 0 {
			t.Message = boundMessage(t.Message)
		} else {
			t.Message = strings.Clone(termination.LastErrorLine(t.Message))
		}
	}
	return state
}

func boundMessage(text string) string { return limits.Truncate(text, termination.MaxLine) }
