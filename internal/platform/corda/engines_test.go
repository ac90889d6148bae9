package corda_test

import (
	"strings"
	"testing"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

// oracleManifest is a valid network on schemas that the user made.
const oracleManifest = `
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkNetwork
metadata: {name: net}
spec:
  platform: {type: Corda, corda: {distribution: Enterprise, version: "4.12", image: "example.com/corda:4.12.1"}}
  members: {count: 2}
  database: {engine: Oracle, topology: Shared, provider: External, external: {servers: [{host: ora.example}], jdbcSecret: {name: accounts}}}
  workloads:
  - {name: pay, type: Corda, corda: {finance: {operation: Pay}}, load: {clients: 10}}
`

// TestAcceptsDatabases checks the rules for engines, versions and images of databases.
func TestAcceptsDatabases(t *testing.T) {
	const server = "engine: PostgreSQL, topology: Shared"
	for _, test := range []struct{ name, manifest, from, to, want string }{
		{"Oracle", oracleManifest, "name: net", "name: net", ""},
		{"SQL Server with a port", oracleManifest, "engine: Oracle", "engine: SQLServer", ""},
		{"Oracle of open source", oracleManifest, "distribution: Enterprise, ", "", "engine SQLServer and Oracle need spec.platform.corda.distribution Enterprise"},
		{"Oracle by a chart", oracleManifest, "provider: External, external: {servers: [{host: ora.example}], jdbcSecret: {name: accounts}}", "provider: Chart",
			"engine SQLServer and Oracle need database.provider External"},
		{"a server for each member", oracleManifest, "topology: Shared", "topology: PerMember", ""},
		{"several servers for one instance", oracleManifest, "{host: ora.example}", "{host: ora.example}, {host: b.example}", "must have one server with database.topology Shared"},
		{"external servers per host", oracleManifest, "topology: Shared", "topology: PerHost, membersPerInstance: 1", "PerHost needs servers in the cluster"},
		{"Oracle without accounts", oracleManifest, ", jdbcSecret: {name: accounts}", "", "jdbcSecret"},
		{"Oracle with an administrator", oracleManifest, "host: ora", "adminSecret: {name: admin}, host: ora", "without servers[].adminSecret"},
		{"Oracle with a mode of libpq", oracleManifest, "host: ora", "sslMode: require, host: ora", "without servers[].adminSecret and sslMode"},
		{"an engine that does not exist", oracleManifest, "engine: Oracle", "engine: DB2", "DB2"},
		{"a shared notary on Oracle", oracleManifest, "distribution: Enterprise,", "notary: {type: SharedDatabase}, distribution: Enterprise,",
			"needs spec.database.engine PostgreSQL"},
		{"accounts on PostgreSQL", oracleManifest, "engine: Oracle", "engine: PostgreSQL", "needs servers[].adminSecret with database.engine PostgreSQL"},
		{"the project's version", validManifest, server, server + ", managed: {version: 15}", ""},
		{"another version", validManifest, server, server + ", managed: {version: 17, image: 'postgres:17.2'}", ""},
		{"the same version of another image", validManifest, server, server + ", managed: {version: 15, image: 'postgres:15.10'}", ""},
		{"another version without its image", validManifest, server, server + ", managed: {version: 17}", "database.managed.version must be 15, which the project's image has"},
		{"an image without its version", validManifest, server, server + ", managed: {image: 'postgres:17.2'}", "database.managed.version must be 15"},
		{"a version that is too old", validManifest, server, server + ", managed: {version: 12, image: 'postgres:12'}", "database.managed.version"},
		{"a version that is too new", validManifest, server, server + ", managed: {version: 18, image: 'postgres:18'}", "database.managed.version"},
		{"a floating image", validManifest, server, server + ", managed: {version: 17, image: 'postgres:latest'}", "must carry a tag"},
		{"a version of H2", validManifest, server, "engine: H2, managed: {version: 15}", "H2 lives inside each member"},
		{"a version of your chart", validManifest, server, server + ", provider: Chart, managed: {version: 15}, chart: {configMapName: mine}", "managed belongs to provider Managed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := acceptNetwork(t, strings.Replace(test.manifest, test.from, test.to, 1))
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("want the error %q: %v", test.want, err)
			}
		})
	}
}

// TestUserSchemas checks that a node reads its account from the user's Secret, and that its configuration has none of it.
func TestUserSchemas(t *testing.T) {
	for engine, class := range map[string]string{
		"SQLServer": "com.microsoft.sqlserver.jdbc.SQLServerDataSource", "Oracle": "oracle.jdbc.pool.OracleDataSource",
	} {
		t.Run(engine, func(t *testing.T) {
			manifest := strings.Replace(oracleManifest, "engine: Oracle", "engine: "+engine, 1)
			network := platformtest.NewNetworkAdmission(t).AdmitNetwork(t, []byte(manifest))
			want := `
dataSourceProperties {
  dataSourceClassName = "` + class + `"
  dataSource.url = ${BENCHNET_DATABASE_URL}
  dataSource.user = ${BENCHNET_DATABASE_USER}
  dataSource.password = ${BENCHNET_DATABASE_PASSWORD}
  maximumPoolSize = 10
}
database.schema = ${?BENCHNET_DATABASE_SCHEMA}
`
			if conf := nodeConfOf(t, network, "notary"); !strings.Contains(conf, want) {
				t.Errorf("node.conf lacks%sin\n%s", want, conf)
			}
			if command := strings.Join(podOf(t, network, "notary").Containers[0].Command, " "); !strings.Contains(command, "--jdbc-url-variable BENCHNET_DATABASE_URL ") {
				t.Errorf("the agent does not check the URL: %s", command)
			}
			got := map[string]string{}
			for _, e := range podOf(t, network, "notary").Containers[0].Env {
				if e.ValueFrom != nil && e.ValueFrom.SecretKeyRef.Name == "accounts" {
					got[e.Name] = e.ValueFrom.SecretKeyRef.Key
					if optional := e.ValueFrom.SecretKeyRef.Optional; (optional != nil && *optional) != (e.Name == "BENCHNET_DATABASE_SCHEMA") {
						t.Errorf("only the schema is optional, but got %+v", e.ValueFrom.SecretKeyRef)
					}
				}
			}
			for variable, key := range map[string]string{"URL": "url", "USER": "username", "PASSWORD": "password", "SCHEMA": "schema"} {
				if got["BENCHNET_DATABASE_"+variable] != "notary."+key {
					t.Errorf("the node's environment from the Secret is %v", got)
				}
			}
		})
	}
}

func TestRefusesDatabases(t *testing.T) {
	checkRefusals(t, refusalCases{
		{"a reset", func(s *networkSpec) {
			withEnterprise(func(*v1alpha1.CordaTuning) {})(s)
			s.Database.Engine, s.Workloads[0].Reset = v1alpha1.EngineOracle, v1alpha1.ResetState
		}, "workloads[0].reset", []string{"Reset", "must be Keep with database.engine Oracle", "schemas are yours"}},
		{"a server that pg_dump refuses", func(s *networkSpec) {
			s.Database.Managed = &v1alpha1.ManagedDatabase{Version: 16, Image: "postgres:16.6"}
			s.Platform.Corda.CorDapps = v1alpha1.CorDappsSpec{Type: v1alpha1.CordAppsVolume, ClaimName: "mine"}
		}, "database.managed.version", []string{"16", "at most 15", "pg_dump"}},
	})
}
