package corda_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/corda"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

// acceptNetwork returns the network of a manifest, or why the API server or the platform refuses it.
func acceptNetwork(t *testing.T, manifest string) (*v1alpha1.BenchmarkNetwork, error) {
	t.Helper()
	network := &v1alpha1.BenchmarkNetwork{}
	if err := platformtest.NewNetworkAdmission(t).Admit([]byte(manifest), network); err != nil {
		return nil, err
	}
	network.Name = "net"
	return network, corda.New().Validate(&network.Spec, field.NewPath("spec")).ToAggregate()
}

// acceptOverridden accepts validManifest with fields of the notary and overrides of members.
func acceptOverridden(t *testing.T, replacements ...string) (*v1alpha1.BenchmarkNetwork, error) {
	t.Helper()
	return acceptNetwork(t, strings.NewReplacer(replacements...).Replace(validManifest))
}

// TestAdmitsOverrides checks the rules of the CRD for overrides.
func TestAdmitsOverrides(t *testing.T) {
	const (
		platform     = "platform: {type: Corda, corda: {tuning: {}}}\n  "
		members      = "members: {count: 2}\n  "
		onPostgreSQL = "database: {engine: PostgreSQL, topology: Shared}"
	)
	for _, test := range []struct{ name, from, to, want string }{
		{"a member", "count: 2", "count: 2, overrides: [{members: [member-1], size: Large}]", ""},
		{"no member", "count: 2", "count: 2, overrides: [{members: [], size: Large}]", "should have at least 1 items"},
		{"an unknown size", "count: 2", "count: 2, overrides: [{members: [member-1], size: Huge}]", "Huge"},
		{"a version on PostgreSQL", "tuning: {}", `overrides: [{members: [member-1], version: "4.9"}]`, "spec.database.engine H2"},
		{"a floating image", "tuning: {}", "overrides: [{members: [member-1], image: corda:latest}]", "must carry a tag"},
		{"neither version nor image", "tuning: {}", "overrides: [{members: [member-1]}]", "platform.corda.overrides[] needs version, image or both"},
		{"a place on a shared host", members + onPostgreSQL,
			"members: {count: 2, overrides: [{members: [member-1], scheduling: {}}]}\n  database: {engine: PostgreSQL, topology: PerHost, membersPerInstance: 2}",
			"must not be set when spec.database.topology is PerHost"},
		{"a version without its image", platform + members + onPostgreSQL,
			`platform: {type: Corda, corda: {image: "corda:1", overrides: [{members: [member-1], version: "4.9"}]}}` + "\n  members: {count: 2}",
			"platform.corda.overrides[].image is required with version"},
		{"a notary of another size", "tuning: {}", "notary: {size: Medium, storage: {size: 9Gi}}", ""},
		{"no notary", "tuning: {}", "notary: {type: None, cores: 2}", "need notary.type Single"},
		{"a Raft log that is lost", "tuning: {}", "notary: {type: Raft, storage: {type: Ephemeral}}", "needs spec.platform.corda.notary.storage.type Persistent"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := acceptOverridden(t, test.from, test.to)
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("want the error %q: %v", test.want, err)
			}
		})
	}
}

func TestRefusesOverrides(t *testing.T) {
	override := func(overrides ...v1alpha1.MemberOverride) func(*networkSpec) {
		return func(s *networkSpec) { s.Members.Overrides = overrides }
	}
	notary := func(o v1alpha1.NodeOverride) func(*networkSpec) {
		return func(s *networkSpec) { s.Platform.Corda.Notary.NodeOverride = o }
	}
	checkRefusals(t, refusalCases{
		{"a member in two overrides", override(v1alpha1.MemberOverride{Members: []string{"member-0"}}, v1alpha1.MemberOverride{Members: []string{"member-1", "member-0"}}),
			"members.overrides[1].members[1]", []string{"member-0", "overrides[0] names the member too"}},
		{"a legal name in another override", override(v1alpha1.MemberOverride{Members: []string{"member-0"}}, v1alpha1.MemberOverride{Members: []string{"O=Bank 0,L=London,C=GB"}}),
			"members.overrides[1].members[0]", []string{"O=Bank 0", "overrides[0] names the member too"}},
		{"a member twice", override(v1alpha1.MemberOverride{Members: []string{"member-0", "O=Bank 0,L=London,C=GB"}}),
			"members.overrides[0].members[1]", []string{"is the member that member-0 names"}},
		{"a member that does not exist", override(v1alpha1.MemberOverride{Members: []string{"member-1", "member-2"}}),
			"members.overrides[0].members[1]", []string{"member-2", "its members are member-0, member-1"}},
		{"the notary", override(v1alpha1.MemberOverride{Members: []string{"notary"}}), "members.overrides[0].members[0]", []string{"notary", "its members are member-0"}},
		{"a version of a member that does not exist", func(s *networkSpec) {
			s.Database = nil // Overrides of versions need H2.
			s.Platform.Corda.Overrides = []v1alpha1.CordaOverride{{Members: []string{"member-7"}, Version: "4.9"}}
		}, "platform.corda.overrides[0].members[0]", []string{"member-7", "its members are member-0, member-1"}},
		{"heap above the member's memory", override(v1alpha1.MemberOverride{Members: []string{"member-1"}, NodeOverride: v1alpha1.NodeOverride{Heap: quantityPtr("4Gi")}}),
			"members.overrides[0].heap", []string{"4Gi", "memory (3Gi)"}},
		{"no cores", override(v1alpha1.MemberOverride{Members: []string{"member-1"}, NodeOverride: v1alpha1.NodeOverride{Cores: quantityPtr("0")}}),
			"members.overrides[0].cores", []string{"greater than 0"}},
		{"label of a node", override(v1alpha1.MemberOverride{Members: []string{"member-1"}, NodeOverride: v1alpha1.NodeOverride{
			Scheduling: &v1alpha1.Scheduling{NodeSelector: map[string]string{"a": "b c"}}}}), "members.overrides[0].scheduling.nodeSelector", []string{"b c"}},
		{"memory of the notary", notary(v1alpha1.NodeOverride{Memory: quantityPtr("1Gi")}), "platform.corda.notary.heap", []string{"memory (1Gi)", "at least 1461Mi"}},
		{"volume of the notary", notary(v1alpha1.NodeOverride{Storage: &v1alpha1.Storage{Size: quantityPtr("1Mi")}}),
			"platform.corda.notary.storage.size", []string{"at least 512Mi"}},
		{"cache above the notary's heap", func(s *networkSpec) {
			s.Platform.Corda.Tuning.TransactionCacheSize = quantityPtr("512Mi")
			notary(v1alpha1.NodeOverride{Heap: quantityPtr("600Mi")})(s)
		}, "platform.corda.tuning.transactionCacheSize", []string{"half of the heap (600Mi)", "for notary, because of spec.platform.corda.notary"}},
	})
}

// TestOverriddenNodes checks that each node has its own size, volume and image, and that the settings name those that
// differ.
func TestOverriddenNodes(t *testing.T) {
	network, err := acceptOverridden(t, "tuning: {}",
		`notary: {size: Medium, heap: 2Gi, storage: {size: 9Gi}}, overrides: [{members: ["O=Bank 2,L=London,C=GB"], version: "4.9"}]`,
		"count: 2", `count: 3, heap: 640Mi, overrides: [{members: [member-2], memory: 2Gi}]`, "engine: PostgreSQL, topology: Shared", "engine: H2")
	if err != nil {
		t.Fatal(err)
	}
	for member, want := range map[string]struct{ heap, cores, memory, volume, image string }{
		"member-0": {"-Xmx640m", "1", "3Gi", "4Gi", "4.10"},
		"member-2": {"-Xmx640m", "1", "2Gi", "4Gi", "4.9"},
		"notary":   {"-Xmx2048m", "8", "8Gi", "9Gi", "4.10"},
	} {
		t.Run(member, func(t *testing.T) {
			set := findStatefulSet(t, network, member)
			node := set.Spec.Template.Spec.Containers[0]
			volume := set.Spec.VolumeClaimTemplates[0].Spec.Resources.Requests[corev1.ResourceStorage]
			limits := node.Resources.Limits
			if !strings.Contains(nodeConfOf(t, network, member), want.heap) || limits.Cpu().String() != want.cores || limits.Memory().String() != want.memory ||
				volume.String() != want.volume || !strings.HasSuffix(node.Image, "-"+want.image) {
				t.Errorf("got %s cores, %s of memory, a volume of %s and image %s, want %+v", limits.Cpu(), limits.Memory(), &volume, node.Image, want)
			}
		})
	}
	settings := map[string]string{}
	for _, s := range platform.DerivedSettings(corda.New(), &network.Spec) {
		settings[s.Name] = s.Value + " by " + s.Source
	}
	for name, want := range map[string]string{"heap": "640Mi by spec.members.heap", "heap[notary]": "2Gi by spec.platform.corda.notary.heap",
		"cores[notary]": "8 by size Medium", "memory[member-2]": "2Gi by spec.members.overrides[0].memory", "heap[member-2]": "", "version[member-2]": "Corda 4.9 by spec.platform.corda.overrides[0].version"} {
		if got := settings[name]; !strings.HasPrefix(got, want) || (want == "") != (got == "") {
			t.Errorf("setting %s is %q, want %q", name, got, want)
		}
	}
}

// TestMixedVersions checks that what all nodes share suits the oldest, and that a node with another image than the
// network's does not get the network's database template.
func TestMixedVersions(t *testing.T) {
	network, err := acceptOverridden(t, "tuning: {}", `cordapps: {type: Volume, claimName: apps}, overrides: [{members: [member-0, member-2], version: "4.9"}]`, "count: 2", "count: 3", "engine: PostgreSQL, topology: Shared", "engine: H2")
	if err != nil {
		t.Fatal(err)
	}
	in, topology := platformtest.NewInput(corda.New(), network), corda.New().Topology(network)
	genesis, err := corda.New().BuildGenesis(in, topology)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, o := range genesis.JobObjects {
		if config, ok := o.(*corev1.ConfigMap); ok {
			found = strings.Contains(config.Data["genesis.json"], `"minimumPlatformVersion": 11`)
		}
	}
	if !found {
		t.Error("the network should admit platform version 11, that of 4.9")
	}
	load, err := corda.New().BuildDriver(in, topology, &network.Spec.Workloads[0].Workload)
	if err != nil || !strings.HasSuffix(load.Image, "-4.9") {
		t.Errorf("the client is %s, want 4.9 (%v)", load.Image, err)
	}
	for member, want := range map[string]bool{"member-0": false, "member-1": true, "member-2": false, "notary": true} {
		got := false
		for _, v := range podOf(t, network, member).Volumes {
			got = got || v.Name == "schema"
		}
		if got != want {
			t.Errorf("%s has the network's database template: %t, want %t", member, got, want)
		}
	}
}
