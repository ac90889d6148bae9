package snapshot

import (
	"encoding/json"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/network/latency"
)

// MemberLatency is what is known of one member's emulation.
type MemberLatency struct {
	// Mechanism in use; empty while the member is not at its distance.
	Mechanism latency.Mechanism
	// PodCreationFailure is why its pod could not be made, or empty.
	PodCreationFailure string
	// ExitCode and LastWords are those of a sidecar that ended.
	ExitCode           int32
	TerminationMessage string
}

// MemberLatency is how far a member's emulation is. What an earlier pod of the member reported does not count.
func (s *Snapshot) MemberLatency(network, member string) MemberLatency {
	var e MemberLatency
	if set := s.StatefulSet(naming.Member(network, member)); set != nil {
		e.PodCreationFailure = s.podCreationFailures[set.UID]
	}
	pod := s.Pod(naming.MemberPod(network, member))
	if pod == nil {
		return e
	}
	sidecar := latencySidecarOf(pod)
	if sidecar == nil {
		return e
	}
	ended := sidecar.State.Terminated
	if ended == nil {
		ended = sidecar.LastTerminationState.Terminated
	}
	if sidecar.State.Running == nil && ended != nil {
		e.ExitCode, e.TerminationMessage = ended.ExitCode, strings.TrimSpace(ended.Message)
	}
	if sidecar.Started != nil && *sidecar.Started {
		e.Mechanism = s.reportedMechanism(network, member, string(pod.UID))
	}
	return e
}

// reportedMechanism is the mechanism that a pod told of.
func (s *Snapshot) reportedMechanism(network, member, pod string) latency.Mechanism {
	told := s.ConfigMap(naming.LatencyStatus(network))
	if told == nil {
		return ""
	}
	var report latency.SidecarStatus
	if json.Unmarshal([]byte(told.Data[member]), &report) != nil || report.Pod != pod {
		return ""
	}
	return report.Mechanism
}

// latencySidecarOf is the status of a pod's emulation sidecar, or nil.
func latencySidecarOf(pod *corev1.Pod) *corev1.ContainerStatus {
	for i := range pod.Status.InitContainerStatuses {
		if pod.Status.InitContainerStatuses[i].Name == latency.SidecarContainer {
			return &pod.Status.InitContainerStatuses[i]
		}
	}
	return nil
}
