package preflight

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment/capacity"
)

// CheckClusterCapacity checks whether the cluster can hold the needs in addition to all existing pods except
// those of the planned networks. Without the right to list nodes and all pods it returns the error of the API
// server.
func CheckClusterCapacity(
	ctx context.Context,
	c client.Reader,
	needs capacity.Needs,
	namespace string,
	planned func(network string) bool,
) (capacity.FitResult, error) {
	var nodes corev1.NodeList
	if err := c.List(ctx, &nodes); err != nil {
		return capacity.FitResult{}, err
	}
	var pods corev1.PodList
	if err := c.List(ctx, &pods); err != nil {
		return capacity.FitResult{}, err
	}
	var others []corev1.Pod
	for _, pod := range pods.Items {
		if pod.Namespace != namespace || !planned(pod.Labels[v1alpha1.LabelNetwork]) {
			others = append(others, pod)
		}
	}
	return capacity.CheckFit(needs, nodes.Items, others), nil
}
