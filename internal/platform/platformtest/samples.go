package platformtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// Paths of samples and CRDs, relative to a platform's package.
const (
	samplesDir = "../../../config/samples"
	crdDir     = "../../../config/crd/bases"
	// operatorRoleFile holds the operator's ClusterRole.
	operatorRoleFile = "../../../config/rbac/role.yaml"
)

// NewNetworkAdmission returns the admission of BenchmarkNetworks.
func NewNetworkAdmission(t *testing.T) Admission {
	t.Helper()
	return NewAdmission(t, filepath.Join(crdDir, "benchnet.dev_benchmarknetworks.yaml"))
}

// NewRunAdmission returns the admission of BenchmarkRuns.
func NewRunAdmission(t *testing.T) Admission {
	t.Helper()
	return NewAdmission(t, filepath.Join(crdDir, "benchnet.dev_benchmarkruns.yaml"))
}

// AdmitNetwork returns the network of a manifest as the API server would store it, in namespace bench.
func (a Admission) AdmitNetwork(t *testing.T, manifest []byte) *v1alpha1.BenchmarkNetwork {
	t.Helper()
	network := &v1alpha1.BenchmarkNetwork{}
	if err := a.Admit(manifest, network); err != nil {
		t.Fatalf("admit: %v", err)
	}
	network.Namespace = "bench"
	return network
}

// checkReadmission checks that the API server accepts a network as the operator encodes it for an experiment. Go
// encodes a duration of 2500ms as 2.5s.
func (a Admission) checkReadmission(t *testing.T, network *v1alpha1.BenchmarkNetwork) {
	t.Helper()
	if err := a.Admit([]byte(asJSON(t, network)), &v1alpha1.BenchmarkNetwork{}); err != nil {
		t.Errorf("the network that the operator writes is not admitted: %v", err)
	}
}

// LoadSamples returns the networks in config/samples/<prefix>_*.yaml. A sample is named after its file and, if
// the file has several networks, also after the network. Each file must be listed in the kustomization.
func LoadSamples(t *testing.T, prefix string) []Sample {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(samplesDir, prefix+"_*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no samples %s_*.yaml in %s: %v", prefix, samplesDir, err)
	}
	list := string(readFile(t, filepath.Join(samplesDir, "kustomization.yaml")))
	admission := NewNetworkAdmission(t)
	var all []Sample
	for _, file := range files {
		base := filepath.Base(file)
		if !strings.Contains(list, "- "+base+"\n") {
			t.Errorf("%s is not in kustomization.yaml", base)
		}
		networks := admitNetworks(t, admission, file)
		for _, n := range networks {
			name := strings.TrimSuffix(base, ".yaml")
			if len(networks) > 1 {
				name += "_" + n.Name
			}
			all = append(all, Sample{Name: name, Network: n})
		}
	}
	return all
}

func admitNetworks(t *testing.T, admission Admission, file string) []*v1alpha1.BenchmarkNetwork {
	t.Helper()
	var all []*v1alpha1.BenchmarkNetwork
	for _, document := range strings.Split(string(readFile(t, file)), "\n---\n") {
		if strings.Contains(document, "kind: BenchmarkNetwork") {
			all = append(all, admission.AdmitNetwork(t, []byte(document)))
		}
	}
	return all
}

// ReadSampleFile returns the content of a file in config/samples.
func ReadSampleFile(t *testing.T, name string) []byte {
	t.Helper()
	return readFile(t, filepath.Join(samplesDir, name))
}

func readFile(t *testing.T, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	return content
}
