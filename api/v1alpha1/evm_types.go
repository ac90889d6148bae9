package v1alpha1

// EVMTransport says how transactions are sent to an execution client.
// +kubebuilder:validation:Enum=HTTP;WebSocket
type EVMTransport string

// The transports.
const (
	EVMTransportHTTP      EVMTransport = "HTTP"
	EVMTransportWebSocket EVMTransport = "WebSocket"
)

// ChainFields describe the chain of a network with execution clients.
type ChainFields struct {
	// chainId is the chain ID of the execution layer. Default: 12345, as in Emerald.
	// +kubebuilder:default=12345
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=4294967295
	// +optional
	ChainID int64 `json:"chainId,omitempty"`
	// gasLimit is the gas limit of a block. Default: 1000000000, as in Emerald's published runs in the cloud.
	// +kubebuilder:default=1000000000
	// +kubebuilder:validation:Minimum=1000000
	// +kubebuilder:validation:Maximum=1000000000000
	// +optional
	GasLimit int64 `json:"gasLimit,omitempty"`
	// accounts is the number of accounts that the genesis funds, from 1 to 5000. Default: 1000.
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
}

// EVMTransactionKind is a kind of transaction.
// +kubebuilder:validation:Enum=Transfer;TokenTransfer;Mint;Call;Deploy;Store
type EVMTransactionKind string

// EVMRecipients says who receives tokens.
// +kubebuilder:validation:Enum=Same;Accounts;Fresh
type EVMRecipients string

// EVMTransaction is one of the kinds of transactions of a mix. docs/evm.md describes the kinds.
type EVMTransaction struct {
	// kind is Transfer, TokenTransfer, Mint, Call, Deploy or Store.
	// +required
	Kind EVMTransactionKind `json:"kind"`
	// weight is relative to the sum of all weights.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10000
	// +required
	Weight int32 `json:"weight"`
	// recipients of a TokenTransfer are Same, Accounts or Fresh. Default: Same.
	// +optional
	Recipients EVMRecipients `json:"recipients,omitempty"`
	// gas is what a Call uses, within 1 %. Default: 200000.
	// +kubebuilder:validation:Minimum=30000
	// +kubebuilder:validation:Maximum=16777216
	// +optional
	Gas int64 `json:"gas,omitempty"`
	// codeBytes is the size of the code that a Deploy creates. Default: 1500.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=24576
	// +optional
	CodeBytes int32 `json:"codeBytes,omitempty"`
	// slots is how many new storage slots a Store writes. Default: 10.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=500
	// +optional
	Slots int32 `json:"slots,omitempty"`
}

// EVMWorkload is a load of transactions (EIP-1559) on the execution clients of a network: plain transfers of ether, or a mix of kinds.
// They are signed in advance. The model of the load is Open, and its rate is the total over the network. Every called member gets the same share.
// The clients of the load bound the batches that each sender has outstanding. docs/evm.md describes the driver.
type EVMWorkload struct {
	Batches `json:",inline"`
	// mix holds weighted kinds of transactions. Default: only plain transfers.
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Mix []EVMTransaction `json:"mix,omitempty"`
	// accounts is the number of accounts that send, the first of those that the genesis funds. Default: all.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=5000
	// +optional
	Accounts *int32 `json:"accounts,omitempty"`
	// transport is HTTP or WebSocket. Default: HTTP.
	// +kubebuilder:default=HTTP
	// +optional
	Transport EVMTransport `json:"transport,omitempty"`
	// gasLimit is the gas limit of a plain transfer, which uses 21000. Default: 21000.
	// +kubebuilder:default=21000
	// +kubebuilder:validation:Minimum=21000
	// +kubebuilder:validation:Maximum=16777216
	// +optional
	GasLimit int64 `json:"gasLimit,omitempty"`
	// maxFeeGwei is the highest fee per gas in gwei that a transaction pays. Default: 1000, far above any base fee that full
	// blocks cause within a run.
	// +kubebuilder:default=1000
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000000
	// +optional
	MaxFeeGwei int64 `json:"maxFeeGwei,omitempty"`
	// tipGwei is the fee per gas in gwei for the proposer, at most maxFeeGwei. Default: 1.
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000000000
	// +optional
	TipGwei int64 `json:"tipGwei"`
}
