package database

import (
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/sizing"
)

const (
	// PasswordKey is the key of the password in the Secrets of members and superuser. These Secrets exist before
	// the objects are applied.
	PasswordKey = "password"

	// userKey is the key of the user's name in the admin Secret of an external server.
	userKey = "username"

	// postgresqlVersion is the major version in the tag of the project's PostgreSQL image.
	postgresqlVersion = "15"

	// serverEntrypoint is the program that starts the server in the project's image, and officialEntrypoint that of the
	// official image, whose interface a user's image has.
	serverEntrypoint   = "entrypoint"
	officialEntrypoint = "docker-entrypoint.sh"
)

// Input holds everything that determines a network's databases.
type Input struct {
	// Network is the network with its defaults applied. Its engine is not H2.
	Network *v1alpha1.BenchmarkNetwork
	// Members are in the order that decides which instance serves a member.
	Members []platform.Member
	// Requirements are those of each member.
	Requirements platform.DatabaseRequirements
	// Images is the catalogue of the project's images.
	Images naming.ImageCatalogue
	// KubeVersion is the version of the cluster, such as v1.34.4, which charts may query. Empty means v1.34.0.
	KubeVersion string
	// Chart is the user's chart for provider Chart; nil means the project's chart.
	Chart *UserChart
	// ExistingSize returns the size of DataVolume of an existing instance. It takes precedence, since a claim
	// template cannot change, and an ephemeral volume cannot change without losing its data. Nil means that no
	// instance exists.
	ExistingSize func(instance string) (resource.Quantity, bool)
	// Epoch is the ID of the network's epoch; empty in the first one, which has no reset.
	Epoch string
}

// UserChart is a user's Helm chart.
type UserChart struct {
	// Values are the chart's values, as in a values file.
	Values map[string]any
	// Render returns the objects of each instance of the request, as RenderChart does.
	Render func(RenderRequest) ([][]*unstructured.Unstructured, error)
}

func (in Input) databaseSpec() v1alpha1.DatabaseSpec { return in.Network.Spec.DatabaseOrDefault() }

// isExternal reports whether the servers are outside of the network. They outlive it, so their instances have TeardownObjects.
func (in Input) isExternal() bool { return in.databaseSpec().Provider == v1alpha1.ProviderExternal }

// projectImage returns the project's image of PostgreSQL, the client of the Jobs and the default server.
func (in Input) projectImage() string { return in.Images.Image("postgresql", postgresqlVersion) }

// serverImage returns the image of an instance of the project's chart, and its program that starts the server.
func (in Input) serverImage(spec v1alpha1.DatabaseSpec) (reference, entrypoint string) {
	if image := spec.ManagedOrDefault().Image; image != "" {
		return image, officialEntrypoint
	}
	return in.projectImage(), serverEntrypoint
}

// ServerMachine returns the size of an instance of the project's chart.
func ServerMachine(spec v1alpha1.DatabaseSpec) sizing.Machine {
	managed := spec.ManagedOrDefault()
	return sizing.Machine{Cores: ptr.Deref(managed.Cores, resource.MustParse("1")), Memory: ptr.Deref(managed.Memory, resource.MustParse("1Gi"))}
}
