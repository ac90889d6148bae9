package preflight

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/internal/experiment/capacity"
)

// CheckClusterCapacity compares the needs with the nodes of the cluster.
func CheckClusterCapacity(ctx context.Context, c client.Reader, needs capacity.Needs) (capacity.FitResult, error) {
	var nodes corev1.NodeList
	switch err := c.List(ctx, &nodes); {
	case apierrors.IsForbidden(err):
		return capacity.FitResult{Unchecked: true, Message: err.Error()}, nil
	case err != nil:
		return capacity.FitResult{}, err
	}
	return capacity.CheckFit(needs, nodes.Items), nil
}
