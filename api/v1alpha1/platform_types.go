package v1alpha1

// PlatformType names a system under test.
// +kubebuilder:validation:Enum=Corda
type PlatformType string

// The platforms that this version knows.
const (
	PlatformCorda PlatformType = "Corda"
)

// PlatformSpec is a union: type names the platform, and exactly the member of that name is set.
// +kubebuilder:validation:XValidation:rule="self.type == 'Corda' ? has(self.corda) : !has(self.corda)",message="platform.corda must be set when, and only when, platform.type is Corda"
type PlatformSpec struct {
	// type is the system under test.
	// +unionDiscriminator
	// +required
	Type PlatformType `json:"type"`
	// corda configures a Corda 4 network.
	// +optional
	Corda *CordaPlatform `json:"corda,omitempty"`
}
