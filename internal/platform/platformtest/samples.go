// Package platformtest supports the tests of platforms. It admits manifests as the API server does, builds everything that a
// platform builds for a network, compares it with golden files, and checks that mistakes are refused.
package platformtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
)

// samplesDir is relative to a platform's package, as is the path of the CRD below.
const samplesDir = "../../../config/samples"

// Sample is a network that the platform must be able to build.
type Sample struct {
	Name string
	// Network with its defaults applied.
	Network *v1alpha1.BenchmarkNetwork
}

// NewNetworkAdmission returns the admission of BenchmarkNetworks.
func NewNetworkAdmission(t *testing.T) Admission {
	t.Helper()
	return NewAdmission(t, "../../../config/crd/bases/benchnet.dev_benchmarknetworks.yaml")
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

// LoadSamples returns the networks in config/samples/<type>_*.yaml, where <type> is the platform's type in lower case. A sample is
// named after its file and, if the file has several networks, also after the network. Each file must be listed in the kustomization.
func LoadSamples(t *testing.T, p platform.Platform) []Sample {
	t.Helper()
	pattern := filepath.Join(samplesDir, strings.ToLower(string(p.Type()))+"_*.yaml")
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no samples %s: %v", pattern, err)
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
