package v1alpha1

// PlatformType is the name of a system under test.
// +kubebuilder:validation:Enum=CometBFT;Corda;JPaxos;Malachite;MalachiteEVM;Emerald
type PlatformType string

// The platforms that this version knows.
const (
	PlatformCorda        PlatformType = "Corda"
	PlatformJPaxos       PlatformType = "JPaxos"
	PlatformCometBFT     PlatformType = "CometBFT"
	PlatformMalachite    PlatformType = "Malachite"
	PlatformMalachiteEVM PlatformType = "MalachiteEVM"
	PlatformEmerald      PlatformType = "Emerald"
)

// PlatformSpec is a union: type names the platform, and only the field of that name is set.
// +kubebuilder:validation:XValidation:rule="has(self.cometBFT) == (self.type == 'CometBFT') && has(self.corda) == (self.type == 'Corda') && has(self.jpaxos) == (self.type == 'JPaxos') && has(self.malachite) == (self.type == 'Malachite') && has(self.malachiteEVM) == (self.type == 'MalachiteEVM') && has(self.emerald) == (self.type == 'Emerald')",messageExpression="'platform.' + (self.type == 'CometBFT' ? 'cometBFT' : self.type == 'MalachiteEVM' ? 'malachiteEVM' : self.type.lowerAscii()) + ' must be set, and no other platform'"
type PlatformSpec struct {
	// type is the system under test. The field of its name is required, the others must not be set.
	// +unionDiscriminator
	// +required
	Type PlatformType `json:"type"`
	// corda configures a Corda 4 network, with type Corda.
	// +optional
	Corda *CordaPlatform `json:"corda,omitempty"`
	// jpaxos configures a network of JPaxos replicas, with type JPaxos.
	// +optional
	JPaxos *JPaxosPlatform `json:"jpaxos,omitempty"`
	// cometBFT configures a network of CometBFT validators, with type CometBFT.
	// +optional
	CometBFT *CometBFTPlatform `json:"cometBFT,omitempty"`
	// malachite configures a network of Malachite validators that make blocks of a given size, with type Malachite.
	// +optional
	Malachite *MalachitePlatform `json:"malachite,omitempty"`
	// malachiteEVM configures a network of Malachite validators, each with a geth, with type MalachiteEVM.
	// +optional
	MalachiteEVM *MalachiteEVMPlatform `json:"malachiteEVM,omitempty"`
	// emerald configures a network of Emerald validators, each with an execution client, with type Emerald.
	// +optional
	Emerald *EmeraldPlatform `json:"emerald,omitempty"`
}
