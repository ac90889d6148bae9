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

var update = flag.Bool("update", false, "write the golden files anew")

// Golden pins everything that is made of the samples in testdata/<sample>/, so that a change of it is seen in review.
func Golden(t *testing.T, p platform.Platform, samples []Sample) {
	for _, s := range samples {
		t.Run(s.Name, func(t *testing.T) {
			b := Build(t, p, s.Network)
			dir := filepath.Join("testdata", s.Name)
			if _, ok := p.(platform.MaterialUser); ok {
				golden(t, filepath.Join(dir, "material.yaml"), manifests(t, b.Material.Maker)+
					document(t, "Secrets to fill", b.Material.Secrets)+document(t, "Credentials", b.Credentials))
			}
			golden(t, filepath.Join(dir, "members.yaml"), manifests(t, few(b.Members)))
			settings := document(t, "Settings", b.Settings)
			if _, ok := p.(platform.DatabaseUser); ok {
				settings += document(t, "Database needs", b.Needs)
			}
			golden(t, filepath.Join(dir, "settings.yaml"), settings)
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
