package cometbft

import (
	"embed"
	"fmt"
	"slices"
	"text/template"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/members"
	"github.com/benchnet/benchnet/internal/platform/validators"
)

//go:embed templates
var templateFiles embed.FS

var configTemplates = template.Must(template.New("").Funcs(validators.TemplateFuncs).
	Option("missingkey=error").ParseFS(templateFiles, "templates/*.tmpl"))

// gossip holds the parameters of gossip. docs/cometbft.md gives their names in CometBFT.
type gossip struct {
	Sleep, Flush     time.Duration
	Rate, PacketSize bytes
}

// bytes is a size, or a rate per second, in bytes.
type bytes int64

// Value returns the number of bytes.
func (b bytes) Value() int64 { return int64(b) }

// String returns the size with a suffix.
func (b bytes) String() string {
	if b%1024 == 0 {
		return resource.NewQuantity(int64(b), resource.BinarySI).String()
	}
	return resource.NewQuantity(int64(b), resource.DecimalSI).String()
}

// gossipDefaults are the parameters of each tuning. Those of Defaults are CometBFT's own.
var gossipDefaults = map[v1alpha1.CometBFTTuning]gossip{
	v1alpha1.CometBFTDefaults: {Sleep: 100 * time.Millisecond, Flush: 10 * time.Millisecond, Rate: 5_120_000, PacketSize: 1024},
	v1alpha1.CometBFTFast:     {Sleep: 2 * time.Millisecond, Flush: time.Millisecond, Rate: 500_000_000, PacketSize: 64 * 1024},
}

// gossipOf returns the parameters of the spec, or those of its tuning.
func gossipOf(c *v1alpha1.CometBFTPlatform) gossip {
	g := gossipDefaults[c.Tuning]
	if c.Gossip.Sleep != nil {
		g.Sleep = c.Gossip.Sleep.Duration
	}
	if c.Gossip.Flush != nil {
		g.Flush = c.Gossip.Flush.Duration
	}
	if c.Gossip.Rate != nil {
		g.Rate = bytes(c.Gossip.Rate.Value())
	}
	if c.Gossip.PacketSize != nil {
		g.PacketSize = bytes(c.Gossip.PacketSize.Value())
	}
	return g
}

// defaultMempool are the defaults of the API.
var defaultMempool = v1alpha1.CometBFTMempool{Size: 50_000, CacheSize: 100_000, Recheck: v1alpha1.SwitchEnabled, Broadcast: v1alpha1.SwitchEnabled}

// configData is the input of the configuration template. systems/cometbft-bench/README.md documents the keys of the file.
type configData struct {
	Moniker, Network                   string
	Key, NodeKey, Genesis, Nodes, Home string
	P2P, RPC, HTTP, Metrics            string
	Spec                               *v1alpha1.CometBFTPlatform
	UsesMempool                        bool
	BlockSize, TransactionSize         int64
	Content                            v1alpha1.BlockContent
	Gossip                             gossip
	Mempool                            v1alpha1.CometBFTMempool
	Peers                              []string
	KeptBlocks, Threads                int32
}

// newConfigData returns the input of a validator's template, without its threads.
func newConfigData(in platform.Input, topology platform.Topology, graph validators.Graph, ordinal int, c *v1alpha1.CometBFTPlatform) configData {
	block := blockSizeOf(c)
	data := configData{
		Moniker: topology.Members[ordinal].Identity, Network: in.Network.Name,
		Key: validators.IdentityDir + "/" + validators.FileKey, NodeKey: validators.IdentityDir + "/node_key.json",
		Genesis: validators.NetworkDir + "/" + validators.FileGenesis, Nodes: validators.NetworkDir + "/nodes.json", Home: programOf(c).HomeDir(),
		P2P: members.HostPort("0.0.0.0", validators.PortP2P), RPC: members.HostPort("0.0.0.0", portRPC),
		HTTP: members.HostPort("0.0.0.0", validators.PortHTTP), Metrics: members.HostPort("0.0.0.0", validators.PortMetrics),
		Spec: c, UsesMempool: usesMempool(c), BlockSize: block.Value(), TransactionSize: transactionSizeOf(c), Content: c.Content,
		Gossip: gossipOf(c), Mempool: defaultMempool, KeptBlocks: keptBlocksOf(c),
	}
	if c.Content == "" {
		data.Content = v1alpha1.BlockContentRandom
	}
	if c.Mempool != nil {
		data.Mempool = *c.Mempool
	}
	for _, peer := range slices.Sorted(slices.Values(graph[ordinal])) {
		data.Peers = append(data.Peers, fmt.Sprintf("%d@%s", peer, members.HostPort(topology.Members[peer].Host, validators.PortP2P)))
	}
	return data
}
