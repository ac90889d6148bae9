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

const good = `
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkNetwork
metadata: {name: net}
spec:
  platform: {type: Corda, corda: {tuning: {}}}
  members: {count: 2}
  database: {engine: PostgreSQL, topology: Shared}
  workloads:
  - name: pay
    corda: {flow: Pay}
    load: {clients: 10}
`

func quantity(s string) *resource.Quantity {
	q := resource.MustParse(s)
	return &q
}

type spec = v1alpha1.BenchmarkNetworkSpec

// refusals are platformtest's, short to write.
type refusals []struct {
	Name   string
	Change func(*v1alpha1.BenchmarkNetworkSpec)
	Field  string
	Says   []string
}

func refuses(t *testing.T, list refusals) {
	t.Helper()
	admission := platformtest.NetworkAdmission(t)
	for _, r := range list {
		platformtest.Refuses(t, corda.New(), admission.Network(t, []byte(good)), platformtest.Refusal(r))
	}
}

func extra(key, value string) func(*spec) {
	return func(s *spec) { s.Platform.Corda.Tuning.ExtraConfig = map[string]string{key: value} }
}

func jvmArg(arg string) func(*spec) {
	return func(s *spec) { s.Platform.Corda.Tuning.JVMArgs = []string{arg} }
}

func legalNames(names ...string) func(*spec) {
	return func(s *spec) { s.Platform.Corda.LegalNames = names }
}

func workload(change func(*v1alpha1.Workload)) func(*spec) {
	return func(s *spec) { change(&s.Workloads[0].Workload) }
}

func enterprise(change func(*v1alpha1.CordaTuning)) func(*spec) {
	return func(s *spec) {
		s.Platform.Corda.Distribution, s.Platform.Corda.Image = v1alpha1.CordaEnterprise, "example.com/corda:1"
		change(s.Platform.Corda.Tuning)
	}
}

func TestRefusesSizes(t *testing.T) {
	refuses(t, refusals{
		{"heap above memory", func(s *spec) { s.Members.Heap = quantity("4Gi") }, "members.heap",
			[]string{"4Gi", "memory (3Gi)", "size Small", "at least 4533Mi"}},
		{"no room besides the heap", func(s *spec) { s.Members.Heap, s.Members.Memory = quantity("512Mi"), quantity("768Mi") },
			"members.memory", []string{"768Mi", "heap 512Mi", "437Mi", "at least 949Mi"}},
		{"heap below 512Mi", func(s *spec) { s.Members.Heap = quantity("256Mi") }, "members.heap", []string{"at least 512Mi"}},
		{"no cores", func(s *spec) { s.Members.Cores = quantity("0") }, "members.cores", []string{"greater than 0"}},
		{"volume too small", func(s *spec) { s.Members.Storage.Size = quantity("1Mi") }, "members.storage.size", []string{"at least 512Mi"}},
		{"connections below what open source needs", func(s *spec) { s.Database.ConnectionsPerMember = new(int32(5)) },
			"database.connectionsPerMember", []string{"at least 6", "1 flow threads + 4 RPC threads + 1"}},
	})
}

func TestRefusesEnterpriseTuning(t *testing.T) {
	refuses(t, refusals{
		{"connections below flow threads", func(s *spec) {
			enterprise(func(c *v1alpha1.CordaTuning) { c.FlowThreads = new(int32(64)) })(s)
			s.Database.ConnectionsPerMember = new(int32(64))
		}, "database.connectionsPerMember", []string{"at least 69", "64 flow threads"}},
		{"flow threads below the least of RPC threads", enterprise(func(c *v1alpha1.CordaTuning) { c.FlowThreads = new(int32(2)) }),
			"platform.corda.tuning.flowThreads", []string{"at least 4"}},
		{"more RPC than flow threads", enterprise(func(c *v1alpha1.CordaTuning) { c.RPCThreads = new(int32(5)) }),
			"platform.corda.tuning.rpcThreads", []string{"between 4 and the flow threads (4)"}},
		{"Enterprise without an image", func(s *spec) { s.Platform.Corda.Distribution = v1alpha1.CordaEnterprise },
			"platform.corda.image", []string{"licensed"}},
	})
}

func TestRefusesEnterpriseKeysOnOpenSource(t *testing.T) {
	tuning := func(change func(*v1alpha1.CordaTuning)) func(*spec) {
		return func(s *spec) { change(s.Platform.Corda.Tuning) }
	}
	says := func(key string) []string { return []string{key, "Corda Enterprise alone", "distribution Enterprise"} }
	refuses(t, refusals{
		{"flow threads", tuning(func(c *v1alpha1.CordaTuning) { c.FlowThreads = new(int32(8)) }),
			"platform.corda.tuning.flowThreads", says("flowThreadPoolSize")},
		{"RPC threads", tuning(func(c *v1alpha1.CordaTuning) { c.RPCThreads = new(int32(8)) }),
			"platform.corda.tuning.rpcThreads", says("rpcThreadPoolSize")},
		{"compression, even off", tuning(func(c *v1alpha1.CordaTuning) { c.P2PCompression = new(false) }),
			"platform.corda.tuning.p2pCompression", says("enableP2PCompression")},
		{"OpenSSL", tuning(func(c *v1alpha1.CordaTuning) { c.OpenSSL = new(true) }), "platform.corda.tuning.openSSL", says("useOpenSsl")},
		{"journal timeout", tuning(func(c *v1alpha1.CordaTuning) { c.JournalBufferTimeoutNanoseconds = new(int64(0)) }),
			"platform.corda.tuning.journalBufferTimeoutNanoseconds", says("journalBufferTimeout")},
		{"TTL check", tuning(func(c *v1alpha1.CordaTuning) { c.BrokerConnectionTTLCheckMilliseconds = new(int64(1)) }),
			"platform.corda.tuning.brokerConnectionTTLCheckMilliseconds", says("brokerConnectionTtlCheckIntervalMs")},
		{"extra key", extra("enterpriseConfiguration.tuning.backchainFetchBatchSize", "50"),
			"platform.corda.tuning.extraConfig[enterpriseConfiguration.tuning.backchainFetchBatchSize]", says("backchainFetchBatchSize")},
		{"extra key at the top", extra("useOpenSsl", "true"), "platform.corda.tuning.extraConfig[useOpenSsl]", says("useOpenSsl")},
		{"schema", extra("database.schema", "x"), "platform.corda.tuning.extraConfig[database.schema]", says("database.schema")},
		{"notary on JPA", extra("notary.jpa.batchTimeoutMs", "50"), "platform.corda.tuning.extraConfig[notary.jpa.batchTimeoutMs]", says("notary.jpa")},
	})
}

func TestRefusesExtraConfig(t *testing.T) {
	path := func(key string) string { return "platform.corda.tuning.extraConfig[" + key + "]" }
	refuses(t, refusals{
		{"what the spec sets", extra("devMode", "true"), path("devMode"), []string{"devMode=false"}},
		{"below what the spec sets", extra("rpcSettings.address", `"0.0.0.0:1"`), path("rpcSettings.address"), []string{"set by the operator"}},
		{"what tuning sets", extra("transactionCacheSizeMegaBytes", "8"), path("transactionCacheSizeMegaBytes"), []string{"tuning.transactionCacheSize"}},
		{"gone key", extra("database.runMigration", "true"), path("database.runMigration"), []string{"migrated before"}},
		{"quoted key", extra(`"useOpenSsl"`, "true"), path(`"useOpenSsl"`), []string{"dotted key"}},
		{"object that hides keys", extra("database", "{schema = x}"), path("database"), []string{"one HOCON value", "dotted keys"}},
		{"list that hides keys", extra("x", `[{"a": 1}]`), path("x"), []string{"one HOCON value"}},
		{"second key on the line", extra("sshd.port", "1, useOpenSsl = true"), path("sshd.port"), []string{"one HOCON value"}},
		{"second line", extra("sshd.port", "1\nuseOpenSsl = true"), path("sshd.port"), []string{"one HOCON value"}},
		{"no value", extra("sshd.port", ""), path("sshd.port"), []string{"one HOCON value"}},
		{"later version's key", func(s *spec) {
			s.Platform.Corda.Version = "4.9"
			extra("telemetry.simpleLogTelemetryEnabled", "true")(s)
		}, path("telemetry.simpleLogTelemetryEnabled"), []string{"needs Corda 4.10 or later, not 4.9"}},
		{"notary's key without a notary", func(s *spec) {
			s.Platform.Corda.Notary.Type, s.Workloads = v1alpha1.CordaNotaryNone, nil
			extra("notary.extraConfig.batchSize", "8")(s)
		}, path("notary.extraConfig.batchSize"), []string{"no notary"}},
	})
}

func TestRefusesTuning(t *testing.T) {
	arg := "platform.corda.tuning.jvmArgs[0]"
	refuses(t, refusals{
		{"heap as an argument", jvmArg("-XX:MaxHeapSize=1g"), arg, []string{"members.heap"}},
		{"agent that would be dropped", jvmArg("-javaagent:x.jar"), arg, []string{"dropped"}},
		{"two arguments in one", jvmArg("-Da=b -Dc=d"), arg, []string{"no spaces"}},
		{"no argument", jvmArg("UseG1GC"), arg, []string{"dash"}},
		{"cache larger than half of the heap", func(s *spec) { s.Platform.Corda.Tuning.TransactionCacheSize = quantity("513Mi") },
			"platform.corda.tuning.transactionCacheSize", []string{"half of the heap (1Gi)"}},
		{"no cache", func(s *spec) { s.Platform.Corda.Tuning.AttachmentCacheSize = quantity("0") },
			"platform.corda.tuning.attachmentCacheSize", []string{"greater than 0"}},
		{"external operations before they were", func(s *spec) {
			s.Platform.Corda.Version, s.Platform.Corda.Tuning.FlowExternalOperationThreads = "4.3", new(int32(2))
		}, "platform.corda.tuning.flowExternalOperationThreads", []string{"4.4 or later, not 4.3"}},
		{"CorDapps that float", func(s *spec) {
			s.Platform.Corda.CorDapps = v1alpha1.CorDappsSpec{Type: v1alpha1.CordAppsImage, Image: "registry:5000/cordapps"}
		}, "platform.corda.cordapps.image", []string{"tag other than latest", "or be cordapps"}},
		{"a short name that is not the project's", func(s *spec) {
			s.Platform.Corda.CorDapps = v1alpha1.CorDappsSpec{Type: v1alpha1.CordAppsImage, Image: "corda"}
		}, "platform.corda.cordapps.image", []string{"or be cordapps"}},
		{"together and apart", func(s *spec) {
			s.Members.Placement.Spread = v1alpha1.SpreadRequired
			s.Database.Topology, s.Database.MembersPerInstance = v1alpha1.TopologyPerHost, new(int32(2))
		}, "members.placement.spread", []string{"share a host"}},
	})
}

func TestRefusesLegalNames(t *testing.T) {
	const other = "O=Beta,L=Paris,C=FR"
	at := "platform.corda.legalNames[0]"
	refuses(t, refusals{
		{"too few", legalNames(other), "platform.corda.legalNames", []string{"members.count (2)"}},
		{"no country", legalNames("O=Alpha,L=London", other), at, []string{"C is missing"}},
		{"country spelt out", legalNames("O=Alpha,L=London,C=UK1", other), at, []string{"C is longer than 2"}},
		{"country in small letters", legalNames("O=Alpha,L=London,C=gb", other), at, []string{"two capital letters"}},
		{"organisation of one letter", legalNames("O=A,L=London,C=GB", other), at, []string{"fewer than 2"}},
		{"unknown attribute", legalNames("O=Alpha,L=London,C=GB,DC=x", other), at, []string{"DC is not an attribute"}},
		{"attribute twice", legalNames("O=Alpha,O=Beta,L=London,C=GB", other), at, []string{"O is given twice"}},
		{"no attribute", legalNames("Alpha", other), at, []string{"not ATTRIBUTE=value"}},
		{"quotes", legalNames(`O=Al"pha,L=London,C=GB`, other), at, []string{"holds one of"}},
		{"twice, in another order", legalNames("C=FR, L=Paris, O=Beta", other), "platform.corda.legalNames[1]", []string{"already the name of member-0"}},
		{"the notary's", legalNames("O=Notary,L=London,C=GB", other), at, []string{"already the name of the notary"}},
	})
}

func TestRefusesWorkloads(t *testing.T) {
	at := func(field string) string { return "workloads[0]." + field }
	refuses(t, refusals{
		{"initiator that is not there", workload(func(w *v1alpha1.Workload) { w.Corda.Initiators = []int32{1, 2} }), at("corda.initiators[1]"),
			[]string{"the network has 2, so 0 to 1"}},
		{"counterparty that is not there", workload(func(w *v1alpha1.Workload) { w.Corda.Counterparty = new(int32(9)) }),
			at("corda.counterparty"), []string{"0 to 1"}},
		{"pays itself", workload(func(w *v1alpha1.Workload) { w.Corda.Counterparty = new(int32(0)) }), at("corda.counterparty"),
			[]string{"pays itself"}},
		{"nobody to pay", func(s *spec) { s.Members.Count = 1 }, at("corda.flow"), []string{"members.count must be at least 2"}},
		{"nobody to notarise", func(s *spec) { s.Platform.Corda.Notary.Type = v1alpha1.CordaNotaryNone }, at("corda.flow"),
			[]string{"notary.type must be Single"}},
		{"arguments of a named flow", workload(func(w *v1alpha1.Workload) {
			w.Corda.Arguments = []v1alpha1.FlowArgument{{Type: "Int", Value: "1"}}
		}), at("corda.arguments"), []string{"class name"}},
		{"set-up of a named flow", workload(func(w *v1alpha1.Workload) {
			w.Corda.SetUp = &v1alpha1.CordaFlow{Flow: "net.corda.finance.flows.CashExitFlow"}
		}), at("corda.setUp"), []string{"class name"}},
		{"issue to somebody", workload(func(w *v1alpha1.Workload) { w.Corda.Flow, w.Corda.Counterparty = "Issue", new(int32(1)) }),
			at("corda.counterparty"), []string{"Issue has none"}},
		{"anonymous issue", workload(func(w *v1alpha1.Workload) { w.Corda.Flow, w.Corda.Identities = "Issue", v1alpha1.CordaAnonymous }),
			at("corda.identities"), []string{"never anonymous"}},
		{"class of no CorDapp", workload(func(w *v1alpha1.Workload) { w.Corda.Flow = "com.example.Flow" }), at("corda.flow"),
			[]string{"com.example.Flow", "CashExitFlow"}},
		{"fewer clients than workers", workload(func(w *v1alpha1.Workload) { w.Workers.Count = 11 }), at("load.clients"), []string{"workers.count (11)"}},
		{"fewer outstanding than workers", workload(func(w *v1alpha1.Workload) { w.Workers.Count, w.Load.MaxOutstanding = 3, new(int32(2)) }),
			at("load.maxOutstanding"), []string{"workers.count (3)"}},
		{"no rate", workload(func(w *v1alpha1.Workload) { w.Load.Model, w.Load.RatePerSecond = v1alpha1.LoadOpen, quantity("0") }),
			at("load.ratePerSecond"), []string{"greater than 0"}},
		{"part of a second", workload(func(w *v1alpha1.Workload) { w.Measure.WarmUp = metav1.Duration{Duration: 1500 * time.Millisecond} }),
			at("measure.warmUp"), []string{"whole seconds"}},
	})
}

func TestRefusesArguments(t *testing.T) {
	argument := func(kind, value string) func(*spec) {
		return workload(func(w *v1alpha1.Workload) {
			w.Corda.Flow = "net.corda.finance.flows.CashExitFlow"
			w.Corda.Arguments = []v1alpha1.FlowArgument{{Type: kind, Value: value}}
		})
	}
	at := "workloads[0].corda.arguments[0].value"
	refuses(t, refusals{
		{"Int too large", argument("Int", "3000000000"), at, []string{"Int", "out of range"}},
		{"Long", argument("Long", "1.5"), at, []string{"Long"}},
		{"Decimal", argument("Decimal", "one"), at, []string{"Decimal"}},
		{"Boolean", argument("Boolean", "yes"), at, []string{"true or false"}},
		{"Amount", argument("Amount", "100"), at, []string{"100.50 USD"}},
		{"Party", argument("Party", "Bank 1"), at, []string{"Party"}},
	})
}

func TestRefusesSetUps(t *testing.T) {
	setUp := func(flow string, arguments ...v1alpha1.FlowArgument) func(*spec) {
		return workload(func(w *v1alpha1.Workload) {
			w.Corda.Flow = "net.corda.finance.flows.CashExitFlow"
			w.Corda.SetUp = &v1alpha1.CordaFlow{Flow: flow, Arguments: arguments}
		})
	}
	at := "workloads[0].corda.setUp."
	refuses(t, refusals{
		{"class of no CorDapp", setUp("com.example.Prepare"), at + "flow", []string{"com.example.Prepare", "CashExitFlow"}},
		{"value of another type", setUp("net.corda.finance.flows.CashExitFlow", v1alpha1.FlowArgument{Type: "Int", Value: "ten"}),
			at + "arguments[0].value", []string{"Int", "ten"}},
	})
}
