package execution

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/submission"
	"github.com/benchnet/benchnet/internal/run/loadgen"
)

const (
	// maxMembers is the maximum size of a full mesh, the largest that the platforms were designed for.
	maxMembers = 50
	// Below minExecutionMemory and minValidatorMemory the programs do not start reliably. The values are this
	// project's choice.
	minExecutionMemory = 512 << 20
	minValidatorMemory = 128 << 20
	maxGossipSize      = 1 << 30
)

// Validate rejects members and flags of clients that cannot work. The path is that of the spec.
func (l *Layer) Validate(spec *v1alpha1.BenchmarkNetworkSpec, path *field.Path) field.ErrorList {
	errs := l.validateMembers(&spec.Members, path.Child("members"))
	errs = append(errs, l.validateShares(spec, path)...)
	return append(errs, l.validateFlags(path.Child("platform", l.Field, "execution", "flags"))...)
}

func (l *Layer) validateMembers(m *v1alpha1.MembersSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if m.Count > maxMembers {
		errs = append(errs, field.Invalid(path.Child("count"), m.Count, fmt.Sprintf(
			"must be at most %d for %s: every member is a peer of every other, twice", maxMembers, l.Platform.Type())))
	}
	if m.Heap != nil {
		errs = append(errs, field.Forbidden(path.Child("heap"), "applies only to platforms that run in a JVM; set memory"))
	}
	if size := m.Storage.Size; size != nil && size.Value() < gibibyte {
		errs = append(errs, field.Invalid(path.Child("storage", "size"), size.String(), "must be at least 1Gi: an empty chain already uses part of it"))
	}
	return errs
}

// validateShares rejects a machine that is too small for both programs.
func (l *Layer) validateShares(spec *v1alpha1.BenchmarkNetworkSpec, path *field.Path) field.ErrorList {
	all, members, execution := l.Divide(spec), path.Child("members"), path.Child("platform", l.Field, "execution")
	part, rest := all.Execution, all.Validator
	var errs field.ErrorList
	switch {
	case l.Client.Cores != nil && (l.Client.Cores.Sign() <= 0 || rest.Cores.Sign() <= 0):
		whole := part.Cores.DeepCopy()
		whole.Add(rest.Cores)
		errs = append(errs, field.Invalid(execution.Child("cores"), l.Client.Cores.String(), fmt.Sprintf(
			"must be between 0 and the member's cores (%s): the validator gets the rest", whole.String())))
	case part.Cores.Sign() <= 0:
		errs = append(errs, field.Invalid(members.Child("cores"), spec.Members.Cores.String(), "must be greater than 0, such as 2 or 500m"))
	}
	if part.Memory.Value() >= minExecutionMemory && rest.Memory.Value() >= minValidatorMemory {
		return errs
	}
	return append(errs, field.Invalid(members.Child("memory"), resource.NewQuantity(part.Memory.Value()+rest.Memory.Value(), resource.BinarySI).String(),
		fmt.Sprintf("gives %s to the execution client and %s to the validator; they need at least 512Mi and 128Mi (platform.%s.execution.memory divides it)",
			part.Memory.String(), rest.Memory.String(), l.Field)))
}

// allowedFlags are the flags of Reth and Geth that tune a client, by their beginnings. Others are set by the operator, or open
// ports, load keys and files, or connect to other networks.
var allowedFlags = []string{
	"builder.", "cache", "db.", "engine.", "gcmode", "gpo.", "history.", "max-", "maxp", "miner.", "pooled-tx-", "prune.", "rpc-", "rpc.",
	"snapshot", "state.", "tx-propagation-mode", "txpool.", "verbosity",
}

// flagPattern matches the names of flags, and flagValuePattern matches values that name no file, URL or variable.
var (
	flagPattern      = regexp.MustCompile(`^[a-z][a-zA-Z0-9.-]*$`)
	flagValuePattern = regexp.MustCompile(`^[A-Za-z0-9_.,+-]*$`)
)

// validateFlags rejects flags that do not tune a client, and those that follow from the spec.
func (l *Layer) validateFlags(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, flag := range slices.Sorted(maps.Keys(l.Client.Flags)) {
		switch {
		case !flagPattern.MatchString(flag):
			errs = append(errs, field.Forbidden(path.Key(flag), "must be named without dashes in front, such as txpool.max-batch-size"))
		case flag == "builder.gaslimit" || flag == "miner.gaslimit":
			errs = append(errs, field.Forbidden(path.Key(flag), "is platform."+l.Field+".gasLimit"))
		case !slices.ContainsFunc(allowedFlags, func(start string) bool { return strings.HasPrefix(flag, start) }):
			errs = append(errs, field.Forbidden(path.Key(flag), "is set by the operator, or does not tune the client; allowed are flags that begin with "+
				strings.Join(allowedFlags, ", ")))
		case !flagValuePattern.MatchString(string(l.Client.Flags[flag])):
			errs = append(errs, field.Invalid(path.Key(flag), string(l.Client.Flags[flag]), "must be a number, a word or a list of them: no paths, URLs or variables"))
		}
	}
	return errs
}

// ValidateByteSize rejects a size below the least, which why explains, or above 1Gi.
func ValidateByteSize(size resource.Quantity, least int64, why string, path *field.Path) field.ErrorList {
	if size.Value() >= least && size.Value() <= maxGossipSize {
		return nil
	}
	return field.ErrorList{field.Invalid(path, size.String(), "must be at most 1Gi and at least "+why)}
}

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
