package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
)

// EmeraldPayload says how a proposed block is sent between validators.
// +kubebuilder:validation:Enum=PartsOnly;ProposalAndParts
type EmeraldPayload string

// The payload modes.
const (
	// EmeraldPartsOnly only streams the block in parts.
	EmeraldPartsOnly EmeraldPayload = "PartsOnly"
	// EmeraldProposalAndParts streams the block in parts and sends a small proposal.
	EmeraldProposalAndParts EmeraldPayload = "ProposalAndParts"
)

// ExecutionClient is a kind of execution client.
// +kubebuilder:validation:Enum=Reth;Geth;Custom
type ExecutionClient string

// The execution clients.
const (
	// ExecutionReth is Reth, or a client with its command line, such as Emerald's custom-reth.
	ExecutionReth ExecutionClient = "Reth"
	// ExecutionGeth is go-ethereum.
	ExecutionGeth ExecutionClient = "Geth"
	// ExecutionCustom is any client with the Engine API, configured by arguments.
	ExecutionCustom ExecutionClient = "Custom"
)

// EmeraldPlatform configures a network of Emerald validators, each with an execution client in the same pod. members.count is
// their number, at most 50. Neither program is on a package registry, so you supply both images.
type EmeraldPlatform struct {
	// image is the container image of the validator, with a shell, emerald and emerald-utils (docs/emerald.md), and a tag other
	// than latest or a digest.
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="!self.endsWith(':latest') && self.matches('(:|@sha256:)[A-Za-z0-9._-]+$')",message="must carry a tag other than latest, or a digest, for repeatable runs"
	// +kubebuilder:validation:MinLength=1
	// +required
	Image string `json:"image"`
	// execution configures the execution client of each member.
	// +required
	Execution   *EmeraldExecution `json:"execution,omitempty"`
	ChainFields `json:",inline"`
	// minBlockTime is the least time from block to block. Default: 0s, as in the published runs. Emerald's own is 500ms.
	// +kubebuilder:default="0s"
	// +optional
	MinBlockTime Delay `json:"minBlockTime"`
	// payload says how a proposed block is sent. Default: PartsOnly, as in Emerald.
	// +kubebuilder:default=PartsOnly
	// +optional
	Payload EmeraldPayload `json:"payload,omitempty"`
	// timeouts are the timeouts of a round of consensus.
	// +kubebuilder:default={propose: "3s", prevote: "1s", precommit: "1s"}
	// +optional
	Timeouts ConsensusTimeouts `json:"timeouts,omitzero"`
	// gossip configures how consensus messages spread.
	// +kubebuilder:default={protocol: GossipSub, mesh: 6, meshHigh: 12, meshLow: 4, meshOutboundMin: 2}
	// +optional
	Gossip EmeraldGossip `json:"gossip,omitzero"`
	// threads is the number of threads of the validator's runtime. Default: 1, as in Emerald.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=256
	// +optional
	Threads *int32 `json:"threads,omitempty"`
	// logLevel is the log level of the validator. The readiness check reads blocks from the log, so it is at least Info. Default:
	// Info.
	// +kubebuilder:default=Info
	// +kubebuilder:validation:Enum=Info;Debug
	// +optional
	LogLevel string `json:"logLevel,omitempty"`
}

// EmeraldExecution configures the execution client of each member. The client shares a JWT secret with its validator.
// +kubebuilder:validation:XValidation:rule="self.client == 'Custom' ? has(self.command) && has(self.arguments) && !has(self.flags) : !has(self.arguments) && !has(self.initArguments)",message="platform.emerald.execution: client Custom needs command and arguments, and takes no flags; Reth and Geth take flags, and no arguments and initArguments"
type EmeraldExecution struct {
	// client is the kind of the execution client. Default: Reth.
	// +kubebuilder:default=Reth
	// +optional
	Client ExecutionClient `json:"client,omitempty"`
	// image is the container image of the client, with a tag other than latest or a digest. With minBlockTime below 1s, the client
	// must accept blocks with equal timestamps.
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="!self.endsWith(':latest') && self.matches('(:|@sha256:)[A-Za-z0-9._-]+$')",message="must carry a tag other than latest, or a digest, for repeatable runs"
	// +kubebuilder:validation:MinLength=1
	// +required
	Image string `json:"image"`
	// command is the program in the image and its first arguments. Client Custom requires it. Default: reth or geth.
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=256
	// +optional
	Command []string `json:"command,omitempty"`
	// flags are flags of Reth or Geth without dashes, such as txpool.max-batch-size: 20000. They add to those of the profile or
	// replace them. One with an empty value takes no argument.
	// +kubebuilder:validation:MaxProperties=64
	// +optional
	Flags map[string]Text `json:"flags,omitempty"`
	// arguments are those of a Custom client, which requires them. $(NAME) is replaced for BENCHNET_GENESIS, BENCHNET_JWT,
	// BENCHNET_NODE_KEY, BENCHNET_DATA, BENCHNET_PEERS, BENCHNET_CHAIN_ID and BENCHNET_GAS_LIMIT (docs/emerald.md).
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=128
	// +kubebuilder:validation:items:MaxLength=1024
	// +optional
	Arguments []string `json:"arguments,omitempty"`
	// initArguments are the arguments with which a Custom client runs once before it starts, such as to write the genesis into
	// its database.
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=1024
	// +optional
	InitArguments []string `json:"initArguments,omitempty"`
	// cores is the client's part of the member's cores. The validator has the rest. Default: three quarters.
	// +optional
	Cores *resource.Quantity `json:"cores,omitempty"`
	// memory is the client's part of the member's memory. The validator has the rest. Default: three quarters.
	// +optional
	Memory *resource.Quantity `json:"memory,omitempty"`
}

// EmeraldGossip configures how consensus messages spread.
// +kubebuilder:validation:XValidation:rule="self.meshLow <= self.mesh && self.mesh <= self.meshHigh && self.meshOutboundMin * 2 <= self.mesh && self.meshOutboundMin < self.meshLow",message="must have meshLow <= mesh <= meshHigh, and meshOutboundMin at most half of mesh and below meshLow"
type EmeraldGossip struct {
	GossipMesh `json:",inline"`
	// maxMessageSize is the largest gossiped message in bytes, at least 256Ki, since parts of a block have 128Ki. Default: 4Mi.
	// +kubebuilder:default="4Mi"
	// +optional
	MaxMessageSize resource.Quantity `json:"maxMessageSize,omitzero"`
	// maxResponseSize is the largest response in bytes to a validator that catches up, at least 1Mi, since it holds whole blocks.
	// Default: 10Mi.
	// +kubebuilder:default="10Mi"
	// +optional
	MaxResponseSize resource.Quantity `json:"maxResponseSize,omitzero"`
}
