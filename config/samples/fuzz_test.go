// Package samples_test runs the samples and mutations of them through admission, validation and planning.
package samples_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/fuzz"
	"github.com/benchnet/benchnet/internal/kube/limits"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/network/plan"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
	"github.com/benchnet/benchnet/internal/platform/registry"
	"github.com/benchnet/benchnet/internal/run/loadgen"
)

// FuzzSpec puts a value at a place of a sample and runs it through admission, validation, the plan, and the
// objects of its runs. Each mutation is rejected or built, and no built object is outside of the network's
// namespace.
func FuzzSpec(f *testing.F) {
	samples := readSampleNetworks(f)
	admission := platformtest.NewAdmission(f, filepath.Join("..", "crd", "bases", "benchnet.dev_benchmarknetworks.yaml"))
	for i, value := range fuzz.HostileValues {
		f.Add(uint8(i), uint16(7*i), value)
		f.Add(uint8(7*i), uint16(11*i), value)
	}
	registry := registry.New()
	f.Fuzz(func(t *testing.T, sample uint8, place uint16, value string) {
		manifest := mutateSpec(t, samples[int(sample)%len(samples)], int(place), value)
		network := &v1alpha1.BenchmarkNetwork{}
		if err := admission.Admit(manifest, network); err != nil {
			return
		}
		network.Namespace, network.UID = "bench", "uid"
		if len(validation.NameIsDNSLabel(network.Name, false)) > 0 {
			return // The API server rejects it.
		}
		p, err := registry.Get(network.Spec.Platform.Type)
		if err != nil {
			return
		}
		checkPlan(t, p, network)
	})
}

func checkPlan(t *testing.T, p platform.Platform, network *v1alpha1.BenchmarkNetwork) {
	t.Helper()
	problems := limits.ValidateQuantities(&network.Spec, field.NewPath("spec"))
	if len(problems) > 0 {
		return
	}
	problems = platform.ValidateNetwork(p, &network.Spec, field.NewPath("spec"))
	for i := range network.Spec.Workloads {
		problems = append(problems, platform.ValidateWorkload(p, &network.Spec, &network.Spec.Workloads[i].Workload, field.NewPath("spec"))...)
	}
	if len(problems) > 0 {
		return
	}
	catalogue := naming.ImageCatalogue{Registry: "example.com", Version: "1"}
	built, err := plan.Build(plan.Input{Network: network, Platform: p, Images: catalogue, GenesisSecretFilled: func(string) bool { return false }})
	if err != nil {
		return
	}
	for _, o := range built.Objects() {
		if ns := o.GetNamespace(); ns != "" && ns != network.Namespace {
			t.Errorf("%T %s is in namespace %s", o, o.GetName(), ns)
		}
	}
	checkRunObjects(t, p, network, built.Topology, catalogue)
}

func checkRunObjects(t *testing.T, p platform.Platform, network *v1alpha1.BenchmarkNetwork, topology platform.Topology, catalogue naming.ImageCatalogue) {
	t.Helper()
	for i := range network.Spec.Workloads {
		w := &network.Spec.Workloads[i].Workload
		if w.Workers.Count > 16 {
			return
		}
		d, err := p.BuildDriver(platform.Input{Network: network, Images: catalogue}, topology, w)
		if err != nil {
			return
		}
		run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "run", Namespace: network.Namespace},
			Spec: v1alpha1.BenchmarkRunSpec{NetworkName: network.Name, Workload: *w}}
		if _, err := loadgen.BuildObjects(run, d, catalogue.Image("agent", ""), nil); err != nil {
			t.Errorf("workload %s was accepted, but its run is not built: %v", w.Name, err)
		}
	}
}

// readSampleNetworks returns the manifests of all networks in config/samples.
func readSampleNetworks(f testing.TB) []map[string]any {
	f.Helper()
	files, err := filepath.Glob("*.yaml")
	if err != nil || len(files) == 0 {
		f.Fatalf("no samples: %v", err)
	}
	var networks []map[string]any
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for document := range strings.SplitSeq(string(text), "\n---\n") {
			var manifest map[string]any
			if err := yaml.Unmarshal([]byte(document), &manifest); err != nil {
				f.Fatalf("%s: %v", file, err)
			}
			if manifest["kind"] == "BenchmarkNetwork" {
				networks = append(networks, manifest)
			}
		}
	}
	return networks
}

// mutateSpec returns the manifest with the value at one of the places of its spec.
func mutateSpec(t *testing.T, manifest map[string]any, place int, value string) []byte {
	t.Helper()
	spec, err := json.Marshal(manifest["spec"])
	if err != nil {
		t.Fatal(err)
	}
	if spec, err = fuzz.MutateDocument(spec, place, value); err != nil {
		t.Skip(err)
	}
	whole := maps.Clone(manifest)
	whole["spec"] = json.RawMessage(spec)
	text, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
