package corda_test

import (
	"strings"
	"testing"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/corda"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

// TestAcceptsNotaryDatabases checks the rules for a database of the notary.
func TestAcceptsNotaryDatabases(t *testing.T) {
	const (
		shared   = "database: {engine: PostgreSQL, topology: Shared}"
		perHost  = "database: {engine: PostgreSQL, topology: PerHost, membersPerInstance: 2}"
		chart    = "database: {engine: PostgreSQL, topology: Shared, provider: Chart, chart: {configMapName: mine}}"
		external = "database: {engine: PostgreSQL, topology: Shared, provider: External, external: {servers: [{host: a, adminSecret: {name: a}}]}}"

		notEmpty = "must be {} with spec.database.chart"
	)
	for _, test := range []struct{ name, notary, database, want string }{
		{"like the members'", "database: {}", shared, ""},
		{"with every field", "database: {cores: 4, memory: 8Gi, storage: {size: 9Gi}, scheduling: {}, settings: {fsync: 'off'}}", shared, ""},
		{"apart from hosts", "type: SharedDatabase, scheduling: {}, database: {}", perHost, ""},
		{"of your chart", "database: {}", chart, ""},
		{"without a database", "database: {}", "", "needs spec.database.engine PostgreSQL with provider Managed or Chart, not H2"},
		{"on H2", "database: {}", "database: {engine: H2}", "not H2 with provider Managed"},
		{"on your server", "database: {}", external, "not PostgreSQL with provider External"},
		{"without a notary", "type: None, database: {}", shared, "scheduling and database need notary.type Single"},
		{"cores with your chart", "database: {cores: 1}", chart, notEmpty},
		{"memory with your chart", "database: {memory: 1Gi}", chart, notEmpty},
		{"settings with your chart", "database: {settings: {fsync: 'off'}}", chart, notEmpty},
		{"volume with your chart", "database: {storage: {}}", chart, notEmpty},
		{"place with your chart", "database: {scheduling: {}}", chart, notEmpty},
		{"no settings", "database: {settings: {}}", shared, "database.settings"},
		{"an unknown field", "database: {engine: PostgreSQL}", shared, "engine"},
		{"shared tables on hosts of members", "type: SharedDatabase", perHost, "or with spec.platform.corda.notary.database"},
		{"a place of the notary on the host of members", "scheduling: {}", perHost, "set spec.members.scheduling or spec.platform.corda.notary.database"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := acceptOverridden(t, "tuning: {}", "notary: {"+test.notary+"}", shared, test.database)
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("want the error %q: %v", test.want, err)
			}
		})
	}
}

func TestRefusesNotaryDatabases(t *testing.T) {
	with := func(o v1alpha1.DatabaseOverride) func(*networkSpec) {
		return func(s *networkSpec) { s.Platform.Corda.Notary.Database = &o }
	}
	const at = "platform.corda.notary.database."
	checkRefusals(t, refusalCases{
		{"setting of the port", with(v1alpha1.DatabaseOverride{Settings: map[string]v1alpha1.DatabaseSetting{"port": "1"}}),
			at + "settings", []string{"port", "shared_buffers"}},
		{"label of a node", with(v1alpha1.DatabaseOverride{Scheduling: &v1alpha1.Scheduling{NodeSelector: map[string]string{"a": "b c"}}}),
			at + "scheduling.nodeSelector", []string{"b c"}},
	})
}

// TestNotaryDatabase checks which replicas share a dedicated database instance.
func TestNotaryDatabase(t *testing.T) {
	network := platformtest.NewNetworkAdmission(t).AdmitNetwork(t, []byte(validManifest))
	network.Spec.Platform.Corda.Notary.Database = &v1alpha1.DatabaseOverride{}
	for notary, want := range map[v1alpha1.CordaNotaryType]string{
		v1alpha1.CordaNotarySingle:         "notary: notary; ",
		v1alpha1.CordaNotarySharedDatabase: "notary: notary-0 notary-1; ",
		v1alpha1.CordaNotaryRaft:           "notary-0: notary-0; notary-1: notary-1; notary-2: notary-2; ",
		v1alpha1.CordaNotaryBFT:            "notary-0: notary-0; notary-1: notary-1; notary-2: notary-2; notary-3: notary-3; ",
	} {
		t.Run(string(notary), func(t *testing.T) {
			withNotary(notary)(&network.Spec)
			got := ""
			for _, i := range corda.New().DatabaseRequirements(platformtest.NewInput(corda.New(), network), corda.New().Topology(network)).DedicatedInstances {
				got += i.Name + ": " + strings.Join(i.Members, " ") + "; "
			}
			if got != want {
				t.Errorf("the instances are %q, want %q", got, want)
			}
		})
	}
}

// TestNotaryDatabaseSettings checks that the settings name the notary where its database differs.
func TestNotaryDatabaseSettings(t *testing.T) {
	for _, test := range []struct{ name, topology, database, want string }{
		{"none", "topology: Shared, managed: {cores: 2}", "", "databaseTopology=Shared databaseCores=2 databaseMemory=1Gi"},
		{"like the members'", "topology: Shared, managed: {cores: 2}", "database: {}",
			"databaseTopology=Shared databaseCores=2 databaseMemory=1Gi databaseTopology[notary]=PerMember(spec.platform.corda.notary.database)"},
		{"another size", "topology: PerMember", "database: {cores: 4, memory: 1Gi}",
			"databaseTopology=PerMember databaseCores=1 databaseMemory=1Gi databaseCores[notary]=4(spec.platform.corda.notary.database.cores)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			network, err := acceptOverridden(t, "tuning: {}", "notary: {"+test.database+"}", "topology: Shared", test.topology)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range platform.DerivedSettings(corda.New(), &network.Spec) {
				if !strings.HasPrefix(s.Name, "database") || s.Name == "databaseConnections" {
					continue
				}
				text := s.Name + "=" + s.Value
				if strings.HasSuffix(s.Name, "[notary]") {
					text += "(" + s.Source + ")"
				}
				got = append(got, text)
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("the settings are %s, want %s", strings.Join(got, " "), test.want)
			}
		})
	}
}
