package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
)

// BlockContent says which bytes a block holds.
// +kubebuilder:validation:Enum=Random;Repeated
type BlockContent string

// The contents of a block.
const (
	// BlockContentRandom fills blocks with random bytes, so that nothing can compress them on the way.
	BlockContentRandom BlockContent = "Random"
	// BlockContentRepeated repeats one byte, which costs the proposer the least.
	BlockContentRepeated BlockContent = "Repeated"
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

// MalachiteGossipProtocol is the protocol that carries consensus messages.
// +kubebuilder:validation:Enum=GossipSub;Broadcast
type MalachiteGossipProtocol string

// The gossip protocols.
const (
	MalachiteGossipSub MalachiteGossipProtocol = "GossipSub"
	MalachiteBroadcast MalachiteGossipProtocol = "Broadcast"
)

// MalachitePlatform configures a network of Malachite validators that decide on blocks of a given size.
// members.count is the number of validators. Defaults are those of Malachite unless a description says otherwise.
// +kubebuilder:validation:XValidation:rule="self.peers.type == 'Discovery' || !has(self.discovery)",message="platform.malachite.discovery belongs to platform.malachite.peers.type Discovery"
type MalachitePlatform struct {
	// image is the container image of the validator, with a tag other than latest or a digest. Default: the project's
	// malachite-bench.
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="!self.endsWith(':latest') && self.matches('(:|@sha256:)[A-Za-z0-9._-]+$')",message="must carry a tag other than latest, or a digest, for repeatable runs"
	// +optional
	Image string `json:"image,omitempty"`
	// blockSize is the size of each block in bytes, from 1 to 64Mi. Default: 1Mi.
	// +kubebuilder:default="1Mi"
	// +optional
	BlockSize resource.Quantity `json:"blockSize,omitzero"`
	// content says which bytes a block holds. Default: Random.
	// +kubebuilder:default=Random
	// +optional
	Content BlockContent `json:"content,omitempty"`
	// partSize is the largest part in which a block is streamed, in bytes, from 256 to 64Mi. Default: 128Ki.
	// +kubebuilder:default="128Ki"
	// +optional
	PartSize resource.Quantity `json:"partSize,omitzero"`
	// payload says how a proposed block is sent. Default: ProposalAndParts.
	// +kubebuilder:default=ProposalAndParts
	// +optional
	Payload MalachitePayload `json:"payload,omitempty"`
	// targetBlockTime is the least time from block to block. Default: none, as fast as possible.
	// +optional
	TargetBlockTime *Timeout `json:"targetBlockTime,omitempty"`
	// timeouts are the timeouts of a round of consensus.
	// +kubebuilder:default={propose: "3s", prevote: "1s", precommit: "1s"}
	// +optional
	Timeouts ConsensusTimeouts `json:"timeouts,omitzero"`
	// powers are the voting powers of the validators. Default: 10 each.
	// +optional
	Powers VotingPowers `json:"powers,omitzero"`
	// peers is the graph of the validators' connections, of up to 100 validators with type FullMesh, otherwise 1000.
	// +kubebuilder:default={}
	// +optional
	Peers Peers `json:"peers,omitzero"`
	// discovery configures the discovery of peers. It belongs to peers.type Discovery.
	// +optional
	Discovery *MalachiteDiscoverySpec `json:"discovery,omitempty"`
	// gossip configures how consensus messages spread.
	// +kubebuilder:default={protocol: GossipSub, mesh: 6, meshHigh: 12, meshLow: 4, meshOutboundMin: 2}
	// +optional
	Gossip MalachiteGossip `json:"gossip,omitzero"`
	// sync configures how a validator that has missed blocks catches up.
	// +kubebuilder:default={}
	// +optional
	Sync MalachiteSync `json:"sync,omitzero"`
	// keptBlocks is the number of decided blocks that a validator keeps for others to catch up. Default: 1000, this project's
	// choice.
	// +kubebuilder:default=1000
	// +kubebuilder:validation:Minimum=10
	// +kubebuilder:validation:Maximum=1000000
	// +optional
	KeptBlocks int32 `json:"keptBlocks,omitempty"`
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

// MalachiteDiscoverySpec configures the discovery of peers.
type MalachiteDiscoverySpec struct {
	// bootstrapPeers is the number of peers that a validator knows from the start: the next ones in order. Default: 2.
	// +kubebuilder:default=2
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=99
	// +optional
	BootstrapPeers int32 `json:"bootstrapPeers,omitempty"`
	// protocol is Kademlia, or Full: a validator asks every peer for its peers. Default: Kademlia.
	// +kubebuilder:default=Kademlia
	// +kubebuilder:validation:Enum=Full;Kademlia
	// +optional
	Protocol string `json:"protocol,omitempty"`
	// selector chooses the peers that stay connected. Default: Kademlia.
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
	// inboundPeers is the number of peers that a validator accepts, at least outboundPeers. Default: 50.
	// +kubebuilder:default=50
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	InboundPeers int32 `json:"inboundPeers,omitempty"`
}

// MalachiteGossip configures how consensus messages spread.
// +kubebuilder:validation:XValidation:rule="self.meshLow <= self.mesh && self.mesh <= self.meshHigh && (self.meshOutboundMin == 1 || self.meshOutboundMin * 2 <= self.mesh && self.meshOutboundMin < self.meshLow)",message="must have meshLow <= mesh <= meshHigh, and meshOutboundMin 1, or at most half of mesh and below meshLow"
type MalachiteGossip struct {
	GossipMesh `json:",inline"`
	// maxMessageSize is the largest gossiped message in bytes: a part of a block, or with payload ProposalOnly a block, and another
	// 192Ki. Default: 4Mi, or more if needed.
	// +optional
	MaxMessageSize *resource.Quantity `json:"maxMessageSize,omitempty"`
	// maxResponseSize is the largest response in bytes to a validator that catches up. It must hold a block and another 192Ki.
	// Default: 10Mi, or more if needed.
	// +optional
	MaxResponseSize *resource.Quantity `json:"maxResponseSize,omitempty"`
}

// MalachiteSync configures value sync, by which a validator that has missed blocks catches up.
type MalachiteSync struct {
	// mode is Enabled or Disabled. Default: Enabled.
	// +kubebuilder:default=Enabled
	// +optional
	Mode Switch `json:"mode,omitempty"`
	// statusInterval is the time between two messages in which a validator reports its height. Default: 1s; Malachite's own is 10s.
	// +kubebuilder:default="1s"
	// +optional
	StatusInterval Timeout `json:"statusInterval,omitzero"`
	// requestTimeout is the time after which another peer is asked. Default: 10s.
	// +kubebuilder:default="10s"
	// +optional
	RequestTimeout Timeout `json:"requestTimeout,omitzero"`
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
