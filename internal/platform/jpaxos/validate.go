package jpaxos

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/members"
	"github.com/benchnet/benchnet/internal/platform/sizing"
	"github.com/benchnet/benchnet/internal/run/loadgen"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

const (
	minReplicas = 3
	maxReplicas = 9
	// maxClientsPerWorker is the number of clients that one JVM can run. Each is a thread with a connection.
	maxClientsPerWorker = 2000
)

// Validate rejects what CEL cannot express. The path is that of the spec.
func (JPaxos) Validate(spec *v1alpha1.BenchmarkNetworkSpec, path *field.Path) field.ErrorList {
	own := path.Child("platform", "jpaxos")
	p := spec.Platform.JPaxos
	if p == nil {
		return field.ErrorList{field.Required(own, "must be set when platform.type is JPaxos")}
	}
	var errs field.ErrorList
	if p.Image == "" {
		errs = append(errs, field.Required(own.Child("image"),
			"JPaxos is not published in any registry, so build an image of it; docs/jpaxos.md describes its contents"))
	}
	errs = append(errs, validateCount(spec.Members.Count, path.Child("members", "count"))...)
	errs = append(errs, sizing.MachineOf(&spec.Members).Validate(replicaOverhead(), path.Child("members"))...)
	errs = append(errs, validateTuning(p, own)...)
	for _, key := range slices.Sorted(maps.Keys(p.ExtraProperties)) {
		value := string(p.ExtraProperties[key])
		if problem := extraPropertyProblem(key, value); problem != "" {
			errs = append(errs, field.Invalid(own.Child("extraProperties").Key(key), value, problem))
		}
	}
	return errs
}

// validateCount rejects a number of replicas that is even or out of range. JPaxos computes the majority as
// (n+1)/2 in integers.
func validateCount(count int32, path *field.Path) field.ErrorList {
	switch {
	case count < minReplicas || count > maxReplicas:
		return field.ErrorList{field.Invalid(path, count, fmt.Sprintf(
			"must be 3, 5, 7 or 9 on JPaxos: %d to %d replicas, an odd number", minReplicas, maxReplicas))}
	case count%2 == 0:
		return field.ErrorList{field.Invalid(path, count, fmt.Sprintf(
			"must be 3, 5, 7 or 9 on JPaxos: it uses (n+1)/2 as the majority; of %d replicas that is %d, and two such groups need not overlap", count, (count+1)/2))}
	default:
		return nil
	}
}

// jvmProperties are the beginnings of the system properties of a replica, its libraries and its service.
var jvmProperties = append([]string{"java.library.path"}, ownPrefixes...)

func validateTuning(p *v1alpha1.JPaxosPlatform, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	t, tuning := p.Tuning, path.Child("tuning")
	if t.FailureSendInterval.Duration >= t.FailureSuspectTimeout.Duration {
		errs = append(errs, field.Invalid(tuning.Child("failureSendInterval"), t.FailureSendInterval.Duration.String(), fmt.Sprintf(
			"must be below failureSuspectTimeout (%s), or every leader is suspected", t.FailureSuspectTimeout.Duration)))
	}
	if t.SelectorThreads == 0 {
		errs = append(errs, field.Invalid(tuning.Child("selectorThreads"), t.SelectorThreads, "must be at least 1, or -1 to follow the number of processors"))
	}
	if t.SnapshotAskRatio.Sign() <= 0 {
		errs = append(errs, field.Invalid(tuning.Child("snapshotAskRatio"), t.SnapshotAskRatio.String(), "must be greater than 0, such as 1 or 1500m"))
	}
	if t.SnapshotForceRatio.Cmp(t.SnapshotAskRatio) < 0 {
		errs = append(errs, field.Invalid(tuning.Child("snapshotForceRatio"), t.SnapshotForceRatio.String(), fmt.Sprintf(
			"must be at least snapshotAskRatio (%s): a snapshot is requested before it is forced", t.SnapshotAskRatio.String())))
	}
	return append(errs, members.ValidateJVMArgs(p.JVMArgs, path.Child("jvmArgs"), jvmProperties...)...)
}

// SupportsPoisson returns true: the driver draws Poisson arrivals.
func (JPaxos) SupportsPoisson(*v1alpha1.Workload) bool { return true }

// FinalityOf returns operations: a replica replies when a request is decided and executed.
func (JPaxos) FinalityOf(*v1alpha1.Workload) measurement.FinalityOf {
	return measurement.FinalityOfOperation
}

// ValidateWorkload rejects a workload that the network cannot serve.
func (JPaxos) ValidateWorkload(_ *v1alpha1.BenchmarkNetworkSpec, w *v1alpha1.Workload, path *field.Path) field.ErrorList {
	if w.JPaxos == nil {
		return field.ErrorList{field.Required(path.Child("jpaxos"), "a workload on a JPaxos network needs jpaxos")}
	}
	errs := loadgen.ValidateLoad(w, path)
	if len(w.JPaxos.Mix) > 0 && w.JPaxos.RequestBytes != 0 {
		errs = append(errs, field.Invalid(path.Child("jpaxos", "requestBytes"), w.JPaxos.RequestBytes,
			"must not be set with mix, whose entries have their own"))
	}
	if w.Load == nil {
		return errs
	}
	if workers := (w.Load.Clients + maxClientsPerWorker - 1) / maxClientsPerWorker; w.Workers.Count < workers {
		errs = append(errs, field.Invalid(path.Child("workers", "count"), w.Workers.Count, fmt.Sprintf(
			"is too few for load.clients %d: each client is a thread, at most %d in a worker, so %d workers", w.Load.Clients, maxClientsPerWorker, workers)))
	}
	return errs
}
