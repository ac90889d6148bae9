// Package forecast predicts what manifests need before they are applied: their resources, their duration, and
// whether the nodes of the cluster are large enough.
package forecast

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/cli/cluster"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/experiment/capacity"
	"github.com/benchnet/benchnet/internal/experiment/preflight"
	"github.com/benchnet/benchnet/internal/format"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/network/plan"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/run/loadgen"
	"github.com/benchnet/benchnet/internal/run/objectives"
)

// Forecast is the prediction for one network or experiment.
type Forecast struct {
	Target cluster.Target `json:"-"`
	// Name is the short kind and name.
	Name string `json:"name"`
	// ExperimentPlan holds the resources and the duration.
	v1alpha1.ExperimentPlan `json:",inline"`
	// Fits reports whether the nodes of the cluster are large enough; also true if they may not be listed.
	// CapacityMessage gives the reason.
	Fits            bool   `json:"fits"`
	CapacityMessage string `json:"capacity"`
	// Stages lists the stages of a network in order; empty for an experiment.
	Stages []Stage `json:"stages,omitempty"`
	// Design and Groups describe an experiment; nil for a network.
	Design *experiment.Design    `json:"-"`
	Groups []experiment.RunGroup `json:"-"`
	// Experiment is the experiment with the API server's defaults; nil for a network.
	Experiment *v1alpha1.BenchmarkExperiment `json:"-"`
	// Runs lists the names of a network's runs.
	Runs []string `json:"-"`
	// Timeline has the segments and faults of each workload, or of an experiment's template; empty for a constant load without faults.
	Timeline []TimelineEntry `json:"timeline,omitempty"`
}

// TimelineEntry is a segment or a fault of a workload, in seconds of the window.
type TimelineEntry struct {
	Workload     string `json:"workload"`
	FromSeconds  int    `json:"fromSeconds"`
	UntilSeconds int    `json:"untilSeconds"`
	// Scope is segment/NAME or fault/NAME, and Description the mean rate, or type and target.
	Scope       string `json:"scope"`
	Description string `json:"description,omitempty"`
}

// Stage is a stage of a network with its objects, as Kind/name.
type Stage struct {
	Name    string   `json:"name"`
	Objects []string `json:"objects"`
}

// Forecaster predicts needs and capacity for one cluster.
type Forecaster struct {
	*cluster.Connection
	preflight.Checker
}

// ForecastObject returns the forecast for a network or an experiment. A dry-run apply validates it and adds defaults.
func (f *Forecaster) ForecastObject(ctx context.Context, object *unstructured.Unstructured, target cluster.Target) (*Forecast, error) {
	if err := f.Apply(ctx, object, cluster.ApplyDryRun); err != nil {
		return nil, err
	}
	forecast := &Forecast{Target: target, Name: target.String()}
	var needs capacity.Needs
	var err error
	if target.Kind == cluster.Experiment {
		needs, err = f.forecastExperiment(ctx, object, forecast)
	} else {
		needs, err = f.forecastNetwork(object, forecast)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", target, err)
	}
	return forecast, f.checkCapacity(ctx, needs, forecast)
}

func (f *Forecaster) forecastExperiment(ctx context.Context, object *unstructured.Unstructured, into *Forecast) (capacity.Needs, error) {
	e := &v1alpha1.BenchmarkExperiment{}
	if err := cluster.DecodeTyped(object, e); err != nil {
		return capacity.Needs{}, err
	}
	design, err := experiment.NewDesign(e)
	if err != nil {
		return capacity.Needs{}, err
	}
	groups := design.GroupRuns(&e.Spec, experiment.Seed(e))
	found, err := f.CheckExperiment(ctx, e, design, groups)
	if err != nil {
		return capacity.Needs{}, err
	}
	into.Experiment, into.Design, into.Groups, into.ExperimentPlan = e, design, groups, found.Plan
	into.Timeline = timelineOf(&e.Spec.Template.Workload)
	return found.Needs, nil
}

func (f *Forecaster) forecastNetwork(object *unstructured.Unstructured, into *Forecast) (capacity.Needs, error) {
	n := &v1alpha1.BenchmarkNetwork{}
	if err := cluster.DecodeTyped(object, n); err != nil {
		return capacity.Needs{}, err
	}
	p, err := f.Platforms.Get(n.Spec.Platform.Type)
	if err != nil {
		return capacity.Needs{}, err
	}
	if err := platform.ValidateNetwork(p, &n.Spec, field.NewPath("spec")).ToAggregate(); err != nil {
		return capacity.Needs{}, err
	}
	workers, duration, err := f.forecastRuns(p, n, into)
	if err != nil {
		return capacity.Needs{}, err
	}
	built, err := plan.Build(plan.Input{Network: n, Platform: p, Images: f.Images, KubeVersion: f.Checker.KubeVersion,
		GenesisSecretFilled: func(string) bool { return false }})
	if err != nil {
		return capacity.Needs{}, err
	}
	into.Stages = summarizeStages(built)
	needs, err := f.ComputeNetworkNeeds(n, workers)
	into.ExperimentPlan = v1alpha1.ExperimentPlan{Networks: 1, NetworksAtOnce: 1, Runs: int32(len(n.Spec.Workloads)),
		Pods: needs.Pods(), Cores: needs.Cores(), Memory: needs.Memory(), Volumes: needs.Volumes, Storage: needs.Storage}
	into.Duration.Duration = (preflight.NetworkLifecycleOverhead + duration).Round(time.Second)
	return needs, err
}

// forecastRuns returns the largest worker needs of the network's workloads and the total duration of their runs.
func (f *Forecaster) forecastRuns(p platform.Platform, n *v1alpha1.BenchmarkNetwork, into *Forecast) (capacity.Needs, time.Duration, error) {
	var most capacity.Needs
	var duration time.Duration
	for i := range n.Spec.Workloads {
		workload := &n.Spec.Workloads[i].Workload
		if err := platform.ValidateWorkload(p, &n.Spec, workload, field.NewPath("spec", "workloads").Index(i)).ToAggregate(); err != nil {
			return most, 0, err
		}
		run := &v1alpha1.BenchmarkRun{Spec: v1alpha1.BenchmarkRunSpec{NetworkName: n.Name, Workload: *workload}}
		run.Name, run.Namespace = naming.WorkloadRun(n.Name, workload.Name), n.Namespace
		needs, err := f.ComputeWorkerNeeds(n, run)
		if err != nil {
			return most, 0, fmt.Errorf("spec.workloads[%d]: %w", i, err)
		}
		if needs.Exceeds(most) {
			most = needs
		}
		duration += preflight.EstimateRunDuration(workload)
		into.Runs, into.Timeline = append(into.Runs, run.Name), append(into.Timeline, timelineOf(workload)...)
	}
	return most, duration, nil
}

// timelineOf returns the segments and faults of a workload by their start.
func timelineOf(w *v1alpha1.Workload) []TimelineEntry {
	var all []TimelineEntry
	for _, s := range loadgen.SegmentsOf(w) {
		entry := TimelineEntry{w.Name, s.FromSeconds, s.FromSeconds + s.Seconds, objectives.SegmentScope(s.Name), ""}
		switch {
		case s.Clients > 0:
			entry.Description = s.DescribeLoad(format.Number)
		case s.OfferedPerSecond > 0:
			entry.Description = format.Number(s.OfferedPerSecond) + "/s"
		}
		all = append(all, entry)
	}
	for i := range w.Faults {
		f := &w.Faults[i]
		at, duration := int(f.At.Seconds()), int(loadgen.FaultDuration(f).Seconds())
		all = append(all, TimelineEntry{w.Name, at, at + duration, objectives.FaultScope(f.Name), string(f.Type) + " " + describeTarget(&f.Target)})
	}
	slices.SortStableFunc(all, func(a, b TimelineEntry) int { return a.FromSeconds - b.FromSeconds })
	return all
}

// describeTarget returns what a target selects, or its names.
func describeTarget(t *v1alpha1.FaultTarget) string {
	parts := slices.Concat(t.Members, t.Databases)
	for _, selected := range []string{string(t.Select), t.Role, t.Region} {
		if selected != "" {
			parts = append(parts, selected)
		}
	}
	if t.SharePercent != nil {
		parts = append(parts, fmt.Sprintf("%d %%", *t.SharePercent))
	}
	return strings.Join(parts, ", ")
}

func summarizeStages(p *plan.Plan) []Stage {
	var all []Stage
	for _, s := range p.Stages {
		if s.Name == plan.StageWorkloads {
			continue // Runs are listed separately, because the plan contains only the run that is due.
		}
		stage := Stage{Name: string(s.Name), Objects: []string{}}
		for _, o := range s.Objects {
			stage.Objects = append(stage.Objects, objectKind(o)+"/"+o.GetName())
		}
		if len(stage.Objects) > 0 {
			all = append(all, stage)
		}
	}
	return all
}

func objectKind(o client.Object) string {
	if kind := o.GetObjectKind().GroupVersionKind().Kind; kind != "" {
		return kind
	}
	return reflect.TypeOf(o).Elem().Name()
}

// checkCapacity compares the needs with the nodes of the cluster.
func (f *Forecaster) checkCapacity(ctx context.Context, needs capacity.Needs, into *Forecast) error {
	finding, err := preflight.CheckClusterCapacity(ctx, f.Connection.Client, needs)
	if err != nil {
		return fmt.Errorf("list the nodes of the cluster: %w", err)
	}
	into.Fits, into.CapacityMessage = finding.Fits, finding.Message
	if finding.Unchecked {
		into.Fits, into.CapacityMessage = true, "not checked: "+finding.Message
	}
	return nil
}
