package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MalachiteContent says which bytes a block holds.
// +kubebuilder:validation:Enum=Random;Repeated
type MalachiteContent string

// The contents of a block.
const (
	// MalachiteRandom fills blocks with random bytes, so that nothing can compress them on the way.
	MalachiteRandom MalachiteContent = "Random"
	// MalachiteRepeated repeats one byte, which costs the proposer the least.
	MalachiteRepeated MalachiteContent = "Repeated"
)

// MalachitePayload says how a proposed block is sent.
// +kubebuilder:validation:Enum=ProposalAndParts;ProposalOnly
type MalachitePayload string

// The payload modes.
const (
	// MalachiteProposalAndParts streams the block in parts and sends a small proposal, as Malachite's own apps do.
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
	// MalachiteDiscovery gives each validator a few bootstrap peers, from which it learns the others.
	MalachiteDiscovery MalachitePeers = "Discovery"
)

// MalachiteGossipProtocol is the protocol that carries consensus messages.
// +kubebuilder:validation:Enum=GossipSub;Broadcast
type MalachiteGossipProtocol string

// The gossip protocols.
const (
	MalachiteGossipSub MalachiteGossipProtocol = "GossipSub"
	MalachiteBroadcast MalachiteGossipProtocol = "Broadcast"
)

// MalachitePlatform configures a network of Malachite validators that decide on blocks of a given size. Each has voting power 1.
// members.count is the number of validators. Defaults are those of Malachite unless a description says otherwise.
// +kubebuilder:validation:XValidation:rule="self.peers == 'Discovery' || !has(self.discovery)",message="platform.malachite.discovery belongs to platform.malachite.peers Discovery"
type MalachitePlatform struct {
	// image is the container image of the validator. The reference must have a tag other than latest, or a digest. Default: the
	// project's image malachite-bench.
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="!self.endsWith(':latest') && self.matches('(:|@sha256:)[A-Za-z0-9._-]+$')",message="platform.malachite.image must carry a tag other than latest, or a digest, so that a run can be repeated"
	// +optional
	Image string `json:"image,omitempty"`
	// blockSize is the size of each block in bytes, from 1 to 64Mi. Default: 1Mi.
	// +kubebuilder:default="1Mi"
	// +optional
	BlockSize resource.Quantity `json:"blockSize,omitzero"`
	// content says which bytes a block holds: Random or Repeated. Default: Random.
	// +kubebuilder:default=Random
	// +optional
	Content MalachiteContent `json:"content,omitempty"`
	// partSize is the size in bytes of the largest part in which a block is streamed, from 256 to 64Mi. Default: 128Ki.
	// +kubebuilder:default="128Ki"
	// +optional
	PartSize resource.Quantity `json:"partSize,omitzero"`
	// payload says how a proposed block is sent: ProposalAndParts or ProposalOnly. Default: ProposalAndParts.
	// +kubebuilder:default=ProposalAndParts
	// +optional
	Payload MalachitePayload `json:"payload,omitempty"`
	// targetBlockTime is the least time from block to block. If unset, validators decide on blocks as fast as possible.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('1ms') && duration(self) <= duration('10m')",message="platform.malachite.targetBlockTime must be whole milliseconds from 1ms to 10m, such as 500ms or 1s"
	// +optional
	TargetBlockTime *metav1.Duration `json:"targetBlockTime,omitempty"`
	// timeouts are the timeouts of a round of consensus.
	// +kubebuilder:default={}
	// +optional
	Timeouts MalachiteTimeouts `json:"timeouts,omitzero"`
	// peers says how validators find each other: FullMesh or Discovery. Default: FullMesh.
	// +kubebuilder:default=FullMesh
	// +optional
	Peers MalachitePeers `json:"peers,omitempty"`
	// discovery configures the discovery of peers. It belongs to peers Discovery.
	// +optional
	Discovery *MalachiteDiscoverySpec `json:"discovery,omitempty"`
	// gossip configures how consensus messages spread between validators.
	// +kubebuilder:default={protocol: GossipSub, mesh: 6, meshHigh: 12, meshLow: 4, meshOutboundMin: 2}
	// +optional
	Gossip MalachiteGossip `json:"gossip,omitzero"`
	// sync configures how a validator that has missed blocks catches up.
	// +kubebuilder:default={}
	// +optional
	Sync MalachiteSync `json:"sync,omitzero"`
	// keptBlocks is the number of decided blocks that a validator keeps for validators that catch up. Default: 1000, a choice of
	// this project.
	// +kubebuilder:default=1000
	// +kubebuilder:validation:Minimum=10
	// +kubebuilder:validation:Maximum=1000000
	// +optional
	KeptBlocks int32 `json:"keptBlocks,omitempty"`
	// threads is the number of threads of the validator's runtime. Default: the cores that it may use, rounded up.
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

// MalachiteTimeouts bound the steps of the first round. Each later round adds delta.
type MalachiteTimeouts struct {
	// propose is the time for which a validator waits for a proposal. Default: 3s.
	// +kubebuilder:default="3s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('1ms') && duration(self) <= duration('10m')",message="platform.malachite.timeouts.propose must be whole milliseconds from 1ms to 10m, such as 500ms or 3s"
	// +optional
	Propose metav1.Duration `json:"propose,omitzero"`
	// prevote is the time for which a validator waits for more votes after two thirds have voted differently. Default: 1s.
	// +kubebuilder:default="1s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('1ms') && duration(self) <= duration('10m')",message="platform.malachite.timeouts.prevote must be whole milliseconds from 1ms to 10m, such as 500ms or 1s"
	// +optional
	Prevote metav1.Duration `json:"prevote,omitzero"`
	// precommit is the time for which a validator waits for more votes after two thirds have committed differently. Default: 1s.
	// +kubebuilder:default="1s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('1ms') && duration(self) <= duration('10m')",message="platform.malachite.timeouts.precommit must be whole milliseconds from 1ms to 10m, such as 500ms or 1s"
	// +optional
	Precommit metav1.Duration `json:"precommit,omitzero"`
	// delta is added to the three timeouts above for each round after the first. Default: 500ms.
	// +kubebuilder:default="500ms"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('0s') && duration(self) <= duration('10m')",message="platform.malachite.timeouts.delta must be whole milliseconds from 0s to 10m, such as 500ms"
	// +optional
	Delta metav1.Duration `json:"delta"`
	// rebroadcast is the time without progress after which a validator sends the votes of its round again. Default: 5s.
	// +kubebuilder:default="5s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('1ms') && duration(self) <= duration('10m')",message="platform.malachite.timeouts.rebroadcast must be whole milliseconds from 1ms to 10m, such as 5s"
	// +optional
	Rebroadcast metav1.Duration `json:"rebroadcast,omitzero"`
}

// MalachiteDiscoverySpec configures the discovery of peers.
type MalachiteDiscoverySpec struct {
	// bootstrapPeers is the number of peers that a validator knows from the start. They are the validators after it in order.
	// Default: 2.
	// +kubebuilder:default=2
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=99
	// +optional
	BootstrapPeers int32 `json:"bootstrapPeers,omitempty"`
	// protocol is Full or Kademlia. With Full, a validator asks every peer for its peers. Default: Kademlia.
	// +kubebuilder:default=Kademlia
	// +kubebuilder:validation:Enum=Full;Kademlia
	// +optional
	Protocol string `json:"protocol,omitempty"`
	// selector chooses the peers that stay connected: Kademlia or Random. Default: Kademlia.
	// +kubebuilder:default=Kademlia
	// +kubebuilder:validation:Enum=Kademlia;Random
	// +optional
	Selector string `json:"selector,omitempty"`
	// outboundPeers is the number of peers to which a validator stays connected. Default: 50.
	// +kubebuilder:default=50
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	OutboundPeers int32 `json:"outboundPeers,omitempty"`
	// inboundPeers is the number of peers that a validator accepts. It must be at least outboundPeers. Default: 50.
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
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	MeshLow int32 `json:"meshLow,omitempty"`
	// meshOutboundMin is the least number of mesh peers to which the validator has opened the connection itself. Default: 2.
	// +kubebuilder:default=2
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=50
	// +optional
	MeshOutboundMin int32 `json:"meshOutboundMin,omitempty"`
	// maxMessageSize is the size in bytes of the largest gossiped message. It must hold a part of a block and another 192Ki. With
	// payload ProposalOnly it must hold the whole block and another 192Ki. Default: 4Mi, or more if that is needed.
	// +optional
	MaxMessageSize *resource.Quantity `json:"maxMessageSize,omitempty"`
	// maxResponseSize is the size in bytes of the largest response to a validator that catches up. It must hold a block and
	// another 192Ki. Default: 10Mi, or more if that is needed.
	// +optional
	MaxResponseSize *resource.Quantity `json:"maxResponseSize,omitempty"`
}

// MalachiteSync configures value sync, by which a validator that has missed blocks catches up.
type MalachiteSync struct {
	// mode is Enabled or Disabled. Default: Enabled.
	// +kubebuilder:default=Enabled
	// +optional
	Mode Switch `json:"mode,omitempty"`
	// statusInterval is the time between two messages in which a validator reports its height. Default: 1s, a choice of this
	// project, so that a validator soon notices that it is behind. The default of Malachite is 10s.
	// +kubebuilder:default="1s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('1ms') && duration(self) <= duration('10m')",message="platform.malachite.sync.statusInterval must be whole milliseconds from 1ms to 10m, such as 1s"
	// +optional
	StatusInterval metav1.Duration `json:"statusInterval,omitzero"`
	// requestTimeout is the time after which another peer is asked. Default: 10s.
	// +kubebuilder:default="10s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('1ms') && duration(self) <= duration('10m')",message="platform.malachite.sync.requestTimeout must be whole milliseconds from 1ms to 10m, such as 10s"
	// +optional
	RequestTimeout metav1.Duration `json:"requestTimeout,omitzero"`
	// parallelRequests is the number of requests at the same time. Default: 5.
	// +kubebuilder:default=5
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	ParallelRequests int32 `json:"parallelRequests,omitempty"`
	// batchSize is the number of blocks that one request asks for. Default: 5.
	// +kubebuilder:default=5
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	BatchSize int32 `json:"batchSize,omitempty"`
}

// MalachiteWorkload measures a Malachite network, which generates its own load by deciding on one block after the other. Nothing
// is sent to it. The blocks that one validator decides are observed.
type MalachiteWorkload struct {
	// observe is the name of the member whose decisions are measured. Default: member-0.
	// +kubebuilder:default=member-0
	// +kubebuilder:validation:MaxLength=63
	// +optional
	Observe string `json:"observe,omitempty"`
	// transactionBytes is the size in bytes of a transaction. It converts bytes per second to transactions per second. Default:
	// 110, a plain transfer of ether (the Emerald benchmarks of experiments M1 to M4).
	// +kubebuilder:default=110
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1048576
	// +optional
	TransactionBytes int32 `json:"transactionBytes,omitempty"`
}
