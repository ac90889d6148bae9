package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// EVMTransport is how transactions reach an execution client.
// +kubebuilder:validation:Enum=HTTP;WebSocket
type EVMTransport string

// The transports.
const (
	EVMTransportHTTP      EVMTransport = "HTTP"
	EVMTransportWebSocket EVMTransport = "WebSocket"
)

// EVMWorkload is a load of plain transfers of ether (EIP-1559), signed ahead of time, on the execution clients of a network. The
// load's model is Open, its rate the total over the network, of which every called member gets the same share; its clients
// bound the batches that each sender has outstanding. docs/evm.md describes the driver.
type EVMWorkload struct {
	// members are the ordinals of the members to which transactions are sent. Default: all.
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:Minimum=0
	// +kubebuilder:validation:items:Maximum=99
	// +optional
	Members []int32 `json:"members,omitempty"`
	// accounts that send: the first so many of those funded in genesis. Default: all of them.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=5000
	// +optional
	Accounts *int32 `json:"accounts,omitempty"`
	// batchSize is the number of transactions that a member is sent at once. Default: what rate and batchInterval make.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	// +optional
	BatchSize *int32 `json:"batchSize,omitempty"`
	// batchInterval from one batch to the next to a member. Default: what rate and batchSize make, or 200ms.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('1ms') && duration(self) <= duration('1m')",message="evm.batchInterval must be whole milliseconds from 1ms to 1m, such as 200ms"
	// +optional
	BatchInterval *metav1.Duration `json:"batchInterval,omitempty"`
	// transport is HTTP or WebSocket. Default: HTTP.
	// +kubebuilder:default=HTTP
	// +optional
	Transport EVMTransport `json:"transport,omitempty"`
	// gasLimit of a transaction; a transfer uses 21000. Default: 21000.
	// +kubebuilder:default=21000
	// +kubebuilder:validation:Minimum=21000
	// +kubebuilder:validation:Maximum=16777216
	// +optional
	GasLimit int64 `json:"gasLimit,omitempty"`
	// maxFeeGwei per gas that a transaction pays at most. Default: 1000, far above any base fee that full blocks bring about within a run.
	// +kubebuilder:default=1000
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000000
	// +optional
	MaxFeeGwei int64 `json:"maxFeeGwei,omitempty"`
	// tipGwei per gas for the proposer, at most maxFeeGwei. Default: 1.
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000000000
	// +optional
	TipGwei int64 `json:"tipGwei"`
}
