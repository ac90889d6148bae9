package v1alpha1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// DatabaseEngine is a database product.
// +kubebuilder:validation:Enum=H2;PostgreSQL;SQLServer;Oracle
type DatabaseEngine string

// The database engines.
const (
	EngineH2         DatabaseEngine = "H2"
	EnginePostgreSQL DatabaseEngine = "PostgreSQL"
	EngineSQLServer  DatabaseEngine = "SQLServer"
	EngineOracle     DatabaseEngine = "Oracle"
)

// DatabaseTopology says which members share a database instance.
// +kubebuilder:validation:Enum=PerMember;Shared;PerHost
type DatabaseTopology string

// The database topologies.
const (
	TopologyPerMember DatabaseTopology = "PerMember"
	TopologyShared    DatabaseTopology = "Shared"
	TopologyPerHost   DatabaseTopology = "PerHost"
)

// DatabaseProvider says who runs the database instances.
// +kubebuilder:validation:Enum=Managed;Chart;External
type DatabaseProvider string

// The database providers.
const (
	// ProviderManaged runs the project's own servers.
	ProviderManaged DatabaseProvider = "Managed"
	// ProviderChart runs servers from the user's Helm chart.
	ProviderChart DatabaseProvider = "Chart"
	// ProviderExternal uses servers outside of the network.
	ProviderExternal DatabaseProvider = "External"
)

// DatabaseSetting is in the notation of postgresql.conf.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=64
// +kubebuilder:validation:Pattern=`^[A-Za-z0-9_.+-]+$`
type DatabaseSetting string

// DatabaseSpec configures the database of the members. It is a union: only the field of its provider is set.
// +kubebuilder:validation:XValidation:rule="self.engine != 'H2' || (self.topology == 'PerMember' && self.provider == 'Managed' && !has(self.managed))",message="database: H2 lives inside each member, so it takes topology PerMember, provider Managed and none of managed, chart and external"
// +kubebuilder:validation:XValidation:rule="(self.provider == 'Chart') == has(self.chart) && (self.provider == 'External') == has(self.external) && (self.provider == 'Managed' || !has(self.managed))",message="database: provider Chart needs chart, provider External needs external, and managed belongs to provider Managed, the project's own servers"
// +kubebuilder:validation:XValidation:rule="self.engine in ['H2', 'PostgreSQL'] || self.provider == 'External'",message="database.engine SQLServer and Oracle need database.provider External: the operator runs only PostgreSQL"
// +kubebuilder:validation:XValidation:rule="!has(self.external) || (self.engine == 'PostgreSQL' ? !has(self.external.jdbcSecret) && self.external.servers.all(s, has(s.adminSecret)) : has(self.external.jdbcSecret) && self.external.servers.all(s, !has(s.adminSecret) && !has(s.sslMode)))",message="database.external needs servers[].adminSecret with database.engine PostgreSQL, and jdbcSecret, without servers[].adminSecret and sslMode, with SQLServer and Oracle"
// +kubebuilder:validation:XValidation:rule="!has(self.external) || self.topology == 'PerMember' || self.topology == 'Shared' && self.external.servers.size() == 1",message="database.external.servers must have one server with database.topology Shared, or one for each instance with PerMember; PerHost needs servers in the cluster"
// +kubebuilder:validation:XValidation:rule="(self.topology == 'PerHost') == has(self.membersPerInstance)",message="database.membersPerInstance must be set when, and only when, database.topology is PerHost"
type DatabaseSpec struct {
	// engine is H2, which runs inside the node, PostgreSQL, SQLServer or Oracle. The last two need platform.corda.distribution
	// Enterprise and provider External. Default: H2.
	// +kubebuilder:default=H2
	// +optional
	Engine DatabaseEngine `json:"engine,omitempty"`
	// topology is PerMember, an instance for each member and one for all replicas of a notary of type SharedDatabase; Shared, one
	// instance with a schema and a user for each member; or PerHost, an instance for every membersPerInstance members, which share
	// its host. Default: PerMember.
	// +kubebuilder:default=PerMember
	// +optional
	Topology DatabaseTopology `json:"topology,omitempty"`
	// membersPerInstance is the number of members that share an instance, with topology PerHost.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	MembersPerInstance *int32 `json:"membersPerInstance,omitempty"`
	// connectionsPerMember is the size of a member's connection pool. Default: flow threads + RPC threads + 2, at least 10.
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=2048
	// +optional
	ConnectionsPerMember *int32 `json:"connectionsPerMember,omitempty"`
	// provider is Managed (the project's own servers), Chart or External (servers that exist), which require the field of that
	// name. Default: Managed.
	// +kubebuilder:default=Managed
	// +unionDiscriminator
	// +optional
	Provider DatabaseProvider `json:"provider,omitempty"`
	// managed configures the project's own servers, with provider Managed and engine PostgreSQL.
	// +optional
	Managed *ManagedDatabase `json:"managed,omitempty"`
	// chart is your own Helm chart, with provider Chart.
	// +optional
	Chart *DatabaseChart `json:"chart,omitempty"`
	// external has your own servers, with provider External.
	// +optional
	External *ExternalDatabase `json:"external,omitempty"`
}

// ManagedDatabase configures the project's own servers of PostgreSQL. All instances have the same configuration.
// +kubebuilder:validation:XValidation:rule="has(self.image) ? has(self.version) : !has(self.version) || self.version == 15",message="database.managed.version must be 15, which the project's image has, or that of database.managed.image, which needs it"
type ManagedDatabase struct {
	// version is the major version of PostgreSQL, from 13 to 17. A version other than 15 needs image. The set-up fails if the server
	// reports another version. Default: 15.
	// +kubebuilder:validation:Minimum=13
	// +kubebuilder:validation:Maximum=17
	// +optional
	Version int32 `json:"version,omitempty"`
	// image is your own image of the server, with the interface of the official postgres image for Debian, and a tag other than
	// latest or a digest. It needs version. Default: the project's PostgreSQL 15.
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="!self.endsWith(':latest') && self.matches('(:|@sha256:)[A-Za-z0-9._-]+$')",message="must carry a tag other than latest, or a digest, for repeatable runs"
	// +optional
	Image string `json:"image,omitempty"`
	// cores is the number of cores of one instance. Default: 1.
	// +optional
	Cores *resource.Quantity `json:"cores,omitempty"`
	// memory is the memory of one instance. Default: 1Gi.
	// +optional
	Memory *resource.Quantity `json:"memory,omitempty"`
	// settings are settings of PostgreSQL for performance and durability, such as synchronous_commit: "off" (docs/databases.md).
	// They replace derived ones. Default: none.
	// +kubebuilder:validation:MaxProperties=32
	// +optional
	Settings map[string]DatabaseSetting `json:"settings,omitempty"`
	// storage configures the volume of one instance.
	// +optional
	Storage *Storage `json:"storage,omitempty"`
	// scheduling says on which nodes the servers run. Default: with topology PerHost the host of the members, otherwise
	// members.scheduling without its terms about other pods.
	// +optional
	Scheduling *Scheduling `json:"scheduling,omitempty"`
}

// DatabaseChart is your own Helm chart of PostgreSQL. It must create a Service that serves port 5432 and has the name of the
// release, which is the name of the instance. docs/databases.md has the whole contract.
type DatabaseChart struct {
	// configMapName is the ConfigMap in the namespace that holds the packaged chart.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +required
	ConfigMapName string `json:"configMapName"`
	// key is the key of the packaged chart (helm package) in the binaryData of the ConfigMap. Default: chart.tgz.
	// +kubebuilder:default=chart.tgz
	// +kubebuilder:validation:MaxLength=253
	// +optional
	Key string `json:"key,omitempty"`
	// values are the values of the chart.
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Values *apiextensionsv1.JSON `json:"values,omitempty"`
}

// ExternalDatabase has your own database servers.
type ExternalDatabase struct {
	// servers are one for each instance: one with topology Shared; one for each member, then the notary's, with PerMember. One
	// server may serve several instances.
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=101
	// +required
	Servers []ExternalServer `json:"servers"`
	// jdbcSecret is a Secret with the label benchnet.dev/database-jdbc=true, for engines SQLServer and Oracle. For each node, such
	// as member-0 or notary, it has the keys member-0.url, .username and .password of a schema with all tables, and optionally
	// .schema.
	// +optional
	JDBCSecret SecretReference `json:"jdbcSecret,omitzero"`
}

// ExternalServer is a database server outside of the network.
type ExternalServer struct {
	// host is the host name or the address of the server. With engines SQLServer and Oracle it serves only the status and the
	// NetworkPolicy.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +required
	Host string `json:"host"`
	// port is the port of the server. Default: 5432 for PostgreSQL, 1433 for SQLServer, 1521 for Oracle.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	// +optional
	Port int32 `json:"port,omitempty"`
	// sslMode is the SSL mode of libpq, for engine PostgreSQL. Default: prefer.
	// +kubebuilder:validation:Enum=disable;allow;prefer;require;verify-ca;verify-full
	// +optional
	SSLMode string `json:"sslMode,omitempty"`
	// adminSecret is a Secret with the label benchnet.dev/database-admin=true, and username and password of a role that may create
	// roles and schemas, for engine PostgreSQL.
	// +optional
	AdminSecret SecretReference `json:"adminSecret,omitzero"`
}

// StorageType says whether data survives the pod.
// +kubebuilder:validation:Enum=Persistent;Ephemeral
type StorageType string

// The storage types.
const (
	StoragePersistent StorageType = "Persistent"
	StorageEphemeral  StorageType = "Ephemeral"
)

// Storage configures the volume of a pod.
// +kubebuilder:validation:XValidation:rule="!has(self.type) || self.type == 'Persistent' || !has(self.className)",message="storage.className needs storage.type Persistent"
type Storage struct {
	// type is Persistent, deleted with the network, or Ephemeral, with the pod. Default: Persistent, or Ephemeral with purpose Trial
	// and no className.
	// +optional
	Type StorageType `json:"type,omitempty"`
	// size is the size of the volume. Default: by the planned workloads.
	// +optional
	Size *resource.Quantity `json:"size,omitempty"`
	// className is the StorageClass. Default: the cluster's.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	ClassName *string `json:"className,omitempty"`
}

// StorageTypeOrDefault returns the type of a storage of the network, which may be nil.
func (s *NetworkTemplate) StorageTypeOrDefault(storage *Storage) StorageType {
	switch {
	case storage != nil && storage.Type != "":
		return storage.Type
	case s.Purpose == PurposeTrial && (storage == nil || storage.ClassName == nil):
		return StorageEphemeral
	}
	return StoragePersistent
}

// ReservationOrDefault returns the reservation of the members.
func (s *NetworkTemplate) ReservationOrDefault() Reservation {
	switch {
	case s.Members.Reservation != "":
		return s.Members.Reservation
	case s.Purpose == PurposeTrial:
		return ReservationMinimal
	}
	return ReservationFull
}

// EnvironmentPolicyOrDefault returns the policy of a run on the network.
func (s *NetworkTemplate) EnvironmentPolicyOrDefault(measure *Measure) EnvironmentPolicy {
	switch {
	case measure.EnvironmentPolicy != "":
		return measure.EnvironmentPolicy
	case s.Purpose == PurposeTrial:
		return EnvironmentRecord
	}
	return EnvironmentEnforce
}

// DatabaseOrDefault returns the database of the members on a platform whose members use one. Without spec.database it is H2 in
// each member.
func (s *BenchmarkNetworkSpec) DatabaseOrDefault() DatabaseSpec {
	if s.Database != nil {
		return *s.Database
	}
	return DatabaseSpec{Engine: EngineH2, Topology: TopologyPerMember, Provider: ProviderManaged}
}

// HasUserSchemas reports whether the members use schemas that the operator neither creates nor resets nor drops.
func (d DatabaseSpec) HasUserSchemas() bool {
	return d.Engine == EngineSQLServer || d.Engine == EngineOracle
}

// ManagedOrDefault returns the configuration of the project's own servers.
func (d DatabaseSpec) ManagedOrDefault() ManagedDatabase {
	if d.Managed != nil {
		return *d.Managed
	}
	return ManagedDatabase{}
}

// SecretReference names a Secret in the namespace.
type SecretReference struct {
	// name is the name of the Secret.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +required
	Name string `json:"name"`
}
