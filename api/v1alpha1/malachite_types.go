package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MalachiteContent says what a block is made of.
// +kubebuilder:validation:Enum=Random;Repeated
type MalachiteContent string

// The contents of a block.
const (
	// MalachiteRandom bytes, so that nothing on the way can compress them.
	MalachiteRandom MalachiteContent = "Random"
	// MalachiteRepeated is one byte over and over: it costs the proposer the least.
	MalachiteRepeated MalachiteContent = "Repeated"
)

// MalachitePayload says how a proposed block travels.
// +kubebuilder:validation:Enum=ProposalAndParts;ProposalOnly
type MalachitePayload string

// The payload modes.
const (
	// MalachiteProposalAndParts streams the block in parts beside a small proposal, as Malachite's own apps do.
	MalachiteProposalAndParts MalachitePayload = "ProposalAndParts"
	// MalachiteProposalOnly puts the whole block into the proposal.
	MalachiteProposalOnly MalachitePayload = "ProposalOnly"
)

// MalachitePeers says how validators find each other.
// +kubebuilder:validation:Enum=FullMesh;Discovery
type MalachitePeers string

// The ways to find peers.
const (
	// MalachiteFullMesh makes every validator a persistent peer of every other.
	MalachiteFullMesh MalachitePeers = "FullMesh"
	// MalachiteDiscovery gives each validator a few bootstrap peers, from which it learns of the others.
	MalachiteDiscovery MalachitePeers = "Discovery"
)

// MalachiteGossipProtocol carries consensus messages.
// +kubebuilder:validation:Enum=GossipSub;Broadcast
type MalachiteGossipProtocol string

// The gossip protocols.
const (
	MalachiteGossipSub MalachiteGossipProtocol = "GossipSub"
	MalachiteBroadcast MalachiteGossipProtocol = "Broadcast"
)

// MalachitePlatform configures a network of Malachite validators, each of voting power 1, that decide on blocks of a given
// size. members.count is the number of validators. Defaults are Malachite's own unless said otherwise.
// +kubebuilder:validation:XValidation:rule="self.peers == 'Discovery' || !has(self.discovery)",message="platform.malachite.discovery belongs to platform.malachite.peers Discovery"
type MalachitePlatform struct {
	// image of the validator. Default: the project's own malachite-bench.
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="!self.endsWith(':latest') && self.matches('(:|@sha256:)[A-Za-z0-9._-]+$')",message="platform.malachite.image must carry a tag other than latest, or a digest, so that a run can be repeated"
	// +optional
	Image string `json:"image,omitempty"`
	// blockSize is the bytes of each block, 1 to 64Mi. Default: 1Mi.
	// +kubebuilder:default="1Mi"
	// +optional
	BlockSize resource.Quantity `json:"blockSize,omitzero"`
	// content of a block. Default: Random.
	// +kubebuilder:default=Random
	// +optional
	Content MalachiteContent `json:"content,omitempty"`
	// partSize is the largest part, in bytes, in which a block is streamed: 256 to 64Mi. Default: 128Ki.
	// +kubebuilder:default="128Ki"
	// +optional
	PartSize resource.Quantity `json:"partSize,omitzero"`
	// payload says how a proposed block travels. Default: ProposalAndParts.
	// +kubebuilder:default=ProposalAndParts
	// +optional
	Payload MalachitePayload `json:"payload,omitempty"`
	// targetBlockTime is the least time from block to block. Unset: as fast as possible.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('1ms') && duration(self) <= duration('10m')",message="platform.malachite.targetBlockTime must be whole milliseconds from 1ms to 10m, such as 500ms or 1s"
	// +optional
	TargetBlockTime *metav1.Duration `json:"targetBlockTime,omitempty"`
	// timeouts of a round.
	// +kubebuilder:default={}
	// +optional
	Timeouts MalachiteTimeouts `json:"timeouts,omitzero"`
	// peers says how validators find each other. Default: FullMesh.
	// +kubebuilder:default=FullMesh
	// +optional
	Peers MalachitePeers `json:"peers,omitempty"`
	// discovery of peers, with peers Discovery.
	// +optional
	Discovery *MalachiteDiscoverySpec `json:"discovery,omitempty"`
	// gossip between validators.
	// +kubebuilder:default={protocol: GossipSub, mesh: 6, meshHigh: 12, meshLow: 4, meshOutboundMin: 2}
	// +optional
	Gossip MalachiteGossip `json:"gossip,omitzero"`
	// sync lets a validator that was away catch up.
	// +kubebuilder:default={}
	// +optional
	Sync MalachiteSync `json:"sync,omitzero"`
	// keptBlocks is how many decided blocks a validator keeps for those that have to catch up. Default: 1000, this project's choice.
	// +kubebuilder:default=1000
	// +kubebuilder:validation:Minimum=10
	// +kubebuilder:validation:Maximum=1000000
	// +optional
	KeptBlocks int32 `json:"keptBlocks,omitempty"`
	// threads of the validator's runtime. Default: the cores that it may use, rounded up.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=256
	// +optional
	Threads *int32 `json:"threads,omitempty"`
	// logLevel of the validator. Default: Info.
	// +kubebuilder:default=Info
	// +kubebuilder:validation:Enum=Error;Warn;Info;Debug
	// +optional
	LogLevel string `json:"logLevel,omitempty"`
}

// MalachiteTimeouts bound the steps of round 0; the delta is added for each round after it.
type MalachiteTimeouts struct {
	// propose is the wait for a proposal. Default: 3s.
	// +kubebuilder:default="3s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('1ms') && duration(self) <= duration('10m')",message="platform.malachite.timeouts.propose must be whole milliseconds from 1ms to 10m, such as 500ms or 3s"
	// +optional
	Propose metav1.Duration `json:"propose,omitzero"`
	// prevote is the wait for more votes once two thirds have voted differently. Default: 1s.
	// +kubebuilder:default="1s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('1ms') && duration(self) <= duration('10m')",message="platform.malachite.timeouts.prevote must be whole milliseconds from 1ms to 10m, such as 500ms or 1s"
	// +optional
	Prevote metav1.Duration `json:"prevote,omitzero"`
	// precommit is the wait for more votes once two thirds have committed differently. Default: 1s.
	// +kubebuilder:default="1s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('1ms') && duration(self) <= duration('10m')",message="platform.malachite.timeouts.precommit must be whole milliseconds from 1ms to 10m, such as 500ms or 1s"
	// +optional
	Precommit metav1.Duration `json:"precommit,omitzero"`
	// delta is added to the three above for each round after the first. Default: 500ms.
	// +kubebuilder:default="500ms"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('0s') && duration(self) <= duration('10m')",message="platform.malachite.timeouts.delta must be whole milliseconds from 0s to 10m, such as 500ms"
	// +optional
	Delta metav1.Duration `json:"delta"`
	// rebroadcast is how long a round may stand still until its votes are sent again. Default: 5s.
	// +kubebuilder:default="5s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('1ms') && duration(self) <= duration('10m')",message="platform.malachite.timeouts.rebroadcast must be whole milliseconds from 1ms to 10m, such as 5s"
	// +optional
	Rebroadcast metav1.Duration `json:"rebroadcast,omitzero"`
}

// MalachiteDiscoverySpec configures the discovery of peers.
type MalachiteDiscoverySpec struct {
	// bootstrapPeers that a validator is told of: the validators after it in order. Default: 2.
	// +kubebuilder:default=2
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=99
	// +optional
	BootstrapPeers int32 `json:"bootstrapPeers,omitempty"`
	// protocol is Full (ask every peer for its peers) or Kademlia. Default: Kademlia.
	// +kubebuilder:default=Kademlia
	// +kubebuilder:validation:Enum=Full;Kademlia
	// +optional
	Protocol string `json:"protocol,omitempty"`
	// selector of the peers that stay connected: Kademlia or Random. Default: Kademlia.
	// +kubebuilder:default=Kademlia
	// +kubebuilder:validation:Enum=Kademlia;Random
	// +optional
	Selector string `json:"selector,omitempty"`
	// outboundPeers that a validator keeps connected. Default: 50.
	// +kubebuilder:default=50
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	OutboundPeers int32 `json:"outboundPeers,omitempty"`
	// inboundPeers that a validator accepts, at least outboundPeers. Default: 50.
	// +kubebuilder:default=50
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	InboundPeers int32 `json:"inboundPeers,omitempty"`
}

// MalachiteGossip configures how consensus messages spread. The mesh parameters are GossipSub's D, D_high, D_low and D_out.
// +kubebuilder:validation:XValidation:rule="self.meshLow <= self.mesh && self.mesh <= self.meshHigh",message="platform.malachite.gossip must have meshLow <= mesh <= meshHigh"
// +kubebuilder:validation:XValidation:rule="self.meshOutboundMin == 1 || self.meshOutboundMin * 2 <= self.mesh && self.meshOutboundMin < self.meshLow",message="platform.malachite.gossip.meshOutboundMin must be 1, or at most half of mesh and below meshLow"
type MalachiteGossip struct {
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
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	MeshLow int32 `json:"meshLow,omitempty"`
	// meshOutboundMin is the least number of mesh peers to which this validator has connected itself. Default: 2.
	// +kubebuilder:default=2
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=50
	// +optional
	MeshOutboundMin int32 `json:"meshOutboundMin,omitempty"`
	// maxMessageSize is the largest size of a gossiped message. It must hold a part of a block, or with payload ProposalOnly the whole
	// block, and another 192Ki. Default: 4Mi, or more if that is needed.
	// +optional
	MaxMessageSize *resource.Quantity `json:"maxMessageSize,omitempty"`
	// maxResponseSize is the largest size of an answer to a validator that catches up. It must hold a block and another 192Ki.
	// Default: 10Mi, or more if that is needed.
	// +optional
	MaxResponseSize *resource.Quantity `json:"maxResponseSize,omitempty"`
}

// MalachiteSync configures value sync, by which a validator that was away catches up.
type MalachiteSync struct {
	// mode is Enabled or Disabled. Default: Enabled.
	// +kubebuilder:default=Enabled
	// +optional
	Mode Switch `json:"mode,omitempty"`
	// statusInterval between the messages in which validators tell each other their height. Default: 1s, this project's choice, so that one
	// that was away notices soon; Malachite's own is 10s.
	// +kubebuilder:default="1s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('1ms') && duration(self) <= duration('10m')",message="platform.malachite.sync.statusInterval must be whole milliseconds from 1ms to 10m, such as 1s"
	// +optional
	StatusInterval metav1.Duration `json:"statusInterval,omitzero"`
	// requestTimeout after which another peer is asked. Default: 10s.
	// +kubebuilder:default="10s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('1ms') && duration(self) <= duration('10m')",message="platform.malachite.sync.requestTimeout must be whole milliseconds from 1ms to 10m, such as 10s"
	// +optional
	RequestTimeout metav1.Duration `json:"requestTimeout,omitzero"`
	// parallelRequests at the same time. Default: 5.
	// +kubebuilder:default=5
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	ParallelRequests int32 `json:"parallelRequests,omitempty"`
	// batchSize is the number of blocks asked for at once. Default: 5.
	// +kubebuilder:default=5
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	BatchSize int32 `json:"batchSize,omitempty"`
}

// MalachiteWorkload measures a Malachite network, which loads itself: it decides on one block after the other. Nothing is sent
// to it; the blocks that one validator decides are observed.
type MalachiteWorkload struct {
	// observe is the ordinal of the validator whose decisions are measured. Default: 0.
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=999
	// +optional
	Observe int32 `json:"observe"`
	// transactionBytes turns bytes per second into transactions per second. Default: 110, a plain transfer of ether
	// (the Emerald benchmarks of experiments M1 to M4).
	// +kubebuilder:default=110
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1048576
	// +optional
	TransactionBytes int32 `json:"transactionBytes,omitempty"`
}
