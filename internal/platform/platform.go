// Package platform defines what a system under test has to tell the operator. All of it is pure: a platform holds no
// client, clock, randomness or environment, and is given all it needs.
package platform

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/loadgen"
	"github.com/benchnet/benchnet/internal/run/results"
)

// SettingMemberStorage is the name of the derived setting with the size of a member's own volume.
const SettingMemberStorage = "memberStorage"

// Platform is a system under test.
type Platform interface {
	// Type is the discriminator in the spec.
	Type() v1alpha1.PlatformType
	// Version of the platform that a spec asks for, for people: Corda 4.10.
	Version(spec *v1alpha1.BenchmarkNetworkSpec) string
	// Validate refuses what CEL cannot express; every error names its field.
	Validate(spec *v1alpha1.BenchmarkNetworkSpec, path *field.Path) field.ErrorList
	// Topology lists the members with their names and addresses.
	Topology(network *v1alpha1.BenchmarkNetwork) Topology
	// DerivedSettings lists what was derived from the spec, each with its source.
	DerivedSettings(spec *v1alpha1.BenchmarkNetworkSpec) []v1alpha1.DerivedSetting
	// BuildMembers are the objects that run the members.
	BuildMembers(in Input, topology Topology) ([]client.Object, error)
}

// GenesisProvider is a platform whose members need material before they start.
type GenesisProvider interface {
	// Credentials are the Secrets that the operator fills with random passwords, once.
	Credentials(topology Topology) []Credential
	// BuildGenesis is made by a Job and kept in Secrets.
	BuildGenesis(in Input, topology Topology) (Genesis, error)
}

// DatabaseConsumer is a platform whose members keep their state in a database.
type DatabaseConsumer interface {
	// DatabaseRequirements says what the members need of it.
	DatabaseRequirements(in Input, topology Topology) DatabaseRequirements
}

// LoadTarget is a platform on which workloads are measured: a driver puts load on it, or it makes its own.
type LoadTarget interface {
	// ValidateWorkload refuses a workload that the network cannot serve.
	ValidateWorkload(spec *v1alpha1.BenchmarkNetworkSpec, workload *v1alpha1.Workload, path *field.Path) field.ErrorList
	// BuildDriver is the driver of one workload and what it is told, or the stream of blocks to observe.
	BuildDriver(in Input, topology Topology, workload *v1alpha1.Workload) (loadgen.Driver, error)
}

// Interpreter is a platform that reads more from a measurement than operations and latencies.
type Interpreter interface {
	// Interpret makes the platform's own numbers and findings of a measured workload.
	Interpret(spec *v1alpha1.BenchmarkNetworkSpec, workload *v1alpha1.Workload, measured *results.Measurement) results.Interpretation
}

// Resettable is a platform whose networks can go back to their freshly made state: what a member is lies in Secrets, and what it
// remembers in its databases and in one volume.
type Resettable interface {
	// StateVolume is that volume's name. A member that finds it empty starts as it did at first.
	StateVolume() string
}

// Input is what a platform builds from.
type Input struct {
	// Network with its defaults applied.
	Network *v1alpha1.BenchmarkNetwork
	// Images of the project.
	Images naming.ImageCatalogue
	// NetworkImageVersion is the version of the project's images that the network was made with; empty if it is that of Images. It
	// differs for the workers of a run, which are of the operator's version, after an upgrade.
	NetworkImageVersion string
	// Databases are the members' database bindings by member name; empty where the database lies in the member.
	Databases map[string]DatabaseConnection
}

// DatabaseConnection is how one member reaches its database.
type DatabaseConnection struct {
	// URL for JDBC.
	URL string
	// User of the member.
	User string
	// PasswordSecret and PasswordKey hold the password.
	PasswordSecret, PasswordKey string
	// Affinity places the member with its instance; nil where it may be anywhere.
	Affinity *corev1.PodAffinity
}

// Topology is who takes part in a network.
type Topology struct {
	// Network is its name.
	Network string
	// Members and notaries in a stable order.
	Members []Member
}

// Member is one member of a network.
type Member struct {
	// Name in the network: member-0, notary.
	Name string
	// Role in the network; the platform's own word.
	Role string
	// Identity under which the platform knows it.
	Identity string
	// Host is its DNS name.
	Host string
	// Address at which its peers reach it.
	Address string
}

// MemberNames of the members in order.
func (t Topology) MemberNames() []string {
	all := make([]string, 0, len(t.Members))
	for _, m := range t.Members {
		all = append(all, m.Name)
	}
	return all
}

// FindMember is the member of that name.
func (t Topology) FindMember(name string) (Member, bool) {
	for _, m := range t.Members {
		if m.Name == name {
			return m, true
		}
	}
	return Member{}, false
}

// Credential is a Secret of random passwords.
type Credential struct {
	// Name of the Secret.
	Name string
	// Keys, each with a password of its own.
	Keys []string
}

// Genesis is what must exist before a member can start.
type Genesis struct {
	// Secrets that the maker fills; material is complete when all carry AnnotationMaterialComplete.
	Secrets []string
	// JobObjects are the objects that make it: a role with its account, then configuration and Job. When it is complete the role is
	// removed, and takes the others with it, which it owns.
	JobObjects []client.Object
}

// DatabaseRequirements is what a platform's members need of their databases.
type DatabaseRequirements struct {
	// Connections that each member's pool may open.
	Connections int32
	// PlannedTransactions and PlannedStates over all workloads, on one member: an upper bound from which volumes are sized.
	PlannedTransactions, PlannedStates int64
	// Template is the container that writes the schema template to /template/schema.sql.gz; its tables are cloned for
	// each member. Volumes are those that it needs besides.
	Template *corev1.Container
	// TemplateInit are containers that run before Template.
	TemplateInit []corev1.Container
	// Volumes that Template and TemplateInit mount.
	Volumes []corev1.Volume
}
