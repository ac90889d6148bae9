package snapshot

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/internal/kube/termination"
)

const (
	// warningGracePeriod is the age below which the events of a pod are not read.
	warningGracePeriod = 10 * time.Second
	// maxWarnedPods and maxPodEvents bound the pods whose events a snapshot reads, and the events of each.
	maxWarnedPods = 2
	maxPodEvents  = 100
)

// readPodWarnings reads the latest warning about the first pods that do not become ready.
func (s *Snapshot) readPodWarnings(ctx context.Context, direct client.Reader, now time.Time) error {
	old := slices.DeleteFunc(s.unexplainedPods(), func(p *corev1.Pod) bool { return now.Sub(p.CreationTimestamp.Time) < warningGracePeriod })
	s.podWarnings = map[types.UID]string{}
	for _, pod := range old[:min(len(old), maxWarnedPods)] {
		var events corev1.EventList
		err := direct.List(ctx, &events, client.InNamespace(pod.Namespace), client.Limit(maxPodEvents),
			client.MatchingFields{"involvedObject.uid": string(pod.UID), "type": corev1.EventTypeWarning})
		if err != nil {
			return fmt.Errorf("list events of pod %s: %w", pod.Name, err)
		}
		s.podWarnings[pod.UID] = latestWarning(pod, events.Items)
	}
	return nil
}

// HasUnexplainedPods reports whether a pod is not ready without a visible cause. Callers must poll: events, which
// may have the cause, are not watched.
func (s *Snapshot) HasUnexplainedPods() bool { return len(s.unexplainedPods()) > 0 }

// HasPodEnded reports whether all containers of a pod have ended for good.
func HasPodEnded(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// unexplainedPods returns the pods that are controlled by an owned object and are not ready, although neither their
// containers nor their conditions say why, sorted by name.
func (s *Snapshot) unexplainedPods() []*corev1.Pod {
	var all []*corev1.Pod
	for _, o := range s.owned {
		for _, pod := range s.podsByController[o.GetUID()] {
			if !HasPodEnded(pod) && !IsPodReady(pod) && pod.DeletionTimestamp == nil && PodProblem(pod) == "" {
				all = append(all, pod)
			}
		}
	}
	slices.SortFunc(all, func(a, b *corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// latestWarning returns the reason and the message of the latest warning that is still true of a pod, or "".
func latestWarning(pod *corev1.Pod, events []corev1.Event) string {
	var last *corev1.Event
	for i := range events {
		e := &events[i]
		if e.InvolvedObject.UID == pod.UID && !isOutdated(pod, e.Reason) && (last == nil || eventTime(last).Before(eventTime(e))) {
			last = e
		}
	}
	if last == nil {
		return ""
	}
	return fmt.Sprintf("%s: %s", last.Reason, termination.Clean(createPrefix.ReplaceAllString(last.Message, "")))
}

// isOutdated reports whether the state of a pod shows that a warning is over: it has a node, or its containers run.
func isOutdated(pod *corev1.Pod, reason string) bool {
	if reason == "FailedScheduling" {
		return pod.Spec.NodeName != ""
	}
	runs := slices.ContainsFunc(slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses),
		func(c corev1.ContainerStatus) bool { return c.State.Running != nil || c.State.Terminated != nil })
	return runs && reason != "Unhealthy"
}

// eventTime returns when an event occurred last.
func eventTime(e *corev1.Event) time.Time {
	switch {
	case e.Series != nil:
		return e.Series.LastObservedTime.Time
	case !e.LastTimestamp.IsZero():
		return e.LastTimestamp.Time
	case !e.EventTime.IsZero():
		return e.EventTime.Time
	}
	return e.CreationTimestamp.Time
}
