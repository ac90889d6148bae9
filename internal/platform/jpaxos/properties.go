package jpaxos

import (
	"bytes"
	"embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/members"
)

// Files that replicas and clients read.
const (
	fileProperties = "paxos.properties"
	fileLogback    = "logback.xml"
)

//go:embed templates
var templateFiles embed.FS

var propertiesTemplate = template.Must(template.New("paxos.properties.tmpl").Funcs(template.FuncMap{
	"on":      func(s v1alpha1.Switch) bool { return s == v1alpha1.SwitchEnabled },
	"decimal": func(q resource.Quantity) string { return fmt.Sprintf("%g", q.AsApproximateFloat64()) },
}).ParseFS(templateFiles, "templates/paxos.properties.tmpl"))

// propertiesData is the input of the template.
type propertiesData struct {
	Hosts                   []string
	ReplicaPort, ClientPort int
	LogPath                 string
	Platform                *v1alpha1.JPaxosPlatform
	Extra                   []extraProperty
}

type extraProperty struct{ Key, Value string }

// renderConfigFiles returns the configuration files, which all replicas and their clients share.
func renderConfigFiles(network *v1alpha1.BenchmarkNetwork, topology platform.Topology) (map[string]string, error) {
	p := propertiesData{ReplicaPort: portReplica, ClientPort: portClient, LogPath: storageDir, Platform: network.Spec.Platform.JPaxos}
	for _, m := range topology.Members {
		p.Hosts = append(p.Hosts, members.AddressHost(network, m.Name))
	}
	for _, key := range slices.Sorted(maps.Keys(p.Platform.ExtraProperties)) {
		p.Extra = append(p.Extra, extraProperty{key, string(p.Platform.ExtraProperties[key])})
	}
	var text bytes.Buffer
	if err := propertiesTemplate.Execute(&text, p); err != nil {
		return nil, fmt.Errorf("render %s: %w", fileProperties, err)
	}
	logback, err := templateFiles.ReadFile("templates/" + fileLogback)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", fileLogback, err)
	}
	return map[string]string{fileProperties: text.String(), fileLogback: string(logback)}, nil
}

// specFieldByProperty maps a key of paxos.properties to the field that sets it. It is empty for keys that the
// operator sets.
var specFieldByProperty = map[string]string{
	"Network":                                "transport",
	"CrashModel":                             "crashModel",
	"LogPath":                                "",
	"NvmBaseDir":                             "",
	"WindowSize":                             "tuning.windowSize",
	"BatchSize":                              "tuning.batchSizeBytes",
	"MaxBatchDelay":                          "tuning.maxBatchDelay",
	"replica.ForwardMaxBatchSize":            "tuning.forwardMaxBatchSizeBytes",
	"replica.ForwardMaxBatchDelay":           "tuning.forwardMaxBatchDelay",
	"replica.ClientRequestBufferSize":        "tuning.clientRequestBufferBytes",
	"replica.SelectorThreads":                "tuning.selectorThreads",
	"DecidedButNotExecutedThreshold":         "tuning.decidedButNotExecutedThreshold",
	"IndirectConsensus":                      "tuning.indirectConsensus",
	"AugmentedPaxos":                         "tuning.augmentedPaxos",
	"RedirectClientsFromLeader":              "tuning.redirectClientsFromLeader",
	"ClientIDGenerator":                      "tuning.clientIDGenerator",
	"FDSuspectTimeout":                       "tuning.failureSuspectTimeout",
	"FDSendTimeout":                          "tuning.failureSendInterval",
	"RetransmitTimeoutMilisecs":              "tuning.retransmitTimeout",
	"TcpReconnectMilisecs":                   "tuning.tcpReconnectDelay",
	"TimeoutFetchBatchValue":                 "tuning.fetchBatchTimeout",
	"CatchUpWindowSizeViolationAllowance":    "tuning.catchUpWindowSizeViolationAllowance",
	"FirstSnapshotEstimateBytes":             "tuning.firstSnapshotEstimateBytes",
	"SnapshotAskRatio":                       "tuning.snapshotAskRatio",
	"SnapshotForceRatio":                     "tuning.snapshotForceRatio",
	"MinimumInstancesForSnapshotRatioSample": "tuning.snapshotMinInstances",
	"MinLogSizeForRatioCheckBytes":           "tuning.snapshotMinLogBytes",
	"MaxUDPPacketSize":                       "tuning.maxUDPPacketBytes",
	"MulticastIpAddress":                     "tuning.multicastAddress",
	"MulticastPort":                          "tuning.multicastPort",
	"NetworkMtuSize":                         "tuning.mtuBytes",
	"NvmPoolSize":                            "tuning.nvmPoolBytes",
}

// ownPrefixes begin the keys of a user's own JPaxos or service. All keys of JPaxos itself have fields or are set by the operator.
var ownPrefixes = []string{"lsr.", "service."}

// Syntax of extraProperties. It is narrower than that of the file, so that an entry is one line.
var (
	propertyKeyPattern   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._-]*$`)
	propertyValuePattern = regexp.MustCompile(`^[ -\[\]-~]+$`)
)

// extraPropertyProblem returns why a user's property is rejected, or "".
func extraPropertyProblem(key, value string) string {
	field, known := specFieldByProperty[key]
	switch {
	case known && field != "":
		return "has a field: set platform.jpaxos." + field
	case known || strings.HasPrefix(key, "process."):
		return "is set by the operator: it follows from the network"
	case !propertyKeyPattern.MatchString(key):
		return "must be a key of paxos.properties: letters, digits, dots, dashes and underscores, no spaces"
	case !slices.ContainsFunc(ownPrefixes, func(prefix string) bool { return strings.HasPrefix(key, prefix) }):
		return "is no key of JPaxos, whose keys have fields in platform.jpaxos: keys of your own JPaxos or service must begin with " +
			strings.Join(ownPrefixes, " or ")
	case !propertyValuePattern.MatchString(value):
		return "must have a value on one line: printable ASCII, no backslash"
	default:
		return ""
	}
}
