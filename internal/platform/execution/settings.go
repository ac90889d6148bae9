package execution

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/members"
)

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
