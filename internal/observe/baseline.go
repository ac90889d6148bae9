package observe

import (
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/results"
)

// podState is a pod of a network as it was at one moment; the subject is the member or database instance in it.
type podState struct {
	Pod      string    `json:"pod"`
	Subject  string    `json:"subject"`
	UID      types.UID `json:"uid"`
	Restarts int32     `json:"restarts"`
	Database bool      `json:"database,omitempty"`
}

// Baseline notes the members and databases among the pods, in the order given, for Disturbances.
func Baseline(pods []corev1.Pod) ([]byte, error) {
	var all []podState
	for i := range pods {
		if measured(&pods[i]) {
			all = append(all, stateOf(&pods[i]))
		}
	}
	data, err := json.Marshal(all)
	if err != nil {
		return nil, fmt.Errorf("encode baseline: %w", err)
	}
	return data, nil
}

// Disturbances are what happened to members and databases since the baseline was noted.
func Disturbances(baseline []byte, pods []corev1.Pod) ([]results.Disturbance, error) {
	var before []podState
	if err := json.Unmarshal(baseline, &before); err != nil {
		return nil, fmt.Errorf("decode baseline: %w", err)
	}
	now := make(map[string]*corev1.Pod, len(pods))
	for i := range pods {
		now[pods[i].Name] = &pods[i]
	}
	var all []results.Disturbance
	for _, b := range before {
		if d, ok := disturbance(b, now[b.Pod]); ok {
			all = append(all, d)
		}
	}
	return all, nil
}

func disturbance(before podState, pod *corev1.Pod) (results.Disturbance, bool) {
	d := results.Disturbance{Subject: before.Subject}
	switch {
	case pod == nil:
		d.Kind, d.Message = results.MemberReplaced, "the pod is gone"
	case pod.Status.Reason == "Evicted":
		d.Kind, d.Message = results.MemberEvicted, "the pod was evicted: "+pod.Status.Message
	case pod.UID != before.UID:
		d.Kind, d.Message = results.MemberReplaced, "the pod was replaced by another one"
	case disrupted(pod) != "":
		d.Kind, d.Message = results.MemberEvicted, "the pod is being evicted: "+disrupted(pod)
	case Restarts(pod) > before.Restarts:
		d.Kind = results.MemberRestarted
		d.Message = fmt.Sprintf("its containers restarted %d times", Restarts(pod)-before.Restarts)
	default:
		return d, false
	}
	if before.Database {
		d.Kind = results.DatabaseRestarted
	}
	return d, true
}

// disrupted is why the cluster is about to end a pod, or empty.
func disrupted(pod *corev1.Pod) string {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue {
			return c.Reason + ": " + c.Message
		}
	}
	return ""
}

// measured tells whether a pod is a part of the network rather than of the load on it.
func measured(pod *corev1.Pod) bool {
	return pod.Labels[v1alpha1.LabelMember] != "" || isDatabase(pod)
}

func isDatabase(pod *corev1.Pod) bool {
	return pod.Labels[v1alpha1.LabelDatabaseInstance] != "" && pod.Labels["batch.kubernetes.io/job-name"] == ""
}

func stateOf(pod *corev1.Pod) podState {
	return podState{Pod: pod.Name, Subject: subjectOf(pod), UID: pod.UID, Restarts: Restarts(pod), Database: isDatabase(pod)}
}
