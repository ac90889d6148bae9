package database

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// Input holds everything that determines a network's databases.
type Input struct {
	Network   string
	Namespace string
	// Labels are added to every object. They cannot replace the labels of this package.
	Labels map[string]string
	// KubeVersion is the version of the cluster, such as v1.34.4, which charts may query. Empty means v1.34.0.
	KubeVersion string

	// Engine is the database engine. H2 is embedded in the members, so its layout is empty.
	Engine   v1alpha1.DatabaseEngine
	Topology v1alpha1.DatabaseTopology
	// MembersPerInstance applies to topology PerHost and must be at least 1.
	MembersPerInstance int32
	Provider           v1alpha1.DatabaseProvider
	// Chart is the user's chart for provider Chart; nil means the project's chart.
	Chart *UserChart
	// External is the server for provider External.
	External *ExternalServer
	// Members are in the order that decides which instance serves a member.
	Members []MemberSpec

	Server ServerSpec
	Images Images
	// Superuser is the key of the password of the instances' superuser, for provider Chart.
	Superuser SecretKey
	// Template fills the members' schemas; nil leaves them empty.
	Template *SchemaTemplate
	// Epoch is the ID of the network's epoch; empty in the first one, which has no reset.
	Epoch string
}

// MemberSpec describes a member that uses a database.
type MemberSpec struct {
	// Name is a DNS label, unique in the network.
	Name string
	// Role is the member's role in the network, such as Party or Notary. It is only informative.
	Role string
	// Connections is how many connections its pool may open at once: flow threads and a margin for RPC (the
	// platform's rule).
	Connections int32
	// Transactions and States are the numbers that the planned load records on this member.
	Transactions, States int64
	// Password is the key of the password of the member's role.
	Password SecretKey
}

// SecretKey is a key of a Secret in the network's namespace. The Secret exists before the objects are applied.
type SecretKey struct{ Name, Key string }

// ServerSpec describes the instances of provider Chart. A user's chart has its own values instead.
type ServerSpec struct {
	// Resources are those of one instance. shared_buffers follows the memory limit, or the request if there is
	// no limit.
	Resources corev1.ResourceRequirements
	Storage   StorageSpec
	// Settings of postgresql.conf in PostgreSQL's notation. They replace derived settings.
	Settings     map[string]string
	NodeSelector map[string]string
	Tolerations  []corev1.Toleration
}

// StorageSpec describes the storage of one instance.
type StorageSpec struct {
	// Type defaults to Persistent.
	Type v1alpha1.StorageType
	// Size is the size of the volume; nil means derived from the planned load.
	Size *resource.Quantity
	// ExistingSize returns the size of DataVolume of an existing instance and takes precedence. When the
	// planned load grows, a claim template cannot change, and an ephemeral volume cannot change without losing
	// its data. Nil means that no instance exists.
	ExistingSize func(instance string) (resource.Quantity, bool)
	// ClassName is the name of the StorageClass; nil means the cluster's default.
	ClassName *string
}

// Images holds full image references.
type Images struct {
	// PostgreSQL is the image of the project's chart and, with any provider, of the setup Jobs.
	PostgreSQL string
	// Exporter is the image of the Prometheus exporter beside each instance of the project's chart; empty means
	// none.
	Exporter string
	// Agent is the image of the agent that starts the server of the project's chart and reports its resource
	// usage; empty means none.
	Agent string
}

// UserChart is a user's Helm chart.
type UserChart struct {
	// Values are the chart's values, as in a values file.
	Values map[string]any
	// Render returns the objects of each instance of the request, as RenderChart does.
	Render func(RenderRequest) ([][]*unstructured.Unstructured, error)
}

// ExternalServer is a server outside the network. It outlives the network, so its instance has TeardownObjects.
type ExternalServer struct {
	Host string
	// Port defaults to 5432.
	Port int32
	// SSLMode is libpq's sslmode for the setup and the members; empty means each client's default.
	SSLMode string
	// User and Password are the credentials of a role that may create roles and the database.
	User, Password SecretKey
	// Database defaults to DefaultName. It is created unless it exists.
	Database string
	// Owner marks the roles as this network's. It must be unique among all users of the server, preferably the
	// network's UID. Roles with another mark are never changed. It defaults to namespace/network.
	Owner string
}

// SchemaTemplate provides the content of a new schema.
type SchemaTemplate struct {
	// Containers run in order, as init containers of the setup Job, after the database exists. They get PGHOST,
	// PGPORT, PGUSER, PGPASSWORD, PGDATABASE (and PGSSLMODE) of a role that may create schemas, and the volumes
	// `template` at /template and `tmp` at /tmp. The last one must write /template/schema.sql or schema.sql.gz:
	// a pg_dump --no-owner --no-privileges of a schema named `template`.
	Containers []corev1.Container
	// Volumes are the volumes that the containers mount.
	Volumes []corev1.Volume
}
