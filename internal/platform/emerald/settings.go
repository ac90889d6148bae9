package emerald

import (
	"fmt"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
)

// DerivedSettings returns the settings of every member, each with its source.
func (Emerald) DerivedSettings(spec *v1alpha1.BenchmarkNetworkSpec) []v1alpha1.DerivedSetting {
	e := spec.Platform.Emerald
	return layerOf(spec).DerivedSettings(spec, v1alpha1.DerivedSetting{
		Name: "validatorRuntime", Value: describeRuntime(e),
		Source: platform.SettingSource(e.Threads != nil, "spec.platform.emerald.threads", "Emerald's own default")})
}

func describeRuntime(e *v1alpha1.EmeraldPlatform) string {
	if e.Threads == nil {
		return "one thread"
	}
	return fmt.Sprintf("%d threads", *e.Threads)
}
