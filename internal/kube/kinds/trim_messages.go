package kinds

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/internal/kube/limits"
	"github.com/benchnet/benchnet/internal/kube/termination"
)

// boundMessages bounds each message in the status of a pod. Of the output of a failed container, it keeps the line that
// says why it failed.
func boundMessages(status *corev1.PodStatus) {
	bound := func(text string) string { return limits.Truncate(text, termination.MaxLine) }
	status.Message = bound(status.Message)
	for i := range status.Conditions {
		status.Conditions[i].Message = bound(status.Conditions[i].Message)
	}
	for _, containers := range [][]corev1.ContainerStatus{status.InitContainerStatuses, status.ContainerStatuses} {
		for i := range containers {
			for _, state := range []*corev1.ContainerState{&containers[i].State, &containers[i].LastTerminationState} {
				if state.Waiting != nil {
					state.Waiting.Message = bound(state.Waiting.Message)
				}
				if t := state.Terminated; t != nil && t.ExitCode != 0 {
					t.Message = termination.LastErrorLine(t.Message)
				} else if t != nil {
					t.Message = bound(t.Message)
				}
			}
		}
	}
}
