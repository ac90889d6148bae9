package corda_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/corda"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

const (
	samplesDir  = "../../../config/samples"
	definitions = "../../../config/crd/bases"
)

var update = flag.Bool("update", false, "write the golden files anew")

func networkAdmission(t *testing.T) platformtest.Admission {
	t.Helper()
	return platformtest.NewAdmission(t, filepath.Join(definitions, "benchnet.dev_benchmarknetworks.yaml"))
}

// admit is the network of a manifest as the API server would store it, in namespace bench.
func admit(t *testing.T, admission platformtest.Admission, manifest []byte) *v1alpha1.BenchmarkNetwork {
	t.Helper()
	network := &v1alpha1.BenchmarkNetwork{}
	if err := admission.Admit(manifest, network); err != nil {
		t.Fatalf("admit: %v", err)
	}
	network.Namespace = "bench"
	return network
}

// samples are the networks in config/samples by file name.
func samples(t *testing.T) []platformtest.Sample {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(samplesDir, "corda_*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no samples in %s: %v", samplesDir, err)
	}
	admission := networkAdmission(t)
	var all []platformtest.Sample
	for _, file := range files {
		manifest := read(t, file)
		if strings.Contains(string(manifest), "kind: BenchmarkNetwork") {
			name := strings.TrimSuffix(filepath.Base(file), ".yaml")
			all = append(all, platformtest.Sample{Name: name, Network: admit(t, admission, manifest)})
		}
	}
	return all
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	return content
}

func TestConform(t *testing.T) {
	platformtest.Conform(t, corda.New(), samples(t))
}

// Every sample of a run must be admitted, and be one that the network it names can serve.
func TestSampleRun(t *testing.T) {
	admission := platformtest.NewAdmission(t, filepath.Join(definitions, "benchnet.dev_benchmarkruns.yaml"))
	var run v1alpha1.BenchmarkRun
	if err := admission.Admit(read(t, filepath.Join(samplesDir, "corda_run.yaml")), &run); err != nil {
		t.Fatalf("admit: %v", err)
	}
	for _, s := range samples(t) {
		if s.Network.Name != run.Spec.NetworkName {
			continue
		}
		if errs := corda.New().ValidateWorkload(&s.Network.Spec, &run.Spec.Workload, field.NewPath("spec", "workload")); len(errs) > 0 {
			t.Errorf("refused: %v", errs)
		}
		return
	}
	t.Errorf("no sample makes network %s", run.Spec.NetworkName)
}

// The kustomization lists every sample.
func TestSamplesListed(t *testing.T) {
	list := string(read(t, filepath.Join(samplesDir, "kustomization.yaml")))
	files, err := filepath.Glob(filepath.Join(samplesDir, "corda_*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !strings.Contains(list, "- "+filepath.Base(file)+"\n") {
			t.Errorf("%s is not in kustomization.yaml", filepath.Base(file))
		}
	}
}

// TestGolden pins everything that is made of the samples, so that a change of it is seen in review.
func TestGolden(t *testing.T) {
	for _, s := range samples(t) {
		t.Run(s.Name, func(t *testing.T) {
			b := platformtest.Build(t, corda.New(), s.Network)
			dir := filepath.Join("testdata", s.Name)
			golden(t, filepath.Join(dir, "material.yaml"), manifests(t, b.Material.Maker)+document(t, "Secrets to fill", b.Material.Secrets)+
				document(t, "Credentials", b.Credentials))
			golden(t, filepath.Join(dir, "members.yaml"), manifests(t, few(b.Members)))
			golden(t, filepath.Join(dir, "settings.yaml"), document(t, "Settings", b.Settings)+document(t, "Database needs", b.Needs))
			golden(t, filepath.Join(dir, "load.yaml"), document(t, "Drivers by workload", b.Drivers))
		})
	}
}

// few leaves out members that differ from the first two in their number alone.
func few(objects []client.Object) []client.Object {
	var kept []client.Object
	for _, o := range objects {
		member := o.GetLabels()[v1alpha1.LabelMember]
		if !strings.HasPrefix(member, "member-") || member == "member-0" || member == "member-1" {
			kept = append(kept, o)
		}
	}
	return kept
}

func manifests(t *testing.T, objects []client.Object) string {
	t.Helper()
	var text strings.Builder
	for _, o := range objects {
		o, ok := o.DeepCopyObject().(client.Object)
		if !ok {
			t.Fatalf("%T is no object", o)
		}
		gvk, err := apiutil.GVKForObject(o, scheme.Scheme)
		if err != nil {
			t.Fatal(err)
		}
		o.GetObjectKind().SetGroupVersionKind(gvk)
		text.WriteString(document(t, gvk.Kind+" "+o.GetName(), o))
	}
	return text.String()
}

func document(t *testing.T, title string, value any) string {
	t.Helper()
	text, err := yaml.Marshal(value)
	if err != nil {
		t.Fatalf("encode %s: %v", title, err)
	}
	return "---\n# " + title + "\n" + string(text)
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(read(t, file)), got); diff != "" {
		t.Errorf("%s differs; go test -update writes it anew:\n%s", file, diff)
	}
}
