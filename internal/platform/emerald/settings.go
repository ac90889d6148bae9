package emerald

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
)

// DerivedSettings returns the settings of every member, each with its source.
func (Emerald) DerivedSettings(spec *v1alpha1.BenchmarkNetworkSpec) []v1alpha1.DerivedSetting {
	e, all, volume := spec.Platform.Emerald, divideMachine(spec), planStorage(spec)
	execution, validator := all[executionShare], all[validatorShare]
	settings := []v1alpha1.DerivedSetting{
		{Name: "executionCores", Value: execution.Cores.String(), Source: shareSource(e.Execution.Cores != nil, "cores")},
		{Name: "executionMemory", Value: execution.Memory.String(), Source: shareSource(e.Execution.Memory != nil, "memory")},
		{Name: "validatorCores", Value: validator.Cores.String(), Source: "the member's cores without the execution client's"},
		{Name: "validatorMemory", Value: validator.Memory.String(), Source: "the member's memory without the execution client's"},
		{Name: "validatorRuntime", Value: describeRuntime(e), Source: settingSource(e.Threads != nil, "spec.platform.emerald.threads", "Emerald's own default")},
		{Name: "plannedTransactions", Value: strconv.FormatInt(volume.transactions, 10), Source: "workloads at their rate over warm-up and window"},
	}
	size := volume.size
	if given := spec.Members.Storage.Size; given != nil {
		size = *given
	}
	settings = append(settings, v1alpha1.DerivedSetting{Name: platform.SettingMemberStorage, Value: size.String(), Source: settingSource(
		spec.Members.Storage.Size != nil, "spec.members.storage.size", "4Gi + 1 KiB per planned transaction (this project's estimate), in whole GiB")})
	if e.Execution.Client != v1alpha1.ExecutionCustom {
		settings = append(settings, v1alpha1.DerivedSetting{Name: "executionFlags", Value: strings.Join(formatFlags(tunableFlags(spec)), " "), Source: fmt.Sprintf(
			"profile of %s (Emerald's performance evaluation), then spec.platform.emerald.execution.flags", e.Execution.Client)})
	}
	return settings
}

// tunableFlags returns the flags that do not follow from the spec.
func tunableFlags(spec *v1alpha1.BenchmarkNetworkSpec) map[string]string {
	all := clientFlags(spec)
	for name := range all {
		if isOwnedFlag(spec.Platform.Emerald.Execution.Client, name) {
			delete(all, name)
		}
	}
	return all
}

func describeRuntime(e *v1alpha1.EmeraldPlatform) string {
	if e.Threads == nil {
		return "one thread"
	}
	return fmt.Sprintf("%d threads", *e.Threads)
}

func shareSource(given bool, field string) string {
	return settingSource(given, "spec.platform.emerald.execution."+field, "three quarters of the member's "+field)
}

func settingSource(given bool, field, otherwise string) string {
	if given {
		return field
	}
	return otherwise
}
