package cli_test

import (
	"encoding"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"aead.dev/minisign"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/network/plan"
	"github.com/benchnet/benchnet/internal/platform/registry"
)

// TestBundle checks that the content of a bundle can be applied after the network was deleted, and gives the same plan.
func TestBundle(t *testing.T) {
	directory := t.TempDir()
	file, other := filepath.Join(directory, "small.tar.gz"), filepath.Join(directory, "other.tar.gz")
	public, private := writeKeyPair(t, directory)
	runPlugin(t, "bundle", "small-blocks", "-o", file, "--key", private).expect(t, 0, "wrote "+file)
	runPlugin(t, "verify", file, "--key", public).expect(t, 0, "files as in their index", `"benchnet bundle of brun/small-blocks"`)
	runPlugin(t, "bundle", "brun/small-again", "-o", other).expect(t, 0)
	runPlugin(t, "verify", other).expect(t, 0, "warning: no signature was checked: give --key")
	runPlugin(t, "verify", other, "--key", public).expect(t, 2, "SHA256SUMS.minisig is missing: the bundle is not signed")
	runPlugin(t, "verify", public).expect(t, 1, "is no bundle: unpack: ")
	runPlugin(t, "verify", file, "--key", private).expect(t, 1, "is no public key of minisign")
	runPlugin(t, "bundle", "small-blocks", "-o", file, "--key", public).expect(t, 1, "is no private key of minisign")
	unpackArchive(t, file, directory)

	var network v1alpha1.BenchmarkNetwork
	key := client.ObjectKey{Namespace: namespace, Name: "small"}
	if err := server.client.Get(t.Context(), key, &network); err != nil {
		t.Fatal(err)
	}
	recorded, planned := network.Status, planHash(t, &network)
	if err := server.client.Delete(t.Context(), &network); err != nil {
		t.Fatal(err)
	}
	runPlugin(t, "run", "-k", directory, "--timeout", "1s").expect(t, 1, "benchmarknetwork/small applied")
	network = v1alpha1.BenchmarkNetwork{}
	if err := server.client.Get(t.Context(), key, &network); err != nil {
		t.Fatal(err)
	}
	if got := planHash(t, &network); got != planned {
		t.Errorf("the plan's hash is %s, before it was %s", got, planned)
	}
	readme, err := os.ReadFile(filepath.Join(directory, "README.md"))
	if err != nil || !strings.Contains(string(readme), "`"+recorded.PlanHash+"`") {
		t.Errorf("README.md lacks the hash %s: %v", recorded.PlanHash, err)
	}
	network.Status = recorded
	if err := server.client.Status().Update(t.Context(), &network); err != nil {
		t.Fatal(err)
	}
}

func TestBundleOfExperiment(t *testing.T) {
	directory := t.TempDir()
	file := filepath.Join(directory, "sizes.tar.gz")
	if err := os.WriteFile(file, []byte(runPlugin(t, "bundle", "sizes", "-o", "-").out), 0o600); err != nil {
		t.Fatal(err)
	}
	unpackArchive(t, file, directory)
	for name, want := range map[string]string{"experiment-sizes.yaml": "repetitions: 4", "runs/sizes-p01-r1.json": `"histogram":`, "report.html": "sizes-p01-r1"} {
		if text, err := os.ReadFile(filepath.Join(directory, name)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("no %q in %s: %v", want, name, err)
		}
	}
}

// writeKeyPair writes a key pair of minisign and returns its files.
func writeKeyPair(t *testing.T, directory string) (publicFile, privateFile string) {
	t.Helper()
	public, private, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	publicFile, privateFile = filepath.Join(directory, "minisign.pub"), filepath.Join(directory, "minisign.key")
	for file, key := range map[string]encoding.TextMarshaler{publicFile: public, privateFile: private} {
		text, err := key.MarshalText()
		if err == nil {
			err = os.WriteFile(file, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return publicFile, privateFile
}

// unpackArchive unpacks a gzipped tar as its users do.
func unpackArchive(t *testing.T, file, directory string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "tar", "-xzf", file, "-C", directory).CombinedOutput(); err != nil {
		t.Fatalf("unpack %s: %v: %s", file, err, out)
	}
}

// planHash returns the hash of the plan that the operator would build.
func planHash(t *testing.T, network *v1alpha1.BenchmarkNetwork) string {
	t.Helper()
	p, err := registry.New().Get(network.Spec.Platform.Type)
	if err != nil {
		t.Fatal(err)
	}
	built, err := plan.Build(plan.Input{Network: network, Platform: p, KubeVersion: "v1.34.4",
		Images: naming.ImageCatalogue{Registry: naming.DefaultImageRegistry, Version: "0.1.0"}, GenesisSecretFilled: func(string) bool { return true }})
	if err != nil {
		t.Fatal(err)
	}
	return built.Hash
}
