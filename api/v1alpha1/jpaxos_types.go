package v1alpha1

// JPaxosPlatform configures a network of JPaxos replicas.
type JPaxosPlatform struct {
	// image with a JRE and JPaxos; docs/jpaxos.md has its contract.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	// +required
	Image string `json:"image"`
}

// JPaxosWorkload is a load of requests on a JPaxos network.
type JPaxosWorkload struct {
	// requestBytes is the size of a request's payload.
	// +kubebuilder:default=128
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1048576
	// +optional
	RequestBytes int32 `json:"requestBytes,omitempty"`
}
