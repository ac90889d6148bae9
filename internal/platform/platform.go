// Package platform defines the interface between the operator and a system under test. Implementations are
// pure: they hold no client, clock, randomness or environment, and receive all their input as arguments.
package platform

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/loadgen"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// SettingMemberStorage is the name of the derived setting that holds the size of a member's own volume.
const SettingMemberStorage = "memberStorage"

// SettingSource returns the source of a derived setting: the field if the spec sets it, and the rule otherwise.
func SettingSource(isSet bool, field, rule string) string {
	if isSet {
		return field
	}
	return rule
}

// Platform is a system under test.
type Platform interface {
	// Type returns the discriminator of the platform in the spec.
	Type() v1alpha1.PlatformType
	// Version returns the version that a spec asks for in readable form, such as "Corda 4.10".
	Version(spec *v1alpha1.BenchmarkNetworkSpec) string
	// Validate rejects what CEL cannot express. Every error names its field.
	Validate(spec *v1alpha1.BenchmarkNetworkSpec, path *field.Path) field.ErrorList
	// Topology returns the members with their names and addresses.
	Topology(network *v1alpha1.BenchmarkNetwork) Topology
	// DerivedSettings returns the settings derived from the spec, each with its source.
	DerivedSettings(spec *v1alpha1.BenchmarkNetworkSpec) []v1alpha1.DerivedSetting
	// BuildMembers returns the objects that run the members.
	BuildMembers(in Input, topology Topology) ([]client.Object, error)
	// ValidateWorkload rejects a workload that the network cannot serve.
	ValidateWorkload(spec *v1alpha1.BenchmarkNetworkSpec, workload *v1alpha1.Workload, path *field.Path) field.ErrorList
	// FinalityOf returns what the driver of a workload sees become final; empty if it does not wait until the network cannot undo an
	// operation.
	FinalityOf(workload *v1alpha1.Workload) measurement.FinalityOf
	// BuildDriver returns the driver of one workload and its workload file, or the stream of blocks to observe if
	// the platform generates the load itself.
	BuildDriver(in Input, topology Topology, workload *v1alpha1.Workload) (loadgen.Driver, error)
}

// GenesisProvider is a platform whose members need genesis files before they start.
type GenesisProvider interface {
	// Credentials returns the Secrets that the operator fills once with random passwords.
	Credentials(topology Topology) []Credential
	// BuildGenesis returns the Job that generates the genesis files and the Secrets that hold them.
	BuildGenesis(in Input, topology Topology) (Genesis, error)
}

// DatabaseConsumer is a platform whose members keep their state in a database.
type DatabaseConsumer interface {
	// DatabaseRequirements returns the requirements of the members on their databases.
	DatabaseRequirements(in Input, topology Topology) DatabaseRequirements
}

// OverrideProvider is a platform whose own part of the spec has overrides: of nodes besides the members, which may have another size,
// volume or place, or of members, such as another version.
type OverrideProvider interface {
	// Overrides returns these overrides. The order is that of the settings in the status.
	Overrides(spec *v1alpha1.BenchmarkNetworkSpec) []Override
}

// Interpreter is a platform that derives more from a measurement than operations and latencies.
type Interpreter interface {
	// Interpret returns the platform's own metrics and findings for a measured workload.
	Interpret(spec *v1alpha1.BenchmarkNetworkSpec, workload *v1alpha1.Workload, measured *measurement.Measurement) verdict.Interpretation
}

// Resettable is a platform whose networks can be reset to their initial state. The identity of a member must
// be in Secrets, and its state must be in its databases and one volume.
type Resettable interface {
	// StateVolume returns the name of that volume. A member that finds it empty starts as if for the first
	// time.
	StateVolume() string
}

// PoissonScheduler is a platform with a driver that draws Poisson arrivals (protocol.OfferedLoad).
type PoissonScheduler interface {
	// SupportsPoisson reports whether the driver of this workload does.
	SupportsPoisson(workload *v1alpha1.Workload) bool
}

// LeaderReader is a platform whose agents can read which member leads a consensus.
type LeaderReader interface {
	// Leadership returns who may lead a network with this spec. The error says why its agents cannot read who does.
	Leadership(spec *v1alpha1.BenchmarkNetworkSpec, topology Topology) (Leadership, error)
}

// Leadership says who may lead a consensus.
type Leadership struct {
	// Members are the names of the members that may lead.
	Members []string
	// InTurn reports whether they propose in turn, so that another one leads at each height.
	InTurn bool
}

// Input holds everything that a platform builds objects from.
type Input struct {
	// Network is the network with its defaults applied.
	Network *v1alpha1.BenchmarkNetwork
	// Images is the catalogue of the project's images.
	Images naming.ImageCatalogue
	// NetworkImageVersion is the version of the project's images that the network was created with; empty
	// means the version of Images. After an upgrade the two differ for the workers of a run, which use the
	// operator's version.
	NetworkImageVersion string
	// Databases holds the database connections by member name. It is empty if each member embeds its database.
	Databases map[string]DatabaseConnection
}

// DatabaseConnection holds the connection details of one member's database.
type DatabaseConnection struct {
	// URL is the JDBC URL; empty if the Secret holds it.
	URL string
	// User is the member's database user; empty if the Secret holds it.
	User string
	// PasswordSecret and PasswordKey name the Secret and the key that hold the password.
	PasswordSecret, PasswordKey string
	// URLKey, UserKey and SchemaKey are the keys of JDBC URL, user and schema in the same Secret; empty if it does not hold
	// them. The schema may be missing.
	URLKey, UserKey, SchemaKey string
	// Affinity places the member with its database instance; nil means no constraint.
	Affinity *corev1.PodAffinity
}

// NewSecretConnection returns the connection of a member that a user's Secret holds, under keys with the member's name.
func NewSecretConnection(secret, member string) DatabaseConnection {
	return DatabaseConnection{PasswordSecret: secret, PasswordKey: member + ".password",
		URLKey: member + ".url", UserKey: member + ".username", SchemaKey: member + ".schema"}
}

// Topology lists the members of a network.
type Topology struct {
	// Network is the name of the network.
	Network string
	// Members lists the members and notaries in a stable order.
	Members []Member
}

// Member is one member of a network.
type Member struct {
	// Name is the name within the network, such as member-0 or notary.
	Name string
	// Role is the role in the network, as the platform calls it.
	Role string
	// Identity is the name by which the platform identifies the member.
	Identity string
	// Host is the DNS name.
	Host string
	// Address is the address at which the peers reach the member.
	Address string
	// Spec is the spec of the network as it is for this member, with its overrides applied.
	Spec *v1alpha1.BenchmarkNetworkSpec
}

// MemberNames returns the names of the members in order.
func (t Topology) MemberNames() []string {
	all := make([]string, 0, len(t.Members))
	for _, m := range t.Members {
		all = append(all, m.Name)
	}
	return all
}

// MemberAliases returns the names of the members by their identities.
func (t Topology) MemberAliases() map[string]string {
	all := make(map[string]string, len(t.Members))
	for _, m := range t.Members {
		all[m.Identity] = m.Name
	}
	return all
}

// FindMember returns the member with the given name or identity and whether it exists.
func (t Topology) FindMember(name string) (Member, bool) {
	for _, m := range t.Members {
		if name != "" && (m.Name == name || m.Identity == name) {
			return m, true
		}
	}
	return Member{}, false
}

// Credential describes a Secret of random passwords.
type Credential struct {
	// Name is the name of the Secret.
	Name string
	// Keys lists the keys; each holds a password of its own.
	Keys []string
	// DigestKey, unless empty, is a further key, which holds the SHA-256 of the first password, hexadecimal.
	DigestKey string
}

// Genesis holds the objects that must exist before a member can start.
type Genesis struct {
	// Secrets names the Secrets that the Job fills. The genesis is complete when all of them carry
	// AnnotationGenesisComplete.
	Secrets []string
	// JobObjects are the objects that generate the genesis, in order: a Role with its ServiceAccount, then
	// configuration and Job. The Role is the owner of the others; once the genesis is complete, it is deleted
	// and they are garbage-collected.
	JobObjects []client.Object
}

// DatabaseRequirements holds the requirements of a platform's members on their databases.
type DatabaseRequirements struct {
	// Connections is the number of connections that the pool of each member may open, by member name.
	Connections map[string]int32
	// PlannedTransactions and PlannedStates are upper bounds for one member over all workloads. Volumes are
	// sized from them.
	PlannedTransactions, PlannedStates int64
	// Template lists the containers that write the schema template; without any, the members' schemas are empty.
	// They run in order as init containers of the setup Job, after the database exists. They get PGHOST, PGPORT,
	// PGUSER, PGPASSWORD, PGDATABASE (and PGSSLMODE) of a role that may create schemas, and the volumes template
	// at /template and tmp at /tmp. The last one must write /template/schema.sql or schema.sql.gz: a pg_dump
	// --no-owner --no-privileges of a schema named template. Its tables are cloned for each member.
	Template []corev1.Container
	// Volumes lists the volumes that the containers of Template mount.
	Volumes []corev1.Volume
	// SharedTables are the tables that some members use together; nil means that every member has its own.
	SharedTables *SharedTables
	// DedicatedInstances serve some members apart from the instances of the topology, in the order of these members.
	DedicatedInstances []DedicatedInstance
}

// DedicatedInstance is a database instance that serves only the given members.
type DedicatedInstance struct {
	// Name distinguishes the instance within the network, such as notary.
	Name string
	// Members names the members.
	Members []string
	// Override is the part of the spec by which the instance differs from spec.database, and Path its path, such as
	// spec.platform.corda.notary.database.
	Override *v1alpha1.DatabaseOverride
	Path     string
}

// SharedTables are tables of the schema template that several members use together.
type SharedTables struct {
	// Members names the members, which are adjacent in the topology. They are on the same instance. The first one
	// owns the tables, and the others have views of them.
	Members []string
	// Prefix is the beginning of the tables' names.
	Prefix string
}
