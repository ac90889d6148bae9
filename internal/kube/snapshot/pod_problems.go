package snapshot

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// startingReasons are the waiting reasons of a container that is merely starting.
var startingReasons = map[string]bool{"": true, "ContainerCreating": true, "PodInitializing": true}

// firstPodProblem returns what keeps the pods of a controller from running, or "".
func (s *Snapshot) firstPodProblem(owner types.UID) string {
	if refusal := s.podCreationFailures[owner]; refusal != "" {
		return refusal
	}
	for _, pod := range s.podsByController[owner] {
		if t := cmp.Or(PodProblem(pod), lostNodeProblem(pod)); t != "" {
			return fmt.Sprintf("pod %s: %s", pod.Name, t)
		}
	}
	return ""
}

// PodProblem returns what keeps a pod from running: it cannot be scheduled, its image cannot be pulled, a
// container failed, or its deadline has passed. It returns "" for a pod that is merely starting.
func PodProblem(pod *corev1.Pod) string {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && c.Reason == corev1.PodReasonUnschedulable {
			return "cannot be scheduled: " + c.Message
		}
	}
	var troubles []string
	if pod.Status.Reason == batchv1.JobReasonDeadlineExceeded {
		troubles = append(troubles, pod.Status.Message)
	}
	for _, c := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if t := containerProblem(c); t != "" {
			troubles = append(troubles, t)
			break
		}
	}
	return strings.Join(troubles, "; ")
}

// lostNodeProblem returns what to do about a pod whose kubelet may not answer, or "". The cluster marks such a pod as not
// ready after about a minute, and deletes it after five more, but only the kubelet can confirm the deletion. Until
// then a StatefulSet does not replace the pod.
func lostNodeProblem(pod *corev1.Pod) string {
	node := pod.Spec.NodeName
	switch {
	case node == "" || IsPodReady(pod):
		return ""
	case pod.DeletionTimestamp != nil:
		return fmt.Sprintf("is being deleted, which node %s has not confirmed yet; if the node is lost, delete it (kubectl delete node %s), "+
			"and the pod is replaced", node, node)
	case areContainersReady(pod):
		return fmt.Sprintf("node %s has stopped reporting it; repair the node, or if it is lost, delete it (kubectl delete node %s), "+
			"and the pod is replaced", node, node)
	}
	return ""
}

// areContainersReady reports whether the kubelet last reported all containers as ready. It would then have reported
// the pod as ready, too.
func areContainersReady(pod *corev1.Pod) bool {
	all := pod.Status.ContainerStatuses
	return len(all) > 0 && !slices.ContainsFunc(all, func(c corev1.ContainerStatus) bool { return !c.Ready })
}

func containerProblem(c corev1.ContainerStatus) string {
	if w := c.State.Waiting; w != nil && !startingReasons[w.Reason] {
		return fmt.Sprintf("container %s: %s: %s%s", c.Name, w.Reason, firstNonEmpty(lastTermination(c), w.Message), imagePullFix(w))
	}
	if t := c.State.Terminated; t != nil && t.ExitCode != 0 {
		return fmt.Sprintf("container %s exited with code %d (%s): %s", c.Name, t.ExitCode, t.Reason, strings.TrimSpace(t.Message))
	}
	return ""
}

// deniedPull matches the answers of registries to missing or wrong credentials.
var deniedPull = regexp.MustCompile(`(?i)unauthorized|forbidden|authorization failed|denied`)

// imagePullFix returns what corrects a failed pull of an image, as the end of a message, or "".
func imagePullFix(w *corev1.ContainerStateWaiting) string {
	switch {
	case w.Reason != "ErrImagePull" && w.Reason != "ImagePullBackOff":
		return ""
	case strings.Contains(w.Message, ": not found"):
		return "; push the image, or correct the name of image or registry"
	case deniedPull.MatchString(w.Message):
		return "; name a Secret of this namespace with the password of the registry in spec.imagePullSecrets"
	}
	return ""
}

// lastTermination returns the exit code and termination message of a container's previous instance, or "".
func lastTermination(c corev1.ContainerStatus) string {
	if t := c.LastTerminationState.Terminated; t != nil {
		return strings.TrimSpace(fmt.Sprintf("exit code %d %s", t.ExitCode, strings.TrimSpace(t.Message)))
	}
	return ""
}

func firstNonEmpty(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// CountRestarts counts the restarts of all containers of a pod and of the latency sidecar: without the sidecar,
// the member's latency was not in effect.
func CountRestarts(pod *corev1.Pod) int32 {
	var n int32
	if sidecar := latencySidecarOf(pod); sidecar != nil {
		n += sidecar.RestartCount
	}
	for _, c := range pod.Status.ContainerStatuses {
		n += c.RestartCount
	}
	return n
}

// IsPodReady reports whether a pod is ready.
func IsPodReady(pod *corev1.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}
