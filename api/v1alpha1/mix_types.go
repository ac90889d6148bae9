package v1alpha1

// MixShare is the name and the share of one of the operations of a mix.
type MixShare struct {
	// name is the name in results, unique in the mix.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	// +required
	Name string `json:"name"`
	// weight is relative to the sum of all weights.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	// +required
	Weight int32 `json:"weight"`
}
