package v1alpha1

// EVMWorkload is a load of plain transfers on the execution clients of a network.
type EVMWorkload struct {
	// accounts that send, funded in genesis.
	// +kubebuilder:default=1000
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	// +optional
	Accounts int32 `json:"accounts,omitempty"`
}
