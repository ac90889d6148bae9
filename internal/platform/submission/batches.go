package submission

import (
	"fmt"
	"math"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// ValidateBatches rejects batches that a network of p cannot receive, and a batch size and an interval that contradict the rate of an
// open load. The path is that of the workload, and operations the field of its batches.
func ValidateBatches(p platform.Platform, spec *v1alpha1.BenchmarkNetworkSpec, w *v1alpha1.Workload, b *v1alpha1.Batches, path *field.Path, operations string,
) field.ErrorList {
	var errs field.ErrorList
	if w.Load.Model != v1alpha1.LoadOpen {
		errs = append(errs, field.NotSupported(path.Child("load", "model"), w.Load.Model, []v1alpha1.LoadModel{v1alpha1.LoadOpen}))
	}
	path = path.Child(operations)
	errs = append(errs, platform.NewMemberNames(p, spec).ValidateList(b.Members, path.Child("members"))...)
	if len(w.Load.Profile) > 0 {
		return append(errs, validateProfileBatches(b, path)...)
	}
	if b.BatchSize == nil || b.BatchInterval == nil || w.Load.RatePerSecond == nil {
		return errs
	}
	targets, rate := len(ListTargets(spec, b)), w.Load.Rate()
	offered := float64(targets) * float64(*b.BatchSize) * float64(time.Second) / float64(b.BatchInterval.Duration)
	if math.Abs(offered-rate) <= 0.001*rate {
		return errs
	}
	return append(errs, field.Invalid(path.Child("batchSize"), *b.BatchSize, fmt.Sprintf(
		"every %s to each of %d members is %g transactions a second, but load.ratePerSecond is %g: omit one of the three or make them agree",
		b.BatchInterval.Duration, targets, offered, rate)))
}

// validateProfileBatches rejects batches with which the segments of a profile would not have their exact operations.
func validateProfileBatches(b *v1alpha1.Batches, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if b.BatchSize != nil {
		errs = append(errs, field.Invalid(path.Child("batchSize"), *b.BatchSize, "must not be set with load.profile, whose rate decides the size: set batchInterval"))
	}
	if i := b.BatchInterval; i != nil && (i.Duration <= 0 || time.Second%i.Duration != 0) {
		errs = append(errs, field.Invalid(path.Child("batchInterval"), i.Duration.String(), "must divide a second with load.profile, such as 200ms"))
	}
	return errs
}

// ListTargets returns the names of the members that receive transactions. Default: all members.
func ListTargets(spec *v1alpha1.BenchmarkNetworkSpec, b *v1alpha1.Batches) []string {
	if len(b.Members) > 0 {
		return b.Members
	}
	all := make([]string, spec.Members.Count)
	for i := range all {
		all[i] = platform.MemberName(int32(i))
	}
	return all
}

// BuildTargets returns the targets of a workload. address returns the address of a member.
func BuildTargets(spec *v1alpha1.BenchmarkNetworkSpec, topology platform.Topology, w *v1alpha1.Workload, b *v1alpha1.Batches,
	address func(platform.Member) string,
) ([]protocol.Target, error) {
	var targets []protocol.Target
	for _, name := range ListTargets(spec, b) {
		m, ok := topology.FindMember(name)
		if !ok {
			return nil, fmt.Errorf("workload %s: the network has no %s", w.Name, name)
		}
		targets = append(targets, protocol.Target{Name: m.Name, Address: address(m)})
	}
	return targets, nil
}

// BatchFields returns the size of a batch and the time between two in ms, 0 if not set.
func BatchFields(b *v1alpha1.Batches) (size, intervalMillis int) {
	return int(ptr.Deref(b.BatchSize, 0)), int(ptr.Deref(b.BatchInterval, v1alpha1.Timeout{}).Milliseconds())
}
