package controllers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/capacity"
	"github.com/benchnet/benchnet/internal/names"
	"github.com/benchnet/benchnet/internal/queue"
	"github.com/benchnet/benchnet/internal/rehearsal"
	"github.com/benchnet/benchnet/internal/status"
)

// cluster is what the nodes have and hold.
type cluster struct {
	nodes []corev1.Node
	pods  []corev1.Pod
}

// knownNeeds of a network in one generation.
type knownNeeds struct {
	generation int64
	capacity.Needs
}

// cluster as it is, if somebody waits and room is asked for; nil otherwise, and where the operator may not look at it.
func (q *Queue) cluster(ctx context.Context, networks []v1alpha1.BenchmarkNetwork) (*cluster, error) {
	waits := func(n v1alpha1.BenchmarkNetwork) bool { return !status.Admitted(&n) }
	if q.room != RoomAlways || !slices.ContainsFunc(networks, waits) {
		return nil, nil
	}
	var nodes corev1.NodeList
	var pods corev1.PodList
	err := q.Direct.List(ctx, &nodes)
	if err == nil {
		err = q.Direct.List(ctx, &pods)
	}
	switch {
	case apierrors.IsForbidden(err):
		return nil, nil // Not judged: the scheduler finds out.
	case err != nil:
		return nil, fmt.Errorf("look for room on nodes: %w", err)
	}
	return &cluster{nodes: nodes.Items, pods: pods.Items}, nil
}

// roomIn the cluster beside what stands, and beside what was admitted and does not stand yet. What is found to have room counts
// from then on.
func (q *Queue) roomIn(c *cluster, networks map[types.UID]*v1alpha1.BenchmarkNetwork, entries []queue.Network) queue.Room {
	if c == nil {
		return nil
	}
	begun := map[types.NamespacedName]bool{}
	var coming capacity.Needs
	var beside []string
	for _, e := range entries {
		n := networks[e.UID]
		if !e.Holds || n == nil || meta.IsStatusConditionTrue(n.Status.Conditions, v1alpha1.ConditionReady) || n.DeletionTimestamp != nil {
			continue
		}
		if needs, err := q.needsOf(n); err == nil {
			begun[types.NamespacedName{Namespace: n.Namespace, Name: n.Name}] = true
			coming = coming.Add(needs)
			beside = append(beside, n.Namespace+"/"+n.Name)
		}
	}
	others := slices.DeleteFunc(slices.Clone(c.pods), func(pod corev1.Pod) bool {
		return begun[types.NamespacedName{Namespace: pod.Namespace, Name: pod.Labels[v1alpha1.LabelNetwork]}]
	})
	return func(wanted []*queue.Network) capacity.Finding {
		var alone capacity.Needs
		for _, w := range wanted {
			needs, err := q.needsOf(networks[w.UID])
			if err != nil {
				return capacity.Finding{Fits: true} // What cannot be planned is refused by its own controller, with the reason.
			}
			alone = alone.Add(needs)
		}
		if ever := capacity.Fits(alone, c.nodes, nil); !ever.Fits {
			return ever
		}
		sum := coming.Add(alone)
		finding := capacity.Fits(sum, c.nodes, others)
		if !finding.Fits {
			finding.Later, finding.Message = true, finding.Facts
			if len(beside) > 0 {
				finding.Message = "together with " + strings.Join(beside, ", ") + ", which is not ready yet, " + finding.Facts
			}
			return finding
		}
		coming = sum
		for _, w := range wanted {
			beside = append(beside, w.Namespace+"/"+w.Name)
		}
		return finding
	}
}

// needsOf a network, which are found once.
func (q *Queue) needsOf(n *v1alpha1.BenchmarkNetwork) (capacity.Needs, error) {
	if known, ok := q.needs[n.UID]; ok && known.generation == n.Generation {
		return known.Needs, nil
	}
	needs, err := q.Dependencies.needsOf(n)
	if err != nil {
		return capacity.Needs{}, err
	}
	q.needs[n.UID] = knownNeeds{generation: n.Generation, Needs: needs}
	return needs, nil
}

// needsOf a network with the workers of its largest workload.
func (d *Dependencies) needsOf(n *v1alpha1.BenchmarkNetwork) (capacity.Needs, error) {
	stage := rehearsal.Rehearsal{Platforms: d.Platforms, Images: d.Images, KubeVersion: d.KubeVersion}
	var load capacity.Needs
	for i := range n.Spec.Workloads {
		w := n.Spec.Workloads[i].Workload
		run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: names.Run(n.Name, w.Name), Namespace: n.Namespace},
			Spec: v1alpha1.BenchmarkRunSpec{NetworkName: n.Name, Workload: w}}
		workers, err := stage.Workers(n, run)
		if err != nil {
			return capacity.Needs{}, err
		}
		if workers.More(load) {
			load = workers
		}
	}
	return stage.Network(n, load)
}
