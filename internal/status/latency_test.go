package status

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/network/latency"
	"github.com/benchnet/benchnet/internal/network/plan"
	"github.com/benchnet/benchnet/internal/platform"
)

// podWithSidecar returns a pod with a sidecar in the given state.
func podWithSidecar(member string, sidecar corev1.ContainerStatus) corev1.Pod {
	sidecar.Name = latency.SidecarContainer
	return corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: naming.MemberPod("net", member), UID: "uid-1"},
		Status: corev1.PodStatus{InitContainerStatuses: []corev1.ContainerStatus{sidecar}}}
}

func TestLatencyEmulated(t *testing.T) {
	working := corev1.ContainerStatus{Started: new(true), State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}
	ended := func(code int32, words string) corev1.ContainerStatus {
		return corev1.ContainerStatus{RestartCount: 3, State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}},
			LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Message: words + "\n"}}}
	}
	both := []corev1.Pod{podWithSidecar("member-0", working), podWithSidecar("member-1", working)}
	inUserSpace, inKernel := `{"pod":"uid-1","mechanism":"UserSpace"}`, `{"pod":"uid-1","mechanism":"Netem"}`
	for _, c := range []struct {
		name    string
		pods    []corev1.Pod
		reports map[string]string
		want    metav1.ConditionStatus
		reason  string
		message string
	}{
		{"no pods yet", nil, nil, metav1.ConditionFalse, "WaitingForMembers", "member-0, member-1"},
		{"one has not reported", both, map[string]string{"member-0": inKernel}, metav1.ConditionFalse, "WaitingForMembers", "latency is not emulated yet: member-1"},
		{"an earlier pod reported", both, map[string]string{"member-0": inKernel, "member-1": `{"pod":"uid-0","mechanism":"Netem"}`},
			metav1.ConditionFalse, "WaitingForMembers", "member-1"},
		{"in the kernel", both, map[string]string{"member-0": inKernel, "member-1": inKernel}, metav1.ConditionTrue, "Netem", "2 members delay outgoing packets"},
		{"in both ways", both, map[string]string{"member-0": inKernel, "member-1": inUserSpace}, metav1.ConditionTrue, "UserSpace", "1 members delay incoming packets"},
		{"no capability", []corev1.Pod{both[0], podWithSidecar("member-1", ended(3, "operation not permitted"))}, map[string]string{"member-0": inKernel},
			metav1.ConditionFalse, "CapabilityMissing", "member-1: the sidecar lacks the capability NET_ADMIN: operation not permitted"},
		{"no support", []corev1.Pod{podWithSidecar("member-0", ended(4, "no such file"))}, nil, metav1.ConditionFalse, "KernelLacksSupport", "no such file"},
		{"failed sidecar", []corev1.Pod{podWithSidecar("member-0", ended(1, "read packets: gone"))}, nil, metav1.ConditionFalse, "EmulationFailed", "code 1: read packets: gone"},
		{"recovered after a failure", []corev1.Pod{both[0], podWithSidecar("member-1", corev1.ContainerStatus{Started: new(true), RestartCount: 1,
			State: working.State, LastTerminationState: ended(1, "x").LastTerminationState})},
			map[string]string{"member-0": inKernel, "member-1": inKernel}, metav1.ConditionTrue, "Netem", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := &v1alpha1.BenchmarkNetwork{ObjectMeta: metav1.ObjectMeta{Name: "net", Namespace: "ns"}}
			n.Spec.Regions = &v1alpha1.RegionsSpec{Items: []v1alpha1.Region{{Name: "NYC", Count: new(int32(2))}}}
			report := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: naming.LatencyStatus("net")}, Data: c.reports}
			got := ComputeNetwork(NetworkInput{Network: n, Now: testTime, Snapshot: snapshot.New(clientgoscheme.Scheme, []client.Object{report}, c.pods),
				Plan: &plan.Plan{Topology: platform.Topology{Members: []platform.Member{{Name: "member-0"}, {Name: "member-1"}}}}})
			condition := meta.FindStatusCondition(got.Conditions, v1alpha1.ConditionLatencyEmulated)
			if condition == nil || condition.Status != c.want || condition.Reason != c.reason || !strings.Contains(condition.Message, c.message) {
				t.Errorf("%+v, want %s %s %q", condition, c.want, c.reason, c.message)
			}
		})
	}
}

// TestSidecarsOfFaultsAreReported checks that a network without regions, whose sidecars only take faults, says why they cannot.
func TestSidecarsOfFaultsAreReported(t *testing.T) {
	terminated := &corev1.ContainerStateTerminated{ExitCode: latency.ExitCapabilityMissing, Message: "operation not permitted"}
	for name, c := range map[string]struct {
		sidecar corev1.ContainerStatus
		reason  string
	}{
		"no capability": {corev1.ContainerStatus{State: corev1.ContainerState{Terminated: terminated}}, v1alpha1.ReasonCapabilityMissing},
		"starting":      {corev1.ContainerStatus{}, v1alpha1.ReasonNotRequested},
	} {
		t.Run(name, func(t *testing.T) {
			n := &v1alpha1.BenchmarkNetwork{ObjectMeta: metav1.ObjectMeta{Name: "net", Namespace: "ns"}}
			n.Spec.NetworkFaults = v1alpha1.NetworkFaultsEnabled
			p := &plan.Plan{Topology: platform.Topology{Members: []platform.Member{{Name: "member-0"}}}}
			got := latencyEmulatedState(NetworkInput{Network: n, Plan: p, Snapshot: snapshot.New(clientgoscheme.Scheme, nil, []corev1.Pod{podWithSidecar("member-0", c.sidecar)})})
			if got.OK || got.Reason != c.reason {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestLatencyEmulatedNotRequested(t *testing.T) {
	for message, spec := range map[string]*v1alpha1.RegionsSpec{
		"spec.regions is not set":         nil,
		"spec.regions.source is NodeZone": {Source: v1alpha1.RegionsFromNodeZone},
	} {
		t.Run(message, func(t *testing.T) {
			network := &v1alpha1.BenchmarkNetwork{Spec: v1alpha1.BenchmarkNetworkSpec{NetworkTemplate: v1alpha1.NetworkTemplate{Regions: spec}}}
			got := ComputeNetwork(NetworkInput{Network: network, Plan: &plan.Plan{}, Snapshot: snapshot.New(nil, nil, nil), Now: testTime})
			condition := meta.FindStatusCondition(got.Conditions, v1alpha1.ConditionLatencyEmulated)
			if condition == nil || condition.Status != metav1.ConditionFalse || condition.Reason != v1alpha1.ReasonNotRequested ||
				!strings.Contains(condition.Message, message) {
				t.Errorf("%+v", condition)
			}
		})
	}
}
