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
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// CheckGolden compares everything built from the platform's samples with testdata, so that changes are visible in review. The base
// sample comes first: others are stored as differences from it or from each other. All samples are built under the base's name,
// so that names do not count as differences.
func CheckGolden(t *testing.T, p platform.Platform, base string) {
	samples := LoadSamples(t, p)
	i := slices.IndexFunc(samples, func(s Sample) bool { return s.Name == base })
	if i < 0 {
		t.Fatalf("there is no sample %s", base)
	}
	name := samples[i].Network.Name
	var cases []golden.Case
	for _, s := range slices.Concat(samples[i:i+1], samples[:i], samples[i+1:]) {
		s.Network.Name = name
		cases = append(cases, golden.Case{Name: s.Name, Render: func(t *testing.T) []golden.Document { return renderBuild(t, p, s.Network) }})
	}
	golden.CheckCases(t, cases)
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

// renderDriver renders the observed endpoints of each member as a document of their own, since members resemble each other.
func renderDriver(t *testing.T, workload string, d loadgen.Driver) []golden.Document {
	t.Helper()
	endpoints := map[string][]protocol.ObservedEndpoint{}
	for _, o := range d.Workload.Observe {
		member, _, _ := strings.Cut(o.Member, "/")
		endpoints[member] = append(endpoints[member], o)
	}
	d.Workload.Observe = nil
	all := []golden.Document{golden.NewYAML(t, "Driver "+workload, d)}
	for _, member := range slices.Sorted(maps.Keys(endpoints)) {
		all = append(all, golden.NewYAML(t, "Endpoints of "+member+" in "+workload, endpoints[member]))
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
