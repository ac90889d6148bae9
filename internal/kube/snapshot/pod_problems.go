package snapshot

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/internal/kube/termination"
)

// startingReasons are the waiting reasons of a container that is merely starting.
var startingReasons = map[string]bool{"": true, "ContainerCreating": true, "PodInitializing": true}

// FirstPodProblem returns the best known cause that keeps the pods of a StatefulSet or Job from running or made them
// fail, or "". It prefers the state of a container, then the conditions of a pod, then why pods could not be
// created, then the warnings about a pod.
func (s *Snapshot) FirstPodProblem(controller client.Object) string {
	pods := s.podsByController[controller.GetUID()]
	for _, problem := range []func(*corev1.Pod) string{containersProblem, podConditionProblem} {
		for _, pod := range pods {
			if t := problem(pod); t != "" {
				return fmt.Sprintf("pod %s: %s", pod.Name, t)
			}
		}
	}
	if refusal := s.podCreationFailures[controller.GetUID()]; refusal != "" {
		return refusal
	}
	for _, pod := range pods {
		if warning := s.podWarnings[pod.UID]; warning != "" {
			return fmt.Sprintf("pod %s: %s", pod.Name, warning)
		}
	}
	return ""
}

// PodProblem returns what keeps a pod from running or made it fail: the state of a container, or the conditions of
// the pod. It returns "" for a pod that is merely starting.
func PodProblem(pod *corev1.Pod) string {
	return cmp.Or(containersProblem(pod), podConditionProblem(pod))
}

// containersProblem returns the problem of the first container that has one, or "".
func containersProblem(pod *corev1.Pod) string {
	for _, c := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if t := containerProblem(pod, c); t != "" {
			if end := pod.Status.Message; pod.Status.Phase == corev1.PodFailed && end != "" {
				t = end + "; " + t
			}
			if sidecar := sidecarProblem(pod); sidecar != "" {
				t += "; " + sidecar
			}
			return t
		}
	}
	return sidecarProblem(pod)
}

// podConditionProblem returns why a pod has no node, was ended by the cluster, is being evicted, or is not reported
// by its node.
func podConditionProblem(pod *corev1.Pod) string {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && c.Reason == corev1.PodReasonUnschedulable {
			return "cannot be scheduled: " + c.Message
		}
	}
	switch reason := disruptionReason(pod); {
	case pod.Status.Phase == corev1.PodFailed && pod.Status.Reason != "":
		return fmt.Sprintf("failed: %s: %s", pod.Status.Reason, cmp.Or(pod.Status.Message, reason))
	case reason != "":
		return "is being evicted: " + reason
	}
	return lostNodeProblem(pod)
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

func containerProblem(pod *corev1.Pod, c corev1.ContainerStatus) string {
	last := c.LastTerminationState.Terminated
	switch w, t := c.State.Waiting, c.State.Terminated; {
	case t != nil && t.ExitCode != 0:
		return fmt.Sprintf("container %s %s", c.Name, describeTermination(pod, c.Name, t))
	case w != nil && isImagePull(w):
		// The kubelet alternates between the two reasons. The status must not.
		details := strings.TrimPrefix(backOffPull.ReplaceAllString(w.Message, ""), "ErrImagePull: ")
		return fmt.Sprintf("container %s: ImagePullBackOff: image %s: %s%s", c.Name, c.Image, termination.Clean(details), imagePullFix(w))
	case last != nil && last.ExitCode != 0 && !c.Ready && (w == nil || !startingReasons[w.Reason]):
		return fmt.Sprintf("container %s %s", c.Name, describeTermination(pod, c.Name, last))
	case w != nil && !startingReasons[w.Reason]:
		return fmt.Sprintf("container %s: %s: %s", c.Name, w.Reason, termination.Clean(w.Message))
	}
	return ""
}

// backOffPull matches how the kubelet begins the message of a container whose image it does not pull for a while.
var backOffPull = regexp.MustCompile(`^Back-off pulling image "[^"]*"(: )?`)

func isImagePull(w *corev1.ContainerStateWaiting) bool {
	return w.Reason == "ErrImagePull" || w.Reason == "ImagePullBackOff"
}

// deniedPull matches the answers of registries to missing or wrong credentials.
var deniedPull = regexp.MustCompile(`(?i)unauthorized|forbidden|authorization failed|denied`)

// imagePullFix returns what corrects a failed pull of an image, as the end of a message, or "".
func imagePullFix(w *corev1.ContainerStateWaiting) string {
	switch {
	case strings.Contains(w.Message, ": not found"):
		return "; push the image, or correct the name of image or registry"
	case deniedPull.MatchString(w.Message):
		return "; name a Secret of this namespace with the password of the registry in spec.imagePullSecrets"
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
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}
