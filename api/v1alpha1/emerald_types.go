package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	// image is the container image of the validator. It is required and contains a shell and the programs emerald and
	// emerald-utils. Emerald is on no package registry, so you build the image. docs/emerald.md describes its contents. The
	// reference must have a tag other than latest, or a digest.
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="!self.endsWith(':latest') && self.matches('(:|@sha256:)[A-Za-z0-9._-]+$')",message="platform.emerald.image must carry a tag other than latest, or a digest, so that a run can be repeated"
	// +kubebuilder:validation:MinLength=1
	// +required
	Image string `json:"image"`
	// execution configures the execution client of each member. It is required.
	// +required
	Execution *EmeraldExecution `json:"execution,omitempty"`
	// chainId is the chain ID of the execution layer. Default: 12345, as in Emerald.
	// +kubebuilder:default=12345
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=4294967295
	// +optional
	ChainID int64 `json:"chainId,omitempty"`
	// gasLimit is the gas limit of a block, both in the genesis and in the blocks that the execution client builds. Default:
	// 1000000000, as in the published runs in the cloud. The published runs on bare metal had 200000000.
	// +kubebuilder:default=1000000000
	// +kubebuilder:validation:Minimum=1000000
	// +kubebuilder:validation:Maximum=1000000000000
	// +optional
	GasLimit int64 `json:"gasLimit,omitempty"`
	// accounts is the number of accounts that the genesis funds for the load, from 1 to 5000, since the genesis has to fit into a
	// Secret. A workload uses all of them or the first ones. Default: 1000.
	// +kubebuilder:default=1000
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=5000
	// +optional
	Accounts int32 `json:"accounts,omitempty"`
	// accountBalanceEther is the balance of each funded account in ether. Default: 1000000.
	// +kubebuilder:default=1000000
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000000000
	// +optional
	AccountBalanceEther int64 `json:"accountBalanceEther,omitempty"`
	// minBlockTime is the least time from block to block. With 0s, validators decide on blocks as fast as possible. Default: 0s,
	// as in the published runs. The default of Emerald is 500ms.
	// +kubebuilder:default="0s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('0s') && duration(self) <= duration('10m')",message="platform.emerald.minBlockTime must be whole milliseconds from 0s to 10m, such as 500ms or 2s"
	// +optional
	MinBlockTime metav1.Duration `json:"minBlockTime"`
	// payload says how a proposed block is sent: PartsOnly or ProposalAndParts. Default: PartsOnly, as in Emerald.
	// +kubebuilder:default=PartsOnly
	// +optional
	Payload EmeraldPayload `json:"payload,omitempty"`
	// timeouts are the timeouts of a round of consensus.
	// +kubebuilder:default={}
	// +optional
	Timeouts EmeraldTimeouts `json:"timeouts,omitzero"`
	// gossip configures how consensus messages spread between validators.
	// +kubebuilder:default={protocol: GossipSub, mesh: 6, meshHigh: 12, meshLow: 4, meshOutboundMin: 2}
	// +optional
	Gossip EmeraldGossip `json:"gossip,omitzero"`
	// threads is the number of threads of the validator's runtime. Default: 1, as in Emerald.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=256
	// +optional
	Threads *int32 `json:"threads,omitempty"`
	// logLevel is the log level of the validator: Info or Debug. The readiness check reads blocks from the log, so it cannot be
	// lower. Default: Info.
	// +kubebuilder:default=Info
	// +kubebuilder:validation:Enum=Info;Debug
	// +optional
	LogLevel string `json:"logLevel,omitempty"`
}

// EmeraldExecution configures the execution client of each member. The client shares a JWT secret with its validator.
// +kubebuilder:validation:XValidation:rule="self.client != 'Custom' || has(self.command) && has(self.arguments)",message="platform.emerald.execution.client Custom needs command and arguments: nothing is known of its command line"
// +kubebuilder:validation:XValidation:rule="self.client == 'Custom' || !has(self.arguments) && !has(self.initArguments)",message="platform.emerald.execution.arguments and initArguments belong to client Custom: Reth and Geth take flags"
// +kubebuilder:validation:XValidation:rule="self.client != 'Custom' || !has(self.flags)",message="platform.emerald.execution.flags belongs to clients Reth and Geth: Custom takes arguments"
type EmeraldExecution struct {
	// client is the kind of the execution client: Reth, Geth or Custom. Default: Reth.
	// +kubebuilder:default=Reth
	// +optional
	Client ExecutionClient `json:"client,omitempty"`
	// image is the container image of the client. It is required. With minBlockTime below a second the client must accept blocks
	// with equal timestamps. The releases of Reth and Geth do not; use Emerald's custom-reth. The reference must have a tag other
	// than latest, or a digest.
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="!self.endsWith(':latest') && self.matches('(:|@sha256:)[A-Za-z0-9._-]+$')",message="platform.emerald.execution.image must carry a tag other than latest, or a digest, so that a run can be repeated"
	// +kubebuilder:validation:MinLength=1
	// +required
	Image string `json:"image"`
	// command is the program in the image, with the arguments that come before all others. It is required with client Custom.
	// Default: reth or geth.
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=256
	// +optional
	Command []string `json:"command,omitempty"`
	// flags are flags of Reth or Geth without their dashes, such as txpool.max-batch-size: 20000. They override or extend those
	// of the profile. A flag with an empty value takes no argument. docs/emerald.md lists the profile and the flags that are
	// allowed.
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="self.all(k, k.matches('^[a-z][a-zA-Z0-9.-]*$'))",message="platform.emerald.execution.flags must be named without dashes in front, such as txpool.max-batch-size"
	// +optional
	Flags map[string]Text `json:"flags,omitempty"`
	// arguments are the arguments of a Custom client, which requires them. $(NAME) is replaced for BENCHNET_GENESIS,
	// BENCHNET_JWT, BENCHNET_NODE_KEY and BENCHNET_DATA (paths), BENCHNET_PEERS (enode URLs separated by commas),
	// BENCHNET_CHAIN_ID and BENCHNET_GAS_LIMIT. docs/emerald.md lists the ports.
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
	// cores is the part of the member's cores that the client may use. The validator has the rest. Default: three quarters.
	// +optional
	Cores *resource.Quantity `json:"cores,omitempty"`
	// memory is the part of the member's memory that the client may use. The validator has the rest. Default: three quarters.
	// +optional
	Memory *resource.Quantity `json:"memory,omitempty"`
}

// EmeraldTimeouts bound the steps of the first round. Each later round adds delta.
type EmeraldTimeouts struct {
	// propose is the time for which a validator waits for a proposal. Default: 3s.
	// +kubebuilder:default="3s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('1ms') && duration(self) <= duration('10m')",message="platform.emerald.timeouts.propose must be whole milliseconds from 1ms to 10m, such as 500ms or 3s"
	// +optional
	Propose metav1.Duration `json:"propose,omitzero"`
	// prevote is the time for which a validator waits for more votes after two thirds have voted differently. Default: 1s.
	// +kubebuilder:default="1s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('1ms') && duration(self) <= duration('10m')",message="platform.emerald.timeouts.prevote must be whole milliseconds from 1ms to 10m, such as 500ms or 1s"
	// +optional
	Prevote metav1.Duration `json:"prevote,omitzero"`
	// precommit is the time for which a validator waits for more votes after two thirds have committed differently. Default: 1s.
	// +kubebuilder:default="1s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('1ms') && duration(self) <= duration('10m')",message="platform.emerald.timeouts.precommit must be whole milliseconds from 1ms to 10m, such as 500ms or 1s"
	// +optional
	Precommit metav1.Duration `json:"precommit,omitzero"`
	// delta is added to the three timeouts above for each round after the first. Default: 500ms.
	// +kubebuilder:default="500ms"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('0s') && duration(self) <= duration('10m')",message="platform.emerald.timeouts.delta must be whole milliseconds from 0s to 10m, such as 500ms"
	// +optional
	Delta metav1.Duration `json:"delta"`
	// rebroadcast is the time without progress after which a validator sends the votes of its round again. Default: 5s.
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
	// protocol is GossipSub or Broadcast. Broadcast sends every message to every connected peer. Default: GossipSub.
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
	// meshLow is the number of mesh peers below which more are added. Default: 4.
	// +kubebuilder:default=4
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=100
	// +optional
	MeshLow int32 `json:"meshLow,omitempty"`
	// meshOutboundMin is the least number of mesh peers to which the validator has opened the connection itself. Default: 2.
	// +kubebuilder:default=2
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=50
	// +optional
	MeshOutboundMin int32 `json:"meshOutboundMin,omitempty"`
	// maxMessageSize is the size in bytes of the largest gossiped message. It is at least 256Ki, since parts of a block have 128
	// KiB. Default: 4Mi.
	// +kubebuilder:default="4Mi"
	// +optional
	MaxMessageSize resource.Quantity `json:"maxMessageSize,omitzero"`
	// maxResponseSize is the size in bytes of the largest response to a validator that catches up. It is at least 1Mi, since it
	// holds whole blocks. Default: 10Mi.
	// +kubebuilder:default="10Mi"
	// +optional
	MaxResponseSize resource.Quantity `json:"maxResponseSize,omitzero"`
}
