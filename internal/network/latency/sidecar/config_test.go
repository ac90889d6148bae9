package sidecar

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/network/latency"
)

var memberNames = []string{"notary", "member-0", "member-1", "member-2"}

// newNetwork returns a network with the given YAML as its spec.network.
func newNetwork(t *testing.T, text string) *v1alpha1.BenchmarkNetwork {
	t.Helper()
	n := &v1alpha1.BenchmarkNetwork{ObjectMeta: metav1.ObjectMeta{Name: "net", Namespace: "ns"}}
	n.Spec.Database = &v1alpha1.DatabaseSpec{Engine: v1alpha1.EnginePostgreSQL, Provider: v1alpha1.ProviderManaged}
	if err := yaml.UnmarshalStrict([]byte(text), &n.Spec.Regions); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestBuildConfig(t *testing.T) {
	config, problems := BuildConfig(newNetwork(t, `
items:
- {name: NYC, members: [member-1], workloads: [issue]}
- {name: LON, count: 2}
- {name: Mars, count: 1}
roundTrips:
- {between: [NYC, Mars], roundTrip: 4s, jitter: 100us}
- {between: [Mars, LON], roundTrip: 4.5s, lossPercent: "0.25", bandwidth: 1M}
- {between: [NYC, LON], bandwidth: 100M}
- {between: [LON, LON], jitter: 0.1ms}
defaults: {jitter: 2ms, lossPercent: "0.1", sameRegionRoundTrip: 0.3ms}
databaseRoundTrip: 1.5ms
`), memberNames, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	want := &latency.Config{
		Network: "net",
		Members: map[string]string{"notary": "LON", "member-0": "LON", "member-1": "NYC", "member-2": "Mars"},
		Runs:    map[string]string{"net-issue": "NYC"},
		Links: []latency.RegionLink{
			{Between: [2]string{"NYC", "NYC"}, Link: latency.Link{RoundTripMicros: 300}},
			{Between: [2]string{"LON", "NYC"}, Link: latency.Link{RoundTripMicros: 72_000, JitterMicros: 2_000, LossPercent: 0.1, BitsPerSecond: 100_000_000}},
			{Between: [2]string{"Mars", "NYC"}, Link: latency.Link{RoundTripMicros: 4_000_000, JitterMicros: 100, LossPercent: 0.1}},
			{Between: [2]string{"LON", "LON"}, Link: latency.Link{RoundTripMicros: 300, JitterMicros: 100}},
			{Between: [2]string{"LON", "Mars"}, Link: latency.Link{RoundTripMicros: 4_500_000, JitterMicros: 2_000, LossPercent: 0.25, BitsPerSecond: 1_000_000}},
			{Between: [2]string{"Mars", "Mars"}, Link: latency.Link{RoundTripMicros: 300}},
		},
		Database: &latency.Link{RoundTripMicros: 1_500},
	}
	if diff := cmp.Diff(want, config); diff != "" {
		t.Error(diff)
	}
}

func TestBuildConfigWithoutRegions(t *testing.T) {
	if config, problems := BuildConfig(&v1alpha1.BenchmarkNetwork{}, memberNames, nil); config != nil || problems != nil {
		t.Errorf("%v, %v", config, problems)
	}
	faulty := &v1alpha1.BenchmarkNetwork{}
	faulty.Spec.NetworkFaults = v1alpha1.NetworkFaultsEnabled
	if config, problems := BuildConfig(faulty, memberNames, nil); config == nil || !config.IsEmpty() || problems != nil {
		t.Errorf("with network faults: %+v, %v", config, problems)
	}
	config, problems := BuildConfig(newNetwork(t, `databaseRoundTrip: 2ms`), memberNames, nil)
	if len(problems) > 0 || config.Members != nil || config.Database.RoundTripMicros != 2000 {
		t.Errorf("%+v, %v", config, problems)
	}
}

func TestBuildConfigRefuses(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"unknown member", "items: [{name: NYC, members: [member-9]}, {name: LON, count: 4}]",
			[]string{"spec.regions.items[0].members[0]", "member-9", "not a member of the network", "notary, member-0, member-1, member-2"}},
		{"member in two regions", "items: [{name: NYC, members: [notary]}, {name: LON, members: [notary]}, {name: AMS, count: 3}]",
			[]string{"spec.regions.items[1].members[0]", "notary", "in region NYC already"}},
		{"count above the members", "items: [{name: NYC, members: [notary]}, {name: LON, count: 4}]",
			[]string{"spec.regions.items[1].count", "4", "only 3 of the 4 members remain"}},
		{"members left", "items: [{name: NYC, count: 2}]",
			[]string{"spec.regions.items", "member-1, member-2", "every member must be in a region"}},
		{"unknown pair", "items: [{name: NYC, count: 2}, {name: us-east-1, count: 2}]",
			[]string{"spec.regions.roundTrips", "no figure for NYC and us-east-1", "{between: [NYC, us-east-1], roundTrip: ...}"}},
		{"pair given twice", "items: [{name: NYC, count: 2}, {name: LON, count: 2}]\nroundTrips: [{between: [NYC, LON]}, {between: [LON, NYC]}]",
			[]string{"spec.regions.roundTrips[1].between", "Duplicate"}},
		{"workload in two regions", "items: [{name: NYC, count: 4, workloads: [w]}, {name: LON, workloads: [w]}]",
			[]string{"spec.regions.items[1].workloads[0]", "w", "in region NYC already"}},
		{"loss", "items: [{name: NYC, count: 4}]\nroundTrips: [{between: [NYC, NYC], lossPercent: 51}]",
			[]string{"spec.regions.roundTrips[0].lossPercent", "51", "between 0 and 50"}},
		{"negative loss", "items: [{name: NYC, count: 4}]\ndefaults: {lossPercent: \"-1\"}",
			[]string{"spec.regions.defaults.lossPercent", "-1", "between 0 and 50"}},
		{"bandwidth", "items: [{name: NYC, count: 4}]\ndefaults: {bandwidth: 1k}",
			[]string{"spec.regions.defaults.bandwidth", "1k", "between 64k and 32G bits per second"}},
		{"jitter above the round trip", "items: [{name: NYC, count: 3}, {name: LON, count: 1}]\ndefaults: {jitter: 80ms}",
			[]string{"80ms", "between LON and NYC", "72ms"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, problems := BuildConfig(newNetwork(t, c.text), memberNames, nil)
			if len(problems) != 1 {
				t.Fatalf("%d problems, want one: %v", len(problems), problems)
			}
			for _, part := range c.want {
				if !strings.Contains(problems[0].Error(), part) {
					t.Errorf("%q does not say %q", problems[0], part)
				}
			}
		})
	}
}

func TestBuildConfigRefusesDatabaseRoundTrip(t *testing.T) {
	for want, database := range map[string]*v1alpha1.DatabaseSpec{
		"engine PostgreSQL": nil,
		"provider Managed":  {Engine: v1alpha1.EnginePostgreSQL, Provider: v1alpha1.ProviderExternal},
	} {
		n := newNetwork(t, `databaseRoundTrip: 2ms`)
		n.Spec.Database = database
		_, problems := BuildConfig(n, memberNames, nil)
		if len(problems) != 1 || !strings.Contains(problems[0].Error(), want) || !strings.Contains(problems[0].Error(), "spec.regions.databaseRoundTrip") {
			t.Errorf("%v, want %q", problems, want)
		}
	}
}
