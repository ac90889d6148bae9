package snapshot

import (
	"fmt"
	"reflect"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// TestContainerSubjects checks the subjects of containers: results join evidence and nodes by this name.
func TestContainerSubjects(t *testing.T) {
	labels := []map[string]string{
		{v1alpha1.LabelMember: "member-0"},
		{v1alpha1.LabelDatabaseInstance: "net-db"},
		{v1alpha1.LabelRun: "r", batchv1.JobCompletionIndexAnnotation: "2"},
		{"other": "pod"},
	}
	var pods []corev1.Pod
	for i, l := range labels {
		pods = append(pods, corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint(i), Labels: l},
			Spec: corev1.PodSpec{NodeName: "node-1", Containers: []corev1.Container{{Name: "c"}}}})
	}
	var got []string
	for _, c := range DescribeContainers(pods) {
		got = append(got, string(c.Role)+" "+c.Subject+" on "+c.Node)
	}
	want := []string{"Member member-0 on node-1", "Database net-db on node-1", "Worker worker-2 on node-1"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNodeProblems(t *testing.T) {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{
		{Type: corev1.NodeReady, Status: corev1.ConditionUnknown, Message: "Kubelet stopped posting node status."},
		{Type: corev1.NodeDiskPressure, Status: corev1.ConditionTrue, Message: "kubelet has disk pressure"},
		{Type: corev1.NodeMemoryPressure, Status: corev1.ConditionFalse},
		{Type: corev1.NodeNetworkUnavailable, Status: corev1.ConditionTrue},
	}}}
	var got []string
	for _, d := range NodeProblems(node) {
		got = append(got, string(d.Kind)+": "+d.Message)
	}
	want := []string{"NodeNotReady: node n was not ready when the run ended: Kubelet stopped posting node status.",
		"NodeUnderPressure: node n had DiskPressure when the run ended: kubelet has disk pressure"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	if got := NodeProblems(node); got != nil {
		t.Errorf("a healthy node has %+v", got)
	}
}

// TestDescribeZones has nodes in a zone, without a zone, and one that was not read.
func TestDescribeZones(t *testing.T) {
	nodes := []corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{corev1.LabelTopologyZone: "eu-west-1a"}}},
		{ObjectMeta: metav1.ObjectMeta{Name: "b"}}}
	var pods []corev1.Pod
	for i, node := range []string{"a", "b", "c", "a"} {
		pods = append(pods, corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{v1alpha1.LabelMember: fmt.Sprint("member-", i)}},
			Spec: corev1.PodSpec{NodeName: node}})
	}
	regions, unknown := DescribeZones(append(pods, corev1.Pod{Spec: corev1.PodSpec{NodeName: "a"}}), nodes)
	if want := map[string]string{"member-0": "eu-west-1a", "member-3": "eu-west-1a"}; !reflect.DeepEqual(regions, want) {
		t.Errorf("got %v, want %v", regions, want)
	}
	if len(unknown) != 1 || unknown[0].Kind != "ZoneUnknown" || unknown[0].Subject != "b" {
		t.Errorf("got %+v, want node b", unknown)
	}
}
