// Package platformtest is the conformance suite for platforms. A platform must build deterministically and
// without changing its input. Its objects must not conflict, and its pods must run under restricted pod
// security, from pinned images, within limits, and with secrets only from declared Secrets. Its topology must
// match the objects, and its validation errors must name their field.
package platformtest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/run/loadgen"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// Sample is a network that the platform must be able to build.
type Sample struct {
	Name string
	// Network with its defaults applied.
	Network *v1alpha1.BenchmarkNetwork
}

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

// CheckConformance checks a platform with samples that should together cover all of it.
func CheckConformance(t *testing.T, p platform.Platform, samples []Sample) {
	if len(samples) == 0 {
		t.Fatal("a platform cannot be checked without samples")
	}
	admission := NewNetworkAdmission(t)
	for _, s := range samples {
		t.Run(s.Name, func(t *testing.T) {
			checkAccepted(t, p, s.Network)
			admission.checkReadmission(t, s.Network)
			checkDeterministic(t, p, s.Network)
			b := Build(t, p, s.Network)
			b.checkObjects(t, s.Network)
			b.checkPods(t, NewInput(p, s.Network))
			b.checkGenesisSteps(t)
			b.checkTopology(t, s.Network)
			b.checkMetricsPorts(t)
			b.checkSettings(t)
			checkSummary(t, p, s.Network)
		})
	}
}

func checkAccepted(t *testing.T, p platform.Platform, network *v1alpha1.BenchmarkNetwork) {
	t.Helper()
	if p.Type() != network.Spec.Platform.Type {
		t.Errorf("platform %s got a network of platform %s", p.Type(), network.Spec.Platform.Type)
	}
	if p.Version(&network.Spec) == "" {
		t.Error("the platform has no version")
	}
	for _, err := range platform.ValidateNetwork(p, &network.Spec, field.NewPath("spec")) {
		t.Errorf("refused: %v", err)
	}
	for i := range network.Spec.Workloads {
		w := &network.Spec.Workloads[i].Workload
		for _, err := range p.ValidateWorkload(&network.Spec, w, field.NewPath("spec", "workloads").Index(i)) {
			t.Errorf("refused: %v", err)
		}
		if of := p.FinalityOf(w); (of == "") != (w.Type == v1alpha1.WorkloadJMeter) || (of == measurement.FinalityOfBlock) != (w.Type == v1alpha1.WorkloadBlocks) {
			t.Errorf("workload %s of type %s has the finality of %q", w.Name, w.Type, of)
		}
	}
}

// checkDeterministic checks that two builds are equal and that building does not change the network.
func checkDeterministic(t *testing.T, p platform.Platform, network *v1alpha1.BenchmarkNetwork) {
	t.Helper()
	before := asJSON(t, network)
	first, second := asJSON(t, Build(t, p, network)), asJSON(t, Build(t, p, network.DeepCopy()))
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("the same network was built differently:\n%s", diff)
	}
	if diff := cmp.Diff(before, asJSON(t, network)); diff != "" {
		t.Errorf("building changed the network:\n%s", diff)
	}
}

func asJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		t.Fatalf("encode %T: %v", value, err)
	}
	return string(text)
}

// Refusal is an error in a network that the platform must reject.
type Refusal struct {
	Name string
	// Change introduces the error.
	Change func(*v1alpha1.BenchmarkNetworkSpec)
	// Field is the field of the validation error, below spec. Says lists parts of its message.
	Field string
	Says  []string
}

// CheckRefusal applies the change to a valid network and expects exactly one error, the one that r describes.
func CheckRefusal(t *testing.T, p platform.Platform, good *v1alpha1.BenchmarkNetwork, r Refusal) {
	t.Run(r.Name, func(t *testing.T) {
		checkAccepted(t, p, good)
		mistaken := good.DeepCopy()
		r.Change(&mistaken.Spec)
		errs := platform.ValidateNetwork(p, &mistaken.Spec, field.NewPath("spec"))
		for i := range mistaken.Spec.Workloads {
			w := &mistaken.Spec.Workloads[i].Workload
			errs = append(errs, p.ValidateWorkload(&mistaken.Spec, w, field.NewPath("spec", "workloads").Index(i))...)
		}
		checkSingleError(t, errs, r)
	})
}

func checkSingleError(t *testing.T, errs field.ErrorList, r Refusal) {
	t.Helper()
	if len(errs) != 1 {
		t.Fatalf("got %d errors, want one: %v", len(errs), errs)
	}
	if errs[0].Field != "spec."+r.Field {
		t.Errorf("the error is for field %s, want spec.%s", errs[0].Field, r.Field)
	}
	for _, part := range r.Says {
		if !strings.Contains(errs[0].Error(), part) {
			t.Errorf("%q does not say %q", errs[0].Error(), part)
		}
	}
	t.Log(errs[0])
}
