package snapshot

import (
	"cmp"
	"encoding/json"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/network/latency"
)

// MemberLatency is the state of one member's latency emulation.
type MemberLatency struct {
	// Mechanism is the mechanism in use; empty until the member's latency is in effect.
	Mechanism latency.Mechanism
	// PodCreationFailure is why the member's pod could not be created, or empty.
	PodCreationFailure string
	// ExitCode and TerminationMessage are those of a sidecar that terminated.
	ExitCode           int32
	TerminationMessage string
}

// MemberLatency returns the state of a member's latency emulation. Reports of an earlier pod of the member do
// not count.
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
	ended := cmp.Or(sidecar.State.Terminated, sidecar.LastTerminationState.Terminated)
	if sidecar.State.Running == nil && ended != nil {
		e.ExitCode, e.TerminationMessage = ended.ExitCode, strings.TrimSpace(ended.Message)
	}
	if sidecar.Started != nil && *sidecar.Started {
		e.Mechanism = s.reportedMechanism(network, member, string(pod.UID))
	}
	return e
}

// reportedMechanism returns the mechanism that the sidecar of a pod reported, or "".
func (s *Snapshot) reportedMechanism(network, member, pod string) latency.Mechanism {
	reports := s.ConfigMap(naming.LatencyStatus(network))
	if reports == nil {
		return ""
	}
	var report latency.SidecarStatus
	if json.Unmarshal([]byte(reports.Data[member]), &report) != nil || report.Pod != pod {
		return ""
	}
	return report.Mechanism
}

// latencySidecarOf returns the status of a pod's latency sidecar, or nil.
func latencySidecarOf(pod *corev1.Pod) *corev1.ContainerStatus {
	for i := range pod.Status.InitContainerStatuses {
		if pod.Status.InitContainerStatuses[i].Name == latency.SidecarContainer {
			return &pod.Status.InitContainerStatuses[i]
		}
	}
	return nil
}
