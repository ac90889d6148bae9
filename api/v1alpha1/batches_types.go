package v1alpha1

// Batches says which members receive transactions, and how many at a time.
type Batches struct {
	// members are the members that receive transactions, such as member-0. Default: all.
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MaxLength=63
	// +optional
	Members []string `json:"members,omitempty"`
	// batchSize is the number of transactions that are sent to a member at once. Default: from the rate and batchInterval.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	// +optional
	BatchSize *int32 `json:"batchSize,omitempty"`
	// batchInterval is the time between two batches to a member. Default: from the rate and batchSize, or 200ms.
	// +kubebuilder:validation:XValidation:rule="duration(self) <= duration('1m')",message="must be at most 1m"
	// +optional
	BatchInterval *Timeout `json:"batchInterval,omitempty"`
}
