package platformtest

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/run/loadgen"
)

// ImageCatalogue returns the catalogue of images in the suite.
func ImageCatalogue() naming.ImageCatalogue {
	return naming.ImageCatalogue{Registry: "registry.test/benchnet", Version: "0.0.1"}
}

// NewInput returns the input for a sample, with database connections if its members need them.
func NewInput(p platform.Platform, network *v1alpha1.BenchmarkNetwork) platform.Input {
	in := platform.Input{Network: network, Images: ImageCatalogue()}
	if _, ok := p.(platform.DatabaseConsumer); !ok || network.Spec.DatabaseOrDefault().Engine == v1alpha1.EngineH2 {
		return in
	}
	in.Databases = map[string]platform.DatabaseConnection{}
	for _, m := range p.Topology(network).Members {
		if spec := network.Spec.DatabaseOrDefault(); spec.HasUserSchemas() {
			in.Databases[m.Name] = platform.NewSecretConnection(spec.External.JDBCSecret.Name, m.Name)
			continue
		}
		in.Databases[m.Name] = platform.DatabaseConnection{
			URL: "jdbc:postgresql://" + network.Name + "-db:5432/ledger?currentSchema=" + m.Name, User: m.Name,
			PasswordSecret: naming.MemberDatabaseSecret(network.Name, m.Name), PasswordKey: "password",
		}
	}
	return in
}

// BuildOutput holds everything that a platform builds for a network.
type BuildOutput struct {
	Topology             platform.Topology
	Credentials          []platform.Credential
	Genesis              platform.Genesis
	Members              []client.Object
	DatabaseRequirements platform.DatabaseRequirements
	Settings             []v1alpha1.DerivedSetting
	// Drivers by workload name, and the objects of their runs.
	Drivers map[string]loadgen.Driver
	Runs    []client.Object
}

// Build builds everything for a network. It fails the test if the platform returns an error.
func Build(t *testing.T, p platform.Platform, network *v1alpha1.BenchmarkNetwork) BuildOutput {
	t.Helper()
	in := NewInput(p, network)
	b := BuildOutput{Topology: p.Topology(network), Settings: platform.DerivedSettings(p, &network.Spec), Drivers: map[string]loadgen.Driver{}}
	var err error
	if b.Members, err = p.BuildMembers(in, b.Topology); err != nil {
		t.Fatalf("members: %v", err)
	}
	if user, ok := p.(platform.GenesisProvider); ok {
		b.Credentials = user.Credentials(b.Topology)
		if b.Genesis, err = user.BuildGenesis(in, b.Topology); err != nil {
			t.Fatalf("genesis: %v", err)
		}
	}
	if user, ok := p.(platform.DatabaseConsumer); ok {
		b.DatabaseRequirements = user.DatabaseRequirements(in, b.Topology)
	}
	for i := range network.Spec.Workloads {
		b.buildRun(t, p, in, &network.Spec.Workloads[i].Workload)
	}
	return b
}

func (b *BuildOutput) buildRun(t *testing.T, p platform.Platform, in platform.Input, w *v1alpha1.Workload) {
	t.Helper()
	d, err := p.BuildDriver(in, b.Topology, w)
	if err != nil {
		t.Fatalf("load of workload %s: %v", w.Name, err)
	}
	b.Drivers[w.Name] = d
	run := &v1alpha1.BenchmarkRun{
		ObjectMeta: metav1.ObjectMeta{Name: naming.WorkloadRun(in.Network.Name, w.Name), Namespace: in.Network.Namespace},
		Spec:       v1alpha1.BenchmarkRunSpec{NetworkName: in.Network.Name, Workload: *w},
	}
	objects, err := loadgen.BuildObjects(run, d, in.Images.Image("agent", ""), nil)
	if err != nil {
		t.Fatalf("objects of workload %s: %v", w.Name, err)
	}
	b.Runs = append(b.Runs, objects...)
}
