package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
)

// MalachiteEVMPlatform configures a network of Malachite validators, each with a geth in the same pod that builds and executes the
// blocks. members.count is their number, at most 50. Timestamps are logical: the timestamp of each block is that of its parent plus
// one second.
type MalachiteEVMPlatform struct {
	// image is the container image of the validator, with a tag other than latest or a digest. Default: the project's
	// malachite-bench.
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="!self.endsWith(':latest') && self.matches('(:|@sha256:)[A-Za-z0-9._-]+$')",message="must carry a tag other than latest, or a digest, for repeatable runs"
	// +optional
	Image string `json:"image,omitempty"`
	// execution configures the geth of each member.
	// +optional
	Execution   MalachiteEVMExecution `json:"execution,omitzero"`
	ChainFields `json:",inline"`
	// targetBlockTime is the least time from block to block. Default: none, as fast as possible.
	// +optional
	TargetBlockTime *Timeout `json:"targetBlockTime,omitempty"`
	// timeouts are the timeouts of a round of consensus.
	// +kubebuilder:default={propose: "3s", prevote: "1s", precommit: "1s"}
	// +optional
	Timeouts ConsensusTimeouts `json:"timeouts,omitzero"`
	// peers is the graph of the validators' connections, without Discovery. The geths form a full mesh.
	// +kubebuilder:default={}
	// +optional
	Peers Peers `json:"peers,omitzero"`
	// powers are the voting powers of the validators. Default: 10 each.
	// +optional
	Powers VotingPowers `json:"powers,omitzero"`
	// gossip configures how consensus messages spread.
	// +kubebuilder:default={protocol: GossipSub, mesh: 6, meshHigh: 12, meshLow: 4, meshOutboundMin: 2}
	// +kubebuilder:validation:XValidation:rule="self.meshLow <= self.mesh && self.mesh <= self.meshHigh && (self.meshOutboundMin == 1 || self.meshOutboundMin * 2 <= self.mesh && self.meshOutboundMin < self.meshLow)",message="must have meshLow <= mesh <= meshHigh, and meshOutboundMin 1, or at most half of mesh and below meshLow"
	// +optional
	Gossip GossipMesh `json:"gossip,omitzero"`
	// threads is the number of threads of the validator's runtime. Default: the validator's cores, rounded up.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=256
	// +optional
	Threads *int32 `json:"threads,omitempty"`
	// logLevel is the log level of the validator. Default: Info.
	// +kubebuilder:default=Info
	// +kubebuilder:validation:Enum=Error;Warn;Info;Debug
	// +optional
	LogLevel string `json:"logLevel,omitempty"`
}

// MalachiteEVMExecution configures the geth of each member. Its validator reaches it over a Unix socket in the pod.
type MalachiteEVMExecution struct {
	// image is the container image of geth, with a tag other than latest or a digest. Default: the project's geth.
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="!self.endsWith(':latest') && self.matches('(:|@sha256:)[A-Za-z0-9._-]+$')",message="must carry a tag other than latest, or a digest, for repeatable runs"
	// +optional
	Image string `json:"image,omitempty"`
	// flags are flags of geth without dashes, such as cache: 256. They add to those of the profile or replace them. One with an
	// empty value takes no argument (docs/malachite-evm.md).
	// +kubebuilder:validation:MaxProperties=64
	// +optional
	Flags map[string]Text `json:"flags,omitempty"`
	// cores is geth's part of the member's cores. The validator has the rest. Default: three quarters.
	// +optional
	Cores *resource.Quantity `json:"cores,omitempty"`
	// memory is geth's part of the member's memory. The validator has the rest. Default: three quarters.
	// +optional
	Memory *resource.Quantity `json:"memory,omitempty"`
}
