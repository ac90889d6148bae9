package platformtest

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/golden"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/run/loadgen"
)

// CheckGolden compares everything built from the platform's samples with testdata, so that changes are visible in review. The
// base sample is stored in full, the others as differences from it. All samples are built under the base's name, so that names
// do not count as differences.
func CheckGolden(t *testing.T, p platform.Platform, base string) {
	samples := LoadSamples(t, p)
	i := slices.IndexFunc(samples, func(s Sample) bool { return s.Name == base })
	if i < 0 {
		t.Fatalf("there is no sample %s", base)
	}
	baseNetwork := samples[i].Network
	t.Run(base, func(t *testing.T) { golden.Check(t, base, renderBuild(t, p, baseNetwork)) })
	for _, s := range slices.Delete(samples, i, i+1) {
		t.Run(s.Name, func(t *testing.T) {
			network := s.Network.DeepCopy()
			network.Name = baseNetwork.Name
			golden.CheckVariant(t, base, s.Name, renderBuild(t, p, network))
		})
	}
}

func renderBuild(t *testing.T, p platform.Platform, network *v1alpha1.BenchmarkNetwork) []golden.Document {
	t.Helper()
	b := Build(t, p, network)
	all := []golden.Document{golden.NewYAML(t, "Settings", b.Settings)}
	if _, ok := p.(platform.GenesisProvider); ok {
		all = append(all, golden.NewYAML(t, "Credentials", b.Credentials), golden.NewYAML(t, "GenesisSecrets", b.Genesis.Secrets))
		all = append(all, renderObjects(t, b.Genesis.JobObjects)...)
	}
	if _, ok := p.(platform.DatabaseConsumer); ok {
		all = append(all, golden.NewYAML(t, "DatabaseRequirements", b.DatabaseRequirements))
	}
	all = append(all, renderObjects(t, keepFirstTwoMembers(b.Members))...)
	for _, workload := range slices.Sorted(maps.Keys(b.Drivers)) {
		all = append(all, renderDriver(t, workload, b.Drivers[workload])...)
	}
	return all
}

// renderDriver renders each observed endpoint as a document of its own, since they resemble each other.
func renderDriver(t *testing.T, workload string, d loadgen.Driver) []golden.Document {
	t.Helper()
	observed := d.Workload.Observe
	d.Workload.Observe = nil
	all := []golden.Document{golden.NewYAML(t, "Driver "+workload, d)}
	for _, o := range observed {
		all = append(all, golden.NewYAML(t, "Endpoint "+o.URL+" of "+workload, o))
	}
	return all
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

func renderObjects(t *testing.T, objects []client.Object) []golden.Document {
	t.Helper()
	var all []golden.Document
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
		all = append(all, golden.NewYAML(t, gvk.Kind+" "+o.GetName(), o))
	}
	return all
}
