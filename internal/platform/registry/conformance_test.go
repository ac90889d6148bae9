package registry_test

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
	"github.com/benchnet/benchnet/internal/platform/registry"
)

// TestConformance checks every platform with its samples, which should together cover all of it.
func TestConformance(t *testing.T) {
	admission := platformtest.NewNetworkAdmission(t)
	for _, p := range registry.New() {
		t.Run(string(p.Type()), func(t *testing.T) {
			if got, err := registry.New().Get(p.Type()); reflect.TypeOf(got) != reflect.TypeOf(p) {
				t.Errorf("Get returns %T, %v: another platform has the same type", got, err)
			}
			for _, s := range platformtest.LoadSamples(t, p) {
				t.Run(s.Name, func(t *testing.T) { checkConformance(t, admission, p, s.Network) })
			}
		})
	}
}

// TestConformanceWithOracle checks Corda on Oracle. Its samples are on the other engines.
func TestConformanceWithOracle(t *testing.T) {
	sample := string(platformtest.ReadSampleFile(t, "corda_enterprise_sqlserver.yaml"))
	admission := platformtest.NewNetworkAdmission(t)
	network := admission.AdmitNetwork(t, []byte(strings.Replace(sample, "engine: SQLServer", "engine: Oracle", 1)))
	p, err := registry.New().Get(network.Spec.Platform.Type)
	if err != nil {
		t.Fatal(err)
	}
	checkConformance(t, admission, p, network)
}

// checkConformance checks that the platform accepts the network and builds it deterministically without changing its input. Its
// objects must not conflict, and its pods must run under restricted pod security, from pinned images, within limits, and with secrets
// only from declared Secrets. Its topology must match the objects.
func checkConformance(t *testing.T, admission platformtest.Admission, p platform.Platform, network *v1alpha1.BenchmarkNetwork) {
	platformtest.CheckAccepted(t, p, network)
	checkReadmission(t, admission, network)
	checkDeterministic(t, p, network)
	b := platformtest.Build(t, p, network)
	checkObjects(t, b, network)
	checkPods(t, b, platformtest.NewInput(p, network))
	checkGenesisSteps(t, b)
	checkTopology(t, b, network)
	checkMetricsPorts(t, b)
	checkSettings(t, b)
	checkSummary(t, p, network)
}

// checkReadmission checks that the API server accepts a network as the operator encodes it for an experiment. Go
// encodes a duration of 2500ms as 2.5s.
func checkReadmission(t *testing.T, admission platformtest.Admission, network *v1alpha1.BenchmarkNetwork) {
	t.Helper()
	if err := admission.Admit([]byte(asJSON(t, network)), &v1alpha1.BenchmarkNetwork{}); err != nil {
		t.Errorf("the network that the operator writes is not admitted: %v", err)
	}
}

// checkDeterministic checks that two builds are equal and that building does not change the network.
func checkDeterministic(t *testing.T, p platform.Platform, network *v1alpha1.BenchmarkNetwork) {
	t.Helper()
	before := asJSON(t, network)
	first, second := asJSON(t, platformtest.Build(t, p, network)), asJSON(t, platformtest.Build(t, p, network.DeepCopy()))
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

// checkSummary checks that the summary of the workloads, as an experiment records it on its networks, is short enough for the operator's
// cache and gives the same settings as the workloads.
func checkSummary(t *testing.T, p platform.Platform, network *v1alpha1.BenchmarkNetwork) {
	t.Helper()
	recorded, planned := network.DeepCopy(), make([]v1alpha1.Workload, len(network.Spec.Workloads))
	for i := range planned {
		planned[i] = network.Spec.Workloads[i].Workload
	}
	recorded.Spec.Workloads = nil
	if err := platform.RecordPlannedWorkloads(p, recorded, planned); err != nil {
		t.Fatal(err)
	}
	if n := len(recorded.Annotations[v1alpha1.AnnotationPlannedWorkloads]); n > 1<<10 {
		t.Errorf("the summary of the workloads has %d bytes", n)
	}
	if got, want := p.DerivedSettings(&platform.WithPlannedWorkloads(recorded).Spec), p.DerivedSettings(&network.Spec); !reflect.DeepEqual(got, want) {
		t.Errorf("a summary of the workloads gives the settings %+v, want %+v", got, want)
	}
}

func checkSettings(t *testing.T, b platformtest.BuildOutput) {
	t.Helper()
	seen := map[string]bool{}
	for _, s := range b.Settings {
		if s.Name == "" || s.Value == "" || s.Source == "" {
			t.Errorf("setting %+v lacks a part", s)
		}
		if seen[s.Name] {
			t.Errorf("setting %s is listed twice", s.Name)
		}
		seen[s.Name] = true
	}
}

func readFile(t *testing.T, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	return content
}
