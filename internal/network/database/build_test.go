package database

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/golden"
)

// newInput returns two banks and a notary on the project's chart.
func newInput() Input {
	member := func(name, role string) MemberSpec {
		return MemberSpec{
			Name: name, Role: role, Connections: 10, Transactions: 10_000, States: 20_000,
			Password: SecretKey{Name: "two-banks-" + name + "-database", Key: "password"},
		}
	}
	memory := corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")}
	return Input{
		Network: "two-banks", Namespace: "bench",
		Labels:    map[string]string{"benchnet.dev/network": "two-banks"},
		Engine:    v1alpha1.EnginePostgreSQL,
		Topology:  v1alpha1.TopologyShared,
		Provider:  v1alpha1.ProviderChart,
		Members:   []MemberSpec{member("member-0", "Party"), member("member-1", "Party"), member("notary", "Notary")},
		Server:    ServerSpec{Resources: corev1.ResourceRequirements{Requests: memory, Limits: memory}},
		Images:    Images{PostgreSQL: "example.org/postgresql:1", Exporter: "example.org/exporter:1", Agent: "example.org/agent:1"},
		Superuser: SecretKey{Name: "two-banks-db-superuser", Key: "password"},
		Template: &SchemaTemplate{
			Containers: []corev1.Container{{Name: "schema", Image: "example.org/corda:1", Command: []string{"schema"}}},
			Volumes:    []corev1.Volume{{Name: "cordapps"}},
		},
	}
}

func newExternalInput() Input {
	in := newInput()
	in.Provider = v1alpha1.ProviderExternal
	in.External = &ExternalServer{
		Host: "db.example.org", Port: 6432, SSLMode: "require", Owner: "bench/two-banks/0001",
		User: SecretKey{Name: "admin", Key: "username"}, Password: SecretKey{Name: "admin", Key: "password"},
	}
	return in
}

func TestBuildGolden(t *testing.T) {
	perHost := newInput()
	perHost.Topology, perHost.MembersPerInstance = v1alpha1.TopologyPerHost, 2
	perMember := newInput()
	perMember.Topology, perMember.Template, perMember.Images.Exporter = v1alpha1.TopologyPerMember, nil, ""
	perMember.Members = perMember.Members[:1]
	class, size := "fast", resource.MustParse("20Gi")
	perMember.Server.Storage = StorageSpec{ClassName: &class, Size: &size}
	perMember.Server.Settings = map[string]string{"synchronous_commit": "off", "shared_buffers": "512MB"}

	t.Run("shared", func(t *testing.T) { golden.Check(t, "shared", renderLayout(t, mustBuildTwice(t, newInput()))) })
	for name, in := range map[string]Input{"per-host": perHost, "per-member": perMember, "external": newExternalInput()} {
		t.Run(name, func(t *testing.T) { golden.CheckVariant(t, "shared", name, renderLayout(t, mustBuildTwice(t, in))) })
	}
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

func TestH2HasNoInstances(t *testing.T) {
	plan := mustBuild(t, Input{Engine: v1alpha1.EngineH2})
	if len(plan.Instances) != 0 || len(plan.Bindings) != 0 {
		t.Errorf("H2 has instances: %+v", plan)
	}
}

func TestBuildRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*Input)
		want   string
	}{
		"unknown engine": {func(in *Input) { in.Engine = "Oracle" }, `database engine "Oracle" is not known`},
		"no members":     {func(in *Input) { in.Members = nil }, "a database needs at least one member"},
		"no host size":   {func(in *Input) { in.Topology = v1alpha1.TopologyPerHost }, "topology PerHost needs membersPerInstance of at least 1"},
		"no connections": {func(in *Input) { in.Members[1].Connections = 0 }, "member member-1 needs at least 1 database connection, not 0"},
		"twice the same member": {func(in *Input) { in.Members[1].Name = "member-0" },
			"members member-0 and member-0 would share the database role member_0: rename one"},
		"external without server": {func(in *Input) { in.Provider = v1alpha1.ProviderExternal }, "provider External needs a host and an admin Secret"},
		"external per member": {func(in *Input) { *in = newExternalInput(); in.Topology = v1alpha1.TopologyPerMember },
			"provider External has one server: topology must be Shared, not PerMember"},
		"no image": {func(in *Input) { in.Images.PostgreSQL = "" }, "database instance two-banks-db: no PostgreSQL image is configured"},
		"too few connections": {func(in *Input) { in.Server.Settings = map[string]string{"max_connections": "32"} },
			"database instance two-banks-db: max_connections 32 is too small: the members' pools need 30 and PostgreSQL reserves 3 for the superuser: at least 33"},
		"too little memory": {func(in *Input) { in.Members[2].Connections = 400 },
			"database instance two-banks-db: memory 1Gi is too small for 430 connections of about 5 MB each in addition to shared_buffers: at least 2734Mi"},
		"connections in words": {func(in *Input) { in.Server.Settings = map[string]string{"max_connections": "many"} },
			`database instance two-banks-db: max_connections must be a whole number, not "many"`},
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
	in.Server.Settings = map[string]string{"listen_addresses": "localhost"}
	if _, err := Build(in); err == nil {
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
		g := memberGroup{members: []MemberSpec{{Transactions: tc.transactions, States: tc.states}}}
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
		in.Server.Storage.Type = storageType
		built := mustBuild(t, in).Instances[0]
		in.Members[0].Transactions *= 100
		in.Server.Storage.ExistingSize = func(instance string) (resource.Quantity, bool) { return built.Storage, instance == built.Name }
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
		chart.Namespace, ext.Namespace = tc.namespace, tc.namespace
		if got := chart.roleName(MemberSpec{Name: tc.member}); got != tc.chart {
			t.Errorf("chart, %s: %s, want %s", tc.member, got, tc.chart)
		}
		if got := ext.roleName(MemberSpec{Name: tc.member}); got != tc.external {
			t.Errorf("external, %s: %s, want %s", tc.member, got, tc.external)
		}
	}
}

// TestLongRoleNamesAreUnique checks that long names differ after shortening. PostgreSQL would truncate them
// silently, and two members might share a role.
func TestLongRoleNamesAreUnique(t *testing.T) {
	in := newExternalInput()
	in.Namespace = "a-namespace-with-a-very-long-name-that-leaves-hardly-any-room"
	one, two := in.roleName(MemberSpec{Name: "member-1"}), in.roleName(MemberSpec{Name: "member-2"})
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
	in.Images.PostgreSQL = "example.org/postgresql:2"
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

// renderLayout renders a layout as readable text, without the scripts, which are separate files.
func renderLayout(t *testing.T, plan Layout) []golden.Document {
	t.Helper()
	all := []golden.Document{golden.NewYAML(t, "Bindings", plan.Bindings)}
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
