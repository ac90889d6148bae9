package cometbft

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/submission"
	"github.com/benchnet/benchnet/internal/platform/validators"
	"github.com/benchnet/benchnet/internal/run/loadgen"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// maxMembers is the largest number of validators, as in CometBFT's own tests of its releases.
const maxMembers = 200

// Bounds of the parameters of gossip in bytes.
const (
	minRate       = validators.Kibibyte
	maxRate       = int64(1) << 40
	minPacketSize = 64
	maxPacketSize = validators.Mebibyte
)

// Validate rejects what CEL cannot express. The path is that of the spec.
func (CometBFT) Validate(spec *v1alpha1.BenchmarkNetworkSpec, path *field.Path) field.ErrorList {
	cometBFT := path.Child("platform", "cometBFT")
	c := spec.Platform.CometBFT
	if c == nil {
		return field.ErrorList{field.Required(cometBFT, "must be set when platform.type is CometBFT")}
	}
	errs := append(validateApplication(c, cometBFT), validateGossip(&c.Gossip, cometBFT.Child("gossip"))...)
	errs = append(errs, validators.ValidatePeers(&c.Peers, spec.Members.Count, cometBFT.Child("peers"))...)
	if spec.Members.Count > maxMembers {
		errs = append(errs, field.Invalid(path.Child("members", "count"), spec.Members.Count,
			fmt.Sprintf("must be at most %d for CometBFT: in a full mesh, the data of the network grows with the square", maxMembers)))
	}
	if len(errs) > 0 {
		return errs
	}
	state := stateOf(spec)
	state.Connections = validators.BuildGraph(&c.Peers, int(spec.Members.Count)).MostConnections()
	return state.ValidateMachine(spec, path.Child("members"))
}

// validateApplication rejects fields of the other application, and blocks that the program cannot make.
func validateApplication(c *v1alpha1.CometBFTPlatform, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if usesMempool(c) {
		for name, isSet := range map[string]bool{"blockSize": c.BlockSize != nil, "transactionSize": c.TransactionSize != nil, "content": c.Content != ""} {
			if isSet {
				errs = append(errs, field.Forbidden(path.Child(name), "belongs to application Blocks: with KVStore, blocks hold what workloads send"))
			}
		}
		return errs
	}
	if c.Mempool != nil {
		errs = append(errs, field.Forbidden(path.Child("mempool"), "belongs to application KVStore: with Blocks, no client sends transactions"))
	}
	block := blockSizeOf(c)
	errs = append(errs, validators.ValidateByteRange(block, 1, validators.MaxBlockSize, path.Child("blockSize"))...)
	if c.TransactionSize == nil || len(errs) > 0 {
		return errs
	}
	size := path.Child("transactionSize")
	errs = append(errs, validators.ValidateByteRange(*c.TransactionSize, 1, min(maxTransactionSize, block.Value()), size)...)
	if len(errs) == 0 && block.Value()/c.TransactionSize.Value() > maxTransactions {
		errs = append(errs, field.Invalid(size, c.TransactionSize.String(), fmt.Sprintf(
			"must be at least %d bytes: a block of %s holds at most %d transactions", block.Value()/maxTransactions+1, block.String(), maxTransactions)))
	}
	return errs
}

func validateGossip(g *v1alpha1.CometBFTGossip, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if g.Rate != nil {
		errs = append(errs, validators.ValidateByteRange(*g.Rate, minRate, maxRate, path.Child("rate"))...)
	}
	if g.PacketSize != nil {
		errs = append(errs, validators.ValidateByteRange(*g.PacketSize, minPacketSize, maxPacketSize, path.Child("packetSize"))...)
	}
	return errs
}

// FinalityOf returns the blocks that the network makes by itself, or the transactions of clients: the driver sees them in a decided
// block.
func (CometBFT) FinalityOf(w *v1alpha1.Workload) measurement.FinalityOf {
	if w.Blocks != nil {
		return measurement.FinalityOfBlock
	}
	return measurement.FinalityOfOperation
}

// ValidateWorkload rejects a workload that the network cannot serve.
func (CometBFT) ValidateWorkload(spec *v1alpha1.BenchmarkNetworkSpec, w *v1alpha1.Workload, path *field.Path) field.ErrorList {
	if !usesMempool(spec.Platform.CometBFT) {
		return validators.ValidateBlocksWorkload(CometBFT{}, spec, w, path)
	}
	if w.CometBFT == nil {
		return field.ErrorList{field.Required(path.Child("cometBFT"),
			"a workload on a CometBFT network with application KVStore needs cometBFT: transactions to its key-value store")}
	}
	errs := loadgen.ValidateLoad(w, path)
	if w.Load == nil {
		return errs
	}
	return append(errs, submission.ValidateBatches(CometBFT{}, spec, w, &w.CometBFT.Batches, path, "cometBFT")...)
}

// DerivedSettings returns the settings derived for the validators, each with its source.
func (CometBFT) DerivedSettings(spec *v1alpha1.BenchmarkNetworkSpec) []v1alpha1.DerivedSetting {
	c := spec.Platform.CometBFT
	g, tuning := gossipOf(c), fmt.Sprintf("tuning %s", c.Tuning)
	source := func(isSet bool, name string) string {
		return platform.SettingSource(isSet, "spec.platform.cometBFT.gossip."+name, tuning)
	}
	settings := append(stateOf(spec).MachineSettings(spec, c.Threads, "spec.platform.cometBFT.threads"),
		validators.PeersSetting(&c.Peers, spec.Members.Count, "spec.platform.cometBFT.peers"),
		v1alpha1.DerivedSetting{Name: "gossipSleep", Value: g.Sleep.String(), Source: source(c.Gossip.Sleep != nil, "sleep")},
		v1alpha1.DerivedSetting{Name: "gossipFlush", Value: g.Flush.String(), Source: source(c.Gossip.Flush != nil, "flush")},
		v1alpha1.DerivedSetting{Name: "gossipRate", Value: g.Rate.String(), Source: source(c.Gossip.Rate != nil, "rate")},
		v1alpha1.DerivedSetting{Name: "gossipPacketSize", Value: g.PacketSize.String(), Source: source(c.Gossip.PacketSize != nil, "packetSize")})
	return append(settings, validators.PowerSettings(spec)...)
}
