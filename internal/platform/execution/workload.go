package execution

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/submission"
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
	errs = append(errs, submission.ValidateBatches(l.Platform, spec, w, &w.EVM.Batches, path, "evm")...)
	errs = append(errs, l.validateAccounts(spec, w, evm.Child("accounts"))...)
	errs = append(errs, l.validateMix(w.EVM, evm.Child("mix"))...)
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
	if senders := max(int32(len(submission.ListTargets(spec, &w.EVM.Batches))), w.Workers.Count); used < senders {
		return field.ErrorList{field.Invalid(path, used, fmt.Sprintf("must be at least %d: each sender needs its own account", senders))}
	}
	return nil
}

// accountCount returns the number of accounts of a workload. Default: all funded accounts.
func (l *Layer) accountCount(evm *v1alpha1.EVMWorkload) int32 {
	return ptr.Deref(evm.Accounts, l.Accounts)
}
