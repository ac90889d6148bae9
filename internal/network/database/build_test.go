package database

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/charts/postgresql"
	"github.com/benchnet/benchnet/internal/golden"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
)

// newInput returns two banks and a notary on the project's chart.
func newInput() Input {
	network := &v1alpha1.BenchmarkNetwork{ObjectMeta: metav1.ObjectMeta{Name: "two-banks", Namespace: "bench", UID: "bench/two-banks/0001"}}
	network.Spec.Database = &v1alpha1.DatabaseSpec{
		Engine: v1alpha1.EnginePostgreSQL, Topology: v1alpha1.TopologyShared, Provider: v1alpha1.ProviderManaged,
		Managed: &v1alpha1.ManagedDatabase{}}
	return Input{
		Network: network,
		Members: []platform.Member{{Name: "member-0"}, {Name: "member-1"}, {Name: "notary"}},
		Images: naming.ImageCatalogue{Registry: "example.org", Version: "1",
			Overrides: map[string]string{"postgresql": "example.org/postgresql:1", "postgres-exporter": "example.org/exporter:1"}},
		Requirements: platform.DatabaseRequirements{Connections: equalPools(10), PlannedTransactions: 10_000, PlannedStates: 20_000,
			Template: []corev1.Container{{Name: "schema", Image: "example.org/corda:1", Command: []string{"schema"}}},
			Volumes:  []corev1.Volume{{Name: "cordapps"}},
		},
	}
}

// equalPools returns the same number of connections for each member of the tests.
func equalPools(connections int32) map[string]int32 {
	pools := map[string]int32{}
	for _, member := range []string{"member-0", "member-1", "notary", "notary-0", "notary-1", "late"} {
		pools[member] = connections
	}
	return pools
}

func newExternalInput() Input {
	in := newInput()
	in.Network.Spec.Database.Provider = v1alpha1.ProviderExternal
	in.Network.Spec.Database.External = &v1alpha1.ExternalDatabase{Servers: []v1alpha1.ExternalServer{
		{Host: "db.example.org", Port: 6432, SSLMode: "require", AdminSecret: v1alpha1.SecretReference{Name: "admin"}}}}
	return in
}

// newExternalPerMemberInput returns a network with a server of the user for each member.
func newExternalPerMemberInput() Input {
	in := newExternalInput()
	in.Network.Spec.Database.Topology = v1alpha1.TopologyPerMember
	in.Network.Spec.Database.External.Servers = nil
	for i := range in.Members {
		in.Network.Spec.Database.External.Servers = append(in.Network.Spec.Database.External.Servers, v1alpha1.ExternalServer{
			Host: fmt.Sprintf("db-%d.example.org", i), AdminSecret: v1alpha1.SecretReference{Name: fmt.Sprintf("admin-%d", i)}})
	}
	return in
}

// TestExternalServers checks that each instance uses the server, and the Secret of its administrator, that external.servers gives it.
func TestExternalServers(t *testing.T) {
	in := newExternalPerMemberInput()
	layout := mustBuildTwice(t, in)
	if len(layout.Instances) != 3 {
		t.Fatalf("got %d instances, want one for each of three members", len(layout.Instances))
	}
	for i, instance := range layout.Instances {
		host, secret := fmt.Sprintf("db-%d.example.org", i), fmt.Sprintf("admin-%d", i)
		if want := host + ":5432"; instance.Status().Address != want || len(instance.ServerObjects) > 0 || len(instance.TeardownObjects) == 0 {
			t.Errorf("instance %s is at %s with %d objects of its own, want %s without and a teardown", instance.Name, instance.Status().Address, len(instance.ServerObjects), want)
		}
		if url := layout.Connections[in.Members[i].Name].URL; !strings.HasPrefix(url, "jdbc:postgresql://"+host+":5432/") {
			t.Errorf("%s connects to %s, want host %s", in.Members[i].Name, url, host)
		}
		setup := instance.SetupObjects[len(instance.SetupObjects)-1].(*batchv1.Job).Spec.Template.Spec
		for _, c := range slices.Concat(setup.InitContainers, setup.Containers) {
			for _, env := range c.Env {
				if env.Name == "PGPASSWORD" && env.ValueFrom.SecretKeyRef.Name != secret {
					t.Errorf("container %s of %s logs in with Secret %s, want %s", c.Name, instance.Name, env.ValueFrom.SecretKeyRef.Name, secret)
				}
			}
		}
	}
}

// newPerHostInput returns a network with an instance for each two members.
func newPerHostInput() Input {
	in := newInput()
	in.Network.Spec.Database.Topology, in.Network.Spec.Database.MembersPerInstance = v1alpha1.TopologyPerHost, new(int32(2))
	return in
}

func TestBuildGolden(t *testing.T) {
	perMember := newInput()
	perMember.Requirements.Template, perMember.Members = nil, perMember.Members[:1]
	spec := perMember.Network.Spec.Database
	spec.Topology = v1alpha1.TopologyPerMember
	spec.Managed.Storage = &v1alpha1.Storage{ClassName: new("fast"), Size: new(resource.MustParse("20Gi"))}
	perMember.Network.Spec.Members.Reservation = v1alpha1.ReservationMinimal

	image := newInput()
	image.Network.Spec.Database.Managed.Version, image.Network.Spec.Database.Managed.Image = 17, "docker.io/library/postgres:17.2"

	dedicated := newDedicatedInput(v1alpha1.DatabaseOverride{Cores: new(resource.MustParse("4")), Memory: new(resource.MustParse("2Gi")),
		Settings: map[string]v1alpha1.DatabaseSetting{"synchronous_commit": "off"}, Storage: &v1alpha1.Storage{Type: v1alpha1.StorageEphemeral}})

	var cases []golden.Case
	for _, c := range []struct {
		name string
		in   Input
	}{
		{"shared", newInput()}, {"per-host", newPerHostInput()}, {"per-member", perMember}, {"external", newExternalInput()}, {"image", image},
		{"dedicated", dedicated},
	} {
		cases = append(cases, golden.Case{Name: c.name, Render: func(t *testing.T) []golden.Document { return renderLayout(t, mustBuildTwice(t, c.in)) }})
	}
	golden.CheckCases(t, cases)
}

// mustBuildTwice checks that two builds of the same input are equal.
func mustBuildTwice(t *testing.T, in Input) Layout {
	t.Helper()
	plan := mustBuild(t, in)
	if again := mustBuild(t, in); !cmp.Equal(plan, again) {
		t.Errorf("a second Build differs:\n%s", cmp.Diff(plan, again))
	}
	return plan
}

// TestUserSchemas checks that the operator makes no objects for schemas of the user, and that members connect with their Secret.
func TestUserSchemas(t *testing.T) {
	for engine, address := range map[v1alpha1.DatabaseEngine]string{v1alpha1.EngineSQLServer: "db.example.org:1433", v1alpha1.EngineOracle: "db.example.org:1521"} {
		t.Run(string(engine), func(t *testing.T) {
			in := newInput()
			spec := in.Network.Spec.Database
			spec.Engine, spec.Provider = engine, v1alpha1.ProviderExternal
			spec.External = &v1alpha1.ExternalDatabase{Servers: []v1alpha1.ExternalServer{{Host: "db.example.org"}}, JDBCSecret: v1alpha1.SecretReference{Name: "accounts"}}
			in.Epoch = "1"
			layout := mustBuildTwice(t, in)
			i := layout.Instances[0]
			if i.Status().Address != address || i.Status().MembersServed != 3 || len(slices.Concat(i.Objects(), i.ResetObjects, i.TeardownObjects)) > 0 {
				t.Errorf("got the instance %+v, want one without objects at %s", i, address)
			}
			want := platform.DatabaseConnection{PasswordSecret: "accounts", PasswordKey: "notary.password",
				URLKey: "notary.url", UserKey: "notary.username", SchemaKey: "notary.schema"}
			if got := layout.Connections["notary"]; got != want {
				t.Errorf("the notary connects with %+v, want %+v", got, want)
			}
		})
	}
}

// TestSettingsReplaceDerivedOnes checks that each setting is in postgresql.conf once, with the value of the spec.
func TestSettingsReplaceDerivedOnes(t *testing.T) {
	in := newInput()
	in.Network.Spec.Database.Managed.Settings = map[string]v1alpha1.DatabaseSetting{"shared_buffers": "512MB", "synchronous_commit": "off"}
	var got []string
	for _, s := range mustBuildTwice(t, in).Instances[0].Settings {
		got = append(got, s.Name+" "+s.Value)
	}
	want := []string{"effective_cache_size 512MB", "max_connections 40", "shared_buffers 512MB", "synchronous_commit off"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestPoolsOfDifferentSize checks that a server admits the pools of its own members.
func TestPoolsOfDifferentSize(t *testing.T) {
	in := newPerHostInput()
	in.Requirements.Connections = map[string]int32{"member-0": 10, "member-1": 40, "notary": 5}
	layout := mustBuildTwice(t, in)
	for i, want := range []int32{10 + 40, 5} {
		if got := layout.Instances[i].MaxConnections - reservedConnections; got != want {
			t.Errorf("%s admits %d connections of members, want %d", layout.Instances[i].Name, got, want)
		}
	}
}

func TestBuildRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*Input)
		want   string
	}{
		"no members": {func(in *Input) { in.Members = nil }, "spec.database: a database needs at least one member"},
		"no host size": {func(in *Input) { in.Network.Spec.Database.Topology = v1alpha1.TopologyPerHost },
			"spec.database: topology PerHost needs membersPerInstance of at least 1"},
		"no connections": {func(in *Input) { in.Requirements.Connections["notary"] = 0 }, "spec.database: member notary needs at least 1 database connection, not 0"},
		"twice the same member": {func(in *Input) { in.Members[1].Name = "member-0" },
			"spec.database: members member-0 and member-0 would share the database role member_0: rename one"},
		"external without server": {func(in *Input) { in.Network.Spec.Database.Provider = v1alpha1.ProviderExternal },
			"spec.database: provider External needs external.servers, and other providers take none"},
		"schemas of the user without server": {func(in *Input) { in.Network.Spec.Database.Engine = v1alpha1.EngineOracle },
			"spec.database: provider External needs external.servers, and other providers take none"},
		"external with too few servers": {func(in *Input) {
			*in = newExternalInput()
			in.Network.Spec.Database.Topology = v1alpha1.TopologyPerMember
		},
			"spec.database.external.servers has 1 servers, but topology PerMember has 3 instances: name a server for each, in the order of member-0, member-1, notary"},
		"external with the same server twice": {func(in *Input) {
			*in = newExternalPerMemberInput()
			in.Network.Spec.Database.External.Servers[2].Host = "db-0.example.org"
		}, "spec.database.external.servers[2] is the server of external.servers[0], db-0.example.org:5432: use topology Shared, or another server"},
		"external in a forbidden place": {func(in *Input) {
			*in = newExternalPerMemberInput()
			in.Network.Spec.Database.External.Servers[1].Host = "169.254.169.254"
		}, "spec.database.external.servers[1].host: 169.254.169.254 is refused: it is a link-local address, as of a cloud's metadata"},
		"external per host": {func(in *Input) {
			*in = newExternalInput()
			in.Network.Spec.Database.Topology, in.Network.Spec.Database.MembersPerInstance = v1alpha1.TopologyPerHost, new(int32(3))
		}, "spec.database: topology must be Shared or PerMember with provider External, not PerHost, whose servers are in the cluster"},
		"external for one member": {func(in *Input) {
			dedicated := newDedicatedInput(v1alpha1.DatabaseOverride{}).Requirements.DedicatedInstances
			*in = newExternalInput()
			in.Requirements.DedicatedInstances = dedicated
		}, "spec.database: provider External has no instances that are dedicated to some members: use topology PerMember"},
		"too little memory of a dedicated instance": {func(in *Input) {
			*in = newDedicatedInput(v1alpha1.DatabaseOverride{Memory: new(resource.MustParse("64Mi"))})
		}, "spec.platform.corda.notary.database: database instance two-banks-notary-pg: memory 64Mi is too small for 20 connections of about 5 MB each " +
			"in addition to shared_buffers: at least 128Mi"},
		"too little memory": {func(in *Input) { in.Requirements.Connections = equalPools(140) },
			"spec.database: database instance two-banks-db: memory 1Gi is too small for 430 connections of about 5 MB each in addition to shared_buffers: at least 2734Mi"},
	} {
		t.Run(name, func(t *testing.T) {
			in := newInput()
			tc.change(&in)
			_, err := Build(in)
			if err == nil || err.Error() != tc.want {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}

// TestChartSchemaRefusesSettings checks that the chart's schema rejects settings that would break its contract.
func TestChartSchemaRefusesSettings(t *testing.T) {
	in := newInput()
	values, err := normalizeValues(in.chartValues(in.groupMembers()[0], []Setting{{Name: "listen_addresses", Value: "localhost"}}, resource.MustParse("1Gi")))
	if err != nil {
		t.Fatal(err)
	}
	chart, err := loadEmbeddedChart(postgresql.ChartFiles)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := chart.renderTemplates(in.newHelmRelease(in.groupMembers()[0], values), renderPass{1, map[string]bool{}}); err == nil {
		t.Error("listen_addresses was accepted")
	}
}

func TestStorage(t *testing.T) {
	for _, tc := range []struct {
		transactions, states int64
		want                 string
	}{
		{0, 0, "2Gi"},                    // writeFile-ahead log and an empty schema
		{10_000, 20_000, "2Gi"},          // 0.6 GB planned, safety included
		{1_000_000, 2_000_000, "57Gi"},   // 60 GB + 1 GiB
		{10_000_000, 5_000_000, "281Gi"}, // 300 GB + 1 GiB
	} {
		in := newInput()
		in.Requirements.PlannedTransactions, in.Requirements.PlannedStates = tc.transactions, tc.states
		g := memberGroup{members: in.Members[:1]}
		if got := in.neededStorage(g); got.String() != tc.want {
			t.Errorf("%d transactions, %d states: %s, want %s", tc.transactions, tc.states, got.String(), tc.want)
		}
	}
}

// TestExistingStorageIsKept checks that volumes keep their size when more workloads are planned on an existing
// network.
func TestExistingStorageIsKept(t *testing.T) {
	for _, storageType := range []v1alpha1.StorageType{v1alpha1.StoragePersistent, v1alpha1.StorageEphemeral} {
		in := newInput()
		in.Network.Spec.Database.Managed.Storage = &v1alpha1.Storage{Type: storageType}
		built := mustBuild(t, in).Instances[0]
		in.Requirements.PlannedTransactions *= 100
		in.ExistingSize = func(instance string) (resource.Quantity, bool) { return built.Storage, instance == built.Name }
		again := mustBuild(t, in).Instances[0]
		if again.NeededStorage.Cmp(built.Storage) <= 0 {
			t.Errorf("%s: the larger plan should need more than %s, but needs %s", storageType, &built.Storage, &again.NeededStorage)
		}
		built.NeededStorage = again.NeededStorage
		if !cmp.Equal(again, built) {
			t.Errorf("%s: a larger plan changed the instance:\n%s", storageType, cmp.Diff(built, again))
		}
	}
}

func TestRoles(t *testing.T) {
	for _, tc := range []struct{ namespace, member, chart, external string }{
		{"bench", "member-0", "member_0", "bench__two_banks__member_0"},
		{"bench", "template", "m_template", "bench__two_banks__template"},
		{"bench", "postgres", "m_postgres", "bench__two_banks__postgres"},
		{"pg-1", "notary", "notary", "m_pg_1__two_banks__notary"},
	} {
		chart, ext := newInput(), newExternalInput()
		chart.Network.Namespace, ext.Network.Namespace = tc.namespace, tc.namespace
		if got := chart.roleName(platform.Member{Name: tc.member}); got != tc.chart {
			t.Errorf("chart, %s: %s, want %s", tc.member, got, tc.chart)
		}
		if got := ext.roleName(platform.Member{Name: tc.member}); got != tc.external {
			t.Errorf("external, %s: %s, want %s", tc.member, got, tc.external)
		}
	}
}

// TestLongRoleNamesAreUnique checks that long names differ after shortening. PostgreSQL would truncate them
// silently, and two members might share a role.
func TestLongRoleNamesAreUnique(t *testing.T) {
	in := newExternalInput()
	in.Network.Namespace = "a-namespace-with-a-very-long-name-that-leaves-hardly-any-room"
	one, two := in.roleName(platform.Member{Name: "member-1"}), in.roleName(platform.Member{Name: "member-2"})
	if len(one) != maxIdentifierBytes || one == two {
		t.Errorf("roles %s (%d bytes) and %s", one, len(one), two)
	}
}

// TestSetupJobIsNamedAfterItsContent checks that a changed input creates another Job, since a Job is immutable,
// and that an unchanged one does not.
func TestSetupJobIsNamedAfterItsContent(t *testing.T) {
	name := func(in Input) string { return mustBuild(t, in).Instances[0].SetupObjects[1].GetName() }
	in := newInput()
	before := name(in)
	in.Images.Overrides["postgresql"] = "example.org/postgresql:2"
	if name(in) == before {
		t.Error("another image, the same Job")
	}
	in = newInput()
	in.Members = in.Members[:2]
	if name(in) == before {
		t.Error("other members, the same Job")
	}
}

// TestResetJobPerEpoch checks that each epoch except the first has its own reset Job, and that the setup stays
// the same.
// TestOnlySetupSharesTables checks that a change of the shared tables does not create another teardown Job, which does not use them.
func TestOnlySetupSharesTables(t *testing.T) {
	in := newInput()
	in.Requirements.SharedTables = &platform.SharedTables{Members: []string{"member-0", "member-1"}, Prefix: "my_"}
	g, i := memberGroup{name: "db", members: []platform.Member{{Name: "member-0"}, {Name: "member-1"}}}, Instance{}
	for name, test := range map[string]struct {
		objects []client.Object
		shares  bool
	}{"setup": {in.buildSetup(g, i), true}, "reset": {in.buildReset(g, i), true}, "teardown": {in.buildTeardown(g, i), false}} {
		t.Run(name, func(t *testing.T) {
			if _, shares := test.objects[0].(*corev1.ConfigMap).Data["shared.txt"]; shares != test.shares {
				t.Errorf("shared.txt: %t, want %t", shares, test.shares)
			}
		})
	}
}

func TestResetJobPerEpoch(t *testing.T) {
	first, names := mustBuild(t, newInput()).Instances[0], map[string]bool{}
	if len(first.ResetObjects) > 0 {
		t.Errorf("the first epoch needs no reset, but has %d objects", len(first.ResetObjects))
	}
	for _, epoch := range []string{"b", "c"} {
		in := newInput()
		in.Epoch = epoch
		i := mustBuild(t, in).Instances[0]
		names[i.ResetObjects[1].GetName()] = true
		if diff := cmp.Diff(first.Objects(), i.Objects()); diff != "" {
			t.Errorf("epoch %s changed the instance or its setup:\n%s", epoch, diff)
		}
	}
	if len(names) != 2 {
		t.Errorf("two epochs should have two Jobs, but have %v", names)
	}
}

func mustBuild(t *testing.T, in Input) Layout {
	t.Helper()
	plan, err := Build(in)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// Objects returns the objects of the instance without those of reset and teardown, in the order in which they are applied.
func (i Instance) Objects() []client.Object { return slices.Concat(i.ServerObjects, i.SetupObjects) }

// renderLayout renders a layout as readable text, without the scripts, which are separate files.
func renderLayout(t *testing.T, plan Layout) []golden.Document {
	t.Helper()
	all := []golden.Document{golden.NewYAML(t, "Connections", plan.Connections)}
	for _, i := range plan.Instances {
		all = append(all, golden.NewYAML(t, "Status of "+i.Name, i.Status()))
		for _, o := range i.Objects() {
			all = append(all, golden.NewYAML(t, o.GetObjectKind().GroupVersionKind().Kind+" "+o.GetName(), omitScripts(o)))
		}
		for _, o := range i.TeardownObjects {
			all = append(all, golden.NewYAML(t, o.GetObjectKind().GroupVersionKind().Kind+" "+o.GetName()+" for teardown", omitScripts(o)))
		}
	}
	return all
}

func omitScripts(o client.Object) client.Object {
	c, ok := o.(*corev1.ConfigMap)
	if !ok {
		return o
	}
	c = c.DeepCopy()
	for name := range c.Data {
		if name != "members.txt" {
			c.Data[name] = "…"
		}
	}
	return c
}

// TestExternalRolesDoNotMeet checks that networks of different names or namespaces have different roles on one server.
func TestExternalRolesDoNotMeet(t *testing.T) {
	roles := map[string]string{}
	names := []string{"a", "b", "a-b", "a--b", "b--c", "a---b", "a-b--c", "a--b-c", strings.Repeat("n", 63), "m-a", "member-0", "pg", "pg-a", "m-pg"}
	for _, namespace := range names {
		for _, network := range names {
			for _, member := range []string{"member-0", "notary"} {
				in := Input{Network: &v1alpha1.BenchmarkNetwork{}}
				in.Network.Namespace, in.Network.Name = namespace, network
				in.Network.Spec.Database = &v1alpha1.DatabaseSpec{Engine: v1alpha1.EnginePostgreSQL, Provider: v1alpha1.ProviderExternal, External: &v1alpha1.ExternalDatabase{}}
				role, owner := in.roleName(platform.Member{Name: member}), strings.Join([]string{namespace, network, member}, "/")
				if other := roles[role]; other != "" || len(role) > maxIdentifierBytes || isReservedName(role) {
					t.Errorf("role %s of %s (%d bytes) is also that of %q", role, owner, len(role), other)
				}
				roles[role] = owner
			}
		}
	}
}
