package snapshot

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/termination"
)

// signalNames are the signals that end programs.
var signalNames = map[int32]string{1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE",
	9: "SIGKILL", 11: "SIGSEGV", 13: "SIGPIPE", 15: "SIGTERM"}

// describeTermination returns how a container of a pod ended: "was OOMKilled …", "was killed by signal 9 (SIGKILL): …" or
// "exited with code 1: …", with the last error line of its output and the field to change.
func describeTermination(pod *corev1.Pod, container string, t *corev1.ContainerStateTerminated) string {
	line := termination.LastErrorLine(t.Message)
	signal := t.Signal
	if signal == 0 && t.ExitCode > 128 && signalNames[t.ExitCode-128] != "" {
		signal = t.ExitCode - 128
	}
	how := fmt.Sprintf("exited with code %d", t.ExitCode)
	switch {
	case t.Reason == termination.OOMKilled, strings.HasPrefix(line, termination.OOMKilled):
		return "was OOMKilled: it reached its memory limit" + describeMemoryLimit(pod, container) + raiseAdvice(pod, container, "memory")
	case signal != 0:
		how = strings.TrimSuffix(fmt.Sprintf("was killed by signal %d (%s)", signal, signalNames[signal]), " ()")
	case t.Reason != "" && t.Reason != "Error" && t.Reason != "Completed":
		how += " (" + t.Reason + ")"
	}
	switch {
	case line == "":
		return how
	case termination.IsHeapExhausted(line):
		return how + ": its Java heap is exhausted: " + line + raiseAdvice(pod, container, "heap")
	case strings.Contains(strings.ToLower(line), "no space left on device"):
		return how + ": its disk is full: " + line + raiseAdvice(pod, container, "storage.size")
	}
	return how + ": " + line
}

// describeMemoryLimit returns the memory limit of a container as the end of a message; empty for an init container,
// whose limits the cache does not keep.
func describeMemoryLimit(pod *corev1.Pod, container string) string {
	for _, c := range pod.Spec.Containers {
		if limit, ok := c.Resources.Limits[corev1.ResourceMemory]; ok && c.Name == container {
			return " of " + limit.String()
		}
	}
	return ""
}

// raiseAdvice returns which field of the spec raises the heap, memory or storage of a container as the end of a
// message, or "" if none does.
func raiseAdvice(pod *corev1.Pod, container, quantity string) string {
	if !slices.ContainsFunc(pod.Spec.Containers, func(c corev1.Container) bool { return c.Name == container }) {
		return ""
	}
	member := pod.Labels[v1alpha1.LabelMember]
	switch {
	case pod.Labels[v1alpha1.LabelRun] != "" && quantity != "storage.size":
		return "; raise workers.memory of the workload"
	case strings.HasPrefix(member, "notary"):
		return "; raise " + quantity + " of spec.platform.corda.notary"
	case member != "":
		return "; raise spec.members." + quantity
	case isDatabasePod(pod) && quantity != "heap":
		return "; raise spec.database.managed." + quantity
	}
	return ""
}

// sidecarProblem returns which container keeps the pod of a Job from ending after another one has ended, or "".
// Every Job of the operator has one container, so the running one was injected.
func sidecarProblem(pod *corev1.Pod) string {
	if pod.Labels[batchv1.JobNameLabel] == "" {
		return ""
	}
	var ended, running string
	for _, c := range pod.Status.ContainerStatuses {
		switch {
		case c.State.Terminated != nil:
			ended = cmp.Or(ended, c.Name)
		case c.State.Running != nil:
			running = cmp.Or(running, c.Name)
		}
	}
	if ended == "" || running == "" {
		return ""
	}
	return fmt.Sprintf("container %s has ended, but container %s, which something in the cluster added, still runs, so the Job cannot complete; "+
		"have %s injected as a native sidecar (an init container with restartPolicy Always), or disable the injection by a label in "+
		"spec.podTemplate.metadata.labels", ended, running, running)
}

// RestartCause returns how the container of a pod that restarted last had ended before, or "".
func RestartCause(pod *corev1.Pod) string {
	var last *corev1.ContainerStateTerminated
	var name string
	for _, c := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		for _, t := range []*corev1.ContainerStateTerminated{c.LastTerminationState.Terminated, c.State.Terminated} {
			if t != nil && t.ExitCode != 0 && (last == nil || last.FinishedAt.Before(&t.FinishedAt)) {
				last, name = t, c.Name
			}
		}
	}
	if last == nil {
		return ""
	}
	return fmt.Sprintf("container %s %s", name, describeTermination(pod, name, last))
}
