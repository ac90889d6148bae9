package corda_test

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/corda"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

const validManifest = `
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkNetwork
metadata: {name: net}
spec:
  platform: {type: Corda, corda: {tuning: {}}}
  members: {count: 2}
  database: {engine: PostgreSQL, topology: Shared}
  workloads:
  - name: pay
    type: Corda
    corda: {finance: {operation: Pay}}
    load: {clients: 10}
`

func quantityPtr(s string) *resource.Quantity {
	q := resource.MustParse(s)
	return &q
}

type networkSpec = v1alpha1.BenchmarkNetworkSpec

// refusalCases is a list of platformtest.Refusal that can be written without field names.
type refusalCases []struct {
	Name   string
	Change func(*v1alpha1.BenchmarkNetworkSpec)
	Field  string
	Says   []string
}

func checkRefusals(t *testing.T, list refusalCases) {
	t.Helper()
	admission := platformtest.NewNetworkAdmission(t)
	for _, r := range list {
		platformtest.CheckRefusal(t, corda.New(), admission.AdmitNetwork(t, []byte(validManifest)), platformtest.Refusal(r))
	}
}

const exitFlow = "net.corda.finance.flows.CashExitFlow"

// withFlow replaces the operation of the workload by a flow.
func withFlow(class string, arguments ...v1alpha1.FlowArgument) func(*networkSpec) {
	return withWorkload(func(w *v1alpha1.Workload) {
		w.Corda.Finance, w.Corda.Flow = nil, &v1alpha1.CordaFlow{CordaCall: v1alpha1.CordaCall{Class: class, Arguments: arguments}}
	})
}

func withExtraConfig(key, value string) func(*networkSpec) {
	return func(s *networkSpec) {
		s.Platform.Corda.Tuning.ExtraConfig = map[string]v1alpha1.Text{key: v1alpha1.Text(value)}
	}
}

func withJVMArg(arg string) func(*networkSpec) {
	return func(s *networkSpec) { s.Platform.Corda.Tuning.JVMArgs = []string{arg} }
}

func withLegalNames(names ...string) func(*networkSpec) {
	return func(s *networkSpec) { s.Platform.Corda.LegalNames = names }
}

func withWorkload(change func(*v1alpha1.Workload)) func(*networkSpec) {
	return func(s *networkSpec) { change(&s.Workloads[0].Workload) }
}

func withEnterprise(change func(*v1alpha1.CordaTuning)) func(*networkSpec) {
	return func(s *networkSpec) {
		s.Platform.Corda.Distribution, s.Platform.Corda.Image = v1alpha1.CordaEnterprise, "example.com/corda:1"
		change(s.Platform.Corda.Tuning)
	}
}

func TestRefusesMemberSizes(t *testing.T) {
	checkRefusals(t, refusalCases{
		{"heap above memory", func(s *networkSpec) { s.Members.Heap = quantityPtr("4Gi") }, "members.heap",
			[]string{"4Gi", "memory (3Gi)", "size Small", "at least 4533Mi"}},
		{"no room besides the heap", func(s *networkSpec) { s.Members.Heap, s.Members.Memory = quantityPtr("512Mi"), quantityPtr("768Mi") },
			"members.memory", []string{"768Mi", "heap 512Mi", "437Mi", "at least 949Mi"}},
		{"heap below 512Mi", func(s *networkSpec) { s.Members.Heap = quantityPtr("256Mi") }, "members.heap", []string{"at least 512Mi"}},
		{"no cores", func(s *networkSpec) { s.Members.Cores = quantityPtr("0") }, "members.cores", []string{"greater than 0"}},
		{"volume too small", func(s *networkSpec) { s.Members.Storage.Size = quantityPtr("1Mi") }, "members.storage.size", []string{"at least 512Mi"}},
		{"connections below the need of open-source Corda", func(s *networkSpec) { s.Database.ConnectionsPerMember = new(int32(5)) },
			"database.connectionsPerMember", []string{"at least 7", "1 flow threads + 4 RPC threads + 2"}},
	})
}

func TestRefusesEnterpriseTuning(t *testing.T) {
	checkRefusals(t, refusalCases{
		{"connections below flow threads", func(s *networkSpec) {
			withEnterprise(func(c *v1alpha1.CordaTuning) { c.FlowThreads = new(int32(64)) })(s)
			s.Database.ConnectionsPerMember = new(int32(64))
		}, "database.connectionsPerMember", []string{"at least 70", "64 flow threads"}},
		{"flow threads below the minimum of RPC threads", withEnterprise(func(c *v1alpha1.CordaTuning) { c.FlowThreads = new(int32(2)) }),
			"platform.corda.tuning.flowThreads", []string{"at least 4"}},
		{"more RPC than flow threads", withEnterprise(func(c *v1alpha1.CordaTuning) { c.RPCThreads = new(int32(5)) }),
			"platform.corda.tuning.rpcThreads", []string{"between 4 and the flow threads (4)"}},
		{"Enterprise without an image", func(s *networkSpec) { s.Platform.Corda.Distribution = v1alpha1.CordaEnterprise },
			"platform.corda.image", []string{"licensed"}},
	})
}

func TestRefusesEnterpriseKeysOnOpenSource(t *testing.T) {
	tuning := func(change func(*v1alpha1.CordaTuning)) func(*networkSpec) {
		return func(s *networkSpec) { change(s.Platform.Corda.Tuning) }
	}
	says := func(key string) []string {
		return []string{key, "only in Corda Enterprise", "distribution to Enterprise"}
	}
	checkRefusals(t, refusalCases{
		{"flow threads", tuning(func(c *v1alpha1.CordaTuning) { c.FlowThreads = new(int32(8)) }),
			"platform.corda.tuning.flowThreads", says("flowThreadPoolSize")},
		{"RPC threads", tuning(func(c *v1alpha1.CordaTuning) { c.RPCThreads = new(int32(8)) }),
			"platform.corda.tuning.rpcThreads", says("rpcThreadPoolSize")},
		{"compression, even off", tuning(func(c *v1alpha1.CordaTuning) { c.P2PCompression = new(v1alpha1.SwitchDisabled) }),
			"platform.corda.tuning.p2pCompression", says("enableP2PCompression")},
		{"OpenSSL", tuning(func(c *v1alpha1.CordaTuning) { c.OpenSSL = new(v1alpha1.SwitchEnabled) }), "platform.corda.tuning.openSSL", says("useOpenSsl")},
		{"journal timeout", tuning(func(c *v1alpha1.CordaTuning) { c.JournalBufferTimeout = &metav1.Duration{} }),
			"platform.corda.tuning.journalBufferTimeout", says("journalBufferTimeout")},
		{"TTL check", tuning(func(c *v1alpha1.CordaTuning) { c.BrokerConnectionTTLCheckInterval = &v1alpha1.Timeout{} }),
			"platform.corda.tuning.brokerConnectionTTLCheckInterval", says("brokerConnectionTtlCheckIntervalMs")},
		{"extra key", withExtraConfig("enterpriseConfiguration.tuning.backchainFetchBatchSize", "50"),
			"platform.corda.tuning.extraConfig[enterpriseConfiguration.tuning.backchainFetchBatchSize]", says("backchainFetchBatchSize")},
		{"extra key at the top", withExtraConfig("useOpenSsl", "true"), "platform.corda.tuning.extraConfig[useOpenSsl]", says("useOpenSsl")},
		{"schema", withExtraConfig("database.schema", "x"), "platform.corda.tuning.extraConfig[database.schema]", says("database.schema")},
		{"notary on JPA", withExtraConfig("notary.jpa.batchTimeoutMs", "50"), "platform.corda.tuning.extraConfig[notary.jpa.batchTimeoutMs]", says("notary.jpa")},
	})
}

func TestRefusesExtraConfig(t *testing.T) {
	path := func(key string) string { return "platform.corda.tuning.extraConfig[" + key + "]" }
	checkRefusals(t, refusalCases{
		{"key that the spec sets", withExtraConfig("devMode", "true"), path("devMode"), []string{"devMode=false"}},
		{"key below one that the spec sets", withExtraConfig("rpcSettings.address", `"0.0.0.0:1"`), path("rpcSettings.address"), []string{"set by the operator"}},
		{"key that tuning sets", withExtraConfig("transactionCacheSizeMegaBytes", "8"), path("transactionCacheSizeMegaBytes"), []string{"tuning.transactionCacheSize"}},
		{"removed key", withExtraConfig("database.runMigration", "true"), path("database.runMigration"), []string{"migrated before"}},
		{"quoted key", withExtraConfig(`"useOpenSsl"`, "true"), path(`"useOpenSsl"`), []string{"dotted key"}},
		{"root of keys that the spec sets", withExtraConfig("custom", "1"), path("custom"), []string{"members.heap"}},
		{"root of the notary", withExtraConfig("notary", "1"), path("notary"), []string{"docs/corda.md"}},
		{"root of the database", withExtraConfig("database", "1"), path("database"), []string{"docs/corda.md"}},
		{"root of a tunable key", withExtraConfig("flowTimeout", "1"), path("flowTimeout"), []string{"docs/corda.md"}},
		{"statement of HOCON", withExtraConfig("include", `"x"`), path("include"), []string{"docs/corda.md"}},
		{"port of a shell", withExtraConfig("sshd.port", "1"), path("sshd.port"), []string{"set by the operator, or does not tune a node"}},
		{"class of a data source", withExtraConfig("dataSourceProperties.dataSource.socketFactory", "a.B"),
			path("dataSourceProperties.dataSource.socketFactory"), []string{"docs/corda.md"}},
		{"system properties", withExtraConfig("systemProperties.a", "1"), path("systemProperties.a"), []string{"docs/corda.md"}},
		{"substitution", withExtraConfig("flowTimeout.timeout", "${?BENCHNET_RPC_PASSWORD}"), path("flowTimeout.timeout"), []string{"without ${substitutions}"}},
		{"object that hides keys", withExtraConfig("quasarExcludePackages", "{a = x}"), path("quasarExcludePackages"), []string{"one HOCON value", "dotted keys"}},
		{"list that hides keys", withExtraConfig("quasarExcludePackages", `[{"a": 1}]`), path("quasarExcludePackages"), []string{"one HOCON value"}},
		{"second key on the line", withExtraConfig("flowTimeout.timeout", "1, useOpenSsl = true"), path("flowTimeout.timeout"), []string{"one HOCON value"}},
		{"second line", withExtraConfig("flowTimeout.timeout", "1\nuseOpenSsl = true"), path("flowTimeout.timeout"), []string{"one HOCON value"}},
		{"no value", withExtraConfig("flowTimeout.timeout", ""), path("flowTimeout.timeout"), []string{"one HOCON value"}},
		{"later version's key", func(s *networkSpec) {
			s.Platform.Corda.Version = "4.9"
			withExtraConfig("telemetry.simpleLogTelemetryEnabled", "true")(s)
		}, path("telemetry.simpleLogTelemetryEnabled"), []string{"needs Corda 4.10 or later, not 4.9"}},
		{"notary's key without a notary", func(s *networkSpec) {
			s.Platform.Corda.Notary.Type, s.Workloads = v1alpha1.CordaNotaryNone, nil
			withExtraConfig("notary.extraConfig.batchSize", "8")(s)
		}, path("notary.extraConfig.batchSize"), []string{"no notary"}},
	})
}

func TestRefusesTuning(t *testing.T) {
	arg := "platform.corda.tuning.jvmArgs[0]"
	checkRefusals(t, refusalCases{
		{"heap as an argument", withJVMArg("-XX:MaxHeapSize=1g"), arg, []string{"members.heap"}},
		{"agent", withJVMArg("-javaagent:x.jar"), arg, []string{"tunes the JVM"}},
		{"key of node.conf as a property", withJVMArg("-Dcorda.devMode=true"), arg, []string{"co.paralleluniverse.fibers."}},
		{"two arguments in one", withJVMArg("-Da=b -Dc=d"), arg, []string{"no spaces"}},
		{"no argument", withJVMArg("UseG1GC"), arg, []string{"dash"}},
		{"cache larger than half of the heap", func(s *networkSpec) { s.Platform.Corda.Tuning.TransactionCacheSize = quantityPtr("513Mi") },
			"platform.corda.tuning.transactionCacheSize", []string{"half of the heap (1Gi)"}},
		{"no cache", func(s *networkSpec) { s.Platform.Corda.Tuning.AttachmentCacheSize = quantityPtr("0") },
			"platform.corda.tuning.attachmentCacheSize", []string{"greater than 0"}},
		{"external operations before their introduction", func(s *networkSpec) {
			s.Platform.Corda.Version, s.Platform.Corda.Tuning.FlowExternalOperationThreads = "4.3", new(int32(2))
		}, "platform.corda.tuning.flowExternalOperationThreads", []string{"4.4 or later, not 4.3"}},
		{"CorDapps with a floating tag", func(s *networkSpec) {
			s.Platform.Corda.CorDapps = v1alpha1.CorDappsSpec{Type: v1alpha1.CordAppsImage, Image: "registry:5000/cordapps"}
		}, "platform.corda.cordapps.image", []string{"tag other than latest", "type Samples"}},
		{"the short name of the project's image", func(s *networkSpec) {
			s.Platform.Corda.CorDapps = v1alpha1.CorDappsSpec{Type: v1alpha1.CordAppsImage, Image: "cordapps"}
		}, "platform.corda.cordapps.image", []string{"cordapps", "type Samples"}},
		{"shared host and anti-affinity", func(s *networkSpec) {
			s.Members.Spread = v1alpha1.SpreadRequired
			s.Database.Topology, s.Database.MembersPerInstance = v1alpha1.TopologyPerHost, new(int32(2))
		}, "members.spread", []string{"share a host"}},
	})
}

func TestRefusesLegalNames(t *testing.T) {
	const other = "O=Beta,L=Paris,C=FR"
	at := "platform.corda.legalNames[0]"
	checkRefusals(t, refusalCases{
		{"too few", withLegalNames(other), "platform.corda.legalNames", []string{"members.count (2)"}},
		{"no country", withLegalNames("O=Alpha,L=London", other), at, []string{"C is missing"}},
		{"country in full", withLegalNames("O=Alpha,L=London,C=UK1", other), at, []string{"C is longer than 2"}},
		{"country in lower case", withLegalNames("O=Alpha,L=London,C=gb", other), at, []string{"two capital letters"}},
		{"organisation of one character", withLegalNames("O=A,L=London,C=GB", other), at, []string{"fewer than 2"}},
		{"unknown attribute", withLegalNames("O=Alpha,L=London,C=GB,DC=x", other), at, []string{"DC is not an attribute"}},
		{"attribute twice", withLegalNames("O=Alpha,O=Beta,L=London,C=GB", other), at, []string{"O occurs twice"}},
		{"no attribute", withLegalNames("Alpha", other), at, []string{"not ATTRIBUTE=value"}},
		{"quotes", withLegalNames(`O=Al"pha,L=London,C=GB`, other), at, []string{"contains one of"}},
		{"twice, in another order", withLegalNames("C=FR, L=Paris, O=Beta", other), "platform.corda.legalNames[1]", []string{"already the name of member-0"}},
		{"the notary's", withLegalNames("O=Notary,L=London,C=GB", other), at, []string{"already the name of the notary"}},
	})
}

func TestRefusesWorkloads(t *testing.T) {
	at := func(field string) string { return "workloads[0]." + field }
	checkRefusals(t, refusalCases{
		{"missing initiator", withWorkload(func(w *v1alpha1.Workload) { w.Corda.Initiators = []string{"member-1", "member-2"} }), at("corda.initiators[1]"),
			[]string{"member-2", "its members are member-0, member-1"}},
		{"missing counterparty", withWorkload(func(w *v1alpha1.Workload) { w.Corda.Counterparty = "O=Bank 9,L=London,C=GB" }),
			at("corda.counterparty"), []string{"O=Bank 9", "its members are member-0, member-1"}},
		{"pays itself", withWorkload(func(w *v1alpha1.Workload) { w.Corda.Counterparty = "O=Bank 0,L=London,C=GB" }), at("corda.counterparty"),
			[]string{"pays itself"}},
		{"no payee", func(s *networkSpec) { s.Members.Count = 1 }, at("corda.finance.operation"), []string{"members.count must be at least 2"}},
		{"no notary", func(s *networkSpec) { s.Platform.Corda.Notary.Type = v1alpha1.CordaNotaryNone }, at("corda.finance.operation"),
			[]string{"notary.type must not be None"}},
		{"an operation and a flow", withWorkload(func(w *v1alpha1.Workload) { w.Corda.Flow = &v1alpha1.CordaFlow{} }), at("corda"),
			[]string{"exactly one of finance, flow and mix"}},
		{"neither operation nor flow", withWorkload(func(w *v1alpha1.Workload) { w.Corda.Finance = nil }), at("corda"),
			[]string{"exactly one of finance, flow and mix"}},
		{"counterparty of an issue", withWorkload(func(w *v1alpha1.Workload) {
			w.Corda.Finance.Operation, w.Corda.Counterparty = v1alpha1.FinanceIssue, "member-1"
		}), at("corda.counterparty"), []string{"must not be set for Issue"}},
		{"anonymous issue", withWorkload(func(w *v1alpha1.Workload) {
			w.Corda.Finance = &v1alpha1.CordaFinance{Operation: v1alpha1.FinanceIssue, Identities: v1alpha1.CordaAnonymous}
		}), at("corda.finance.identities"), []string{"never anonymous"}},
		{"class outside all CorDapps", withFlow("com.example.Flow"), at("corda.flow.class"), []string{"com.example.Flow", "CashExitFlow"}},
		{"fewer clients than workers", withWorkload(func(w *v1alpha1.Workload) { w.Workers.Count = 11 }), at("load.clients"), []string{"workers.count (11)"}},
		{"fewer outstanding than workers", withWorkload(func(w *v1alpha1.Workload) { w.Workers.Count, w.Load.MaxOutstanding = 3, new(int32(2)) }),
			at("load.maxOutstanding"), []string{"workers.count (3)"}},
		{"no rate", withWorkload(func(w *v1alpha1.Workload) { w.Load.Model, w.Load.RatePerSecond = v1alpha1.LoadOpen, quantityPtr("0") }),
			at("load.ratePerSecond"), []string{"greater than 0"}},
		{"part of a second", withWorkload(func(w *v1alpha1.Workload) { w.Measure.WarmUp = v1alpha1.Seconds{Duration: 1500 * time.Millisecond} }),
			at("measure.warmUp"), []string{"whole seconds"}},
	})
}

func TestRefusesMixes(t *testing.T) {
	issue, pay := &v1alpha1.CordaFinance{Operation: v1alpha1.FinanceIssue}, &v1alpha1.CordaFinance{Operation: v1alpha1.FinancePay}
	flow := func(class string, data string) *v1alpha1.CordaFlow {
		argument := v1alpha1.FlowArgument{Type: "Long", Value: "${csv:amount}"}
		return &v1alpha1.CordaFlow{CordaCall: v1alpha1.CordaCall{Class: class, Arguments: []v1alpha1.FlowArgument{argument}},
			Data: &v1alpha1.CordaData{ConfigMapName: data, Key: "data.csv"}}
	}
	// mixed replaces the operation of the workload by a mix.
	mixed := func(operations ...v1alpha1.CordaOperation) func(*networkSpec) {
		return withWorkload(func(w *v1alpha1.Workload) {
			w.Corda.Finance = nil
			for _, o := range operations {
				w.Corda.Mix = append(w.Corda.Mix, v1alpha1.CordaMixEntry{CordaOperation: o})
			}
		})
	}
	// with makes a further change.
	with := func(change, further func(*networkSpec)) func(*networkSpec) {
		return func(s *networkSpec) {
			change(s)
			further(s)
		}
	}
	counterparty := withWorkload(func(w *v1alpha1.Workload) { w.Corda.Counterparty = "member-0" })
	at := func(field string) string { return "workloads[0].corda" + field }
	checkRefusals(t, refusalCases{
		{"a mix and an operation", with(mixed(v1alpha1.CordaOperation{Finance: issue}, v1alpha1.CordaOperation{Finance: pay}),
			withWorkload(func(w *v1alpha1.Workload) { w.Corda.Finance = pay })), at(""), []string{"exactly one of finance, flow and mix"}},
		{"an entry without an operation", mixed(v1alpha1.CordaOperation{Finance: issue}, v1alpha1.CordaOperation{}), at(".mix[1]"),
			[]string{"exactly one of finance and flow"}},
		{"an entry with two operations", mixed(v1alpha1.CordaOperation{Finance: issue, Flow: flow(exitFlow, "a")}, v1alpha1.CordaOperation{Finance: pay}),
			at(".mix[0]"), []string{"exactly one of finance and flow"}},
		{"class outside all CorDapps", mixed(v1alpha1.CordaOperation{Finance: issue}, v1alpha1.CordaOperation{Flow: flow("com.example.Flow", "a")}),
			at(".mix[1].flow.class"), []string{"com.example.Flow", "CashExitFlow"}},
		{"two data files", mixed(v1alpha1.CordaOperation{Flow: flow(exitFlow, "a")}, v1alpha1.CordaOperation{Flow: flow(exitFlow, "b")}),
			at(".mix[1].flow.data"), []string{"b/data.csv", "must be a/data.csv"}},
		{"a payment to itself", with(mixed(v1alpha1.CordaOperation{Finance: issue}, v1alpha1.CordaOperation{Finance: pay}), counterparty),
			at(".counterparty"), []string{"pays itself"}},
		{"counterparty of issues", with(mixed(v1alpha1.CordaOperation{Finance: issue}, v1alpha1.CordaOperation{Finance: issue}), counterparty),
			at(".counterparty"), []string{"must not be set for Issue"}},
	})
}

func TestRefusesArguments(t *testing.T) {
	argument := func(kind, value string) func(*networkSpec) {
		return withFlow(exitFlow, v1alpha1.FlowArgument{Type: kind, Value: v1alpha1.Text(value)})
	}
	at := "workloads[0].corda.flow.arguments[0].value"
	checkRefusals(t, refusalCases{
		{"Int too large", argument("Int", "3000000000"), at, []string{"Int", "out of range"}},
		{"Long", argument("Long", "1.5"), at, []string{"Long"}},
		{"Decimal", argument("Decimal", "one"), at, []string{"Decimal"}},
		{"Boolean", argument("Boolean", "yes"), at, []string{"true or false"}},
		{"Amount", argument("Amount", "100"), at, []string{"100.50 USD"}},
		{"Party", argument("Party", "Bank 1"), at, []string{"Party"}},
	})
}

// TestRefusesPlaceholders checks values whose placeholders are known, but not allowed in their place.
func TestRefusesPlaceholders(t *testing.T) {
	flow := func(change func(*v1alpha1.CordaFlow)) func(*networkSpec) {
		return func(s *networkSpec) {
			withFlow(exitFlow)(s)
			change(s.Workloads[0].Corda.Flow)
		}
	}
	data := &v1alpha1.CordaData{ConfigMapName: "payments", Key: "data.csv"}
	at := "workloads[0].corda.flow."
	checkRefusals(t, refusalCases{
		{"column without data", flow(func(c *v1alpha1.CordaFlow) {
			c.Arguments = []v1alpha1.FlowArgument{{Type: "Int", Value: "${csv:amount}"}}
		}), at + "arguments[0].value", []string{"${csv:amount}", "flow.data"}},
		{"in a set-up", flow(func(c *v1alpha1.CordaFlow) {
			c.SetUp = &v1alpha1.CordaCall{Class: exitFlow, Arguments: []v1alpha1.FlowArgument{{Type: "Boolean", Value: "${counter}"}}}
		}), at + "setUp.arguments[0].value", []string{`"0" must be true or false`}},
		{"unused data", flow(func(c *v1alpha1.CordaFlow) { c.Data = data }), at + "data", []string{"no argument has a placeholder ${csv:COLUMN}"}},
		{"unused seed", flow(func(c *v1alpha1.CordaFlow) { c.Seed = new(int64(1)) }), at + "seed", []string{"${random:FROM:TO}"}},
	})
}

func TestRefusesSetUps(t *testing.T) {
	setUp := func(flow string, arguments ...v1alpha1.FlowArgument) func(*networkSpec) {
		return func(s *networkSpec) {
			withFlow(exitFlow)(s)
			s.Workloads[0].Corda.Flow.SetUp = &v1alpha1.CordaCall{Class: flow, Arguments: arguments}
		}
	}
	at := "workloads[0].corda.flow.setUp."
	checkRefusals(t, refusalCases{
		{"class outside all CorDapps", setUp("com.example.Prepare"), at + "class", []string{"com.example.Prepare", "CashExitFlow"}},
		{"value of another type", setUp(exitFlow, v1alpha1.FlowArgument{Type: "Int", Value: "ten"}),
			at + "arguments[0].value", []string{"Int", "ten"}},
	})
}
