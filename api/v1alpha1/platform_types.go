package v1alpha1

// PlatformType names a system under test.
// +kubebuilder:validation:Enum=Corda;JPaxos;Malachite;Emerald
type PlatformType string

// The platforms that this version knows.
const (
	PlatformCorda     PlatformType = "Corda"
	PlatformJPaxos    PlatformType = "JPaxos"
	PlatformMalachite PlatformType = "Malachite"
	PlatformEmerald   PlatformType = "Emerald"
)

// PlatformSpec is a union: type names the platform, and exactly the member of that name is set.
// +kubebuilder:validation:XValidation:rule="self.type == 'Corda' ? has(self.corda) : !has(self.corda)",message="platform.corda must be set when, and only when, platform.type is Corda"
// +kubebuilder:validation:XValidation:rule="self.type == 'JPaxos' ? has(self.jpaxos) : !has(self.jpaxos)",message="platform.jpaxos must be set when, and only when, platform.type is JPaxos"
// +kubebuilder:validation:XValidation:rule="self.type == 'Malachite' ? has(self.malachite) : !has(self.malachite)",message="platform.malachite must be set when, and only when, platform.type is Malachite"
// +kubebuilder:validation:XValidation:rule="self.type == 'Emerald' ? has(self.emerald) : !has(self.emerald)",message="platform.emerald must be set when, and only when, platform.type is Emerald"
type PlatformSpec struct {
	// type is the system under test.
	// +unionDiscriminator
	// +required
	Type PlatformType `json:"type"`
	// corda configures a Corda 4 network.
	// +optional
	Corda *CordaPlatform `json:"corda,omitempty"`
	// jpaxos configures a network of JPaxos replicas.
	// +optional
	JPaxos *JPaxosPlatform `json:"jpaxos,omitempty"`
	// malachite configures a network of Malachite validators that make blocks of a set size.
	// +optional
	Malachite *MalachitePlatform `json:"malachite,omitempty"`
	// emerald configures a network of Emerald validators, each with an execution client.
	// +optional
	Emerald *EmeraldPlatform `json:"emerald,omitempty"`
}
