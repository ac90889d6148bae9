package database

import (
	"slices"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
)

// checkSharedTables lets the last two of three members share a table, twice, and removes everything.
func checkSharedTables(t *testing.T, s testServer, j scriptRunner) {
	j.input.Requirements.SharedTables = &platform.SharedTables{Members: []string{"member-1", "notary"}, Prefix: "my_"}
	j.mustRunScript("members")
	for n, statement := range []string{"INSERT INTO my_template VALUES (1)", "INSERT INTO my_template VALUES (1)", "INSERT INTO my_template VALUES (2)"} {
		if out, err := j.asMember(s, n, statement); err != nil {
			t.Errorf("%s, %s: %s", j.input.Members[n].Name, statement, out)
		}
	}
	before := j.dumpState(s)
	j.mustRunScript("members")
	if j.dumpState(s) != before {
		t.Error("a second run changed the database")
	}
	for n, want := range []string{"1", "1,2", "1,2"} {
		if got, err := j.asMember(s, n, "SELECT string_agg(state::text, ',' ORDER BY state) FROM my_template"); err != nil || got != want {
			t.Errorf("%s sees %q (%v), want %q", j.input.Members[n].Name, got, err, want)
		}
	}
	if out, err := j.asMember(s, 2, "SELECT * FROM "+j.input.roleName(j.input.Members[1])+".states"); err == nil || !strings.Contains(out, "permission denied") {
		t.Errorf("a member reads a table that is not shared: %s", out)
	}
	checkTeardown(t, s, j)

	unknown := j
	unknown.input.Requirements.SharedTables = &platform.SharedTables{Members: []string{"member-1", "notary"}, Prefix: "absent_"}
	if out, err := unknown.runScript("members"); err == nil || !strings.Contains(out, "no table of its schema begins with absent_") {
		t.Errorf("tables that do not exist: got %v: %s", err, out)
	}
	checkTeardown(t, s, j)
}

func TestMembersThatShareTablesShareAnInstance(t *testing.T) {
	for _, tc := range []struct {
		topology v1alpha1.DatabaseTopology
		want     []string
	}{
		{v1alpha1.TopologyShared, []string{"member-0 member-1 notary-0 notary-1"}},
		{v1alpha1.TopologyPerMember, []string{"member-0", "member-1", "notary-0 notary-1"}},
	} {
		t.Run(string(tc.topology), func(t *testing.T) {
			in := newInput()
			in.Network.Spec.Database.Topology = tc.topology
			in.Members = []platform.Member{{Name: "member-0"}, {Name: "member-1"}, {Name: "notary-0"}, {Name: "notary-1"}}
			in.Requirements.SharedTables = &platform.SharedTables{Members: []string{"notary-0", "notary-1"}, Prefix: "my_"}
			var got []string
			for _, i := range mustBuild(t, in).Instances {
				got = append(got, strings.Join(i.Members, " "))
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("instances of %q, want %q", got, tc.want)
			}
		})
	}
}
