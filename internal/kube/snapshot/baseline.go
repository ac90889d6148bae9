package snapshot

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/kinds"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// podState is the state of a pod of a network at one moment. Subject is the member or database instance in it.
type podState struct {
	Pod      string    `json:"pod"`
	Subject  string    `json:"subject"`
	UID      types.UID `json:"uid"`
	Restarts int32     `json:"restarts"`
	Database bool      `json:"database,omitempty"`
	// Resources are those of the containers, which can change in place. EndedEphemeral are the names of the
	// ephemeral containers that had ended: others use the cores and the memory of the pod.
	Resources      string   `json:"resources,omitempty"`
	EndedEphemeral []string `json:"endedEphemeral,omitempty"`
	// Labels is a digest of a member's labels, by which policies and Services select it. High availability of databases
	// changes those of theirs.
	Labels string `json:"labels,omitempty"`
}

// EncodeBaseline encodes the state of the members' and databases' pods as JSON, in the given order, for
// FindDisturbances.
func EncodeBaseline(pods []corev1.Pod) ([]byte, error) {
	var all []podState
	for i := range pods {
		if isNetworkPod(&pods[i]) {
			all = append(all, podStateOf(&pods[i]))
		}
	}
	data, err := json.Marshal(all)
	if err != nil {
		return nil, fmt.Errorf("encode baseline: %w", err)
	}
	return data, nil
}

// FindDisturbances returns what happened to members and databases since the baseline was encoded, besides what the faults explain.
func FindDisturbances(baseline []byte, pods []corev1.Pod, faults []measurement.FaultRecord) ([]verdict.Disturbance, error) {
	var before []podState
	if err := json.Unmarshal(baseline, &before); err != nil {
		return nil, fmt.Errorf("decode baseline: %w", err)
	}
	now := make(map[string]*corev1.Pod, len(pods))
	for i := range pods {
		now[pods[i].Name] = &pods[i]
	}
	faults = slices.SortedStableFunc(slices.Values(faults), func(a, b measurement.FaultRecord) int { return a.AtSeconds - b.AtSeconds })
	var all []verdict.Disturbance
	for _, b := range before {
		b.applyFaults(faults)
		if d, ok := findDisturbance(b, now[b.Pod]); ok {
			all = append(all, d)
		}
	}
	return all, nil
}

// applyFaults turns the state into that which the faults leave: one restart for each container that they ended, and the pod which took the
// place of each that they ended.
func (s *podState) applyFaults(faults []measurement.FaultRecord) {
	for i := range faults {
		f := &faults[i]
		switch {
		case !f.IsProved() || measurement.PodOf(f.Member) != s.Subject || (f.Kind == measurement.KindDatabase) != s.Database:
		case f.EndsPod() && types.UID(f.PodBefore) == s.UID:
			s.UID, s.Restarts = types.UID(f.PodAfter), 0
		case f.Kill == measurement.KillContainer:
			s.Restarts++
		}
	}
}

// findDisturbance returns what happened to a pod since the baseline, and false if nothing did.
func findDisturbance(before podState, pod *corev1.Pod) (verdict.Disturbance, bool) {
	d := verdict.Disturbance{Subject: before.Subject}
	if before.Database {
		d.Subject = verdict.DatabaseSubject(before.Subject)
	}
	if pod == nil {
		d.Kind, d.Message = verdict.ReasonMemberReplaced, "the pod no longer exists"
		return d, true
	}
	added, resources := addedContainer(pod, before.EndedEphemeral), formatResources(pod)
	switch {
	case pod.Status.Reason == "Evicted":
		d.Kind, d.Message = verdict.ReasonMemberEvicted, "the pod was evicted: "+pod.Status.Message
	case pod.UID != before.UID:
		d.Kind, d.Message = verdict.ReasonMemberReplaced, "the pod was replaced"
	case disruptionReason(pod) != "":
		d.Kind, d.Message = verdict.ReasonMemberEvicted, "the pod is being evicted: "+disruptionReason(pod)
	case lostNodeProblem(pod) != "":
		d.Kind, d.Message = verdict.ReasonMemberUnreachable, lostNodeProblem(pod)
	case CountRestarts(pod) > before.Restarts:
		d.Kind, d.Message = restartOf(pod, before.Database), fmt.Sprintf("restarts of its containers: %d", CountRestarts(pod)-before.Restarts)
		if cause := RestartCause(pod); cause != "" {
			d.Message += "; " + cause
		}
	case added != "":
		d.Kind, d.Message = verdict.ReasonMemberChanged, fmt.Sprintf("the ephemeral container %s ran in the pod", added)
	case resources != before.Resources:
		d.Kind, d.Message = verdict.ReasonMemberChanged, fmt.Sprintf("the resources of its containers were changed from %s to %s", before.Resources, resources)
	case labelsDigest(pod) != before.Labels:
		d.Kind, d.Message = verdict.ReasonMemberChanged, "the labels of the pod were changed"
	default:
		return d, false
	}
	return d, true
}

func labelsDigest(pod *corev1.Pod) string {
	if isDatabasePod(pod) {
		return ""
	}
	sum := fnv.New64a()
	for _, key := range slices.Sorted(maps.Keys(pod.Labels)) {
		fmt.Fprintf(sum, "%s=%s\n", key, pod.Labels[key])
	}
	return strconv.FormatUint(sum.Sum64(), 36)
}

// addedContainer returns the name of an ephemeral container, such as one of kubectl debug, that is not among those that had ended;
// else "".
func addedContainer(pod *corev1.Pod, ended []string) string {
	for i := range pod.Spec.EphemeralContainers {
		if name := pod.Spec.EphemeralContainers[i].Name; !slices.Contains(ended, name) {
			return name
		}
	}
	return ""
}

func endedEphemeralContainers(pod *corev1.Pod) []string {
	var ended []string
	for _, c := range pod.Status.EphemeralContainerStatuses {
		if c.State.Terminated != nil {
			ended = append(ended, c.Name)
		}
	}
	return ended
}

// formatResources returns requests and limits of CPU and memory of the pod, if it sets them, and of all containers that run as long
// as it, such as "node 1/1 CPU, 3Gi/3Gi memory".
func formatResources(pod *corev1.Pod) string {
	var all []string
	add := func(name string, requests, limits corev1.ResourceList) {
		all = append(all, fmt.Sprintf("%s %s/%s CPU, %s/%s memory", name, requests.Cpu(), limits.Cpu(), requests.Memory(), limits.Memory()))
	}
	if r := pod.Spec.Resources; r != nil {
		add("all containers", r.Requests, r.Limits)
	}
	for _, c := range slices.Concat(kinds.Sidecars(&pod.Spec), pod.Spec.Containers) {
		add(c.Name, c.Resources.Requests, c.Resources.Limits)
	}
	return strings.Join(all, "; ")
}

// restartOf returns the kind of disturbance of a pod with restarted containers.
func restartOf(pod *corev1.Pod, database bool) verdict.ReasonCode {
	killed := slices.ContainsFunc(pod.Status.ContainerStatuses, func(c corev1.ContainerStatus) bool {
		return c.LastTerminationState.Terminated != nil && c.LastTerminationState.Terminated.Reason == "OOMKilled" ||
			c.State.Terminated != nil && c.State.Terminated.Reason == "OOMKilled"
	})
	switch {
	case killed:
		return verdict.ReasonOutOfMemory
	case database:
		return verdict.ReasonDatabaseRestarted
	}
	return verdict.ReasonMemberRestarted
}

// disruptionReason returns why the cluster is about to terminate a pod, or "".
func disruptionReason(pod *corev1.Pod) string {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue {
			return c.Reason + ": " + c.Message
		}
	}
	return ""
}

// isNetworkPod reports whether a pod is part of the network, not of the load on it.
func isNetworkPod(pod *corev1.Pod) bool {
	return pod.Labels[v1alpha1.LabelMember] != "" || isDatabasePod(pod)
}

func isDatabasePod(pod *corev1.Pod) bool {
	return pod.Labels[v1alpha1.LabelDatabaseInstance] != "" && pod.Labels["batch.kubernetes.io/job-name"] == ""
}

func podStateOf(pod *corev1.Pod) podState {
	return podState{Pod: pod.Name, Subject: subjectOf(pod), UID: pod.UID, Restarts: CountRestarts(pod), Database: isDatabasePod(pod),
		Resources: formatResources(pod), EndedEphemeral: endedEphemeralContainers(pod), Labels: labelsDigest(pod)}
}
