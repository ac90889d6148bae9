package status

import (
	"fmt"
	"strings"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/limits"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/network/latency"
)

// netAdminHint says how to allow the sidecars' capability in a namespace that rejects it. Its argument is the
// namespace.
const netAdminHint = "spec.regions and spec.networkFaults need pods with the capability NET_ADMIN: " +
	"kubectl label namespace %s pod-security.kubernetes.io/enforce=privileged --overwrite"

// notEmulated is the message of a network that has no latencies.
const notEmulated = "spec.regions is not set: latency is not emulated"

// conditionState is the content of a condition: whether it holds, its reason and its message.
type conditionState struct {
	OK              bool
	Reason, Message string
}

// latencyEmulatedState returns whether the members have the latencies of the spec, and by which mechanism or
// why not.
func latencyEmulatedState(in NetworkInput) conditionState {
	switch {
	case in.Network.Spec.HasSidecars(): // Their failures are those of the condition.
	case in.Network.Spec.Regions == nil:
		return conditionState{Reason: v1alpha1.ReasonNotRequested, Message: notEmulated}
	case in.Network.Spec.RecordsZones():
		return conditionState{Reason: v1alpha1.ReasonNotRequested,
			Message: "spec.regions.source is NodeZone: latency is not emulated, and regions are the zones of nodes"}
	}
	by := map[latency.Mechanism]int{}
	var waiting []string
	for _, m := range in.Plan.Topology.Members {
		e := in.Snapshot.MemberLatency(in.Network.Name, m.Name)
		if reason, message := latencyFailure(in.Network, e); reason != "" {
			return conditionState{Reason: reason, Message: m.Name + ": " + message}
		}
		if e.Mechanism == "" {
			waiting = append(waiting, m.Name)
		}
		by[e.Mechanism]++
	}
	switch {
	case !in.Network.Spec.EmulatesLatency():
		return conditionState{Reason: v1alpha1.ReasonNotRequested, Message: notEmulated}
	case len(waiting) > 0:
		return conditionState{Reason: v1alpha1.ReasonWaitingForMembers, Message: "latency is not emulated yet: " + limits.JoinItems(waiting, ", ")}
	}
	// If hosts have different kernels, the condition names the mechanism in which the sidecar handles every
	// packet.
	mechanism := latency.Netem
	if by[latency.UserSpace] > 0 {
		mechanism = latency.UserSpace
	}
	return conditionState{OK: true, Reason: string(mechanism), Message: mechanismMessage(by)}
}

func mechanismMessage(by map[latency.Mechanism]int) string {
	var parts []string
	if n := by[latency.Netem]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d members delay outgoing packets with the kernel's netem", n))
	}
	if n := by[latency.UserSpace]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d members delay incoming packets in their sidecar, because the host's kernel has no netem", n))
	}
	return strings.Join(parts, "; ")
}

// latencyFailure returns the reason and the message of a member's failed emulation, or empty strings.
func latencyFailure(network *v1alpha1.BenchmarkNetwork, e snapshot.MemberLatency) (reason, message string) {
	switch {
	case strings.Contains(e.PodCreationFailure, "violates PodSecurity"):
		return v1alpha1.ReasonCapabilityMissing, fmt.Sprintf(netAdminHint, network.Namespace) + "; " + e.PodCreationFailure
	case e.PodCreationFailure != "":
		return v1alpha1.ReasonEmulationFailed, e.PodCreationFailure
	case e.ExitCode == latency.ExitCapabilityMissing:
		return v1alpha1.ReasonCapabilityMissing, "the sidecar lacks the capability NET_ADMIN: " + e.TerminationMessage
	case e.ExitCode == latency.ExitKernelLacksSupport:
		return v1alpha1.ReasonKernelLacksSupport, "the host's kernel lacks netem or netfilter queues: " + e.TerminationMessage
	case e.ExitCode != 0:
		return v1alpha1.ReasonEmulationFailed, fmt.Sprintf("the sidecar exited with code %d: %s", e.ExitCode, e.TerminationMessage)
	}
	return "", ""
}
