package capacity

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func newResourceList(cores, memory string) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cores), corev1.ResourceMemory: resource.MustParse(memory)}
}

func newNode(cores, memory string, edits ...func(*corev1.Node)) corev1.Node {
	n := corev1.Node{Status: corev1.NodeStatus{Allocatable: newResourceList(cores, memory)}}
	n.Status.Allocatable[corev1.ResourcePods] = resource.MustParse("10")
	for _, edit := range edits {
		edit(&n)
	}
	return n
}

func repeatPod(n int, cores, memory string) []corev1.Pod {
	all := make([]corev1.Pod, 0, n)
	for i := range n {
		pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("pod-%d", i)}}
		pod.Spec.Containers = []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{Requests: newResourceList(cores, memory)}}}
		all = append(all, pod)
	}
	return all
}

func TestCheckFit(t *testing.T) {
	cordoned := newNode("2", "4Gi", func(n *corev1.Node) { n.Spec.Unschedulable = true })
	two := []corev1.Node{newNode("2", "4Gi"), newNode("2", "4Gi")}
	withGPU := repeatPod(1, "1", "1Gi")
	withGPU[0].Spec.Containers[0].Resources.Requests["nvidia.com/gpu"] = resource.MustParse("1")
	for _, c := range []struct {
		name  string
		needs Needs
		nodes []corev1.Node
		want  string
	}{
		{"fits", Needs{RunningPods: repeatPod(4, "1", "2Gi"), Volumes: 2, Storage: resource.MustParse("3Gi")}, two, ""},
		{"set-up and members one after the other", Needs{SetupPods: repeatPod(4, "1", "1Gi"), RunningPods: repeatPod(4, "1", "1Gi")}, two, ""},
		{"too many cores", Needs{RunningPods: repeatPod(5, "1", "1Gi")}, two,
			"needs 5 cores and 5 GiB for 5 pods at the same time; 2 of 2 nodes schedulable, with 4 cores and 8 GiB allocatable, at most 2 cores and 4 GiB on one; missing: 1 core"},
		{"too much memory in the set-up", Needs{SetupPods: repeatPod(3, "1", "3Gi"), RunningPods: repeatPod(1, "1", "1Gi")}, two, "missing: 1 GiB"},
		{"too many pods", Needs{RunningPods: repeatPod(21, "1m", "1Mi")}, two, "missing: 1 place for pods"},
		{"a pod larger than a node", Needs{RunningPods: repeatPod(1, "3", "1Gi")}, two, "at most 2 cores and 4 GiB on one; no node has the 3 cores of pod pod-0"},
		{"another resource", Needs{RunningPods: withGPU}, two, "missing: 1 of nvidia.com/gpu; no node has the 1 of nvidia.com/gpu of pod pod-0"},
		{"a cordoned node", Needs{RunningPods: repeatPod(3, "1", "1Gi")}, []corev1.Node{newNode("2", "4Gi"), cordoned}, "1 of 2 nodes schedulable, with 2 cores"},
		{"only cordoned nodes", Needs{RunningPods: repeatPod(1, "1", "1Gi")}, []corev1.Node{cordoned}, "0 of 1 node schedulable; missing: 1 core, 1 GiB, 1 place for pods"},
		{"no nodes", Needs{RunningPods: repeatPod(1, "1", "1Gi")}, nil, "0 of 0 nodes schedulable; missing: 1 core"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := CheckFit(c.needs, c.nodes)
			if got.Fits != (c.want == "") || !strings.Contains(got.Message, c.want) {
				t.Errorf("fits is %v, %q, want %q", got.Fits, got.Message, c.want)
			}
		})
	}
}
