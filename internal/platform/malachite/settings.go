package malachite

import (
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/members"
	"github.com/benchnet/benchnet/internal/platform/sizing"
)

// DerivedSettings returns the settings derived for the validators, each with its source.
func (Malachite) DerivedSettings(spec *v1alpha1.BenchmarkNetworkSpec) []v1alpha1.DerivedSetting {
	m, machine := spec.Platform.Malachite, sizing.MachineOf(&spec.Members)
	storage := members.VolumeSize(&spec.Members, expectedStorage(m))
	return []v1alpha1.DerivedSetting{
		{Name: "cores", Value: machine.Cores.String(), Source: settingSource(spec.Members.Cores, "spec.members.cores", sizeSource(machine))},
		{Name: "memory", Value: machine.Memory.String(), Source: settingSource(spec.Members.Memory, "spec.members.memory", sizeSource(machine))},
		{Name: "threads", Value: strconv.Itoa(int(runtimeThreads(spec))), Source: threadsSource(m)},
		{Name: "maxMessageSize", Value: formatBytes(messageSize(m)), Source: settingSource(m.Gossip.MaxMessageSize, "spec.platform.malachite.gossip.maxMessageSize",
			"4Mi (Malachite), or the largest message and 192Ki of overhead")},
		{
			Name:  "maxResponseSize",
			Value: formatBytes(responseSize(m)),
			Source: settingSource(m.Gossip.MaxResponseSize, "spec.platform.malachite.gossip.maxResponseSize",
				"10Mi (Malachite), or a block and 192Ki of overhead"),
		},
		{Name: platform.SettingMemberStorage, Value: storage.String(), Source: settingSource(spec.Members.Storage.Size, "spec.members.storage.size",
			"512Mi and twice keptBlocks, in whole GiB")},
	}
}

func sizeSource(machine sizing.Machine) string { return fmt.Sprintf("size %s", machine.Size) }

// settingSource returns the field if the spec sets it, and the rule otherwise.
func settingSource(set *resource.Quantity, field, rule string) string {
	if set != nil {
		return field
	}
	return rule
}

func threadsSource(m *v1alpha1.MalachitePlatform) string {
	if m.Threads != nil {
		return "spec.platform.malachite.threads"
	}
	return "the cores, rounded up"
}
