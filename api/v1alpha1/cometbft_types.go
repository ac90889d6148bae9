package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
)

// CometBFTApplication says what the blocks hold.
// +kubebuilder:validation:Enum=Blocks;KVStore
type CometBFTApplication string

// The applications.
const (
	// CometBFTBlocks makes blocks of a given size without transactions from clients.
	CometBFTBlocks CometBFTApplication = "Blocks"
	// CometBFTKVStore is CometBFT's own key-value store, to which clients send transactions.
	CometBFTKVStore CometBFTApplication = "KVStore"
)

// CometBFTTuning selects the defaults of gossip.
// +kubebuilder:validation:Enum=Defaults;Fast
type CometBFTTuning string

// The tunings.
const (
	// CometBFTDefaults are CometBFT's own defaults.
	CometBFTDefaults CometBFTTuning = "Defaults"
	// CometBFTFast sends votes and parts of blocks at once instead of at intervals, and in larger packets.
	CometBFTFast CometBFTTuning = "Fast"
)

// CometBFTMethod says when a node responds to a transaction.
// +kubebuilder:validation:Enum=Sync;Async
type CometBFTMethod string

// The methods.
const (
	// CometBFTSync responds when the application has checked the transaction (broadcast_tx_sync).
	CometBFTSync CometBFTMethod = "Sync"
	// CometBFTAsync responds at once (broadcast_tx_async).
	CometBFTAsync CometBFTMethod = "Async"
)

// CometBFTPlatform configures a network of CometBFT validators. members.count is their number, at most 200. Defaults are those of
// CometBFT 0.40.0 unless a description says otherwise.
type CometBFTPlatform struct {
	// image is the container image of the validator, with a tag other than latest or a digest. Default: the project's
	// cometbft-bench.
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="!self.endsWith(':latest') && self.matches('(:|@sha256:)[A-Za-z0-9._-]+$')",message="must carry a tag other than latest, or a digest, for repeatable runs"
	// +optional
	Image string `json:"image,omitempty"`
	// application is Blocks, with blocks of blockSize that workloads of type Blocks observe, or KVStore, to which workloads of type
	// CometBFT send transactions. Default: Blocks.
	// +kubebuilder:default=Blocks
	// +optional
	Application CometBFTApplication `json:"application,omitempty"`
	// blockSize is the size of a block's transactions in bytes, from 1 to 64Mi, with application Blocks. Default: 1Mi.
	// +optional
	BlockSize *resource.Quantity `json:"blockSize,omitempty"`
	// transactionSize is the size of each transaction of a block in bytes, from 1 to 1Mi, with application Blocks. Default:
	// blockSize, at most 1Mi.
	// +optional
	TransactionSize *resource.Quantity `json:"transactionSize,omitempty"`
	// content says which bytes a block holds, with application Blocks. Default: Random.
	// +optional
	Content BlockContent `json:"content,omitempty"`
	// tuning selects the defaults of gossip. Results name it. Default: Defaults.
	// +kubebuilder:default=Defaults
	// +optional
	Tuning CometBFTTuning `json:"tuning,omitempty"`
	// timeouts are the timeouts of a round of consensus.
	// +kubebuilder:default={propose: "3s", prevote: "1s", precommit: "1s"}
	// +optional
	Timeouts CometBFTTimeouts `json:"timeouts,omitzero"`
	// peers is the graph of the validators' connections, without Discovery.
	// +kubebuilder:default={}
	// +optional
	Peers Peers `json:"peers,omitzero"`
	// powers are the voting powers of the validators. Default: 10 each.
	// +optional
	Powers VotingPowers `json:"powers,omitzero"`
	// gossip configures how consensus messages spread.
	// +optional
	Gossip CometBFTGossip `json:"gossip,omitzero"`
	// mempool configures the transactions that wait for a block, with application KVStore.
	// +optional
	Mempool *CometBFTMempool `json:"mempool,omitempty"`
	// keptBlocks is the number of decided blocks that a validator keeps for others to catch up. Default: 1000 with application
	// Blocks, otherwise 100000, this project's choices.
	// +kubebuilder:validation:Minimum=10
	// +kubebuilder:validation:Maximum=1000000
	// +optional
	KeptBlocks *int32 `json:"keptBlocks,omitempty"`
	// threads is the number of threads of the program. Default: the validator's cores, rounded up.
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

// CometBFTTimeouts bound the steps of a round of CometBFT's consensus.
type CometBFTTimeouts struct {
	RoundTimeouts `json:",inline"`
	// commit is the pause after a decision before the next height starts. Default: 0s; CometBFT's own is 1s.
	// +kubebuilder:default="0s"
	// +optional
	Commit Delay `json:"commit"`
}

// CometBFTGossip configures how consensus messages spread.
type CometBFTGossip struct {
	// sleep is the pause after which a validator looks again for what a peer lacks (peer_gossip_sleep_duration). Default: 100ms, with
	// tuning Fast 2ms.
	// +optional
	Sleep *Timeout `json:"sleep,omitempty"`
	// flush is the longest wait of a message for others in the same write (flush_throttle_timeout). Default: 10ms, with tuning Fast
	// 1ms.
	// +optional
	Flush *Timeout `json:"flush,omitempty"`
	// rate is the most that a validator sends to a peer and receives from it, in bytes per second (send_rate, recv_rate), from 1Ki to
	// 1Ti. Default: 5120k, with tuning Fast 500M.
	// +optional
	Rate *resource.Quantity `json:"rate,omitempty"`
	// packetSize is the most bytes of a message in a packet (max_packet_msg_payload_size), from 64 to 1Mi. Default: 1Ki, with tuning
	// Fast 64Ki.
	// +optional
	PacketSize *resource.Quantity `json:"packetSize,omitempty"`
}

// CometBFTMempool configures the transactions that wait for a block.
type CometBFTMempool struct {
	// size is the largest number of waiting transactions. Default: 50000; CometBFT's own is 5000.
	// +kubebuilder:default=50000
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000000
	// +optional
	Size int32 `json:"size,omitempty"`
	// cacheSize is the number of remembered transactions, which are refused when they come again. Default: 100000; CometBFT's own
	// is 10000.
	// +kubebuilder:default=100000
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10000000
	// +optional
	CacheSize int32 `json:"cacheSize"`
	// recheck says whether waiting transactions are checked again after each block. Default: Enabled.
	// +kubebuilder:default=Enabled
	// +optional
	Recheck Switch `json:"recheck,omitempty"`
	// broadcast says whether a validator passes transactions on to its peers. Default: Enabled.
	// +kubebuilder:default=Enabled
	// +optional
	Broadcast Switch `json:"broadcast,omitempty"`
}

// CometBFTWorkload describes transactions to the key-value store of a CometBFT network. Each is of its own, in the format of
// CometBFT's load generator.
type CometBFTWorkload struct {
	Batches `json:",inline"`
	// transactionBytes is the size of a transaction in bytes, an even number. Default: 1024.
	// +kubebuilder:default=1024
	// +kubebuilder:validation:Minimum=132
	// +kubebuilder:validation:Maximum=1048576
	// +kubebuilder:validation:MultipleOf=2
	// +optional
	TransactionBytes int32 `json:"transactionBytes,omitempty"`
	// method is when the node responds: after its check of the transaction (Sync) or at once (Async). Default: Sync.
	// +kubebuilder:default=Sync
	// +optional
	Method CometBFTMethod `json:"method,omitempty"`
}
