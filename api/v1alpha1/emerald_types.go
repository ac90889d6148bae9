package v1alpha1

// EmeraldPlatform configures a network of Emerald validators, each with an execution client.
type EmeraldPlatform struct {
	// image of the validator; docs/emerald.md has its contract.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	// +required
	Image string `json:"image"`
}
