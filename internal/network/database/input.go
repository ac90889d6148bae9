package database

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// Input is all that decides about a network's databases.
type Input struct {
	Network   string
	Namespace string
	// Labels are added to every object; they may not replace the labels of this package.
	Labels map[string]string
	// KubeVersion of the cluster, such as v1.34.4, which charts may ask for. Empty: v1.34.0.
	KubeVersion string

	// Engine H2 lives inside the members: its plan is empty.
	Engine   v1alpha1.DatabaseEngine
	Topology v1alpha1.DatabaseTopology
	// MembersPerInstance with topology PerHost; at least 1.
	MembersPerInstance int32
	Provider           v1alpha1.DatabaseProvider
	// UserChart of the user's own; nil: the project's chart. With provider Chart.
	Chart *UserChart
	// ExternalServer server; with provider External.
	External *ExternalServer
	// Members in order; the order decides which instance serves a member.
	Members []MemberSpec

	Server ServerSpec
	Images Images
	// Superuser is the key with the password of the instances' superuser. With provider Chart.
	Superuser SecretKey
	// SchemaTemplate fills the members' schemas; nil leaves them empty.
	Template *SchemaTemplate
	// Epoch names the network's life since its last reset; empty in the first, which has none.
	Epoch string
}

// MemberSpec is one user of a database.
type MemberSpec struct {
	// Name is a DNS label, unique in the network.
	Name string
	// Role of the member in the network, such as Party or Notary; for people only.
	Role string
	// Connections that its pool may open at once: flow threads and a margin for RPC (the platform's rule).
	Connections int32
	// Transactions and States that the planned load records on this member.
	Transactions, States int64
	// Password is the key with its role's password.
	Password SecretKey
}

// SecretKey is a key of a Secret in the network's namespace, which exists before the objects are applied.
type SecretKey struct{ Name, Key string }

// ServerSpec describes the instances of provider Chart. A user's own chart has its own values instead.
type ServerSpec struct {
	// Resources of one instance. shared_buffers follows the memory limit, or the request without one.
	Resources corev1.ResourceRequirements
	Storage   StorageSpec
	// Settings of postgresql.conf in PostgreSQL's notation; they replace derived ones.
	Settings     map[string]string
	NodeSelector map[string]string
	Tolerations  []corev1.Toleration
}

// StorageSpec of one instance.
type StorageSpec struct {
	// Type defaults to Persistent.
	Type v1alpha1.StorageType
	// Size; nil: derived from the planned load.
	Size *resource.Quantity
	// ExistingSize returns the size of DataVolume of an instance that exists. It goes before all else: when the planned load grows, a
	// claim template cannot change, and an ephemeral volume cannot without losing its data. Nil: no instance exists.
	ExistingSize func(instance string) (resource.Quantity, bool)
	// ClassName of the StorageClass; nil: the cluster's default.
	ClassName *string
}

// Images are full references.
type Images struct {
	// PostgreSQL serves the project's chart and, with any provider, the setup Jobs.
	PostgreSQL string
	// Exporter for Prometheus beside each instance of the project's chart; empty: none.
	Exporter string
	// Agent that starts the server of the project's chart and tells what it uses; empty: none.
	Agent string
}

// UserChart is a Helm chart of the user's own.
type UserChart struct {
	// Values for it, as in a values file.
	Values map[string]any
	// Render returns the objects of each instance of the request, as RenderChart does.
	Render func(RenderRequest) ([][]*unstructured.Unstructured, error)
}

// ExternalServer is a server that is not the network's own. It outlives the network, so the plan has a Teardown.
type ExternalServer struct {
	Host string
	// Port defaults to 5432.
	Port int32
	// SSLMode of libpq, used by the setup and by the members; empty: each client's default.
	SSLMode string
	// User and Password of a role that may create roles and the database.
	User, Password SecretKey
	// Database defaults to DefaultName. It is made unless it exists.
	Database string
	// Owner marks the roles as this network's. It must be unique over all that use the server, best the network's UID:
	// roles marked otherwise are never touched. Default: namespace/network.
	Owner string
}

// SchemaTemplate makes the content of a new schema.
type SchemaTemplate struct {
	// Containers run in order, as init containers of the setup Job, after the database exists. They get PGHOST, PGPORT,
	// PGUSER, PGPASSWORD, PGDATABASE (and PGSSLMODE) of a role that may create schemas in it, and the volumes `template` at
	// /template and `tmp` at /tmp. The last one leaves /template/schema.sql or schema.sql.gz: a pg_dump --no-owner
	// --no-privileges of a schema named `template`.
	Containers []corev1.Container
	// Volumes that they mount.
	Volumes []corev1.Volume
}
