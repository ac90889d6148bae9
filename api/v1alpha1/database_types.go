package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// DatabaseEngine is a database product.
// +kubebuilder:validation:Enum=H2;PostgreSQL
type DatabaseEngine string

// The database engines.
const (
	EngineH2         DatabaseEngine = "H2"
	EnginePostgreSQL DatabaseEngine = "PostgreSQL"
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
// +kubebuilder:validation:Enum=Chart;External
type DatabaseProvider string

// The database providers.
const (
	ProviderChart    DatabaseProvider = "Chart"
	ProviderExternal DatabaseProvider = "External"
)

// DatabaseSpec is the database of the members.
// +kubebuilder:validation:XValidation:rule="self.engine != 'H2' || (self.topology == 'PerMember' && self.provider == 'Chart' && !has(self.chart) && !has(self.external) && !has(self.storage))",message="database: H2 lives inside each member, so it takes topology PerMember and none of chart, external, storage or provider External"
// +kubebuilder:validation:XValidation:rule="(self.provider == 'External') == has(self.external)",message="database.external must be set when, and only when, database.provider is External"
// +kubebuilder:validation:XValidation:rule="self.provider != 'External' || self.topology == 'Shared'",message="database.topology must be Shared when database.provider is External: one server, a schema and a user per member"
// +kubebuilder:validation:XValidation:rule="!has(self.chart) || self.provider == 'Chart'",message="database.chart needs database.provider Chart"
// +kubebuilder:validation:XValidation:rule="(self.topology == 'PerHost') == has(self.membersPerInstance)",message="database.membersPerInstance must be set when, and only when, database.topology is PerHost"
type DatabaseSpec struct {
	// engine is H2 (inside the node, the open-source default) or PostgreSQL.
	// +kubebuilder:default=H2
	// +optional
	Engine DatabaseEngine `json:"engine,omitempty"`
	// topology is PerMember (an instance each), Shared (one instance, a schema and a user per member) or PerHost
	// (an instance for every membersPerInstance members, which are placed on its host).
	// +kubebuilder:default=PerMember
	// +optional
	Topology DatabaseTopology `json:"topology,omitempty"`
	// membersPerInstance with topology PerHost.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	MembersPerInstance *int32 `json:"membersPerInstance,omitempty"`
	// provider is Chart (instances from a Helm chart) or External (a server of your own).
	// +kubebuilder:default=Chart
	// +optional
	Provider DatabaseProvider `json:"provider,omitempty"`
	// chart replaces the project's own PostgreSQL chart.
	// +optional
	Chart *DatabaseChart `json:"chart,omitempty"`
	// external is the server of provider External.
	// +optional
	External *ExternalDatabase `json:"external,omitempty"`
	// connectionsPerMember bounds a member's connection pool. Default: flow threads + RPC threads + 1, at least 10.
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=2048
	// +optional
	ConnectionsPerMember *int32 `json:"connectionsPerMember,omitempty"`
	// cores that one instance may use. Default: 1.
	// +optional
	Cores *resource.Quantity `json:"cores,omitempty"`
	// memory of one instance. Default: 1Gi.
	// +optional
	Memory *resource.Quantity `json:"memory,omitempty"`
	// storage of one instance.
	// +optional
	Storage *Storage `json:"storage,omitempty"`
}

// DatabaseChart is a PostgreSQL Helm chart of the user's own. It has to make a Service named after its release
// (the instance) that serves port 5432; docs/databases.md has the whole contract.
type DatabaseChart struct {
	// configMapName of the ConfigMap in the namespace that holds the packaged chart.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +required
	ConfigMapName string `json:"configMapName"`
	// key of the packaged chart (helm package) among the ConfigMap's binaryData.
	// +kubebuilder:default=chart.tgz
	// +kubebuilder:validation:MaxLength=253
	// +optional
	Key string `json:"key,omitempty"`
	// values for the chart.
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Values *apiextensionsv1.JSON `json:"values,omitempty"`
}

// ExternalDatabase is a PostgreSQL server of the user's own.
type ExternalDatabase struct {
	// host name or address.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +required
	Host string `json:"host"`
	// port of the server. Default: 5432.
	// +kubebuilder:default=5432
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	// +optional
	Port int32 `json:"port,omitempty"`
	// sslMode of libpq. Default: prefer.
	// +kubebuilder:default=prefer
	// +kubebuilder:validation:Enum=disable;allow;prefer;require;verify-ca;verify-full
	// +optional
	SSLMode string `json:"sslMode,omitempty"`
	// adminSecret names a Secret in the namespace of the network. Its keys username and password are those of a role that may create
	// roles and schemas. The Secret needs the label benchnet.dev/database-admin=true.
	// +required
	AdminSecret corev1.LocalObjectReference `json:"adminSecret"`
}

// StorageType says whether data survives the pod.
// +kubebuilder:validation:Enum=Persistent;Ephemeral
type StorageType string

// The storage types.
const (
	StoragePersistent StorageType = "Persistent"
	StorageEphemeral  StorageType = "Ephemeral"
)

// Storage of a pod.
// +kubebuilder:validation:XValidation:rule="self.type == 'Persistent' || !has(self.className)",message="storage.className needs storage.type Persistent"
type Storage struct {
	// type is Persistent (a volume claim, deleted with the network) or Ephemeral (gone with the pod).
	// +kubebuilder:default=Persistent
	// +optional
	Type StorageType `json:"type,omitempty"`
	// size of the volume. Default: derived from the planned load, 10 KB per transaction and 10 KB per state (R3).
	// +optional
	Size *resource.Quantity `json:"size,omitempty"`
	// className of the StorageClass. Default: the cluster's default class.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	ClassName *string `json:"className,omitempty"`
}

// DatabaseOrDefault is the database of the members on a platform whose members use one: the given one, or H2 in each member.
func (s *BenchmarkNetworkSpec) DatabaseOrDefault() DatabaseSpec {
	if s.Database != nil {
		return *s.Database
	}
	return DatabaseSpec{Engine: EngineH2, Topology: TopologyPerMember, Provider: ProviderChart}
}
