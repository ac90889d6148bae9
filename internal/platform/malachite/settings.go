package malachite

import (
	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/validators"
)

// DerivedSettings returns the settings derived for the validators, each with its source.
func (Malachite) DerivedSettings(spec *v1alpha1.BenchmarkNetworkSpec) []v1alpha1.DerivedSetting {
	m := spec.Platform.Malachite
	settings := append(stateOf(m).MachineSettings(spec, m.Threads, "spec.platform.malachite.threads"),
		validators.PeersSetting(&m.Peers, spec.Members.Count, "spec.platform.malachite.peers"),
		v1alpha1.DerivedSetting{Name: "maxMessageSize", Value: validators.FormatBytes(messageSize(m)), Source: platform.SettingSource(
			m.Gossip.MaxMessageSize != nil, "spec.platform.malachite.gossip.maxMessageSize", "4Mi (Malachite), or the largest message and 192Ki of overhead")},
		v1alpha1.DerivedSetting{Name: "maxResponseSize", Value: validators.FormatBytes(responseSize(m)), Source: platform.SettingSource(
			m.Gossip.MaxResponseSize != nil, "spec.platform.malachite.gossip.maxResponseSize", "10Mi (Malachite), or a block and 192Ki of overhead")})
	return append(settings, validators.PowerSettings(spec)...)
}
