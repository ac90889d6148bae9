package platformtest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
)

var updateGolden = flag.Bool("update", false, "rewrite the golden files")

// CheckGolden compares everything built from the samples with testdata/<sample>/, so that changes are visible
// in review.
func CheckGolden(t *testing.T, p platform.Platform, samples []Sample) {
	for _, s := range samples {
		t.Run(s.Name, func(t *testing.T) {
			b := Build(t, p, s.Network)
			dir := filepath.Join("testdata", s.Name)
			if _, ok := p.(platform.GenesisProvider); ok {
				compareGolden(t, filepath.Join(dir, "genesis.yaml"), renderManifests(t, b.Genesis.JobObjects)+
					renderDocument(t, "Secrets to fill", b.Genesis.Secrets)+renderDocument(t, "Credentials", b.Credentials))
			}
			compareGolden(t, filepath.Join(dir, "members.yaml"), renderManifests(t, keepFirstTwoMembers(b.Members)))
			settings := renderDocument(t, "Settings", b.Settings)
			if _, ok := p.(platform.DatabaseConsumer); ok {
				settings += renderDocument(t, "Database needs", b.DatabaseRequirements)
			}
			compareGolden(t, filepath.Join(dir, "settings.yaml"), settings)
			compareGolden(t, filepath.Join(dir, "load.yaml"), renderDocument(t, "Drivers by workload", b.Drivers))
		})
	}
}

// keepFirstTwoMembers drops the members after the first two, which differ only in their number.
func keepFirstTwoMembers(objects []client.Object) []client.Object {
	var kept []client.Object
	for _, o := range objects {
		member := o.GetLabels()[v1alpha1.LabelMember]
		if !strings.HasPrefix(member, "member-") || member == "member-0" || member == "member-1" {
			kept = append(kept, o)
		}
	}
	return kept
}

func renderManifests(t *testing.T, objects []client.Object) string {
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
		text.WriteString(renderDocument(t, gvk.Kind+" "+o.GetName(), o))
	}
	return text.String()
}

func renderDocument(t *testing.T, title string, value any) string {
	t.Helper()
	text, err := yaml.Marshal(value)
	if err != nil {
		t.Fatalf("encode %s: %v", title, err)
	}
	return "---\n# " + title + "\n" + string(text)
}

func compareGolden(t *testing.T, file, got string) {
	t.Helper()
	if *updateGolden {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(readFile(t, file)), got); diff != "" {
		t.Errorf("%s differs; go test -update rewrites it:\n%s", file, diff)
	}
}
