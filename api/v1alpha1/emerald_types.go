package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// EmeraldPayload says how a proposed block travels between validators.
// +kubebuilder:validation:Enum=PartsOnly;ProposalAndParts
type EmeraldPayload string

// The payload modes.
const (
	// EmeraldPartsOnly streams the block in parts alone.
	EmeraldPartsOnly EmeraldPayload = "PartsOnly"
	// EmeraldProposalAndParts streams it in parts beside a small proposal.
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
	// ExecutionCustom is any client with the Engine API, told by arguments.
	ExecutionCustom ExecutionClient = "Custom"
)

// EmeraldPlatform configures a network of Emerald validators, each with an execution client in the same pod. members.count is
// their number, at most 50. Neither program is on a package registry, so both images are yours to supply.
type EmeraldPlatform struct {
	// image of the validator: programs emerald and emerald-utils, and a shell. Emerald is on no package registry, so you build the image; docs/emerald.md describes its contents.
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="!self.endsWith(':latest') && self.matches('(:|@sha256:)[A-Za-z0-9._-]+$')",message="platform.emerald.image must carry a tag other than latest, or a digest, so that a run can be repeated"
	// +kubebuilder:validation:MinLength=1
	// +required
	Image string `json:"image"`
	// execution is the execution client of each member. With minBlockTime below a second it must accept blocks with equal timestamps.
	// +required
	Execution *EmeraldExecution `json:"execution,omitempty"`
	// chainId of the execution layer. Default: 12345, Emerald's own.
	// +kubebuilder:default=12345
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=4294967295
	// +optional
	ChainID int64 `json:"chainId,omitempty"`
	// gasLimit of a block, in the genesis and in what the execution client builds. Default: 1000000000, that of the published
	// runs in the cloud; those on bare metal had 200000000.
	// +kubebuilder:default=1000000000
	// +kubebuilder:validation:Minimum=1000000
	// +kubebuilder:validation:Maximum=1000000000000
	// +optional
	GasLimit int64 `json:"gasLimit,omitempty"`
	// accounts that the genesis funds, for the load: a workload uses them or the first of them. At most 5000, since the genesis has
	// to fit into a Secret. Default: 1000.
	// +kubebuilder:default=1000
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=5000
	// +optional
	Accounts int32 `json:"accounts,omitempty"`
	// accountBalanceEther of each funded account, in ether. Default: 1000000.
	// +kubebuilder:default=1000000
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000000000
	// +optional
	AccountBalanceEther int64 `json:"accountBalanceEther,omitempty"`
	// minBlockTime is the least time from block to block. Default: 0s, as fast as possible, as in the published runs; Emerald's own is 500ms.
	// +kubebuilder:default="0s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('0s') && duration(self) <= duration('10m')",message="platform.emerald.minBlockTime must be whole milliseconds from 0s to 10m, such as 500ms or 2s"
	// +optional
	MinBlockTime metav1.Duration `json:"minBlockTime"`
	// payload says how a proposed block travels. Default: PartsOnly, Emerald's own.
	// +kubebuilder:default=PartsOnly
	// +optional
	Payload EmeraldPayload `json:"payload,omitempty"`
	// timeouts of a round of consensus.
	// +kubebuilder:default={}
	// +optional
	Timeouts EmeraldTimeouts `json:"timeouts,omitzero"`
	// gossip between validators.
	// +kubebuilder:default={protocol: GossipSub, mesh: 6, meshHigh: 12, meshLow: 4, meshOutboundMin: 2}
	// +optional
	Gossip EmeraldGossip `json:"gossip,omitzero"`
	// threads of the validator's runtime. Default: one thread, Emerald's own.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=256
	// +optional
	Threads *int32 `json:"threads,omitempty"`
	// logLevel of the validator: Info or Debug, since less would hide the blocks by which its readiness is told. Default: Info.
	// +kubebuilder:default=Info
	// +kubebuilder:validation:Enum=Info;Debug
	// +optional
	LogLevel string `json:"logLevel,omitempty"`
}

// EmeraldExecution configures the execution client of each member. It shares a JWT secret with its validator.
// +kubebuilder:validation:XValidation:rule="self.client != 'Custom' || has(self.command) && has(self.arguments)",message="platform.emerald.execution.client Custom needs command and arguments: nothing is known of its command line"
// +kubebuilder:validation:XValidation:rule="self.client == 'Custom' || !has(self.arguments) && !has(self.initArguments)",message="platform.emerald.execution.arguments and initArguments belong to client Custom: Reth and Geth take flags"
// +kubebuilder:validation:XValidation:rule="self.client != 'Custom' || !has(self.flags)",message="platform.emerald.execution.flags belongs to clients Reth and Geth: Custom takes arguments"
type EmeraldExecution struct {
	// client is Reth, Geth or Custom. Default: Reth.
	// +kubebuilder:default=Reth
	// +optional
	Client ExecutionClient `json:"client,omitempty"`
	// image of the client. With minBlockTime below a second it must accept blocks with equal timestamps, which
	// neither Reth nor Geth do as they are released: use Emerald's custom-reth.
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="!self.endsWith(':latest') && self.matches('(:|@sha256:)[A-Za-z0-9._-]+$')",message="platform.emerald.execution.image must carry a tag other than latest, or a digest, so that a run can be repeated"
	// +kubebuilder:validation:MinLength=1
	// +required
	Image string `json:"image"`
	// command is the program in the image, with arguments that come before all others. Default: reth, or geth.
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=256
	// +optional
	Command []string `json:"command,omitempty"`
	// flags of Reth or Geth without their dashes, such as txpool.max-batch-size: "20000". They replace those of the profile
	// (docs/emerald.md lists it) or come on top; an empty value is a flag that takes none. Flags that follow from the spec are refused.
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="self.all(k, k.matches('^[a-z][a-zA-Z0-9.-]*$'))",message="platform.emerald.execution.flags must be named without dashes in front, such as txpool.max-batch-size"
	// +optional
	Flags map[string]Text `json:"flags,omitempty"`
	// arguments of a Custom client. $(NAME) is replaced: BENCHNET_GENESIS, BENCHNET_JWT, BENCHNET_NODE_KEY, BENCHNET_DATA (paths),
	// BENCHNET_PEERS (enode URLs with commas between), BENCHNET_CHAIN_ID and BENCHNET_GAS_LIMIT. docs/emerald.md has the ports.
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=128
	// +kubebuilder:validation:items:MaxLength=1024
	// +optional
	Arguments []string `json:"arguments,omitempty"`
	// initArguments with which a Custom client is run once before it starts, such as to write the genesis into its database.
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=1024
	// +optional
	InitArguments []string `json:"initArguments,omitempty"`
	// cores of the member that the client may use; the validator has the rest. Default: three quarters.
	// +optional
	Cores *resource.Quantity `json:"cores,omitempty"`
	// memory of the member that the client may use; the validator has the rest. Default: three quarters.
	// +optional
	Memory *resource.Quantity `json:"memory,omitempty"`
}

// EmeraldTimeouts bound the steps of round 0; the delta is added for each round after it.
type EmeraldTimeouts struct {
	// propose is the wait for a proposal. Default: 3s.
	// +kubebuilder:default="3s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('1ms') && duration(self) <= duration('10m')",message="platform.emerald.timeouts.propose must be whole milliseconds from 1ms to 10m, such as 500ms or 3s"
	// +optional
	Propose metav1.Duration `json:"propose,omitzero"`
	// prevote is the wait for more votes once two thirds have voted differently. Default: 1s.
	// +kubebuilder:default="1s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('1ms') && duration(self) <= duration('10m')",message="platform.emerald.timeouts.prevote must be whole milliseconds from 1ms to 10m, such as 500ms or 1s"
	// +optional
	Prevote metav1.Duration `json:"prevote,omitzero"`
	// precommit is the wait for more votes once two thirds have committed differently. Default: 1s.
	// +kubebuilder:default="1s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('1ms') && duration(self) <= duration('10m')",message="platform.emerald.timeouts.precommit must be whole milliseconds from 1ms to 10m, such as 500ms or 1s"
	// +optional
	Precommit metav1.Duration `json:"precommit,omitzero"`
	// delta is added to the three above for each round after the first. Default: 500ms.
	// +kubebuilder:default="500ms"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('0s') && duration(self) <= duration('10m')",message="platform.emerald.timeouts.delta must be whole milliseconds from 0s to 10m, such as 500ms"
	// +optional
	Delta metav1.Duration `json:"delta"`
	// rebroadcast is how long a round may stand still until its votes are sent again. Default: 5s.
	// +kubebuilder:default="5s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('1ms') && duration(self) <= duration('10m')",message="platform.emerald.timeouts.rebroadcast must be whole milliseconds from 1ms to 10m, such as 5s"
	// +optional
	Rebroadcast metav1.Duration `json:"rebroadcast,omitzero"`
}

// EmeraldGossip configures how consensus messages spread. The mesh parameters are GossipSub's D, D_high, D_low and D_out.
// +kubebuilder:validation:XValidation:rule="self.meshLow <= self.mesh && self.mesh <= self.meshHigh",message="platform.emerald.gossip must have meshLow <= mesh <= meshHigh"
// +kubebuilder:validation:XValidation:rule="self.meshOutboundMin * 2 <= self.mesh && self.meshOutboundMin < self.meshLow",message="platform.emerald.gossip.meshOutboundMin must be at most half of mesh, and below meshLow"
type EmeraldGossip struct {
	// protocol is GossipSub, or Broadcast: every message to every connected peer. Default: GossipSub.
	// +kubebuilder:default=GossipSub
	// +optional
	Protocol MalachiteGossipProtocol `json:"protocol,omitempty"`
	// mesh is the number of peers to which messages are forwarded at once. Default: 6.
	// +kubebuilder:default=6
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	Mesh int32 `json:"mesh,omitempty"`
	// meshHigh is the number of mesh peers above which some are dropped. Default: 12.
	// +kubebuilder:default=12
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	MeshHigh int32 `json:"meshHigh,omitempty"`
	// meshLow is the number of mesh peers below which more are taken in. Default: 4.
	// +kubebuilder:default=4
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=100
	// +optional
	MeshLow int32 `json:"meshLow,omitempty"`
	// meshOutboundMin is the least number of mesh peers to which this validator has connected itself. Default: 2.
	// +kubebuilder:default=2
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=50
	// +optional
	MeshOutboundMin int32 `json:"meshOutboundMin,omitempty"`
	// maxMessageSize of a gossiped message, at least 256Ki: parts of a block have 128 KiB. Default: 4Mi.
	// +kubebuilder:default="4Mi"
	// +optional
	MaxMessageSize resource.Quantity `json:"maxMessageSize,omitzero"`
	// maxResponseSize of an answer to a validator that catches up, at least 1Mi: it holds whole blocks. Default: 10Mi.
	// +kubebuilder:default="10Mi"
	// +optional
	MaxResponseSize resource.Quantity `json:"maxResponseSize,omitzero"`
}
