// Package preflight checks with the API server and the platforms whether an experiment can run, and what
// resources it needs, before any of its objects is created.
package preflight

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/experiment/capacity"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/network/plan"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/run/loadgen"
	"github.com/benchnet/benchnet/internal/run/objectives"
)

// Checker checks experiments.
type Checker struct {
	// Client creates networks and runs, always with a dry run.
	Client      client.Client
	Platforms   platform.Registry
	Images      naming.ImageCatalogue
	KubeVersion string
	// PodConstraints are what the cluster demands of every pod.
	PodConstraints pods.Constraints
	// ValidateMetadata rejects keys by the operator's flags; nil outside of the operator, which then rejects them itself.
	ValidateMetadata func(network *v1alpha1.NetworkTemplate, path *field.Path) field.ErrorList
}

// SpecError is an error that the user has to correct in the spec. Any other error may be retried.
type SpecError struct{ error }

// Unwrap returns the original error.
func (r SpecError) Unwrap() error { return r.error }

func newSpecError(format string, args ...any) error { return SpecError{fmt.Errorf(format, args...)} }

// ResourceForecast is the forecast of an experiment's needs.
type ResourceForecast struct {
	Plan v1alpha1.ExperimentPlan
	// Needs are the largest needs at any time.
	Needs capacity.Needs
}

// Estimated durations besides load, until the experiment has measured them.
const (
	// NetworkLifecycleOverhead covers creation to readiness, and deletion.
	NetworkLifecycleOverhead = 2 * time.Minute
	// runOverhead covers start, connection, drain and report of the workers, as measured with Corda (docs/performance.md).
	runOverhead = 16 * time.Second
)

// EstimateRunDuration returns the expected duration of a run.
func EstimateRunDuration(w *v1alpha1.Workload) time.Duration {
	return w.Measure.CalibrationDuration() + w.Measure.WarmUp.Duration + w.Measure.Window.Duration + runOverhead
}

// CheckExperiment checks all networks and points and returns the forecast. It treats objects that already exist
// as those of this experiment. It fails with a SpecError if the user has to correct the spec.
func (r *Checker) CheckExperiment(
	ctx context.Context,
	e *v1alpha1.BenchmarkExperiment,
	d *experiment.Design,
	groups []experiment.RunGroup,
) (*ResourceForecast, error) {
	networks, err := r.checkNetworks(ctx, e, d)
	if err != nil {
		return nil, err
	}
	workers := make([]capacity.Needs, len(networks))
	times := make([]time.Duration, len(d.Points))
	for i := range d.Points {
		p := &d.Points[i]
		run, err := r.checkFirstRun(ctx, e, d, i, networks[p.Network])
		if err != nil {
			return nil, err
		}
		needs, err := r.ComputeWorkerNeeds(networks[p.Network], run)
		if err != nil {
			return nil, fmt.Errorf("point %s (%s): %w", p.Name, p.Label(), err)
		}
		if needs.Exceeds(workers[p.Network]) {
			workers[p.Network] = needs
		}
		times[i] = EstimateRunDuration(&run.Spec.Workload)
	}
	f := &ResourceForecast{Plan: v1alpha1.ExperimentPlan{Networks: int32(len(d.Networks))}}
	if err := r.sumGroupNeeds(f, e, d, networks, workers, groups); err != nil {
		return nil, err
	}
	f.addDuration(e, groups, times)
	return f, nil
}

// checkNetworks returns the networks of the first deployment as the API server would store them, after their platforms have validated
// them.
func (r *Checker) checkNetworks(ctx context.Context, e *v1alpha1.BenchmarkExperiment, d *experiment.Design) ([]*v1alpha1.BenchmarkNetwork, error) {
	var all []*v1alpha1.BenchmarkNetwork
	for i := range d.DistinctNetworks() {
		network, p, err := BuildNetwork(r.Platforms, e, d, i)
		if err != nil {
			return nil, SpecError{err}
		}
		if err := r.dryRunCreate(ctx, network); err != nil {
			return nil, classifyAPIError(err, "network %s (%s)", network.Name, firstPointLabel(d, i))
		}
		path := field.NewPath("network")
		problems := platform.ValidateNetwork(p, &network.Spec, path)
		if r.ValidateMetadata != nil {
			problems = append(problems, r.ValidateMetadata(&network.Spec.NetworkTemplate, path)...)
		}
		if err := problems.ToAggregate(); err != nil {
			return nil, newSpecError("network %s (%s): %w", network.Name, firstPointLabel(d, i), err)
		}
		all = append(all, network)
	}
	return all, nil
}

// BuildNetwork returns a network of the design, given as an index, with a record of the workloads that are planned on it, and its
// platform.
func BuildNetwork(platforms platform.Registry, e *v1alpha1.BenchmarkExperiment, d *experiment.Design, i int) (
	*v1alpha1.BenchmarkNetwork, platform.Platform, error) {
	network := d.Networks[i].BuildNetwork(e)
	p, err := platforms.Get(network.Spec.Platform.Type)
	if err != nil {
		return nil, nil, err
	}
	return network, p, platform.RecordPlannedWorkloads(p, network, d.PlannedWorkloads(e, network.Name))
}

// firstPointLabel returns the label of the first point on a network.
func firstPointLabel(d *experiment.Design, network int) string {
	i := slices.IndexFunc(d.Points, func(p experiment.PlannedPoint) bool { return p.Network == network })
	return d.Points[i].Label()
}

func (r *Checker) checkFirstRun(
	ctx context.Context, e *v1alpha1.BenchmarkExperiment, d *experiment.Design, point int, network *v1alpha1.BenchmarkNetwork,
) (*v1alpha1.BenchmarkRun, error) {
	p := &d.Points[point]
	run := d.BuildFirstRun(e, point)
	if err := r.dryRunCreate(ctx, run); err != nil {
		return nil, classifyAPIError(err, "point %s (%s)", p.Name, p.Label())
	}
	served, err := r.Platforms.Get(network.Spec.Platform.Type)
	if err != nil {
		return nil, SpecError{err}
	}
	problems := platform.ValidateWorkload(served, &network.Spec, &run.Spec.Workload, field.NewPath("workload"))
	if err := append(problems, validateMetrics(served, &run.Spec.Workload, &e.Spec)...).ToAggregate(); err != nil {
		return nil, newSpecError("point %s (%s): %w", p.Name, p.Label(), err)
	}
	return run, nil
}

// validateMetrics rejects metrics and scopes of a comparison or a search that the workload lacks.
func validateMetrics(p platform.Platform, w *v1alpha1.Workload, spec *v1alpha1.BenchmarkExperimentSpec) field.ErrorList {
	var errs field.ErrorList
	if c := spec.Compare; c != nil {
		for i, metric := range c.Metrics {
			errs = append(errs, platform.ValidateMetric(p, w, metric, field.NewPath("spec", "compare", "metrics").Index(i))...)
		}
		for i, scope := range c.Scopes {
			errs = append(errs, objectives.ValidateScope(w, &v1alpha1.Objective{Scope: scope}, field.NewPath("spec", "compare", "scopes").Index(i))...)
		}
	}
	if s := spec.Saturation; s != nil {
		for i := range s.Objectives {
			errs = append(errs, platform.ValidateMetric(p, w, s.Objectives[i].Metric, field.NewPath("spec", "saturation", "objectives").Index(i).Child("metric"))...)
		}
	}
	return errs
}

// dryRunCreate sets the object to what the API server would store, without creating it. An existing object is
// read instead.
func (r *Checker) dryRunCreate(ctx context.Context, object client.Object) error {
	err := r.Client.Create(ctx, object, client.DryRunAll, client.FieldOwner(v1alpha1.ManagedBy))
	if apierrors.IsAlreadyExists(err) {
		return r.Client.Get(ctx, client.ObjectKeyFromObject(object), object)
	}
	return err
}

// classifyAPIError distinguishes a rejection of the spec from other errors of the API server.
func classifyAPIError(err error, format string, args ...any) error {
	wrapped := fmt.Errorf(format+": %w", append(args, err)...)
	forbidden := apierrors.IsForbidden(err) && !snapshot.IsQuotaMessage(err.Error()) // A quota may allow it later.
	if apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || forbidden {
		return SpecError{wrapped}
	}
	return wrapped
}

// ComputeWorkerNeeds returns the needs of the load workers of a run. Both objects must be as the API server
// returns them.
func (r *Checker) ComputeWorkerNeeds(network *v1alpha1.BenchmarkNetwork, run *v1alpha1.BenchmarkRun) (capacity.Needs, error) {
	p, err := r.Platforms.Get(network.Spec.Platform.Type)
	if err != nil {
		return capacity.Needs{}, err
	}
	load, err := p.BuildDriver(platform.Input{Network: network, Images: r.Images}, p.Topology(network), &run.Spec.Workload)
	if err != nil {
		return capacity.Needs{}, SpecError{err}
	}
	objects, err := loadgen.BuildObjects(run, load, r.Images.Image("agent", ""), nil)
	if err != nil {
		return capacity.Needs{}, err
	}
	err = pods.EditTemplates(objects, func(_ client.Object, template *corev1.PodTemplateSpec) error {
		r.PodConstraints.RaiseRequests(&template.Spec)
		return nil
	})
	if err != nil {
		return capacity.Needs{}, err
	}
	return capacity.ComputeNeeds(objects)
}

// ComputeNetworkNeeds returns the needs of one network while it is measured.
func (r *Checker) ComputeNetworkNeeds(network *v1alpha1.BenchmarkNetwork, workers capacity.Needs) (capacity.Needs, error) {
	p, err := r.Platforms.Get(network.Spec.Platform.Type)
	if err != nil {
		return capacity.Needs{}, err
	}
	built, err := plan.Build(plan.Input{Network: network, Platform: p, Images: r.Images, KubeVersion: r.KubeVersion,
		PodConstraints: r.PodConstraints, GenesisSecretFilled: func(string) bool { return false }})
	if err != nil {
		return capacity.Needs{}, newSpecError("network %s: %w", network.Name, err)
	}
	return capacity.ComputeNetworkNeeds(built, workers)
}

// sumGroupNeeds sums the needs at one time: those of the largest groups, as many as are measured at the same
// time.
func (r *Checker) sumGroupNeeds(
	f *ResourceForecast, e *v1alpha1.BenchmarkExperiment, d *experiment.Design,
	networks []*v1alpha1.BenchmarkNetwork, workers []capacity.Needs, groups []experiment.RunGroup,
) error {
	type groupNeeds struct {
		capacity.Needs
		networks int
	}
	var all []groupNeeds
	known := map[string]capacity.Needs{} // by networks of the first deployment
	for _, g := range groups {
		first := d.FirstDeployments(g.Networks)
		key := fmt.Sprint(first)
		needs, ok := known[key]
		if !ok {
			var err error
			if needs, err = r.computeGroupNeeds(first, networks, workers); err != nil {
				return err
			}
			known[key] = needs
		}
		all = append(all, groupNeeds{Needs: needs, networks: len(g.Networks)})
	}
	slices.SortStableFunc(all, func(a, b groupNeeds) int {
		cores := a.Cores()
		return -cores.Cmp(b.Cores())
	})
	atOnce := min(len(all), int(max(1, e.Spec.Parallelism)))
	if e.Spec.NetworkRetention == v1alpha1.RetentionRetain {
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

// computeGroupNeeds returns the needs of a group of networks, given as indexes, of which one is measured at a time.
func (r *Checker) computeGroupNeeds(group []int, networks []*v1alpha1.BenchmarkNetwork, workers []capacity.Needs) (capacity.Needs, error) {
	var load, sum capacity.Needs
	for _, n := range group {
		if workers[n].Exceeds(load) {
			load = workers[n]
		}
	}
	for _, n := range group {
		needs, err := r.ComputeNetworkNeeds(networks[n], load)
		if err != nil {
			return capacity.Needs{}, err
		}
		sum, load = sum.Add(needs), capacity.Needs{}
	}
	return sum, nil
}

// addDuration counts the runs and sums their durations. Groups that run in parallel share the time.
func (f *ResourceForecast) addDuration(e *v1alpha1.BenchmarkExperiment, groups []experiment.RunGroup, times []time.Duration) {
	var total time.Duration
	for _, g := range groups {
		total += NetworkLifecycleOverhead
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
