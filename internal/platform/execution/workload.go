package execution

import (
	"fmt"
	"math"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/run/loadgen"
)

// ValidateWorkload rejects a workload that the network cannot serve.
func (l *Layer) ValidateWorkload(spec *v1alpha1.BenchmarkNetworkSpec, w *v1alpha1.Workload, path *field.Path) field.ErrorList {
	if w.EVM == nil {
		return field.ErrorList{field.Required(path.Child("evm"), fmt.Sprintf(
			"%s networks support only evm workloads: transactions to their execution clients", l.Platform.Type()))}
	}
	errs := loadgen.ValidateLoad(w, path)
	if w.Load == nil {
		return errs
	}
	evm := path.Child("evm")
	if w.Load.Model != v1alpha1.LoadOpen {
		errs = append(errs, field.NotSupported(path.Child("load", "model"), w.Load.Model, []v1alpha1.LoadModel{v1alpha1.LoadOpen}))
	}
	errs = append(errs, platform.NewMemberNames(l.Platform, spec).ValidateList(w.EVM.Members, evm.Child("members"))...)
	errs = append(errs, l.validateAccounts(spec, w, evm.Child("accounts"))...)
	errs = append(errs, validateBatchRate(spec, w, evm.Child("batchSize"))...)
	if w.EVM.TipGwei > w.EVM.MaxFeeGwei {
		errs = append(errs, field.Invalid(evm.Child("tipGwei"), w.EVM.TipGwei, fmt.Sprintf("must be at most maxFeeGwei (%d)", w.EVM.MaxFeeGwei)))
	}
	if w.EVM.GasLimit > l.GasLimit {
		errs = append(errs, field.Invalid(evm.Child("gasLimit"), w.EVM.GasLimit, fmt.Sprintf(
			"must be at most the gas limit of a block, platform.%s.gasLimit (%d)", l.Field, l.GasLimit)))
	}
	return errs
}

// validateAccounts rejects more accounts than the genesis funds, and fewer accounts than senders. There is a
// sender for each target or for each worker, whichever is more.
func (l *Layer) validateAccounts(spec *v1alpha1.BenchmarkNetworkSpec, w *v1alpha1.Workload, path *field.Path) field.ErrorList {
	used := l.accountCount(w.EVM)
	if used > l.Accounts {
		return field.ErrorList{field.Invalid(path, used, fmt.Sprintf("must be at most platform.%s.accounts (%d), which the genesis funds", l.Field, l.Accounts))}
	}
	if senders := max(int32(len(targetMembers(spec, w.EVM))), w.Workers.Count); used < senders {
		return field.ErrorList{field.Invalid(path, used, fmt.Sprintf("must be at least %d: each sender needs its own account", senders))}
	}
	return nil
}

// validateBatchRate rejects a batch size and an interval that contradict the rate.
func validateBatchRate(spec *v1alpha1.BenchmarkNetworkSpec, w *v1alpha1.Workload, path *field.Path) field.ErrorList {
	if w.EVM.BatchSize == nil || w.EVM.BatchInterval == nil || w.Load.RatePerSecond == nil {
		return nil
	}
	targets := len(targetMembers(spec, w.EVM))
	rate := w.Load.Rate()
	offered := float64(targets) * float64(*w.EVM.BatchSize) * float64(time.Second) / float64(w.EVM.BatchInterval.Duration)
	if math.Abs(offered-rate) <= 0.001*rate {
		return nil
	}
	return field.ErrorList{field.Invalid(path, *w.EVM.BatchSize, fmt.Sprintf(
		"every %s to each of %d members is %g transactions a second, but load.ratePerSecond is %g: omit one of the three or make them agree",
		w.EVM.BatchInterval.Duration, targets, offered, rate))}
}

// targetMembers returns the names of the members that receive transactions. Default: all members.
func targetMembers(spec *v1alpha1.BenchmarkNetworkSpec, evm *v1alpha1.EVMWorkload) []string {
	if len(evm.Members) > 0 {
		return evm.Members
	}
	all := make([]string, spec.Members.Count)
	for i := range all {
		all[i] = platform.MemberName(int32(i))
	}
	return all
}

// accountCount returns the number of accounts of a workload. Default: all funded accounts.
func (l *Layer) accountCount(evm *v1alpha1.EVMWorkload) int32 {
	if evm.Accounts != nil {
		return *evm.Accounts
	}
	return l.Accounts
}
