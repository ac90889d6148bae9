package corda

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/sizing"
)

//go:embed templates
var templateFiles embed.FS

var nodeConfTemplates = template.Must(template.New("").Funcs(template.FuncMap{
	"quote": quoteHOCON,
	"on":    func(s v1alpha1.Switch) bool { return s == v1alpha1.SwitchEnabled },
}).
	Option("missingkey=error").ParseFS(templateFiles, "templates/*.conf.tmpl"))

// nodeConf is the input of the templates. A nil pointer or a zero number leaves its key at the node's default.
type nodeConf struct {
	Member, Network       string
	LegalName, P2PAddress string
	Ports                 nodePortNumbers
	RPCUser               string
	// Permissions of RPCUser; without any, the node gets no RPC user.
	Permissions               []string
	JVMArgs                   []string
	TransactionCacheMegabytes int64
	AttachmentCacheMegabytes  int64
	ExternalOperationThreads  *int32
	Validating                bool
	// NotaryService is the legal name of the notary service of which the node is a replica.
	NotaryService string
	// Raft and BFT are set for a replica of such a notary.
	Raft                    *raftReplica
	BFT                     *bftReplica
	Database                platform.DatabaseConnection
	DataSourceClass         string
	Connections             int32
	FlowThreads, RPCThreads int32
	JournalBufferTimeout    *metav1.Duration
	BrokerTTLCheckInterval  *v1alpha1.Timeout
	P2PCompression, OpenSSL *v1alpha1.Switch
	Extra                   []extraEntry
}

// dataSourceClasses are the JDBC data sources of the servers, which R3's documentation names.
var dataSourceClasses = map[v1alpha1.DatabaseEngine]string{
	v1alpha1.EnginePostgreSQL: "org.postgresql.ds.PGSimpleDataSource",
	v1alpha1.EngineSQLServer:  "com.microsoft.sqlserver.jdbc.SQLServerDataSource",
	v1alpha1.EngineOracle:     "oracle.jdbc.pool.OracleDataSource",
}

// nodePortNumbers are the ports of a node. Jolokia is 0 if the node serves no metrics.
type nodePortNumbers struct{ P2P, RPC, Admin, Jolokia int }

func renderNodeConf(in platform.Input, m platform.Member) (string, error) {
	conf := buildNodeConf(in, m)
	var out bytes.Buffer
	for _, layer := range templateLayers(&in.Network.Spec, m, len(conf.Extra) > 0) {
		if err := nodeConfTemplates.ExecuteTemplate(&out, layer+".conf.tmpl", conf); err != nil {
			return "", fmt.Errorf("render node.conf of %s: %w", m.Name, err)
		}
	}
	return out.String(), nil
}

// templateLayers returns the templates of a member's node.conf in order. A later layer may override an earlier
// one.
func templateLayers(spec *v1alpha1.BenchmarkNetworkSpec, m platform.Member, extra bool) []string {
	all := []string{"base"}
	if m.Role == roleNotary {
		all = append(all, "notary")
	}
	if usesH2(spec) {
		all = append(all, "h2")
	} else {
		all = append(all, "server")
	}
	if isEnterprise(spec) {
		all = append(all, "enterprise")
	}
	if extra {
		all = append(all, "extra")
	}
	return all
}

func buildNodeConf(in platform.Input, m platform.Member) nodeConf {
	spec := m.Spec
	tuning, pools := tuningOf(spec), derivePoolSizes(spec)
	ports := nodePortNumbers{P2P: portP2P, RPC: portRPC, Admin: portAdmin, Jolokia: portJolokia}
	if spec.Observation == v1alpha1.ObservationNone {
		ports.Jolokia = 0
	}
	return nodeConf{
		Member:                    m.Name,
		Network:                   in.Network.Name,
		LegalName:                 m.Identity,
		P2PAddress:                m.Address,
		Ports:                     ports,
		RPCUser:                   rpcUser,
		Permissions:               rpcPermissions(spec, m.Role),
		JVMArgs:                   jvmArgs(spec),
		TransactionCacheMegabytes: roundUpMegabytes(tuning.TransactionCacheSize),
		AttachmentCacheMegabytes:  roundUpMegabytes(tuning.AttachmentCacheSize),
		ExternalOperationThreads:  tuning.FlowExternalOperationThreads,
		Validating:                isNotaryValidating(spec),
		NotaryService:             notaryServiceName(spec),
		Raft:                      newRaftReplica(in.Network, m),
		BFT:                       newBFTReplica(in.Network, m),
		Database:                  in.Databases[m.Name],
		DataSourceClass:           dataSourceClasses[spec.DatabaseOrDefault().Engine],
		Connections:               pools.connections.value,
		FlowThreads:               pools.flowThreads.value,
		RPCThreads:                pools.rpcThreads.value,
		JournalBufferTimeout:      tuning.JournalBufferTimeout,
		BrokerTTLCheckInterval:    tuning.BrokerConnectionTTLCheckInterval,
		P2PCompression:            tuning.P2PCompression,
		OpenSSL:                   tuning.OpenSSL,
		Extra:                     extraEntriesFor(tuning, m.Role),
	}
}

func isNotaryValidating(spec *v1alpha1.BenchmarkNetworkSpec) bool {
	return spec.Platform.Corda.Notary.Validation == v1alpha1.CordaNotaryValidating
}

// notaryServiceName returns the legal name of the identity that the replicas of a notary service share; empty for
// a single notary, which has only its own.
func notaryServiceName(spec *v1alpha1.BenchmarkNetworkSpec) string {
	if isNotaryCluster(spec) {
		return notaryIdentity
	}
	return ""
}

// jvmArgs returns the arguments of the node's JVM: a heap of fixed size and the G1 collector, as in R3's
// measurements, then the user's arguments. A node whose heap is exhausted ends at once: with an argument about
// OutOfMemoryError, Corda's launcher adds none of its own, which dump the heap into the base folder. Dumps that the
// user asks for go to the temporary volume.
func jvmArgs(spec *v1alpha1.BenchmarkNetworkSpec) []string {
	heap := sizing.MachineOf(&spec.Members).HeapMebibytes()
	args := []string{fmt.Sprintf("-Xms%dm", heap), fmt.Sprintf("-Xmx%dm", heap)}
	args = append(args, "-XX:HeapDumpPath=/tmp", "-XX:ErrorFile=/tmp/hs_err_pid%p.log")
	own := tuningOf(spec).JVMArgs
	if !slices.ContainsFunc(own, func(arg string) bool {
		return strings.Contains(arg, "OnOutOfMemoryError") && !strings.Contains(arg, "HeapDump")
	}) {
		args = append(args, "-XX:+ExitOnOutOfMemoryError")
	}
	// The JVM refuses to start with two collectors.
	if !slices.ContainsFunc(own, choosesCollector) {
		args = append(args, "-XX:+UseG1GC")
	}
	return append(args, own...)
}

func choosesCollector(arg string) bool {
	return strings.HasPrefix(arg, "-XX:+Use") && strings.HasSuffix(arg, "GC")
}

// roundUpMegabytes returns a size in the node's megabytes of 1024 x 1024 bytes, rounded up, and 0 for nil.
func roundUpMegabytes(q *resource.Quantity) int64 {
	if q == nil {
		return 0
	}
	return (q.Value() + 1<<20 - 1) >> 20
}

// quoteHOCON returns s as a HOCON string, which is a JSON string.
func quoteHOCON(s string) (string, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(s); err != nil {
		return "", fmt.Errorf("quote %q: %w", s, err)
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}
