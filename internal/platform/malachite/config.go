package malachite

import (
	"embed"
	"fmt"
	"strconv"
	"text/template"

	"k8s.io/utils/ptr"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/members"
	"github.com/benchnet/benchnet/internal/platform/validators"
)

//go:embed templates
var templateFiles embed.FS

var configTemplates = template.Must(template.New("").
	Funcs(validators.TemplateFuncs).Funcs(template.FuncMap{"payload": quotePayload}).
	Option("missingkey=error").ParseFS(templateFiles, "templates/*.tmpl"))

// configData is the input of the configuration template. systems/malachite-bench/README.md documents the keys
// of the file.
type configData struct {
	Moniker, Network   string
	Key, Genesis, Home string
	P2P, HTTP, Metrics string
	Spec               *v1alpha1.MalachitePlatform
	// Socket is the path of the execution client's socket. Without it, the validator generates blocks of Spec.BlockSize.
	Socket                    string
	Peers                     []string
	Discovery                 *v1alpha1.MalachiteDiscoverySpec
	MessageSize, ResponseSize int64
	StoreBytes                int64
	SyncEnabled               bool
	Threads                   int32
	// InboundPeers is the number of validators that dial this one, if it exceeds the program's default. A full mesh does not need it:
	// validators that dial each other are not limited.
	InboundPeers int
}

// payloadNames maps the payload modes to the application's names.
var payloadNames = map[v1alpha1.MalachitePayload]string{
	v1alpha1.MalachiteProposalAndParts: "proposal-and-parts",
	v1alpha1.MalachiteProposalOnly:     "proposal-only",
}

// newConfigData returns the input of a validator's template, without its threads. graph is that of buildGraph.
func newConfigData(in platform.Input, topology platform.Topology, graph validators.Graph, ordinal int, spec *v1alpha1.MalachitePlatform) configData {
	c := configData{
		Moniker: topology.Members[ordinal].Identity, Network: in.Network.Name,
		Key: validators.IdentityDir + "/" + validators.FileKey, Genesis: validators.NetworkDir + "/" + validators.FileGenesis, Home: program.HomeDir(),
		P2P: members.HostPort("0.0.0.0", validators.PortP2P), HTTP: members.HostPort("0.0.0.0", validators.PortHTTP),
		Metrics:     members.HostPort("0.0.0.0", validators.PortMetrics),
		Spec:        spec,
		MessageSize: messageSize(spec), ResponseSize: responseSize(spec),
		StoreBytes:  int64(spec.KeptBlocks) * spec.BlockSize.Value(),
		SyncEnabled: spec.Sync.Mode != v1alpha1.SwitchDisabled,
	}
	for _, peer := range graph[ordinal] {
		c.Peers = append(c.Peers, fmt.Sprintf("/dns4/%s/tcp/%d", topology.Members[peer].Host, validators.PortP2P))
	}
	switch spec.Peers.Type {
	case v1alpha1.PeersDiscovery:
		c.Discovery = new(discoveryOrDefault(spec))
	case v1alpha1.PeersFullMesh:
	default:
		if dialers := graph.CountDialers(ordinal); dialers > defaultInboundPeers {
			c.InboundPeers = dialers
		}
	}
	return c
}

// buildGraph returns the graph of the spec. With discovery, validators dial the next few in a ring, so that all are connected.
func buildGraph(spec *v1alpha1.MalachitePlatform, count int) validators.Graph {
	if spec.Peers.Type == v1alpha1.PeersDiscovery {
		return validators.NewRing(count, min(count-1, int(discoveryOrDefault(spec).BootstrapPeers)))
	}
	return validators.BuildGraph(&spec.Peers, count)
}

// discoveryOrDefault returns the parameters of the spec, or the defaults of the API.
func discoveryOrDefault(spec *v1alpha1.MalachitePlatform) v1alpha1.MalachiteDiscoverySpec {
	return ptr.Deref(spec.Discovery, v1alpha1.MalachiteDiscoverySpec{
		BootstrapPeers: 2, Protocol: "Kademlia", Selector: "Kademlia", OutboundPeers: 50, InboundPeers: defaultInboundPeers})
}

// quotePayload returns a payload mode as the application names it.
func quotePayload(mode v1alpha1.MalachitePayload) string { return strconv.Quote(payloadNames[mode]) }
