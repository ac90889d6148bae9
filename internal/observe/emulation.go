package observe

import (
	"encoding/json"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/internal/emulation"
	"github.com/benchnet/benchnet/internal/names"
)

// Emulated is what is known of one member's emulation.
type Emulated struct {
	// Mechanism in use; empty while the member is not at its distance.
	Mechanism emulation.Mechanism
	// Refusal is why its pod could not be made, or empty.
	Refusal string
	// ExitCode and LastWords are those of a sidecar that ended.
	ExitCode  int32
	LastWords string
}

// Emulated is how far a member's emulation is. What an earlier pod of the member reported does not count.
func (s *Snapshot) Emulated(network, member string) Emulated {
	var e Emulated
	if set := s.StatefulSet(names.Member(network, member)); set != nil {
		e.Refusal = s.refusals[set.UID]
	}
	pod := s.Pod(names.Pod(network, member))
	if pod == nil {
		return e
	}
	sidecar := sidecarOf(pod)
	if sidecar == nil {
		return e
	}
	ended := sidecar.State.Terminated
	if ended == nil {
		ended = sidecar.LastTerminationState.Terminated
	}
	if sidecar.State.Running == nil && ended != nil {
		e.ExitCode, e.LastWords = ended.ExitCode, strings.TrimSpace(ended.Message)
	}
	if sidecar.Started != nil && *sidecar.Started {
		e.Mechanism = s.reported(network, member, string(pod.UID))
	}
	return e
}

// reported is the mechanism that a pod told of.
func (s *Snapshot) reported(network, member, pod string) emulation.Mechanism {
	told := s.ConfigMap(names.EmulationReport(network))
	if told == nil {
		return ""
	}
	var report emulation.Report
	if json.Unmarshal([]byte(told.Data[member]), &report) != nil || report.Pod != pod {
		return ""
	}
	return report.Mechanism
}

// sidecarOf is the status of a pod's emulation sidecar, or nil.
func sidecarOf(pod *corev1.Pod) *corev1.ContainerStatus {
	for i := range pod.Status.InitContainerStatuses {
		if pod.Status.InitContainerStatuses[i].Name == emulation.Sidecar {
			return &pod.Status.InitContainerStatuses[i]
		}
	}
	return nil
}
