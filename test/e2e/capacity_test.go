//go:build e2e

package e2e_test

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/internal/experiment/capacity"
	"github.com/benchnet/benchnet/test/e2e/cluster"
)

//go:embed testdata/filler.yaml
var fillerManifest string

// TestCapacityAgreesWithTheScheduler checks the capacity check against the scheduler: it places as many pods as
// the check predicts, and refuses one more.
func TestCapacityAgreesWithTheScheduler(t *testing.T) {
	ns := cluster.NewNamespace(t, "capacity")
	nodes, pods := listNodesAndPods(ns)
	const parts = 4
	set := newFillerSet(ns, nodes, parts)
	count := int32(0)
	for hasCapacity(t, set, count+1, nodes, pods) {
		count++
	}
	if count == 0 || count > int32(parts*len(nodes)) {
		t.Fatalf("of pods that are each a quarter of a node, %d should fit", count)
	}
	for _, replicas := range []int32{count, count + 1} {
		finding := hasCapacity(t, set, replicas, nodes, pods)
		set.Spec.Replicas = &replicas
		text, err := yaml.Marshal(set)
		if err != nil {
			t.Fatal(err)
		}
		ns.MustApply(string(text))
		placed, refused, why := ns.WaitScheduled(int(replicas))
		t.Logf("%d pods: capacity says %v, the scheduler placed %d and refused %d: %s", replicas, finding, placed, refused, why)
		if finding != (refused == 0) {
			t.Errorf("they should say the same of %d pods", replicas)
		}
		if refused > 0 && !strings.Contains(why, "Insufficient cpu") {
			t.Errorf("the scheduler should lack cores: %s", why)
		}
	}
}

func hasCapacity(t *testing.T, set *appsv1.StatefulSet, replicas int32, nodes []corev1.Node, pods []corev1.Pod) bool {
	t.Helper()
	copied := set.DeepCopy()
	copied.Spec.Replicas = &replicas
	needs, err := capacity.ComputeNeeds([]client.Object{copied})
	if err != nil {
		t.Fatal(err)
	}
	finding := capacity.CheckFit(needs, nodes, pods)
	t.Log(finding.Message)
	return finding.Fits
}

// newFillerSet returns a StatefulSet whose pods each request a fraction of the largest node, partly in an init
// container and a sidecar.
func newFillerSet(ns *cluster.Namespace, nodes []corev1.Node, parts int64) *appsv1.StatefulSet {
	ns.Helper()
	set := &appsv1.StatefulSet{}
	if err := yaml.UnmarshalStrict([]byte(fillerManifest), set); err != nil {
		ns.Fatal(err)
	}
	largest := int64(0)
	for i := range nodes {
		largest = max(largest, nodes[i].Status.Allocatable.Cpu().MilliValue())
	}
	half := corev1.ResourceList{corev1.ResourceCPU: *resource.NewMilliQuantity(largest/parts/2, resource.DecimalSI)}
	set.Spec.Template.Spec.InitContainers[0].Resources.Requests = half
	set.Spec.Template.Spec.Containers[0].Resources.Limits = half
	return set
}

func listNodesAndPods(ns *cluster.Namespace) ([]corev1.Node, []corev1.Pod) {
	ns.Helper()
	var nodes corev1.NodeList
	var pods corev1.PodList
	for _, list := range []client.ObjectList{&nodes, &pods} {
		if err := ns.Client.List(ns.Context(), list); err != nil {
			ns.Fatal(fmt.Errorf("list %T: %w", list, err))
		}
	}
	return nodes.Items, pods.Items
}
