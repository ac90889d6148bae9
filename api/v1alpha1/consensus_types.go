package v1alpha1

// ConsensusTimeouts bound the steps of a round of Malachite's consensus.
type ConsensusTimeouts struct {
	RoundTimeouts `json:",inline"`
	// rebroadcast is the time without progress after which a validator repeats its votes. Default: 5s.
	// +kubebuilder:default="5s"
	// +optional
	Rebroadcast Timeout `json:"rebroadcast,omitzero"`
}

// RoundTimeouts bound the steps of the first round of a consensus. Each later round adds delta.
// +kubebuilder:validation:XValidation:rule="[self.propose, self.prevote, self.precommit].all(t, t.matches('^([0-9]+m|[0-9]+(m|[.][0-9]{1,3})?s)+$') && [duration('1ms'), duration(t), duration('10m')].isSorted())",message="timeouts: propose, prevote and precommit must be whole milliseconds from 1ms to 10m, such as 3s"
type RoundTimeouts struct {
	// propose is the wait for a proposal. Default: 3s.
	// +kubebuilder:default="3s"
	// +optional
	Propose Wait `json:"propose,omitzero"`
	// prevote is the wait for more votes after two thirds have voted differently. Default: 1s.
	// +kubebuilder:default="1s"
	// +optional
	Prevote Wait `json:"prevote,omitzero"`
	// precommit is the wait for more votes after two thirds have committed differently. Default: 1s.
	// +kubebuilder:default="1s"
	// +optional
	Precommit Wait `json:"precommit,omitzero"`
	// delta is added to propose, prevote and precommit for each later round. Default: 500ms.
	// +kubebuilder:default="500ms"
	// +optional
	Delta Delay `json:"delta"`
}

// PeersType says which other validators a validator dials.
// +kubebuilder:validation:Enum=FullMesh;Ring;Random;Sentries;Discovery
type PeersType string

// The graphs of connections.
const (
	// PeersFullMesh makes every validator dial every other.
	PeersFullMesh PeersType = "FullMesh"
	// PeersRing makes every validator dial the next ones in order.
	PeersRing PeersType = "Ring"
	// PeersRandom makes every validator dial others at random, so that all are connected.
	PeersRandom PeersType = "Random"
	// PeersSentries makes the first validators a full mesh, of which every other validator dials two.
	PeersSentries PeersType = "Sentries"
	// PeersDiscovery gives every validator a few bootstrap peers, from which it learns the others.
	PeersDiscovery PeersType = "Discovery"
)

// Peers is the graph of the connections between validators. A connection carries messages both ways.
type Peers struct {
	// type says which others a validator dials: FullMesh (all), Ring (the next in order), Random (a connected graph), Sentries (two
	// of the first, which are a full mesh) or Discovery (those that it finds). Default: FullMesh.
	// +kubebuilder:default=FullMesh
	// +optional
	Type PeersType `json:"type,omitempty"`
	// degree is how many of the others each validator dials, with type Ring or Random. Default: 4, or all.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=32
	// +optional
	Degree *int32 `json:"degree,omitempty"`
	// seed is the seed of type Random. Default: 1.
	// +kubebuilder:validation:Minimum=0
	// +optional
	Seed *int64 `json:"seed,omitempty"`
	// sentries is the number of sentries, below members.count, with type Sentries. Default: 4, or all but one.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	Sentries *int32 `json:"sentries,omitempty"`
}

// PowerDistribution says how much voting power each validator has.
// +kubebuilder:validation:Enum=Equal;Zipf
type PowerDistribution string

// The distributions of voting power.
const (
	// PowerEqual gives each validator the power 10.
	PowerEqual PowerDistribution = "Equal"
	// PowerZipf gives member-0 the power 1000, and member-i that divided by i+1, rounded.
	PowerZipf PowerDistribution = "Zipf"
)

// VotingPowers are the voting powers of the validators. A validator proposes blocks in proportion to its power, and a block needs the
// votes of more than two thirds of all power.
type VotingPowers struct {
	// distribution is Equal or Zipf. Default: Equal.
	// +kubebuilder:default=Equal
	// +optional
	Distribution PowerDistribution `json:"distribution,omitempty"`
	// overrides give some validators another power.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Overrides []PowerOverride `json:"overrides,omitempty"`
}

// PowerOverride gives validators a voting power.
type PowerOverride struct {
	// members are names of validators, such as member-0, each in one override only.
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MaxLength=63
	// +required
	Members []string `json:"members"`
	// power is the voting power of each, from 1 to 1000.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	// +required
	Power int32 `json:"power"`
}

// GossipMesh says how consensus messages spread. The mesh parameters are GossipSub's D, D_high, D_low and D_out.
type GossipMesh struct {
	// protocol is GossipSub, or Broadcast to every connected peer. Default: GossipSub.
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
	// meshOutboundMin is the least number of mesh peers that the validator dialed. Default: 2.
	// +kubebuilder:default=2
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=50
	// +optional
	MeshOutboundMin int32 `json:"meshOutboundMin,omitempty"`
}
