package v1alpha1

// PlatformType is the name of a system under test.
// +kubebuilder:validation:Enum=Corda;JPaxos;Malachite;Emerald
type PlatformType string

// The platforms that this version knows.
const (
	PlatformCorda     PlatformType = "Corda"
	PlatformJPaxos    PlatformType = "JPaxos"
	PlatformMalachite PlatformType = "Malachite"
	PlatformEmerald   PlatformType = "Emerald"
)

// PlatformSpec is a union: type names the platform, and only the field of that name is set.
// +kubebuilder:validation:XValidation:rule="self.type == 'Corda' ? has(self.corda) : !has(self.corda)",message="platform.corda must be set when, and only when, platform.type is Corda"
// +kubebuilder:validation:XValidation:rule="self.type == 'JPaxos' ? has(self.jpaxos) : !has(self.jpaxos)",message="platform.jpaxos must be set when, and only when, platform.type is JPaxos"
// +kubebuilder:validation:XValidation:rule="self.type == 'Malachite' ? has(self.malachite) : !has(self.malachite)",message="platform.malachite must be set when, and only when, platform.type is Malachite"
// +kubebuilder:validation:XValidation:rule="self.type == 'Emerald' ? has(self.emerald) : !has(self.emerald)",message="platform.emerald must be set when, and only when, platform.type is Emerald"
type PlatformSpec struct {
	// type is the system under test: Corda, JPaxos, Malachite or Emerald.
	// +unionDiscriminator
	// +required
	Type PlatformType `json:"type"`
	// corda configures a Corda 4 network. It is required with type Corda and must not be set otherwise.
	// +optional
	Corda *CordaPlatform `json:"corda,omitempty"`
	// jpaxos configures a network of JPaxos replicas. It is required with type JPaxos and must not be set otherwise.
	// +optional
	JPaxos *JPaxosPlatform `json:"jpaxos,omitempty"`
	// malachite configures a network of Malachite validators that make blocks of a given size. It is required with type Malachite and
	// must not be set otherwise.
	// +optional
	Malachite *MalachitePlatform `json:"malachite,omitempty"`
	// emerald configures a network of Emerald validators, each with an execution client. It is required with type Emerald and must not
	// be set otherwise.
	// +optional
	Emerald *EmeraldPlatform `json:"emerald,omitempty"`
}
