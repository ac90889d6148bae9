// Package capacity tells what objects would need of a cluster, before any of them is made, and whether its nodes can hold it.
// It is pure. It counts as the scheduler does, and by the same library: requests with init containers and sidecars, node
// selectors and affinity, taints, required affinity between pods. What it does not know: the free space behind a storage
// class, quotas of the namespace, and other pods that come meanwhile.
package capacity

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/internal/network/plan"
)

// Needs is what is asked of a cluster at one time. The zero value asks nothing.
type Needs struct {
	// RunningPods are the pods of networks that stand and are measured.
	RunningPods []corev1.Pod
	// SetupPods are the pods that there are before that: databases, and the Jobs that come and go. They need not fit beside Standing.
	SetupPods []corev1.Pod
	// Volumes that are claimed, and the Storage of all of them.
	Volumes int32
	Storage resource.Quantity
}

// ComputeNeeds the objects, all of them at the same time. What runs no pod and claims no volume needs nothing.
func ComputeNeeds(objects []client.Object) (Needs, error) {
	var all Needs
	for _, o := range objects {
		w, err := newPodSource(o)
		if err != nil {
			return Needs{}, err
		}
		pods, claimed := w.buildPods(), w.claimedVolumes()
		all = all.Add(Needs{RunningPods: pods, Volumes: claimed.Volumes, Storage: claimed.Storage})
	}
	return all, nil
}

// ComputeNetworkNeeds is what a network needs with the workers of a run on it. Its Jobs have ended before its members start.
func ComputeNetworkNeeds(p *plan.Plan, workers Needs) (Needs, error) {
	all := workers
	for _, stage := range p.Stages {
		for _, o := range stage.Objects {
			w, err := newPodSource(o)
			if err != nil {
				return Needs{}, fmt.Errorf("stage %s: %w", stage.Name, err)
			}
			needs := w.claimedVolumes()
			if !w.runsToCompletion {
				needs.RunningPods = w.buildPods()
			}
			if w.runsToCompletion || stage.Name == plan.StageDatabases {
				needs.SetupPods = w.buildPods()
			}
			all = all.Add(needs)
		}
	}
	return all, nil
}

// Add is what both need at the same time.
func (n Needs) Add(other Needs) Needs {
	sum := Needs{Volumes: n.Volumes + other.Volumes, Storage: n.Storage.DeepCopy()}
	sum.Storage.Add(other.Storage)
	sum.RunningPods = append(append(sum.RunningPods, n.RunningPods...), other.RunningPods...)
	sum.SetupPods = append(append(sum.SetupPods, n.SetupPods...), other.SetupPods...)
	return sum
}

// Pods at the same time, where they are most.
func (n Needs) Pods() int32 { return int32(max(len(n.RunningPods), len(n.SetupPods))) }

// Cores that the pods request, where that is most.
func (n Needs) Cores() resource.Quantity { return n.peakRequest(corev1.ResourceCPU) }

// Memory that the pods request, where that is most.
func (n Needs) Memory() resource.Quantity { return n.peakRequest(corev1.ResourceMemory) }

// Exceeds tells whether n needs more than other: more cores, or as many and more memory.
func (n Needs) Exceeds(other Needs) bool {
	cores := n.Cores()
	if by := cores.Cmp(other.Cores()); by != 0 {
		return by > 0
	}
	memory := n.Memory()
	return memory.Cmp(other.Memory()) > 0
}

func (n Needs) peakRequest(name corev1.ResourceName) resource.Quantity {
	standing, setUp := sumRequests(n.RunningPods)[name], sumRequests(n.SetupPods)[name]
	if setUp.Cmp(standing) > 0 {
		return setUp
	}
	return standing
}

// sumRequests of what the pods request.
func sumRequests(pods []corev1.Pod) corev1.ResourceList {
	sum := corev1.ResourceList{}
	for i := range pods {
		AddResources(sum, podRequests(&pods[i]))
	}
	return sum
}

// AddResources adds to each resource of a list what there is of it in another.
func AddResources(sum, by corev1.ResourceList) {
	for name, q := range by {
		value := sum[name].DeepCopy()
		value.Add(q)
		sum[name] = value
	}
}

// podRequests of a pod as the scheduler counts them. The pod itself is one of those that a node may have.
func podRequests(pod *corev1.Pod) corev1.ResourceList {
	all := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{UseStatusResources: true})
	all[corev1.ResourcePods] = *resource.NewQuantity(1, resource.DecimalSI)
	return all
}
