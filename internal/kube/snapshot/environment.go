package snapshot

import (
	"cmp"
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// DescribeContainers returns the node and the resources of the containers of a network and of the load on it.
func DescribeContainers(pods []corev1.Pod) []measurement.ContainerInfo {
	var all []measurement.ContainerInfo
	for i := range pods {
		pod := &pods[i]
		role := roleOf(pod)
		if role == "" {
			continue
		}
		for _, c := range pod.Spec.Containers {
			all = append(all, measurement.ContainerInfo{
				Name: pod.Name, Container: c.Name, Role: role, Subject: subjectOf(pod), Node: pod.Spec.NodeName,
				CPURequest: c.Resources.Requests.Cpu().AsApproximateFloat64(), CPULimit: c.Resources.Limits.Cpu().AsApproximateFloat64(),
				MemoryRequest: c.Resources.Requests.Memory().Value(), MemoryLimit: c.Resources.Limits.Memory().Value(),
			})
		}
	}
	slices.SortStableFunc(all, func(a, b measurement.ContainerInfo) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// DescribeImages returns the images that ran in the pods, each once, by container name.
func DescribeImages(pods []corev1.Pod) []document.ImageInfo {
	var all []document.ImageInfo
	for i := range pods {
		role := roleOf(&pods[i])
		if role == "" {
			continue
		}
		for _, c := range slices.Concat(pods[i].Status.InitContainerStatuses, pods[i].Status.ContainerStatuses) {
			image := document.ImageInfo{Role: c.Name, Name: c.Image, Digest: c.ImageID}
			if !slices.Contains(all, image) {
				all = append(all, image)
			}
		}
	}
	slices.SortFunc(all, func(a, b document.ImageInfo) int {
		return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(a.Name, b.Name))
	})
	return all
}

// DescribeNode returns the versions and the capacity of a node.
func DescribeNode(node *corev1.Node) document.NodeInfo {
	info := node.Status.NodeInfo
	return document.NodeInfo{
		Name: node.Name, Kernel: info.KernelVersion, OS: info.OSImage, Architecture: info.Architecture,
		ContainerRuntime: info.ContainerRuntimeVersion, Kubelet: info.KubeletVersion,
		CPUs: node.Status.Capacity.Cpu().AsApproximateFloat64(), MemoryBytes: node.Status.Capacity.Memory().Value(),
	}
}

// DescribeZones returns the zones of the nodes by the subjects of the pods on them, and a disturbance for each node
// without a zone, whose pods are left out.
func DescribeZones(pods []corev1.Pod, nodes []corev1.Node) (map[string]string, []verdict.Disturbance) {
	zones, regions := map[string]string{}, map[string]string{}
	var unknown []verdict.Disturbance
	for i := range nodes {
		zones[nodes[i].Name] = nodes[i].Labels[corev1.LabelTopologyZone]
		if zones[nodes[i].Name] == "" {
			unknown = append(unknown, verdict.Disturbance{Kind: verdict.ReasonZoneUnknown, Subject: nodes[i].Name,
				Message: fmt.Sprintf("node %s has no label %s, so the pods on it have no region", nodes[i].Name, corev1.LabelTopologyZone)})
		}
	}
	for i := range pods {
		if zone := zones[pods[i].Spec.NodeName]; zone != "" && roleOf(&pods[i]) != "" {
			regions[subjectOf(&pods[i])] = zone
		}
	}
	return regions, unknown
}

// NodeNames returns the names of the nodes on which the pods ran, sorted and without duplicates.
func NodeNames(pods []corev1.Pod) []string {
	var all []string
	for i := range pods {
		if name := pods[i].Spec.NodeName; name != "" && roleOf(&pods[i]) != "" {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// subjectOf returns the name that results use for the member, database instance or worker in a pod.
func subjectOf(pod *corev1.Pod) string {
	if pod.Labels[v1alpha1.LabelRun] != "" {
		return "worker-" + pod.Labels[batchv1.JobCompletionIndexAnnotation]
	}
	return cmp.Or(pod.Labels[v1alpha1.LabelMember], pod.Labels[v1alpha1.LabelDatabaseInstance])
}

// NodeProblems returns a disturbance for each problem of a node: it is not ready or under pressure.
func NodeProblems(node *corev1.Node) []verdict.Disturbance {
	var all []verdict.Disturbance
	for _, c := range node.Status.Conditions {
		d := verdict.Disturbance{Subject: node.Name, Kind: verdict.ReasonNodeUnderPressure}
		switch {
		case c.Type == corev1.NodeReady && c.Status != corev1.ConditionTrue:
			d.Kind, d.Message = verdict.ReasonNodeNotReady, fmt.Sprintf("node %s was not ready when the run ended: %s", node.Name, c.Message)
		case pressureConditions[c.Type] && c.Status == corev1.ConditionTrue:
			d.Message = fmt.Sprintf("node %s had %s when the run ended: %s", node.Name, c.Type, c.Message)
		default:
			continue
		}
		all = append(all, d)
	}
	return all
}

// pressureConditions are the conditions under which a kubelet evicts pods.
var pressureConditions = map[corev1.NodeConditionType]bool{
	corev1.NodeMemoryPressure: true, corev1.NodeDiskPressure: true, corev1.NodePIDPressure: true,
}

func roleOf(pod *corev1.Pod) measurement.ContainerRole {
	switch {
	case pod.Labels[v1alpha1.LabelRun] != "":
		return measurement.RoleWorker
	case pod.Labels[v1alpha1.LabelMember] != "":
		return measurement.RoleMember
	case isDatabasePod(pod):
		return measurement.RoleDatabase
	default:
		return ""
	}
}
