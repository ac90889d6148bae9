package database

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
)

// newDedicatedInput returns a network whose notary has an instance apart from that of the members.
func newDedicatedInput(override v1alpha1.DatabaseOverride) Input {
	in := newInput()
	in.Requirements.DedicatedInstances = []platform.DedicatedInstance{
		{Name: "notary", Members: []string{"notary"}, Override: &override, Path: "spec.platform.corda.notary.database"}}
	return in
}

// TestDedicatedInstances checks the instances of each topology, and that a node with a dedicated one is not bound to the host
// of another.
func TestDedicatedInstances(t *testing.T) {
	notary := []string{"two-banks-notary-pg: notary"}
	replicas := []string{"two-banks-notary-0-pg: notary-0", "two-banks-notary-1-pg: notary-1"}
	shared := []string{"two-banks-db: member-0 member-1"}
	perHost := []string{"two-banks-db-0: member-0 member-1"}
	perMember := []string{"two-banks-db-0: member-0", "two-banks-db-1: member-1"}
	for name, test := range map[string]struct {
		topology v1alpha1.DatabaseTopology
		replicas bool
		want     []string
	}{
		"Shared":              {v1alpha1.TopologyShared, false, slices.Concat(shared, notary)},
		"PerHost":             {v1alpha1.TopologyPerHost, false, slices.Concat(perHost, notary)},
		"PerMember":           {v1alpha1.TopologyPerMember, false, slices.Concat(perMember, notary)},
		"Shared, replicas":    {v1alpha1.TopologyShared, true, slices.Concat(shared, replicas)},
		"PerHost, replicas":   {v1alpha1.TopologyPerHost, true, slices.Concat(perHost, replicas)},
		"PerMember, replicas": {v1alpha1.TopologyPerMember, true, slices.Concat(perMember, replicas)},
	} {
		t.Run(name, func(t *testing.T) {
			in := newDedicatedInput(v1alpha1.DatabaseOverride{})
			if in.Network.Spec.Database.Topology = test.topology; test.topology == v1alpha1.TopologyPerHost {
				in.Network.Spec.Database.MembersPerInstance = new(int32(4))
			}
			if test.replicas {
				in.Members = append(in.Members[:2], platform.Member{Name: "notary-0"}, platform.Member{Name: "notary-1"})
				first := in.Requirements.DedicatedInstances[0]
				second := first
				first.Name, first.Members, second.Name, second.Members = "notary-0", []string{"notary-0"}, "notary-1", []string{"notary-1"}
				in.Requirements.DedicatedInstances = []platform.DedicatedInstance{first, second}
			}
			layout := mustBuildTwice(t, in)
			var got []string
			for _, i := range layout.Instances {
				got = append(got, i.Name+": "+strings.Join(i.Members, " "))
				for _, m := range i.Members {
					wantAffinity := test.topology == v1alpha1.TopologyPerHost && strings.HasPrefix(m, "member")
					if c := layout.Connections[m]; !strings.Contains(c.URL, "//"+i.Name+":5432/") || (c.Affinity != nil) != wantAffinity {
						t.Errorf("%s connects to %s with affinity %v", m, c.URL, c.Affinity)
					}
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("the instances are %q, want %q", got, test.want)
			}
		})
	}
}

// TestDedicatedInstanceIsDerivedFromItsMembers checks connections, memory, volume and sources of the settings.
func TestDedicatedInstanceIsDerivedFromItsMembers(t *testing.T) {
	in := newDedicatedInput(v1alpha1.DatabaseOverride{Memory: new(resource.MustParse("4Gi"))})
	in.Network.Spec.Database.Managed.Settings = map[string]v1alpha1.DatabaseSetting{"fsync": "off"}
	in.Requirements.PlannedTransactions, in.Requirements.PlannedStates = 1_000_000, 2_000_000
	for i, want := range []struct{ storage, settings string }{
		{"113Gi", "effective_cache_size 512MB, fsync off of spec.database.managed.settings, max_connections 30, shared_buffers 256MB"},
		{"57Gi", "effective_cache_size 2048MB, fsync off of spec.database.managed.settings, max_connections 20, shared_buffers 1024MB"},
	} {
		instance := mustBuildTwice(t, in).Instances[i]
		var settings []string
		for _, s := range instance.Settings {
			text := s.Name + " " + s.Value
			if strings.HasPrefix(s.Source, "spec") {
				text += " of " + s.Source
			}
			settings = append(settings, text)
		}
		if got := strings.Join(settings, ", "); got != want.settings || instance.Storage.String() != want.storage {
			t.Errorf("%s has %s and settings %s, want %+v", instance.Name, &instance.Storage, got, want)
		}
	}
}

// TestDedicatedInstanceOfUserChart checks that a user's chart is rendered for a dedicated instance too, and that no two
// instances may have an object of the same name.
func TestDedicatedInstanceOfUserChart(t *testing.T) {
	in := withChart(t, map[string]string{"templates/a.yaml": userService + "---" + userServer})
	in.Requirements.DedicatedInstances = newDedicatedInput(v1alpha1.DatabaseOverride{}).Requirements.DedicatedInstances
	if notary := mustBuildTwice(t, in).Instances[1]; notary.Name != "two-banks-notary-pg" || len(notary.ServerObjects) != 2 {
		t.Errorf("%s has %d objects, want a Service and a StatefulSet", notary.Name, len(notary.ServerObjects))
	}
	const other = "{apiVersion: v1, kind: ConfigMap, metadata: {name: '{{ .Values.fullnameOverride }}-c'}}"
	in.Chart = withChart(t, map[string]string{"templates/a.yaml": userService, "templates/b.yaml": other, "templates/c.yaml": other}).Chart
	const want = "spec.database: database instance two-banks-db: ConfigMap two-banks-db-c exists twice"
	if _, err := Build(in); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}
