package controllers_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// validCordaNetwork is the network that each case of TestBadInput makes invalid.
const validCordaNetwork = `
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkNetwork
metadata: {name: banks}
spec:
  platform: {type: Corda, corda: {version: "4.10"}}
  members: {count: 2, heap: 1Gi, cores: "1", memory: 3Gi}
  database: {engine: PostgreSQL, topology: Shared}
  workloads:
  - name: issue
    type: Corda
    corda: {finance: {operation: Issue}}
    load: {clients: 4}
    measure: {warmUp: 1s, window: 10s}
`

// badInputCase makes a valid network invalid by replacing from by to. The message must contain all of want.
type badInputCase struct {
	name, from, to string
	want           []string
}

// mixed returns a mix of two operations by the weight of the first and the name of the second.
func mixed(weight, name string) string {
	return "mix: [{name: a, weight: " + weight + ", finance: {operation: Issue}}, {name: " + name + ", weight: 1, flow: {class: " +
		"net.corda.finance.flows.CashExitFlow}}]"
}

// badInput are mistakes in a Corda network.
var badInput = []badInputCase{
	{"unknown platform", "type: Corda", "type: Fabric", []string{"spec.platform.type", "Fabric", "Corda"}},
	{"platform without its field", "{type: Corda, corda: {version: \"4.10\"}}", "{type: Corda}", []string{"platform.corda must be set"}},
	{"unknown Corda version", `"4.10"`, `"4.2"`, []string{"spec.platform.corda.version", "4.2", "4.3"}},
	{"no members", "count: 2", "count: 0", []string{"spec.members.count", "greater than or equal to 1"}},
	{"too many members", "count: 2", "count: 101", []string{"spec.members.count", "100"}},
	{"override of a member that does not exist", "count: 2", "count: 2, overrides: [{members: [member-2], cores: 1}]", []string{"spec.members.overrides[0].members[0]", "member-2", "its members are member-0, member-1"}},
	{"member twice in an override", "count: 2", "count: 2, overrides: [{members: [member-1, member-1], cores: 1}]", []string{"members.overrides[0].members[1]", "Duplicate"}},
	{"two overrides of a member", "count: 2", "count: 2, overrides: [{members: [member-1], cores: 1}, {members: [member-0, member-1], cores: 2}]",
		[]string{"spec.members.overrides[1].members[1]", "overrides[0]"}},
	{"version of one member on PostgreSQL", `version: "4.10"`, `version: "4.10", overrides: [{members: [member-1], version: "4.9"}]`, []string{"spec.platform.corda.overrides", "H2"}},
	{"notary with too little memory", `version: "4.10"`, `version: "4.10", notary: {memory: 1Gi}`, []string{"spec.platform.corda.notary.heap", "1Gi"}},
	{"unknown size", "count: 2", "count: 2, size: Huge", []string{"spec.members.size", "Huge", "Small"}},
	{"heap not below memory", "memory: 3Gi", "memory: 1Gi", []string{"spec.members.heap", "1Gi", "memory"}},
	{"heap too small", "heap: 1Gi", "heap: 256Mi", []string{"spec.members.heap", "256Mi", "512Mi"}},
	{"no cores", `cores: "1"`, `cores: "0"`, []string{"spec.members.cores"}},
	{"heap that takes a minute to compare", "heap: 1Gi", `heap: "1e20000000"`, []string{"spec.members.heap", "at most 8Ei"}},
	{"shared H2", "engine: PostgreSQL", "engine: H2", []string{"H2 lives inside each member", "PerMember"}},
	{"hosts without a number of members", "topology: Shared", "topology: PerHost", []string{"database.membersPerInstance", "PerHost"}},
	{"external without a server", "topology: Shared", "topology: Shared, provider: External", []string{"provider External needs external"}},
	{"a chart of the project", "topology: Shared", "topology: Shared, provider: Chart", []string{"provider Chart needs chart", "provider Managed, the project's own servers"}},
	{"a chart without its provider", "topology: Shared", "topology: Shared, chart: {configMapName: mine}", []string{"provider Chart needs chart"}},
	{"servers of two providers", "topology: Shared", "topology: Shared, provider: External, managed: {}, external: {servers: [{host: a, adminSecret: {name: a}}]}",
		[]string{"managed belongs to provider Managed"}},
	{"no external servers", "topology: Shared", "topology: Shared, provider: External, external: {servers: []}", []string{"spec.database.external.servers", "at least 1"}},
	{"external servers per host", "topology: Shared", "topology: PerHost, membersPerInstance: 1, provider: External, external: {servers: [{host: a, adminSecret: {name: a}}]}",
		[]string{"external.servers", "PerHost needs servers in the cluster"}},
	{"external server without an administrator", "topology: Shared", "topology: Shared, provider: External, external: {servers: [{host: a}]}",
		[]string{"external needs servers[].adminSecret"}},
	{"another PostgreSQL without its image", "topology: Shared", "topology: Shared, managed: {version: 16}", []string{"database.managed.version", "15", "database.managed.image"}},
	{"SQL Server of open source", "engine: PostgreSQL, topology: Shared",
		"engine: SQLServer, topology: Shared, provider: External, external: {servers: [{host: sql}], jdbcSecret: {name: accounts}}", []string{"database.engine SQLServer", "distribution Enterprise"}},
	{"a later version without an image", `version: "4.10"`, `version: "4.12"`, []string{"spec.platform.corda.image", "4.3 to 4.10", "4.12"}},
	{"settings of H2", "engine: PostgreSQL, topology: Shared", `engine: H2, managed: {settings: {fsync: "off"}}`, []string{"H2 lives inside each member", "none of managed"}},
	{"setting that runs a command", "topology: Shared", "topology: Shared, managed: {settings: {archive_command: id}}", []string{"spec.database.managed.settings", "archive_command", "shared_buffers"}},
	{"setting of two lines", "topology: Shared", `topology: Shared, managed: {settings: {fsync: "off\nport=1"}}`, []string{"spec.database.managed.settings.fsync", "should match"}},
	{"too few connections", "topology: Shared", "topology: Shared, connectionsPerMember: 2", []string{"connectionsPerMember", "2"}},
	{"Enterprise tuning on open source", `version: "4.10"`, `version: "4.10", tuning: {flowThreads: 8}`, []string{"flowThreads", "Enterprise"}},
	{"Enterprise key on open source", `version: "4.10"`, `version: "4.10", tuning: {extraConfig: {enableP2PCompression: "true"}}`, []string{"enableP2PCompression", "Enterprise"}},
	{"Enterprise without an image", `version: "4.10"`, `version: "4.10", distribution: Enterprise`, []string{"spec.platform.corda.image", "licensed"}},
	{"image with a floating tag", `version: "4.10"`, `version: "4.10", image: "example.com/corda:latest"`, []string{"platform.corda.image", "latest"}},
	{"names that do not match the count", `version: "4.10"`, `version: "4.10", legalNames: ["O=Bank,L=London,C=GB"]`, []string{"legalNames", "members.count"}},
	{"name that is not an X.500 name", `version: "4.10"`, `version: "4.10", legalNames: ["O=Bank A,L=London,C=GB", "Bank Bank B"]`, []string{"legalNames[1]", "Bank Bank B"}},
	{"the same name twice", `version: "4.10"`, `version: "4.10", legalNames: ["O=Bank A,L=London,C=GB", "O=Bank A,L=London,C=GB"]`, []string{"legalNames[1]", "already the name of member-0"}},
	{"heap set twice", `version: "4.10"`, `version: "4.10", tuning: {jvmArgs: ["-Xmx2g"]}`, []string{"jvmArgs", "members.heap"}},
	{"CorDapp image without an image", `version: "4.10"`, `version: "4.10", cordapps: {type: Image}`, []string{"cordapps", "needs image"}},
	{"workload without an operation", "corda: {finance: {operation: Issue}}", "sampleLogRetention: Retain", []string{"corda must be set, and no other operations, if type is Corda"}},
	{"more than all operations may fail", "window: 10s", "window: 10s, maxErrorPercent: 101", []string{"measure.maxErrorPercent", "101", "from 0 to 100"}},
	{"unknown operation", "operation: Issue", "operation: Isue", []string{"corda.finance.operation", "Isue", "IssueAndPay"}},
	{"missing initiator", "finance: {", "initiators: [member-5], finance: {", []string{"initiators[0]", "member-5", "its members are member-0, member-1"}},
	{"an operation and a flow", "finance: {", "flow: {class: com.example.Flow}, finance: {", []string{"exactly one of finance, flow and mix"}},
	{"a mix and an operation", "finance: {", mixed("1", "b") + ", finance: {", []string{"exactly one of finance, flow and mix"}},
	{"a mix of one operation", "{finance: {operation: Issue}}", "{mix: [{name: a, weight: 1, finance: {operation: Issue}}]}", []string{"corda.mix", "at least 2 items"}},
	{"a mix of no weight", "{finance: {operation: Issue}}", "{" + mixed("0", "b") + "}", []string{"corda.mix[0].weight", "greater than or equal to 1"}},
	{"a mix of a huge weight", "{finance: {operation: Issue}}", "{" + mixed("10001", "b") + "}", []string{"corda.mix[0].weight", "10000"}},
	{"two entries of one name", "{finance: {operation: Issue}}", "{" + mixed("1", "a") + "}", []string{"corda.mix[1]", "Duplicate"}},
	{"an entry without a name", "{finance: {operation: Issue}}", "{" + mixed("1", `""`) + "}", []string{"corda.mix[1].name", "at least 1 chars"}},
	{"an entry without an operation", "{finance: {operation: Issue}}", "{mix: [{name: a, weight: 1}, {name: b, weight: 1, finance: {operation: Issue}}]}",
		[]string{"corda.mix[0]", "exactly one of finance and flow"}},
	{"objective without a limit", "load: {clients: 4}", "load: {clients: 4}\n    objectives: [{metric: LatencyP95}]", []string{"the bound of its metric only", "maxLatency of a latency"}},
	{"objective with another metric's limit", "load: {clients: 4}", `load: {clients: 4}
    objectives: [{metric: Throughput, minThroughputPerSecond: "1", maxErrorPercent: "1"}]`, []string{"the bound of its metric only", "maxErrorPercent of ErrorShare"}},
	{"objective of no throughput", "load: {clients: 4}", `load: {clients: 4}
    objectives: [{metric: Throughput, minThroughputPerSecond: "0"}]`, []string{"objectives[0].minThroughputPerSecond", "greater than 0"}},
	{"objective of no latency", "load: {clients: 4}", `load: {clients: 4}
    objectives: [{metric: LatencyP99, maxLatency: 0s}]`, []string{"objectives[0].maxLatency", "from 1ms to 10m"}},
	{"finality of an own plan", "type: Corda\n    corda: {finance: {operation: Issue}}", `type: JMeter
    jmeter: {configMapName: plan}
    objectives: [{metric: FinalityP95, maxLatency: 1s}]`, []string{"objectives[0].metric", "FinalityP95", "unknown when the operations of JMeter workloads"}},
	{"objective of a metric and a query", "load: {clients: 4}", `load: {clients: 4}
    objectives: [{metric: LatencyP95, maxLatency: 1s, query: {name: queue, expression: up, max: "1"}}]`, []string{"exactly one of metric, with its bound, and query"}},
	{"objective of nothing", "load: {clients: 4}", "load: {clients: 4}\n    objectives: [{}]", []string{"exactly one of metric, with its bound, and query"}},
	{"bound of another metric", "load: {clients: 4}", `load: {clients: 4}
    objectives: [{metric: Throughput, maxLatency: 1s}]`, []string{"the bound of its metric only", "minThroughputPerSecond of Throughput"}},
	{"bound of a query", "load: {clients: 4}", `load: {clients: 4}
    objectives: [{maxLatency: 1s, query: {name: queue, expression: up, max: "1"}}]`, []string{"the bound of its metric only"}},
	{"list of queries of earlier versions", "load: {clients: 4}", `load: {clients: 4}
    queryObjectives: [{name: queue, expression: up, max: "1"}]`, []string{"unknown field", "queryObjectives"}},
	{"two limits on one metric", "load: {clients: 4}", `load: {clients: 4}
    objectives: [{metric: ErrorShare, maxErrorPercent: "1"}, {metric: ErrorShare, maxErrorPercent: "2"}]`, []string{"objectives[1]", "Duplicate"}},
	{"query without limits", "load: {clients: 4}", "load: {clients: 4}\n    objectives: [{query: {name: queue, expression: up}}]", []string{"the query of an objective needs min, max or both"}},
	{"query with the name of a metric", "load: {clients: 4}", `load: {clients: 4}
    objectives: [{query: {name: Throughput, expression: up, max: "1"}}]`, []string{"objectives[0].query.name", "Throughput"}},
	{"two queries of one name", "load: {clients: 4}", `load: {clients: 4}
    objectives: [{query: {name: queue, expression: up, max: "1"}}, {query: {name: queue, expression: up, min: "1"}}]`, []string{"objectives[1].query.name", "Duplicate"}},
	{"query longer than 1000 characters", "load: {clients: 4}", `load: {clients: 4}
    objectives: [{query: {name: queue, expression: "` + strings.Repeat("(", 1001) + `", max: "1"}}]`, []string{"objectives[0].query.expression", "1000"}},
	{"nine objectives", "load: {clients: 4}", `load: {clients: 4}
    objectives: [{metric: ErrorShare, maxErrorPercent: "1"}, ` + strings.Join([]string{nextQuery("a"), nextQuery("b"), nextQuery("c"), nextQuery("d"), nextQuery("e"), nextQuery("f"), nextQuery("g"), nextQuery("h")}, ", ") + `]`,
		[]string{"workloads[0].objectives", "8 items"}},
	{"query of another namespace", "load: {clients: 4}", `load: {clients: 4}
    objectives: [{query: {name: queue, expression: 'up{namespace="other"}', max: "1"}}]`, []string{"workloads[0].objectives[0].query.expression", `namespace="other" excludes the namespace test-`}},
	{"query with a syntax error", "load: {clients: 4}", `load: {clients: 4}
    objectives: [{query: {name: queue, expression: 'sum(up', max: "1"}}]`, []string{"workloads[0].objectives[0].query.expression", "1:7: parse error"}},
	{"query of an operator without Prometheus", "load: {clients: 4}", `load: {clients: 4}
    objectives: [{query: {name: queue, expression: up, max: "1"}}]`, []string{"workloads[0].objectives[0].query.name", "queue", "set --prometheus-url"}},
	{"open loop without a rate", "clients: 4", "clients: 4, model: Open", []string{"load.ratePerSecond", "Open"}},
	{"rate in a closed loop", "clients: 4", "clients: 4, ratePerSecond: 5", []string{"load.ratePerSecond", "Open"}},
	{"drawn arrivals in a closed loop", "clients: 4", "clients: 4, arrivals: Poisson", []string{"load.arrivals Poisson belongs to load.model Open"}},
	{"seed of even arrivals", "clients: 4", `clients: 4, model: Open, ratePerSecond: "5", seed: 7`, []string{"load.seed to load.arrivals Poisson"}},
	{"arrivals that do not exist", "clients: 4", `clients: 4, model: Open, ratePerSecond: "5", arrivals: Bursty`, []string{"load.arrivals", "Bursty", "Poisson"}},
	{"more outstanding than clients", "clients: 4", "clients: 4, maxOutstanding: 5", []string{"load.maxOutstanding", "load.clients"}},
	{"window of zero length", "window: 10s", "window: 0s", []string{"measure.window", "1s"}},
	{"window in parts of a second", "window: 10s", "window: 1500ms", []string{"measure.window", "whole seconds"}},
	{"environment policy that does not exist", "window: 10s", "window: 10s, environmentPolicy: Ignore", []string{"measure.environmentPolicy", "Enforce", "Record"}},
	{"calibration longer than a minute", "window: 10s", "window: 10s, calibrate: {duration: 61s}", []string{"measure.calibrate.duration", "from 1s to 60s"}},
	{"calibration in parts of a second", "window: 10s", "window: 10s, calibrate: {duration: 1500ms}", []string{"measure.calibrate.duration", "whole seconds"}},
	{"speed of nothing", "window: 10s", "window: 10s, calibrate: {minSingleThreadRate: 0}", []string{"measure.calibrate.minSingleThreadRate", "0"}},
	{"disk that takes no time", "window: 10s", "window: 10s, calibrate: {maxFsyncP99: 0ms}", []string{"measure.calibrate.maxFsyncP99", "above 0"}},
	{"round trip without a unit", "window: 10s", `window: 10s, calibrate: {maxRoundTrip: "5"}`, []string{"measure.calibrate.maxRoundTrip", "such as 1.5ms"}},
	{"bandwidth of nothing", "window: 10s", `window: 10s, calibrate: {minBandwidth: "0"}`, []string{"measure.calibrate.minBandwidth", "above 0"}},
	{"pause that does not exist", "members: {", "pause: Later\n  members: {", []string{"spec.pause", "Later", "Never", "WhenFinished", "Now"}},
	{"pause of ephemeral members", "members: {", "pause: Now\n  members: {storage: {type: Ephemeral}, ", []string{"spec.pause must be Never", "members.storage.type Persistent"}},
	{"pause of a trial", "members: {", "pause: WhenFinished\n  purpose: Trial\n  members: {", []string{"spec.pause must be Never", "members.storage.type Persistent"}},
	{"pause of an ephemeral member", "members: {", "pause: Now\n  members: {overrides: [{members: [member-1], storage: {type: Ephemeral}}], ", []string{"spec.pause must be Never", "members.overrides"}},
	{"pause of an ephemeral notary", `{type: Corda, corda: {version: "4.10"}}`, `{type: Corda, corda: {version: "4.10", notary: {storage: {type: Ephemeral}}}}` + "\n  pause: Now",
		[]string{"spec.pause must be Never", "platform.corda.notary"}},
	{"pause before a deletion at once", "members: {", "pause: WhenFinished\n  ttlSecondsAfterFinished: 0\n  members: {", []string{"spec.pause WhenFinished", "ttlSecondsAfterFinished above 0"}},
	{"workload name that is not a label", "name: issue", "name: Issue_1", []string{"workloads[0].name", "Issue_1"}},
	{"network name too long", "name: banks}", "name: " + strings.Repeat("b", 64) + "}", []string{"metadata.name", "63"}},
}

// nextQuery returns a query objective of that name.
func nextQuery(name string) string { return "{query: {name: " + name + `, expression: up, max: "1"}}` }

func TestBadInput(t *testing.T) { expectRejections(t, validCordaNetwork, badInput) }

func TestPaymentWithoutNotary(t *testing.T) {
	expectRejections(t, strings.Replace(validCordaNetwork, `version: "4.10"`, `version: "4.10", notary: {type: None}`, 1), []badInputCase{
		{"payment without a notary", "operation: Issue", "operation: Pay", []string{"workloads[0].corda.finance.operation", "Pay", "notary"}}})
}

func TestBadNotaries(t *testing.T) {
	withNotary := func(notary string) string {
		return strings.Replace(validCordaNetwork, `version: "4.10"`, `version: "4.10", notary: {`+notary+`}`, 1)
	}
	expectRejections(t, withNotary("type: SharedDatabase, replicas: 3"), []badInputCase{
		{"replicas of one node", "type: SharedDatabase", "type: Single", []string{"notary.replicas", "SharedDatabase"}},
		{"replicas of no notary", "type: SharedDatabase", "type: None", []string{"notary.replicas", "SharedDatabase"}},
		{"a type that does not exist", "type: SharedDatabase", "type: Shared", []string{"notary.type", "Shared", "SharedDatabase"}},
		{"too many replicas", "replicas: 3", "replicas: 9", []string{"notary.replicas", "9", "8"}},
		{"not one replica", "replicas: 3", "replicas: 0", []string{"notary.replicas", "0", "1"}},
		{"shared tables in H2", "engine: PostgreSQL, topology: Shared", "engine: H2", []string{"notary.type", "SharedDatabase", "PostgreSQL", "H2"}},
		{"replicas on the host of a database", "topology: Shared", "topology: PerHost, membersPerInstance: 2", []string{"notary.type", "SharedDatabase", "Shared or PerMember"}},
		{"no majority of four replicas", "type: SharedDatabase, replicas: 3", "type: Raft, replicas: 4", []string{"notary.replicas", "3 or 5"}},
		{"a log that is lost with its pod", "type: SharedDatabase, replicas: 3}}}\n  members: {",
			"type: Raft}}}\n  members: {storage: {type: Ephemeral}, ", []string{"notary.type", "Raft", "notary.storage.type Persistent"}},
		{"five replicas that agree by BFT-SMaRt", "type: SharedDatabase, replicas: 3", "type: BFT, replicas: 5", []string{"notary.replicas", "4 or 7"}},
		{"a BFT notary before 4.6", `version: "4.10", notary: {type: SharedDatabase, replicas: 3`, `version: "4.5", notary: {type: BFT`, []string{"notary.type", "BFT", "4.6"}},
		{"a Raft notary before 4.6", `version: "4.10", notary: {type: SharedDatabase`, `version: "4.5", notary: {type: Raft`, []string{"notary.type", "Raft", "4.6"}},
		{"shared tables before 4.6", `version: "4.10"`, `version: "4.5"`, []string{"notary.type", "SharedDatabase", "4.6"}},
	})
}

// expectRejections expects a message that names the field and the valid values, from the API server or, if its
// rules cannot detect the mistake, from the condition Accepted. No objects may be created.
func expectRejections(t *testing.T, good string, mistakes []badInputCase) {
	for _, m := range mistakes {
		t.Run(m.name, func(t *testing.T) {
			w := newTestEnv(t)
			text := strings.Replace(good, m.from, m.to, 1)
			if text == good {
				t.Fatalf("the case does not change the network, which lacks %q", m.from)
			}
			message := w.networkRejectionMessage(text)
			t.Log(message)
			for _, part := range m.want {
				if !strings.Contains(message, part) {
					t.Errorf("the message should name %q: %s", part, message)
				}
			}
			if created := w.listObjectNames(); len(created) > 1 {
				t.Errorf("a refused network must create no objects, but there are %v", created)
			}
		})
	}
}

// networkRejectionMessage returns the message with which a network is rejected.
func (w *testEnv) networkRejectionMessage(text string) string {
	w.t.Helper()
	n := &v1alpha1.BenchmarkNetwork{}
	if err := w.createFromYAML(text, n); err != nil {
		return err.Error()
	}
	w.reconcileNetwork(n.Name)
	accepted := meta.FindStatusCondition(w.getNetwork(n.Name).Status.Conditions, v1alpha1.ConditionAccepted)
	if accepted == nil || accepted.Status != "False" {
		w.t.Fatalf("the network should be refused, but Accepted is %+v", accepted)
	}
	return accepted.Message
}

func TestImmutableNetworkFields(t *testing.T) {
	cases := []struct{ name, from, to, want string }{
		{"platform", `"4.10"`, `"4.9"`, "spec.platform cannot change"},
		{"members", "count: 2", "count: 3", "spec.members cannot change"},
		{"database", "topology: Shared", "topology: PerMember", "spec.database cannot change"},
		{"configuration of the database", "topology: Shared", "topology: Shared, managed: {memory: 2Gi}", "spec.database cannot change"},
		{"workload", "clients: 4", "clients: 5", "a workload cannot change"},
		{"removed workload", validCordaNetwork[strings.Index(validCordaNetwork, "  workloads:"):], "", "may be added, but not removed"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := newTestEnv(t)
			must(t, w.createFromYAML(validCordaNetwork, &v1alpha1.BenchmarkNetwork{}))
			err := w.replaceNetwork(strings.Replace(validCordaNetwork, c.from, c.to, 1))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the change should be refused with %q, but: %v", c.want, err)
			}
		})
	}
	t.Run("a workload may be added", func(t *testing.T) {
		w := newTestEnv(t)
		must(t, w.createFromYAML(validCordaNetwork, &v1alpha1.BenchmarkNetwork{}))
		must(t, w.replaceNetwork(validCordaNetwork+"  - name: more\n    type: Corda\n    corda: {finance: {operation: Issue}}\n    load: {clients: 1}\n"))
	})
	t.Run("a network may be paused unless that loses state", func(t *testing.T) {
		persistentTrial := strings.NewReplacer("spec:", "spec:\n  purpose: Trial", "count: 2,", "count: 2, storage: {type: Persistent},").Replace(validCordaNetwork)
		expectChanges(t, persistentTrial, map[string]networkChange{"persistent": {"members:", "pause: WhenFinished\n  members:", ""}})
		expectChanges(t, strings.Replace(validCordaNetwork, "count: 2,", "count: 2, storage: {type: Ephemeral},", 1),
			map[string]networkChange{"ephemeral": {"members:", "pause: Now\n  members:", "spec.pause must be Never"}})
	})
	t.Run("a run is immutable", func(t *testing.T) {
		w := newTestEnv(t)
		run := &v1alpha1.BenchmarkRun{}
		must(t, w.createFromYAML(twoWorkerRun, run))
		run.Spec.Workload.Load.Clients = 9
		if err := w.client.Update(w.ctx, run); err == nil || !strings.Contains(err.Error(), "spec cannot change, except delivery, cancelled") {
			t.Errorf("the change should be refused, but: %v", err)
		}
	})
}

// networkChange replaces a text in the manifest of an existing network. The API server must refuse that with the wanted text; empty
// means that it must accept it.
type networkChange struct{ from, to, want string }

// expectChanges tries each change on a network of its own.
func expectChanges(t *testing.T, network string, cases map[string]networkChange) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := newTestEnv(t)
			must(t, w.createFromYAML(network, &v1alpha1.BenchmarkNetwork{}))
			err := w.replaceNetwork(strings.Replace(network, c.from, c.to, 1))
			if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("the change is refused with %v, want %q", err, c.want)
			}
		})
	}
}

func TestQuantitiesAreComparedByValue(t *testing.T) {
	network := strings.NewReplacer("memory: 3Gi}", "memory: 3Gi, storage: {size: 2Gi}}",
		"topology: Shared}", `topology: Shared, managed: {cores: 500m, memory: 1Gi, storage: {size: 4Gi}}}`).Replace(validCordaNetwork)
	expectChanges(t, network, map[string]networkChange{
		"cores without quotes":    {`cores: "1"`, "cores: 1", ""},
		"cores in thousandths":    {`cores: "1"`, "cores: 1000m", ""},
		"heap in Mi":              {"heap: 1Gi", "heap: 1024Mi", ""},
		"memory with a fraction":  {"memory: 3Gi", `memory: "3072.0Mi"`, ""},
		"volume in bytes":         {"size: 2Gi", "size: 2147483648", ""},
		"cores of the database":   {"cores: 500m", `cores: "0.5"`, ""},
		"memory of the database":  {"memory: 1Gi", "memory: 1024Mi", ""},
		"volume of the database":  {"size: 4Gi", "size: 4096Mi", ""},
		"other cores":             {`cores: "1"`, "cores: 2", "spec.members.cores cannot change"},
		"other memory":            {"memory: 3Gi", "memory: 3G", "spec.members.memory cannot change"},
		"no heap":                 {"heap: 1Gi, ", "", "spec.members.heap cannot change"},
		"another volume":          {"size: 2Gi", "size: 3Gi", "spec.members.storage.size cannot change"},
		"another database":        {"memory: 1Gi", "memory: 2Gi", "spec.database.managed.memory cannot change"},
		"no volume of a database": {", storage: {size: 4Gi}", "", "spec.database.managed cannot change"},
		"a huge number":           {`cores: "1"`, "cores: 1e2000000", "spec.members.cores cannot change"},
	})
}

// replaceNetwork replaces the network as kubectl replace does.
func (w *testEnv) replaceNetwork(text string) error {
	w.t.Helper()
	wanted := w.decodeYAML(text)
	wanted.SetResourceVersion(w.getNetwork(wanted.GetName()).ResourceVersion)
	return w.client.Update(w.ctx, wanted)
}
