// Package rehearsal asks the API server and the platforms whether an experiment can be carried out, and what it will need, before
// anything of it is made.
package rehearsal

import (
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/capacity"
	"github.com/benchnet/benchnet/internal/driver"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/images"
	"github.com/benchnet/benchnet/internal/observe"
	"github.com/benchnet/benchnet/internal/plan"
	"github.com/benchnet/benchnet/internal/platform"
)

// Rehearsal of experiments.
type Rehearsal struct {
	// Client creates networks and runs, always with a dry run.
	Client      client.Client
	Platforms   *platform.Registry
	Images      images.Catalogue
	KubeVersion string
}

// Refusal is what the user has to mend. Any other error is worth another try.
type Refusal struct{ error }

// Unwrap is the refusal in its own words.
func (r Refusal) Unwrap() error { return r.error }

func refuse(format string, args ...any) error { return Refusal{fmt.Errorf(format, args...)} }

// Forecast is what an experiment will need.
type Forecast struct {
	Plan v1alpha1.ExperimentPlan
	// Needs at the time when they are largest.
	Needs capacity.Needs
}

// What is expected of the time besides load, until the experiment itself tells better.
const (
	// NetworkOverhead from creation to readiness, and to the end of the deletion.
	NetworkOverhead = 2 * time.Minute
	// runOverhead of workers that start, connect, drain and report.
	runOverhead = 25 * time.Second
)

// RunTime is how long a run is expected to take.
func RunTime(w *v1alpha1.Workload) time.Duration {
	return w.Measure.WarmUp.Duration + w.Measure.Window.Duration + runOverhead
}

// Rehearse goes through all networks and points. Names that are taken are those of an experiment that has begun.
func (r *Rehearsal) Rehearse(ctx context.Context, e *v1alpha1.BenchmarkExperiment, d *experiment.Design, groups []experiment.Group) (*Forecast, error) {
	networks, err := r.networks(ctx, e, d)
	if err != nil {
		return nil, err
	}
	workers := make([]capacity.Needs, len(d.Networks))
	times := make([]time.Duration, len(d.Points))
	for i := range d.Points {
		p := &d.Points[i]
		run, err := r.run(ctx, e, d, i, networks[p.Network])
		if err != nil {
			return nil, err
		}
		needs, err := r.Workers(networks[p.Network], run)
		if err != nil {
			return nil, fmt.Errorf("point %s (%s): %w", p.Name, p.Label(), err)
		}
		if needs.More(workers[p.Network]) {
			workers[p.Network] = needs
		}
		times[i] = RunTime(&run.Spec.Workload)
	}
	f := &Forecast{Plan: v1alpha1.ExperimentPlan{Networks: int32(len(d.Networks))}}
	if err := r.need(f, e, networks, workers, groups); err != nil {
		return nil, err
	}
	f.last(e, groups, times)
	return f, nil
}

// networks as the API server would store them, accepted by their platforms.
func (r *Rehearsal) networks(ctx context.Context, e *v1alpha1.BenchmarkExperiment, d *experiment.Design) ([]*v1alpha1.BenchmarkNetwork, error) {
	var all []*v1alpha1.BenchmarkNetwork
	for i := range d.Networks {
		network := d.Networks[i].Network(e)
		if err := r.create(ctx, network); err != nil {
			return nil, describe(err, "network %s (%s)", network.Name, pointOn(d, i))
		}
		p, err := r.Platforms.Get(network.Spec.Platform.Type)
		if err != nil {
			return nil, Refusal{err}
		}
		if err := p.Validate(&network.Spec, field.NewPath("network")).ToAggregate(); err != nil {
			return nil, refuse("network %s (%s): %w", network.Name, pointOn(d, i), err)
		}
		all = append(all, network)
	}
	return all, nil
}

// pointOn is the first point of a network, for people.
func pointOn(d *experiment.Design, network int) string {
	i := slices.IndexFunc(d.Points, func(p experiment.PlannedPoint) bool { return p.Network == network })
	return d.Points[i].Label()
}

func (r *Rehearsal) run(
	ctx context.Context, e *v1alpha1.BenchmarkExperiment, d *experiment.Design, point int, network *v1alpha1.BenchmarkNetwork,
) (*v1alpha1.BenchmarkRun, error) {
	p := &d.Points[point]
	run := d.First(e, point)
	if err := r.create(ctx, run); err != nil {
		return nil, describe(err, "point %s (%s)", p.Name, p.Label())
	}
	served, err := r.Platforms.Get(network.Spec.Platform.Type)
	if err != nil {
		return nil, Refusal{err}
	}
	if err := platform.ValidateWorkload(served, &network.Spec, &run.Spec.Workload, field.NewPath("workload")).ToAggregate(); err != nil {
		return nil, refuse("point %s (%s): %w", p.Name, p.Label(), err)
	}
	return run, nil
}

// create without creating: the object is then as the API server would store it.
func (r *Rehearsal) create(ctx context.Context, object client.Object) error {
	err := r.Client.Create(ctx, object, client.DryRunAll, client.FieldOwner(v1alpha1.ManagedBy))
	if apierrors.IsAlreadyExists(err) {
		return r.Client.Get(ctx, client.ObjectKeyFromObject(object), object)
	}
	return err
}

// describe tells a refusal of the spec from trouble with the API server.
func describe(err error, format string, args ...any) error {
	wrapped := fmt.Errorf(format+": %w", append(args, err)...)
	forbidden := apierrors.IsForbidden(err) && !observe.QuotaExceeded(err.Error()) // A quota may have room later.
	if apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || forbidden {
		return Refusal{wrapped}
	}
	return wrapped
}

// Workers are the pods that a run puts load on the network with. Both are as the API server has them.
func (r *Rehearsal) Workers(network *v1alpha1.BenchmarkNetwork, run *v1alpha1.BenchmarkRun) (capacity.Needs, error) {
	p, err := r.Platforms.Get(network.Spec.Platform.Type)
	if err != nil {
		return capacity.Needs{}, err
	}
	load, err := p.(platform.Loadable).Load(platform.Input{Network: network, Images: r.Images}, p.Topology(network), &run.Spec.Workload)
	if err != nil {
		return capacity.Needs{}, Refusal{err}
	}
	objects, err := driver.Objects(run, load, r.Images.Image("agent", ""), nil)
	if err != nil {
		return capacity.Needs{}, err
	}
	return capacity.Of(objects)
}

// Network is what one network needs while it is measured.
func (r *Rehearsal) Network(network *v1alpha1.BenchmarkNetwork, workers capacity.Needs) (capacity.Needs, error) {
	p, err := r.Platforms.Get(network.Spec.Platform.Type)
	if err != nil {
		return capacity.Needs{}, err
	}
	built, err := plan.Build(plan.Input{Network: network, Platform: p, Images: r.Images, KubeVersion: r.KubeVersion,
		MaterialComplete: func(string) bool { return false }})
	if err != nil {
		return capacity.Needs{}, refuse("network %s: %w", network.Name, err)
	}
	return capacity.OfNetwork(built, workers)
}

// need adds up what stands at one time: of all groups those that need most, as many as are measured at the same time.
func (r *Rehearsal) need(
	f *Forecast, e *v1alpha1.BenchmarkExperiment, networks []*v1alpha1.BenchmarkNetwork, workers []capacity.Needs, groups []experiment.Group,
) error {
	type groupNeeds struct {
		capacity.Needs
		networks int
	}
	var all []groupNeeds
	for _, g := range groups {
		group := groupNeeds{networks: len(g.Networks)}
		var load capacity.Needs
		for _, n := range g.Networks {
			if workers[n].More(load) {
				load = workers[n]
			}
		}
		for i, n := range g.Networks {
			if i > 0 {
				load = capacity.Needs{} // One network of a group is measured at a time.
			}
			needs, err := r.Network(networks[n], load)
			if err != nil {
				return err
			}
			group.Needs = group.Add(needs)
		}
		all = append(all, group)
	}
	slices.SortStableFunc(all, func(a, b groupNeeds) int {
		cores := a.Cores()
		return -cores.Cmp(b.Cores())
	})
	atOnce := min(len(all), int(max(1, e.Spec.Parallelism)))
	if e.Spec.Networks == v1alpha1.RetentionKeep {
		atOnce = len(all)
	}
	for _, g := range all[:atOnce] {
		f.Needs = f.Needs.Add(g.Needs)
		f.Plan.NetworksAtOnce += int32(g.networks)
	}
	f.Plan.Pods, f.Plan.Cores, f.Plan.Memory = f.Needs.Pods(), f.Needs.Cores(), f.Needs.Memory()
	f.Plan.Volumes, f.Plan.Storage = f.Needs.Volumes, f.Needs.Storage
	return nil
}

// last counts runs and adds up the time; groups that go side by side share it.
func (f *Forecast) last(e *v1alpha1.BenchmarkExperiment, groups []experiment.Group, times []time.Duration) {
	var total time.Duration
	for _, g := range groups {
		total += NetworkOverhead
		for _, t := range g.Turns {
			runs := 1
			if t.Repetition == 0 {
				runs = int(e.Spec.Saturation.MaxLoads)
			}
			f.Plan.Runs += int32(runs)
			total += time.Duration(runs) * times[t.Point]
		}
	}
	side := time.Duration(min(int(max(1, e.Spec.Parallelism)), len(groups)))
	f.Plan.Duration = metav1.Duration{Duration: (total / side).Round(time.Second)}
}
