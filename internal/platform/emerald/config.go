package emerald

import (
	"bytes"
	"embed"
	"fmt"
	"strings"
	"text/template"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/execution"
	"github.com/benchnet/benchnet/internal/platform/members"
	"github.com/benchnet/benchnet/internal/platform/validators"
)

//go:embed templates
var templateFiles embed.FS

var configTemplates = template.Must(template.New("").Funcs(validators.TemplateFuncs).Funcs(template.FuncMap{"bytes": quoteBytes}).
	Option("missingkey=error").ParseFS(templateFiles, "templates/*.tmpl"))

// memberConfig is the input of a member's templates.
type memberConfig struct {
	Member, Network string
	Ports           portNumbers
	// Peers are the multiaddresses of the other validators. MaxPeers is large enough for all of them.
	Peers    []string
	MaxPeers int
	Timeouts v1alpha1.ConsensusTimeouts
	Gossip   v1alpha1.EmeraldGossip
	// Protocol and Payload as Malachite spells them.
	Protocol, Payload string
	// Threads of the runtime; 0 means one thread without a pool.
	Threads      int32
	LogLevel     string
	MinBlockTime v1alpha1.Delay
	FeeRecipient string
	JWT, Genesis string
}

type portNumbers struct{ Consensus, Mempool, Metrics, HTTP, Engine int }

// testnetData is the input of testnet.toml.tmpl.
type testnetData struct {
	Members int
	Names   []string
}

// renderMemberFiles returns the files of a member's ConfigMap.
func renderMemberFiles(in platform.Input, t platform.Topology, ordinal int) (map[string]string, error) {
	start, err := templateFiles.ReadFile("templates/" + fileStart)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", fileStart, err)
	}
	files := map[string]string{fileStart: string(start)}
	conf := buildMemberConfig(in, t, ordinal)
	for _, name := range []string{fileConfig, fileEmerald} {
		if files[name], err = renderTemplate(name, conf); err != nil {
			return nil, err
		}
	}
	return files, nil
}

func buildMemberConfig(in platform.Input, t platform.Topology, ordinal int) memberConfig {
	e := in.Network.Spec.Platform.Emerald
	conf := memberConfig{
		Member:       t.Members[ordinal].Name,
		Network:      t.Network,
		Ports:        portNumbers{portConsensus, portMempool, portMetrics, execution.PortHTTP, execution.PortEngine},
		MaxPeers:     max(20, len(t.Members)),
		Timeouts:     e.Timeouts,
		Gossip:       e.Gossip,
		Protocol:     strings.ToLower(string(e.Gossip.Protocol)),
		Payload:      payloadNames[e.Payload],
		LogLevel:     strings.ToLower(e.LogLevel),
		MinBlockTime: e.MinBlockTime,
		FeeRecipient: execution.FeeRecipient(ordinal),
		JWT:          execution.NetworkDir + "/" + execution.FileJWT,
		Genesis:      execution.NetworkDir + "/" + execution.FileGenesis,
		Threads:      ptr.Deref(e.Threads, 0),
	}
	for i, m := range t.Members {
		if i != ordinal {
			conf.Peers = append(conf.Peers, fmt.Sprintf("/dns4/%s/tcp/%d", members.AddressHost(in.Network, m.Name), portConsensus))
		}
	}
	return conf
}

var payloadNames = map[v1alpha1.EmeraldPayload]string{
	v1alpha1.EmeraldPartsOnly: "parts-only", v1alpha1.EmeraldProposalAndParts: "proposal-and-parts",
}

func renderTemplate(name string, data any) (string, error) {
	var out bytes.Buffer
	if err := configTemplates.ExecuteTemplate(&out, name+".tmpl", data); err != nil {
		return "", fmt.Errorf("render %s: %w", name, err)
	}
	return out.String(), nil
}

func quoteBytes(q resource.Quantity) string { return fmt.Sprintf(`"%d B"`, q.Value()) }
