package execution

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/members"
	"github.com/benchnet/benchnet/internal/platform/sizing"
)

// executionQuarters is the default share of the execution client in a member's machine, in quarters. The
// client executes all transactions; the validator only passes blocks on.
const executionQuarters = 3

const (
	gibibyte = int64(1) << 30
	// baseVolume holds the databases of an empty chain, logs and the validator's store. The value is this
	// project's choice.
	baseVolume = 4 * gibibyte
	// bytesPerTransaction is the size of a plain transfer in the databases: about 110 bytes for the
	// transaction, the rest for receipts, indices and the history of the state. The value is this project's
	// estimate.
	bytesPerTransaction = 1024
)

// Shares are the parts of a member's machine that its two programs get.
type Shares struct{ Validator, Execution sizing.Machine }

// Divide divides a member's machine.
func (l *Layer) Divide(spec *v1alpha1.BenchmarkNetworkSpec) Shares {
	whole := sizing.MachineOf(&spec.Members)
	execution, validator := whole, whole
	execution.Cores = ptr.Deref(l.Client.Cores, *resource.NewMilliQuantity(whole.Cores.MilliValue()*executionQuarters/4, resource.DecimalSI))
	execution.Memory = ptr.Deref(l.Client.Memory, *resource.NewQuantity(whole.Memory.Value()*executionQuarters/4, resource.BinarySI))
	validator.Cores = *resource.NewMilliQuantity(whole.Cores.MilliValue()-execution.Cores.MilliValue(), resource.DecimalSI)
	validator.Memory = *resource.NewQuantity(whole.Memory.Value()-execution.Memory.Value(), resource.BinarySI)
	return Shares{Validator: validator, Execution: execution}
}

// PlannedStorage is the volume size of a member and the number of transactions from which it is derived.
type PlannedStorage struct {
	Size         resource.Quantity
	Transactions int64
}

// PlanStorage sizes the volume for the transactions of all listed workloads.
func PlanStorage(spec *v1alpha1.BenchmarkNetworkSpec) PlannedStorage {
	var s PlannedStorage
	for i := range spec.Workloads {
		if w := &spec.Workloads[i]; w.Load != nil {
			s.Transactions += sizing.PlannedOperations(w.Load, &w.Measure, 0)
		}
	}
	gibibytes := (baseVolume + s.Transactions*bytesPerTransaction + gibibyte - 1) / gibibyte
	s.Size = *resource.NewQuantity(gibibytes*gibibyte, resource.BinarySI)
	return s
}

// DerivedSettings returns the settings that follow from the division of the machine, the workloads and the client, with those of
// the validator's runtime after the division.
func (l *Layer) DerivedSettings(spec *v1alpha1.BenchmarkNetworkSpec, runtime ...v1alpha1.DerivedSetting) []v1alpha1.DerivedSetting {
	all, volume := l.Divide(spec), PlanStorage(spec)
	settings := []v1alpha1.DerivedSetting{
		{Name: "executionCores", Value: all.Execution.Cores.String(), Source: l.shareSource(l.Client.Cores != nil, "cores")},
		{Name: "executionMemory", Value: all.Execution.Memory.String(), Source: l.shareSource(l.Client.Memory != nil, "memory")},
		{Name: "validatorCores", Value: all.Validator.Cores.String(), Source: "the member's cores without the execution client's"},
		{Name: "validatorMemory", Value: all.Validator.Memory.String(), Source: "the member's memory without the execution client's"},
	}
	settings = append(settings, runtime...)
	settings = append(settings, v1alpha1.DerivedSetting{
		Name: "plannedTransactions", Value: strconv.FormatInt(volume.Transactions, 10), Source: "workloads at their rate over warm-up and window"})
	size := members.VolumeSize(&spec.Members, volume.Size)
	settings = append(settings, v1alpha1.DerivedSetting{Name: platform.SettingMemberStorage, Value: size.String(), Source: platform.SettingSource(
		spec.Members.Storage.Size != nil, "spec.members.storage.size", "4Gi + 1 KiB per planned transaction (this project's estimate), in whole GiB")})
	if l.Client.Client != v1alpha1.ExecutionCustom {
		settings = append(settings, v1alpha1.DerivedSetting{Name: "executionFlags", Value: strings.Join(formatFlags(l.tunableFlags()), " "), Source: fmt.Sprintf(
			"profile of %s (Emerald's performance evaluation), then spec.platform.%s.execution.flags", l.Client.Client, l.Field)})
	}
	return settings
}

func (l *Layer) shareSource(given bool, field string) string {
	return platform.SettingSource(given, "spec.platform."+l.Field+".execution."+field, "three quarters of the member's "+field)
}
