package malachite

import (
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/validators"
)

const (
	// minPartSize is a limit of the application.
	minPartSize = 256
	// messageOverhead is the application's allowance for the content of a message besides its block or part:
	// lengths, addresses, and a certificate with the signatures of 1000 validators.
	messageOverhead = 192 * validators.Kibibyte
	// defaultMessage and defaultResponse are Malachite's defaults.
	defaultMessage  = 4 * validators.Mebibyte
	defaultResponse = 10 * validators.Mebibyte

	// baseMemory covers the program with its connections and its store's cache. blocksInMemory is the number
	// of blocks in memory at a time: proposed, in parts, in the gossip queues, and on the way to a validator
	// that catches up. Four validators used 14 MiB with blocks of 1 KiB, 108 MiB with 1 MiB and 128 MiB with 2
	// MiB; the rule is on the safe side of these.
	baseMemory     = 160 * validators.Mebibyte
	blocksInMemory = 16
	baseStorage    = 512 * validators.Mebibyte

	// defaultInboundPeers is the default of the application.
	defaultInboundPeers = 50

	// syncStatusInterval and syncRequestTimeout are the defaults of value sync, as in the API.
	syncStatusInterval = time.Second
	syncRequestTimeout = 10 * time.Second
)

// largestMessage returns the size of the largest gossiped message: a whole block, or a part.
func largestMessage(m *v1alpha1.MalachitePlatform) int64 {
	if m.Payload == v1alpha1.MalachiteProposalOnly {
		return m.BlockSize.Value() + messageOverhead
	}
	return min(m.PartSize.Value(), m.BlockSize.Value()) + messageOverhead
}

func largestResponse(m *v1alpha1.MalachitePlatform) int64 {
	return m.BlockSize.Value() + messageOverhead
}

// messageSize and responseSize return the limits of the spec. Their defaults are Malachite's, or larger if a
// block requires it.
func messageSize(m *v1alpha1.MalachitePlatform) int64 {
	return bytesOrDefault(m.Gossip.MaxMessageSize, max(defaultMessage, largestMessage(m)))
}

func responseSize(m *v1alpha1.MalachitePlatform) int64 {
	return bytesOrDefault(m.Gossip.MaxResponseSize, max(defaultResponse, largestResponse(m)))
}

func bytesOrDefault(size *resource.Quantity, otherwise int64) int64 {
	if size != nil {
		return size.Value()
	}
	return otherwise
}

// stateOf returns what the blocks require of a validator.
func stateOf(m *v1alpha1.MalachitePlatform) validators.State {
	return validators.State{BaseMemory: baseMemory, BlocksInMemory: blocksInMemory, BaseStorage: baseStorage, BlockSize: m.BlockSize}.KeptBlocks(m.KeptBlocks)
}

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
