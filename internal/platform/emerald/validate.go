package emerald

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

const (
	// maxMembers is the maximum size of a full mesh, the largest that the platform was designed for.
	maxMembers = 50
	// Below minExecutionMemory and minValidatorMemory the programs do not start reliably. The values are this
	// project's choice.
	minExecutionMemory = 512 << 20
	minValidatorMemory = 128 << 20
	// minMessageSize fits a part of a block (128 KiB). minResponseSize fits a block of some thousand
	// transfers.
	minMessageSize  = 256 << 10
	minResponseSize = 1 << 20
	maxGossipSize   = 1 << 30
)

const (
	imageRequiredMessage = "is required: Emerald is not published in any registry, so supply an image with its programs emerald and emerald-utils " +
		"(see docs/emerald.md for the contract)"
	executionImageRequiredMessage = "is required: validators need an execution client of your choice, which for blocks below a second must accept " +
		"equal timestamps (see docs/emerald.md for the contract)"
)

// Validate rejects what CEL cannot express. The path is that of the spec.
func (Emerald) Validate(spec *v1alpha1.BenchmarkNetworkSpec, path *field.Path) field.ErrorList {
	emerald := path.Child("platform", "emerald")
	e := spec.Platform.Emerald
	switch {
	case e == nil:
		return field.ErrorList{field.Required(emerald, "must be set when platform.type is Emerald")}
	case e.Image == "":
		return field.ErrorList{field.Required(emerald.Child("image"), imageRequiredMessage)}
	case e.Execution == nil || e.Execution.Image == "":
		return field.ErrorList{field.Required(emerald.Child("execution", "image"), executionImageRequiredMessage)}
	}
	errs := validateMembers(&spec.Members, path.Child("members"))
	errs = append(errs, validateShares(spec, path)...)
	errs = append(errs, validateFlags(e.Execution, emerald.Child("execution", "flags"))...)
	gossip := emerald.Child("gossip")
	errs = append(errs, validateByteSize(e.Gossip.MaxMessageSize, minMessageSize, "256Ki: a block part has 128Ki", gossip.Child("maxMessageSize"))...)
	return append(errs, validateByteSize(e.Gossip.MaxResponseSize, minResponseSize, "1Mi: it contains whole blocks", gossip.Child("maxResponseSize"))...)
}

func validateMembers(m *v1alpha1.MembersSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if m.Count > maxMembers {
		errs = append(errs, field.Invalid(path.Child("count"), m.Count, fmt.Sprintf(
			"must be at most %d for Emerald: every member is a peer of every other, twice", maxMembers)))
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
func validateShares(spec *v1alpha1.BenchmarkNetworkSpec, path *field.Path) field.ErrorList {
	all, members, execution := divideMachine(spec), path.Child("members"), path.Child("platform", "emerald", "execution")
	e := spec.Platform.Emerald.Execution
	part := all[executionShare]
	var errs field.ErrorList
	rest := all[validatorShare]
	switch {
	case e.Cores != nil && (e.Cores.Sign() <= 0 || rest.Cores.Sign() <= 0):
		whole := part.Cores.DeepCopy()
		whole.Add(rest.Cores)
		errs = append(errs, field.Invalid(execution.Child("cores"), e.Cores.String(), fmt.Sprintf(
			"must be between 0 and the member's cores (%s): the validator gets the rest", whole.String())))
	case part.Cores.Sign() <= 0:
		errs = append(errs, field.Invalid(members.Child("cores"), spec.Members.Cores.String(), "must be greater than 0, such as 2 or 500m"))
	}
	if part.Memory.Value() >= minExecutionMemory && rest.Memory.Value() >= minValidatorMemory {
		return errs
	}
	return append(errs, field.Invalid(members.Child("memory"), resource.NewQuantity(part.Memory.Value()+rest.Memory.Value(), resource.BinarySI).String(),
		fmt.Sprintf("gives %s to the execution client and %s to the validator; they need at least 512Mi and 128Mi (platform.emerald.execution.memory divides it)",
			part.Memory.String(), rest.Memory.String())))
}

// allowedFlags are the flags of Reth and Geth that tune a client, by their beginnings. Others are set by the operator, or open
// ports, load keys and files, or connect to other networks.
var allowedFlags = []string{
	"builder.", "cache", "db.", "engine.", "gcmode", "gpo.", "history.", "max-", "maxp", "miner.", "pooled-tx-", "prune.", "rpc-", "rpc.",
	"snapshot", "state.", "tx-propagation-mode", "txpool.", "verbosity",
}

// flagValuePattern matches values that name no file, URL or variable.
var flagValuePattern = regexp.MustCompile(`^[A-Za-z0-9_.,+-]*$`)

// validateFlags rejects flags that do not tune a client, and those that follow from the spec.
func validateFlags(e *v1alpha1.EmeraldExecution, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, flag := range slices.Sorted(maps.Keys(e.Flags)) {
		switch {
		case flag == "builder.gaslimit" || flag == "miner.gaslimit":
			errs = append(errs, field.Forbidden(path.Key(flag), "is platform.emerald.gasLimit"))
		case !slices.ContainsFunc(allowedFlags, func(start string) bool { return strings.HasPrefix(flag, start) }):
			errs = append(errs, field.Forbidden(path.Key(flag), "is set by the operator, or does not tune the client; allowed are flags that begin with "+
				strings.Join(allowedFlags, ", ")))
		case !flagValuePattern.MatchString(string(e.Flags[flag])):
			errs = append(errs, field.Invalid(path.Key(flag), string(e.Flags[flag]), "must be a number, a word or a list of them: no paths, URLs or variables"))
		}
	}
	return errs
}

func validateByteSize(size resource.Quantity, least int64, why string, path *field.Path) field.ErrorList {
	if size.Value() >= least && size.Value() <= maxGossipSize {
		return nil
	}
	return field.ErrorList{field.Invalid(path, size.String(), "must be at most 1Gi and at least "+why)}
}
