// Package progress follows networks, runs and experiments until they end: what there is to see of them, how it is shown on a
// terminal and in a log, and what came of it.
package progress

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/cli/cluster"
)

// State of one target, with what belongs to it.
type State struct {
	Target cluster.Target
	// Experiment is that target, or nil.
	Experiment *v1alpha1.BenchmarkExperiment
	// Networks are the target itself, those of the experiment, or the one that the run needs.
	Networks []v1alpha1.BenchmarkNetwork
	// Runs are the target itself, those on the network, or those of the experiment, oldest first.
	Runs []v1alpha1.BenchmarkRun
}

// ReadState the state of a target.
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
