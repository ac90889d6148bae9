// Package progress follows networks, runs and experiments until they end, shows their progress on a terminal or
// in a log, and judges their outcome.
package progress

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/cli/cluster"
)

// State holds one target and its related objects.
type State struct {
	Target cluster.Target
	// Experiment is the target if it is an experiment, else nil.
	Experiment *v1alpha1.BenchmarkExperiment
	// Networks holds the target itself, the experiment's networks, or the run's network.
	Networks []v1alpha1.BenchmarkNetwork
	// Runs holds the target itself, the network's runs or the experiment's runs, oldest first.
	Runs []v1alpha1.BenchmarkRun
}

// ReadState reads a target and its related objects.
func ReadState(ctx context.Context, c *cluster.Connection, target cluster.Target) (*State, error) {
	s := &State{Target: target}
	if target.Kind == cluster.Experiment {
		s.Experiment = &v1alpha1.BenchmarkExperiment{}
		if err := c.Client.Get(ctx, target.Key(), s.Experiment); err != nil {
			return nil, err
		}
	}
	var err error
	if s.Runs, err = c.ListRuns(ctx, target); err != nil {
		return nil, err
	}
	s.Networks, err = listNetworks(ctx, c, s)
	return s, err
}

func listNetworks(ctx context.Context, c *cluster.Connection, s *State) ([]v1alpha1.BenchmarkNetwork, error) {
	name := s.Target.Name
	switch s.Target.Kind {
	case cluster.Experiment:
		var list v1alpha1.BenchmarkNetworkList
		err := c.Client.List(ctx, &list, client.InNamespace(s.Target.Namespace), client.MatchingLabels{v1alpha1.LabelExperiment: name})
		return list.Items, err
	case cluster.Run:
		name = s.Runs[0].Spec.NetworkName
	}
	var network v1alpha1.BenchmarkNetwork
	err := c.Client.Get(ctx, client.ObjectKey{Namespace: s.Target.Namespace, Name: name}, &network)
	if s.Target.Kind == cluster.Run && apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return []v1alpha1.BenchmarkNetwork{network}, nil
}
