package main

import (
	"bytes"
	"compress/flate"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	cfg "github.com/cometbft/cometbft/config"
)

func TestConfigRefusals(t *testing.T) {
	dir := t.TempDir()
	if err := initNetwork(dir, []int64{1, 1, 1, 1}); err != nil {
		t.Fatal(err)
	}
	minimal := minimalConfig(dir, 0)
	for name, c := range map[string]struct{ config, want string }{
		"unknown key":          {minimal + "block.size = 1", "block.size: unknown key"},
		"no moniker":           {strings.Replace(minimal, "validator-0", "", 1), `moniker: "" is empty: a name`},
		"no home":              {minimal[:strings.Index(minimal, "home")], `home: "" is empty: a path`},
		"type":                 {minimal + `application.type = "counter"`, `application.type: "counter" is not understood: blocks or kvstore`},
		"type with mempool":    {minimal + "mempool.size = 9", `mempool: not allowed with application.type "blocks"`},
		"size with kvstore":    {minimal + "application.type = \"kvstore\"\napplication.block_size = 9", "application.block_size: not allowed with the type kvstore"},
		"block size 0":         {minimal + "application.block_size = 0", "application.block_size: 0 is out of range: 1 to 67108864"},
		"large block":          {minimal + "application.block_size = 67108865", "application.block_size: 67108865 is out of range: 1 to 67108864"},
		"fraction":             {minimal + "application.block_size = 1.5", `(last key "application.block_size"): incompatible types: TOML value has type float`},
		"transaction size":     {minimal + "application.block_size = 9\napplication.transaction_size = 10", "application.transaction_size: 10 is out of range: 1 to 9"},
		"transaction size 0":   {minimal + "application.transaction_size = 0", "application.transaction_size: 0 is out of range: 1 to 1048576"},
		"many transactions":    {minimal + "application.transaction_size = 1", "application.transaction_size: 1 is too small for application.block_size 1048576"},
		"content":              {minimal + `application.content = "zero"`, `application.content: "zero" is not understood: random or repeated`},
		"no unit":              {minimal + "consensus.timeout_commit = 5", `(last key "consensus.timeout_commit"): "5" is not a time: write it like 500ms`},
		"negative timeout":     {minimal + `consensus.timeout_propose = "-1s"`, "consensus.timeout_propose: -1s is out of range: 0s or more"},
		"busy gossip":          {minimal + `consensus.gossip_sleep = "0s"`, "consensus.gossip_sleep: 0s is out of range: more than 0s"},
		"no empty blocks":      {minimal + "consensus.create_empty_blocks = false", "consensus.create_empty_blocks: false is not allowed"},
		"peer without index":   {minimal + `network.peers = ["host:1"]`, `network.peers[0]: "host:1" is not a peer: <index of the validator>@host:port`},
		"peer without port":    {minimal + `network.peers = ["1@host"]`, `network.peers[0]: "1@host" is not a peer`},
		"peer out of range":    {minimal + `network.peers = ["4@host:1"]`, `network.peers[0]: "4@host:1" has an index out of range: 0 to 3`},
		"itself":               {minimal + `network.peers = ["0@host:1"]`, `network.peers[0]: "0@host:1" is this validator: another one`},
		"peer twice":           {minimal + `network.peers = ["1@host:1", "1@host:2"]`, `network.peers[1]: "1@host:2" is listed twice`},
		"send rate":            {minimal + "network.send_rate = 0", "network.send_rate: 0 is out of range: 1 to"},
		"packet size":          {minimal + "network.packet_size = 1048577", "network.packet_size: 1048577 is out of range: 64 to 1048576"},
		"mempool size":         {minimal + "application.type = \"kvstore\"\nmempool.size = 0", "mempool.size: 0 is out of range: 1 to"},
		"kept heights":         {minimal + "store.heights = 0", "store.heights: 0 is out of range: 1 to"},
		"threads":              {minimal + "runtime.threads = -1", "runtime.threads: -1 is out of range: 0 to 1024"},
		"address":              {minimal + `http.listen = "29000"`, `http.listen: "29000" is not an address: host:port`},
		"port twice":           {minimal + `http.listen = "0.0.0.0:29001"`, `metrics.listen: "0.0.0.0:29001" has the port of http.listen: another port`},
		"level":                {minimal + `log.level = "trace"`, `(last key "log.level"): "trace" is not a level: error, warn, info or debug`},
		"missing genesis":      {strings.Replace(minimal, `genesis = "`, `genesis = "/nonexistent`, 1), "genesis: "},
		"key of another":       {strings.Replace(minimal, "0/node_key", "1/node_key", 1), "node_key: "},
		"number of nodes":      {strings.Replace(minimal, "/nodes.json", "/one.json", 1), "lists 1 nodes: genesis has 4 validators"},
		"key without contents": {strings.Replace(minimal, "0/priv_validator_key.json", "0/node_key.json", 1), "key: "},
	} {
		t.Run(name, func(t *testing.T) {
			writeFile(t, filepath.Join(dir, "one.json"), `["x"]`)
			path := filepath.Join(dir, "config.toml")
			writeFile(t, path, c.config)
			parsed, err := readConfig(path)
			if err == nil {
				_, err = readIdentity(parsed)
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got the error %q, want one line with %q", err, c.want)
			}
		})
	}
}

// TestEngineConfig expects CometBFT's defaults, except for the settings listed here, also with the configurations that the operator
// renders by default.
func TestEngineConfig(t *testing.T) {
	blocks := []string{
		"Consensus.TimeoutCommit", "P2P.AddrBook", "P2P.AddrBookStrict", "P2P.AllowDuplicateIP", "P2P.ListenAddress",
		"P2P.MaxNumInboundPeers", "P2P.MaxNumOutboundPeers", "P2P.PexReactor", "TxIndex.Indexer", "Instrumentation.Prometheus",
		"Instrumentation.PrometheusListenAddr", "Moniker", "Genesis", "PrivValidatorKey", "NodeKey", "RPC.ListenAddress",
	}
	rpc := []string{"RPC.MaxRequestBatchSize", "RPC.MaxBodyBytes", "RPC.MaxOpenConnections", "RPC.MaxSubscriptionClients"}
	minimal := minimalConfig("/network", 0)
	for name, c := range map[string]struct {
		config string
		more   []string
	}{
		"blocks":                  {minimal, []string{"Mempool.Type"}},
		"kvstore":                 {minimal + `application.type = "kvstore"`, rpc},
		"blocks of the operator":  {readRendered(t, "blocks"), []string{"Mempool.Type"}},
		"kvstore of the operator": {readRendered(t, "transactions"), append([]string{"Mempool.Size", "Mempool.CacheSize"}, rpc...)},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "config.toml")
			writeFile(t, path, c.config)
			parsed, err := readConfig(path)
			if err != nil {
				t.Fatal(err)
			}
			got := differences("", reflect.ValueOf(*engineConfig(parsed)), reflect.ValueOf(*cfg.DefaultConfig().SetRoot(parsed.Home)))
			slices.Sort(got)
			want := slices.Sorted(slices.Values(slices.Concat(blocks, c.more)))
			if !slices.Equal(got, want) {
				t.Errorf("differs from the defaults in\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// readRendered returns a configuration that a test of the operator pins.
func readRendered(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../internal/platform/cometbft/testdata", "defaults_"+name+".toml"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// differences returns the names of the fields in which two configurations differ.
func differences(prefix string, a, b reflect.Value) []string {
	var names []string
	for i := range a.NumField() {
		field := a.Type().Field(i)
		x, y := reflect.Indirect(a.Field(i)), reflect.Indirect(b.Field(i))
		switch {
		case field.Anonymous:
			names = append(names, differences(prefix, x, y)...)
		case x.Kind() == reflect.Struct:
			names = append(names, differences(prefix+field.Name+".", x, y)...)
		case fmt.Sprint(x) != fmt.Sprint(y):
			names = append(names, prefix+field.Name)
		}
	}
	return names
}

func TestParsePowers(t *testing.T) {
	for name, c := range map[string]struct {
		count int
		list  string
		want  string
	}{
		"number":             {3, "", "[10 10 10] <nil>"},
		"powers":             {0, "70,1,1000", "[70 1 1000] <nil>"},
		"neither":            {0, "", "[] --validators: 0 is out of range: 1 to 1000"},
		"too many":           {1001, "", "[] --validators: 1001 is out of range: 1 to 1000"},
		"both":               {2, "1,1", "[] --validators: 2 is not allowed with --powers, which has one power for each"},
		"no power":           {0, "70,0", `[] --powers: "0" is not a power: 1 to 1000`},
		"a power above most": {0, "1001", `[] --powers: "1001" is not a power: 1 to 1000`},
		"an empty power":     {0, "70,", `[] --powers: "" is not a power: 1 to 1000`},
		"a fraction":         {0, "1.5", `[] --powers: "1.5" is not a power: 1 to 1000`},
		"too many powers":    {0, "1" + strings.Repeat(",1", 1000), "[] --powers: 1001 powers are out of range: 1 to 1000"},
	} {
		t.Run(name, func(t *testing.T) {
			powers, err := parsePowers(c.count, c.list)
			if got := fmt.Sprint(powers, err); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestInitOverwritesNothing(t *testing.T) {
	dir := t.TempDir()
	if err := initNetwork(dir, []int64{1, 1}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"genesis.json", "nodes.json", "validators/0/node_key.json", "validators/1/priv_validator_key.json"} {
		t.Run(name, func(t *testing.T) {
			copied := t.TempDir()
			path := filepath.Join(copied, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			writeFile(t, path, "mine")
			if err := initNetwork(copied, []int64{1, 1}); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("got the error %v, want one that names %s", err, name)
			}
			if text, err := os.ReadFile(path); err != nil || string(text) != "mine" {
				t.Errorf("the file is now %q, error %v", text, err)
			}
		})
	}
	for _, name := range []string{"priv_validator_key.json", "node_key.json"} {
		if info, err := os.Stat(filepath.Join(dir, "validators", "1", name)); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: got %v, error %v, want mode 0600", name, info, err)
		}
	}
}

func TestBlockContent(t *testing.T) {
	settings := ApplicationConfig{BlockSize: 100_001, TransactionSize: 1000, Content: contentRandom}
	one, again, other := settings.newBlock([]byte("a"), 7, 1), settings.newBlock([]byte("a"), 7, 1), settings.newBlock([]byte("a"), 7, 2)
	if len(one) != 101 || totalSize(one) != 100_001 || len(one[100]) != 1 {
		t.Errorf("got %d transactions of %d bytes, want 101 of 100001", len(one), totalSize(one))
	}
	if !reflect.DeepEqual(one, again) || bytes.Equal(one[0], other[0]) {
		t.Error("the content does not depend on the attempt only")
	}
	settings.Content = contentRepeated
	for content, sizes := range map[string][2]int{
		compress(t, one): {100_001, 110_000}, compress(t, settings.newBlock([]byte("a"), 7, 1)): {1, 5000},
	} {
		if len(content) < sizes[0] || len(content) > sizes[1] {
			t.Errorf("compressed to %d bytes, want %d to %d", len(content), sizes[0], sizes[1])
		}
	}
}

func compress(t *testing.T, transactions [][]byte) string {
	t.Helper()
	var text bytes.Buffer
	w, err := flate.NewWriter(&text, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(bytes.Join(transactions, nil)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return text.String()
}
