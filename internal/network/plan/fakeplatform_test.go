package plan

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/run/loadgen"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// fakePlatform is the smallest platform that has every capability that a plan uses.
type fakePlatform struct{}

func (fakePlatform) Type() v1alpha1.PlatformType                   { return "Fake" }
func (fakePlatform) Version(*v1alpha1.BenchmarkNetworkSpec) string { return "Fake 1" }
func (fakePlatform) Validate(*v1alpha1.BenchmarkNetworkSpec, *field.Path) field.ErrorList {
	return nil
}

func (fakePlatform) Topology(n *v1alpha1.BenchmarkNetwork) platform.Topology {
	return platform.Topology{Members: []platform.Member{{Name: "member-0", Spec: &n.Spec}, {Name: "member-1", Spec: &n.Spec}}}
}

func (fakePlatform) DerivedSettings(*v1alpha1.BenchmarkNetworkSpec) []v1alpha1.DerivedSetting {
	return nil
}

func (fakePlatform) BuildMembers(in platform.Input, t platform.Topology) ([]client.Object, error) {
	var all []client.Object
	for _, m := range t.Members {
		all = append(all, newConfigMap(m.Name, map[string]string{"url": in.Databases[m.Name].URL, "user": in.Databases[m.Name].User}))
	}
	return all, nil
}

func (fakePlatform) ValidateWorkload(*v1alpha1.BenchmarkNetworkSpec, *v1alpha1.Workload, *field.Path) field.ErrorList {
	return nil
}

func (fakePlatform) FinalityOf(*v1alpha1.Workload) measurement.FinalityOf { return "" }

func (fakePlatform) BuildDriver(platform.Input, platform.Topology, *v1alpha1.Workload) (loadgen.Driver, error) {
	return loadgen.Driver{}, nil
}

func (fakePlatform) Credentials(platform.Topology) []platform.Credential {
	return []platform.Credential{{Name: "net-credentials", Keys: []string{"rpc"}}}
}

func (fakePlatform) BuildGenesis(platform.Input, platform.Topology) (platform.Genesis, error) {
	return platform.Genesis{Secrets: []string{"net-identity"}, JobObjects: []client.Object{newConfigMap("net-genesis", nil)}}, nil
}

func (fakePlatform) DatabaseRequirements(_ platform.Input, t platform.Topology) platform.DatabaseRequirements {
	connections := map[string]int32{}
	for _, m := range t.Members {
		connections[m.Name] = 10
	}
	return platform.DatabaseRequirements{Connections: connections, PlannedTransactions: 1000,
		Template: []corev1.Container{{Name: "template", Image: "example.com/template:1"}}}
}

func newConfigMap(name string, data map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: data}
}
