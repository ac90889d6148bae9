// Package capacity computes the cluster resources that objects need before they are created, and compares them with the
// nodes. It is pure. It counts requests as the scheduler does, with the same library, including init containers and
// sidecars.
package capacity

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/internal/network/plan"
)

// Needs holds the cluster resources needed at one time. The zero value needs nothing.
type Needs struct {
	// RunningPods are the pods while networks run and are measured.
	RunningPods []corev1.Pod
	// SetupPods are the pods before that: databases, and Jobs that run to completion. They need not fit in
	// addition to RunningPods.
	SetupPods []corev1.Pod
	// Volumes is the number of claimed volumes, and Storage the size of all of them.
	Volumes int32
	Storage resource.Quantity
}

// ComputeNeeds returns the needs of the objects if all of them exist at the same time. Objects without pods and
// volume claims need nothing. It fails if an object cannot be decoded.
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

// ComputeNetworkNeeds returns the needs of a network with the workers of a run on it. Its Jobs end before its
// members start.
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

// Add returns the needs of both at the same time.
func (n Needs) Add(other Needs) Needs {
	sum := Needs{Volumes: n.Volumes + other.Volumes, Storage: n.Storage.DeepCopy()}
	sum.Storage.Add(other.Storage)
	sum.RunningPods = append(append(sum.RunningPods, n.RunningPods...), other.RunningPods...)
	sum.SetupPods = append(append(sum.SetupPods, n.SetupPods...), other.SetupPods...)
	return sum
}

// Pods returns the number of pods in the phase with most of them.
func (n Needs) Pods() int32 { return int32(max(len(n.RunningPods), len(n.SetupPods))) }

// Cores returns the CPU requests in the phase with the highest.
func (n Needs) Cores() resource.Quantity { return n.peakRequest(corev1.ResourceCPU) }

// Memory returns the memory requests in the phase with the highest.
func (n Needs) Memory() resource.Quantity { return n.peakRequest(corev1.ResourceMemory) }

// Exceeds reports whether n needs more than other: more cores, or as many cores and more memory.
func (n Needs) Exceeds(other Needs) bool {
	cores := n.Cores()
	if by := cores.Cmp(other.Cores()); by != 0 {
		return by > 0
	}
	memory := n.Memory()
	return memory.Cmp(other.Memory()) > 0
}

func (n Needs) peakRequest(name corev1.ResourceName) resource.Quantity {
	running, setUp := SumRequests(n.RunningPods)[name], SumRequests(n.SetupPods)[name]
	if setUp.Cmp(running) > 0 {
		return setUp
	}
	return running
}

// SumRequests returns the sum of the pods' requests.
func SumRequests(pods []corev1.Pod) corev1.ResourceList {
	sum := corev1.ResourceList{}
	for i := range pods {
		AddResources(sum, podRequests(&pods[i]))
	}
	return sum
}

// AddResources adds each resource of by to sum.
func AddResources(sum, by corev1.ResourceList) {
	for name, q := range by {
		value := sum[name].DeepCopy()
		value.Add(q)
		sum[name] = value
	}
}

// podRequests returns the requests of a pod as the scheduler counts them. The pod itself counts against the
// node's pod capacity.
func podRequests(pod *corev1.Pod) corev1.ResourceList {
	all := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
	all[corev1.ResourcePods] = *resource.NewQuantity(1, resource.DecimalSI)
	return all
}
