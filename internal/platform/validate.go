package platform

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/limits"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/run/loadgen"
	"github.com/benchnet/benchnet/internal/run/objectives"
)

// ValidateNetwork rejects what CEL cannot express, in the fields of all platforms and in those of the network's own, except
// in podTemplate and commonLabels, whose keys pods.ValidateNetworkMetadata checks by the operator's flags. Every error names its field.
func ValidateNetwork(p Platform, spec *v1alpha1.BenchmarkNetworkSpec, path *field.Path) field.ErrorList {
	problems := pods.ValidateScheduling(spec.Members.Scheduling, path.Child("members", "scheduling"))
	managed := spec.DatabaseOrDefault().ManagedOrDefault()
	problems = append(problems, pods.ValidateScheduling(managed.Scheduling, path.Child("database", "managed", "scheduling"))...)
	own := p.Validate(spec, path)
	problems = append(problems, own...)
	return append(problems, validateOverrides(p, spec, path, own)...)
}

// ValidateWorkload rejects a workload that a network of the platform cannot serve. Every error names its
// field.
func ValidateWorkload(p Platform, spec *v1alpha1.BenchmarkNetworkSpec, w *v1alpha1.Workload, path *field.Path) field.ErrorList {
	problems := pods.ValidateScheduling(w.Workers.Scheduling, path.Child("workers", "scheduling"))
	problems = append(problems, p.ValidateWorkload(spec, w, path)...)
	problems = append(problems, validateFaults(p, spec, w, path)...)
	problems = append(problems, objectives.Validate(w, path)...)
	for i := range w.Objectives {
		problems = append(problems, ValidateMetric(p, w, w.Objectives[i].Metric, path.Child("objectives").Index(i).Child("metric"))...)
	}
	if _, ok := p.(Resettable); !ok && w.Reset == v1alpha1.ResetState {
		problems = append(problems, field.NotSupported(path.Child("reset"), w.Reset, []v1alpha1.ResetPolicy{v1alpha1.KeepState}))
	}
	if l := w.Load; l != nil && l.Arrivals == v1alpha1.ArrivalsPoisson && !supportsPoisson(p, w) {
		problems = append(problems, field.Invalid(path.Child("load", "arrivals"), l.Arrivals, fmt.Sprintf(
			"must be Even: the driver of %s workloads on %s networks plans operations at equal distances only", w.Type, p.Type())))
	}
	return problems
}

// validateFaults rejects faults that cannot be injected or scored, and targets that the network will not have. The path is that of the
// workload.
func validateFaults(p Platform, spec *v1alpha1.BenchmarkNetworkSpec, w *v1alpha1.Workload, path *field.Path) field.ErrorList {
	if len(w.Faults) == 0 {
		return nil
	}
	resolved := *w
	faults, errs := ResolveFaults(p, spec, w, path)
	resolved.Faults = faults
	errs = append(errs, loadgen.ValidateFaults(&resolved, path)...)
	path = path.Child("faults")
	if spec.Observation == v1alpha1.ObservationNone {
		return append(errs, field.Forbidden(path, "need spec.observation Full of the network: the agents of its members inject the faults"))
	}
	topology := p.Topology(&v1alpha1.BenchmarkNetwork{Spec: *spec})
	members := topology.MemberNames()
	for i := range faults {
		errs = append(errs, validateSides(spec, &faults[i], members, path.Index(i))...)
		errs = append(errs, validateStorage(topology, &faults[i], path.Index(i).Child("target"))...)
		target, path := &faults[i].Target, path.Index(i).Child("target")
		for k, name := range target.Members {
			at := path
			if len(w.Faults[i].Target.Members) > 0 {
				at = path.Child("members").Index(k)
			}
			errs = append(errs, validateFaultMember(w, members, name, at)...)
		}
		if len(target.Databases) > 0 && !ownsDatabases(p, spec) {
			errs = append(errs, field.Forbidden(path.Child("databases"),
				"needs a database of the network of provider Managed with engine PostgreSQL; with H2 it is part of the member"))
		}
	}
	return errs
}

// validateSides rejects a fault of the network without the sidecars for it, and one without members on its other side.
func validateSides(spec *v1alpha1.BenchmarkNetworkSpec, f *v1alpha1.Fault, members []string, path *field.Path) field.ErrorList {
	if !f.Type.IsOfNetwork() {
		return nil
	}
	var errs field.ErrorList
	if spec.NetworkFaults != v1alpha1.NetworkFaultsEnabled {
		errs = append(errs, field.Invalid(path.Child("type"), f.Type, "needs spec.networkFaults Enabled of the network"))
	}
	for i, name := range f.From {
		if !slices.Contains(members, name) {
			errs = append(errs, unknownMember(path.Child("from").Index(i), name, members))
		}
	}
	targets := len(f.Target.Members)
	if f.Target.Select != "" {
		targets = 1 // Each of them has all others on its other side.
	}
	if len(f.From) == 0 && targets >= len(members) {
		errs = append(errs, field.Invalid(path.Child("target"), strings.Join(f.Target.Members, ","), "leaves no member on the other side"))
	}
	return errs
}

// validateStorage rejects the end of pods whose data would be lost. The path is that of the target.
func validateStorage(topology Topology, f *v1alpha1.Fault, path *field.Path) field.ErrorList {
	if !f.EndsPod() {
		return nil
	}
	const lost = "has storage of type Ephemeral, which is lost with the pod: set Persistent, or use type Kill with kill.of Container"
	var errs field.ErrorList
	target := &f.Target
	for _, m := range topology.Members {
		if slices.Contains(target.Members, m.Name) && m.Spec.StorageTypeOrDefault(&m.Spec.Members.Storage) == v1alpha1.StorageEphemeral {
			errs = append(errs, field.Invalid(path, m.Name, lost))
		}
		if len(target.Databases) > 0 && m.Spec.StorageTypeOrDefault(m.Spec.DatabaseOrDefault().ManagedOrDefault().Storage) == v1alpha1.StorageEphemeral {
			return append(errs, field.Invalid(path.Child("databases"), "the database of "+m.Name, lost))
		}
	}
	return errs
}

func unknownMember(path *field.Path, name string, members []string) *field.Error {
	return field.Invalid(path, name, "is not a member of the network; its members are "+limits.JoinItems(members, ", "))
}

func validateFaultMember(w *v1alpha1.Workload, members []string, name string, path *field.Path) field.ErrorList {
	member, _, _ := strings.Cut(name, "/")
	switch {
	case !slices.Contains(members, member):
		return field.ErrorList{unknownMember(path, name, members)}
	case w.Blocks != nil && member == w.Blocks.Observe:
		return field.ErrorList{field.Invalid(path, name, "is the member whose blocks are observed: choose another one, or another blocks.observe")}
	}
	return nil
}

// ownsDatabases reports whether the network has database servers of the project's chart.
func ownsDatabases(p Platform, spec *v1alpha1.BenchmarkNetworkSpec) bool {
	_, uses := p.(DatabaseConsumer)
	database := spec.DatabaseOrDefault()
	return uses && database.Engine != v1alpha1.EngineH2 && database.Provider != v1alpha1.ProviderExternal && database.Chart == nil
}

// ValidateMetric rejects a finality, or a metric of faults, of a workload that has none. The path is that of the metric.
func ValidateMetric(p Platform, w *v1alpha1.Workload, metric v1alpha1.Metric, path *field.Path) field.ErrorList {
	switch {
	case (metric.IsOfFault() || metric.IsOfFaultyRun()) && len(w.Faults) == 0:
		return field.ErrorList{field.Invalid(path, metric, "needs faults of the workload")}
	case metric == v1alpha1.MetricAvailability && (w.Load == nil || w.Load.Model != v1alpha1.LoadOpen):
		return field.ErrorList{field.Invalid(path, metric, "needs load.model Open: clients of a closed loop send nothing while they wait")}
	}
	if !metric.IsFinality() || p.FinalityOf(w) != "" {
		return nil
	}
	return field.ErrorList{field.Invalid(path, metric, fmt.Sprintf(
		"must be a latency, Throughput or ErrorShare: it is unknown when the operations of %s workloads on %s networks are final", w.Type, p.Type()))}
}

func supportsPoisson(p Platform, w *v1alpha1.Workload) bool {
	scheduler, ok := p.(PoissonScheduler)
	return ok && scheduler.SupportsPoisson(w)
}
