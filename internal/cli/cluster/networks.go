package cluster

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
)

// GetNetworkManifest returns the manifest of a run's network. An experiment's network is deleted after its
// runs; its manifest is then rebuilt from the experiment's design.
func (c *Connection) GetNetworkManifest(ctx context.Context, run *v1alpha1.BenchmarkRun) (*unstructured.Unstructured, error) {
	target := Target{Kind: Network, Namespace: run.Namespace, Name: run.Spec.NetworkName}
	live, err := c.GetManifest(ctx, target)
	name := run.Labels[v1alpha1.LabelExperiment]
	if !apierrors.IsNotFound(err) || name == "" {
		return live, err
	}
	var e v1alpha1.BenchmarkExperiment
	if err := c.Client.Get(ctx, client.ObjectKey{Namespace: run.Namespace, Name: name}, &e); err != nil {
		return nil, err
	}
	design, err := experiment.NewDesign(&e)
	if err != nil {
		return nil, err
	}
	for i := range design.Networks {
		if design.Networks[i].Name == target.Name {
			return c.dryRunNetwork(ctx, design.Networks[i].BuildNetwork(&e))
		}
	}
	return nil, fmt.Errorf("experiment %s has no network %s", name, target.Name)
}

// dryRunNetwork returns the manifest of a network with the API server's defaults.
func (c *Connection) dryRunNetwork(ctx context.Context, network *v1alpha1.BenchmarkNetwork) (*unstructured.Unstructured, error) {
	if err := c.Client.Create(ctx, network, client.DryRunAll, client.FieldOwner(FieldManager)); err != nil {
		return nil, err
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(network)
	if err != nil {
		return nil, fmt.Errorf("encode network %s: %w", network.Name, err)
	}
	object := &unstructured.Unstructured{Object: content}
	object.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(Network.objectKind()))
	return ToMinimalManifest(object), nil
}
