package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
	cfg "github.com/cometbft/cometbft/config"
)

const (
	appBlocks  = "blocks"
	appKVStore = "kvstore"

	contentRandom   = "random"
	contentRepeated = "repeated"

	maxBlockSize       = 64 << 20
	maxTransactionSize = 1 << 20
	// maxTransactions bounds what the encoding adds to a block.
	maxTransactions = 100_000
)

// Config is the configuration file. Sizes are in bytes.
type Config struct {
	Moniker     string            `toml:"moniker"`
	Key         string            `toml:"key"`
	NodeKey     string            `toml:"node_key"`
	Genesis     string            `toml:"genesis"`
	Nodes       string            `toml:"nodes"`
	Home        string            `toml:"home"`
	Application ApplicationConfig `toml:"application"`
	Consensus   ConsensusConfig   `toml:"consensus"`
	Network     NetworkConfig     `toml:"network"`
	Mempool     MempoolConfig     `toml:"mempool"`
	Store       StoreConfig       `toml:"store"`
	Runtime     RuntimeConfig     `toml:"runtime"`
	RPC         ListenConfig      `toml:"rpc"`
	HTTP        ListenConfig      `toml:"http"`
	Metrics     ListenConfig      `toml:"metrics"`
	Log         LogConfig         `toml:"log"`
}

// ApplicationConfig selects the application.
type ApplicationConfig struct {
	Type string `toml:"type"`
	// BlockSize is the sum of the transactions of a block.
	BlockSize int `toml:"block_size"`
	// TransactionSize is the size of all transactions of a block but the last; min(BlockSize, 1 MiB) by default.
	TransactionSize int    `toml:"transaction_size"`
	Content         string `toml:"content"`
}

// ConsensusConfig has the timeouts of the consensus. Each grows by its delta with every round of a height.
type ConsensusConfig struct {
	TimeoutPropose        Duration `toml:"timeout_propose"`
	TimeoutProposeDelta   Duration `toml:"timeout_propose_delta"`
	TimeoutPrevote        Duration `toml:"timeout_prevote"`
	TimeoutPrevoteDelta   Duration `toml:"timeout_prevote_delta"`
	TimeoutPrecommit      Duration `toml:"timeout_precommit"`
	TimeoutPrecommitDelta Duration `toml:"timeout_precommit_delta"`
	TimeoutCommit         Duration `toml:"timeout_commit"`
	GossipSleep           Duration `toml:"gossip_sleep"`
	CreateEmptyBlocks     bool     `toml:"create_empty_blocks"`
}

// NetworkConfig describes the connections. Rates are in bytes per second and peer.
type NetworkConfig struct {
	Listen        string   `toml:"listen"`
	Peers         []string `toml:"peers"`
	SendRate      int64    `toml:"send_rate"`
	RecvRate      int64    `toml:"recv_rate"`
	PacketSize    int      `toml:"packet_size"`
	FlushThrottle Duration `toml:"flush_throttle"`
}

// MempoolConfig applies to the application kvstore. Sizes are in transactions.
type MempoolConfig struct {
	Size      int  `toml:"size"`
	CacheSize int  `toml:"cache_size"`
	Recheck   bool `toml:"recheck"`
	Broadcast bool `toml:"broadcast"`
}

// StoreConfig says how many decided blocks are kept.
type StoreConfig struct {
	Heights int64 `toml:"heights"`
}

// RuntimeConfig limits the threads that run Go code; 0 means one per core.
type RuntimeConfig struct {
	Threads int `toml:"threads"`
}

// ListenConfig has the address of a server.
type ListenConfig struct {
	Listen string `toml:"listen"`
}

// LogConfig has the levels of the program and of CometBFT.
type LogConfig struct {
	Level     Level `toml:"level"`
	Libraries Level `toml:"libraries"`
}

// Duration is a time like 500ms.
type Duration time.Duration

func (d *Duration) UnmarshalText(text []byte) error {
	value, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is not a time: write it like 500ms or 3s", text)
	}
	*d = Duration(value)
	return nil
}

// Level is a level of the log.
type Level slog.Level

func (l *Level) UnmarshalText(text []byte) error {
	levels := map[string]slog.Level{"error": slog.LevelError, "warn": slog.LevelWarn, "info": slog.LevelInfo, "debug": slog.LevelDebug}
	level, ok := levels[string(text)]
	if !ok {
		return fmt.Errorf("%q is not a level: error, warn, info or debug", text)
	}
	*l = Level(level)
	return nil
}

// defaultConfig returns CometBFT's defaults, except for timeout_commit, which is 0s.
func defaultConfig() *Config {
	d := cfg.DefaultConfig()
	return &Config{
		Application: ApplicationConfig{Type: appBlocks, BlockSize: 1 << 20, Content: contentRandom},
		Consensus: ConsensusConfig{
			TimeoutPropose:        Duration(d.Consensus.TimeoutPropose),
			TimeoutProposeDelta:   Duration(d.Consensus.TimeoutProposeDelta),
			TimeoutPrevote:        Duration(d.Consensus.TimeoutPrevote),
			TimeoutPrevoteDelta:   Duration(d.Consensus.TimeoutPrevoteDelta),
			TimeoutPrecommit:      Duration(d.Consensus.TimeoutPrecommit),
			TimeoutPrecommitDelta: Duration(d.Consensus.TimeoutPrecommitDelta),
			GossipSleep:           Duration(d.Consensus.PeerGossipSleepDuration),
			CreateEmptyBlocks:     d.Consensus.CreateEmptyBlocks,
		},
		Network: NetworkConfig{
			Listen:        "0.0.0.0:27000",
			SendRate:      d.P2P.SendRate,
			RecvRate:      d.P2P.RecvRate,
			PacketSize:    d.P2P.MaxPacketMsgPayloadSize,
			FlushThrottle: Duration(d.P2P.FlushThrottleTimeout),
		},
		Mempool: MempoolConfig{Size: d.Mempool.Size, CacheSize: d.Mempool.CacheSize, Recheck: d.Mempool.Recheck, Broadcast: d.Mempool.Broadcast},
		Store:   StoreConfig{Heights: 10_000},
		RPC:     ListenConfig{"0.0.0.0:26657"},
		HTTP:    ListenConfig{"0.0.0.0:29000"},
		Metrics: ListenConfig{"0.0.0.0:29001"},
		Log:     LogConfig{Level: Level(slog.LevelInfo), Libraries: Level(slog.LevelWarn)},
	}
}

// readConfig reads and validates a configuration file. An error names the key, the value and what would be right.
func readConfig(path string) (*Config, error) {
	c := defaultConfig()
	meta, err := toml.DecodeFile(path, c)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", path, strings.TrimPrefix(err.Error(), "toml: "))
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("%s: %s: unknown key", path, unknown[0])
	}
	if c.Application.TransactionSize == 0 && !meta.IsDefined("application", "transaction_size") {
		c.Application.TransactionSize = min(c.Application.BlockSize, maxTransactionSize)
	}
	if err := errors.Join(c.validatePaths(), c.validateApplication(meta.IsDefined), c.validateConsensus(), c.validateNetwork(), c.validateRest()); err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return nil, fmt.Errorf("%s: %s", path, first)
	}
	return c, nil
}

func (c *Config) signStatePath() string {
	return filepath.Join(c.Home, cfg.DefaultDataDir, cfg.DefaultPrivValStateName)
}

func (c *Config) validatePaths() error {
	if c.Moniker == "" {
		return errors.New(`moniker: "" is empty: a name for this validator`)
	}
	for _, path := range []struct{ key, value string }{
		{"key", c.Key}, {"node_key", c.NodeKey}, {"genesis", c.Genesis}, {"nodes", c.Nodes}, {"home", c.Home},
	} {
		if path.value == "" {
			return fmt.Errorf(`%s: "" is empty: a path`, path.key)
		}
	}
	return nil
}

// validateApplication refuses keys that the selected application does not use.
func (c *Config) validateApplication(isDefined func(key ...string) bool) error {
	a := c.Application
	if a.Type == appKVStore {
		for _, key := range []string{"block_size", "transaction_size", "content"} {
			if isDefined("application", key) {
				return fmt.Errorf("application.%s: not allowed with the type %s, whose blocks hold what clients send", key, appKVStore)
			}
		}
		return errors.Join(checkRange("mempool.size", c.Mempool.Size, 1, 10_000_000), checkRange("mempool.cache_size", c.Mempool.CacheSize, 0, 10_000_000))
	}
	if isDefined("mempool") {
		return fmt.Errorf("mempool: not allowed with application.type %q, which has no mempool: %s", a.Type, appKVStore)
	}
	if !c.Consensus.CreateEmptyBlocks {
		return fmt.Errorf("consensus.create_empty_blocks: false is not allowed with application.type %q: true", a.Type)
	}
	err := errors.Join(
		checkChoice("application.type", a.Type, appBlocks, appKVStore),
		checkRange("application.block_size", a.BlockSize, 1, maxBlockSize),
		checkRange("application.transaction_size", a.TransactionSize, 1, min(max(a.BlockSize, 1), maxTransactionSize)),
		checkChoice("application.content", a.Content, contentRandom, contentRepeated))
	if err == nil && a.BlockSize/a.TransactionSize > maxTransactions {
		return fmt.Errorf("application.transaction_size: %d is too small for application.block_size %d: at most %d transactions",
			a.TransactionSize, a.BlockSize, maxTransactions)
	}
	return err
}

func (c *Config) validateConsensus() error {
	t := c.Consensus
	for _, timeout := range []struct {
		key   string
		value Duration
	}{
		{"propose", t.TimeoutPropose}, {"propose_delta", t.TimeoutProposeDelta},
		{"prevote", t.TimeoutPrevote}, {"prevote_delta", t.TimeoutPrevoteDelta},
		{"precommit", t.TimeoutPrecommit}, {"precommit_delta", t.TimeoutPrecommitDelta},
		{"commit", t.TimeoutCommit},
	} {
		if timeout.value < 0 {
			return fmt.Errorf("consensus.timeout_%s: %s is out of range: 0s or more", timeout.key, time.Duration(timeout.value))
		}
	}
	if t.GossipSleep <= 0 {
		return fmt.Errorf("consensus.gossip_sleep: %s is out of range: more than 0s", time.Duration(t.GossipSleep))
	}
	return nil
}

func (c *Config) validateNetwork() error {
	n := c.Network
	if n.FlushThrottle <= 0 {
		return fmt.Errorf("network.flush_throttle: %s is out of range: more than 0s", time.Duration(n.FlushThrottle))
	}
	for i, p := range n.Peers {
		if _, _, err := parsePeer(p); err != nil {
			return fmt.Errorf("network.peers[%d]: %w", i, err)
		}
	}
	return errors.Join(
		checkRange("network.send_rate", n.SendRate, 1, 1<<40),
		checkRange("network.recv_rate", n.RecvRate, 1, 1<<40),
		checkRange("network.packet_size", n.PacketSize, 64, 1<<20))
}

func (c *Config) validateRest() error {
	used := map[string]string{}
	for _, server := range []struct{ key, address string }{
		{"network.listen", c.Network.Listen}, {"rpc.listen", c.RPC.Listen}, {"http.listen", c.HTTP.Listen}, {"metrics.listen", c.Metrics.Listen},
	} {
		host, port, err := net.SplitHostPort(server.address)
		if number, numberErr := strconv.ParseUint(port, 10, 16); err != nil || host == "" || numberErr != nil || number == 0 {
			return fmt.Errorf("%s: %q is not an address: host:port", server.key, server.address)
		}
		if other := used[port]; other != "" {
			return fmt.Errorf("%s: %q has the port of %s: another port", server.key, server.address, other)
		}
		used[port] = server.key
	}
	return errors.Join(
		checkRange("store.heights", c.Store.Heights, 1, 1<<40),
		checkRange("runtime.threads", c.Runtime.Threads, 0, 1024))
}

func checkRange[T int | int64](key string, value, least, most T) error {
	if value < least || value > most {
		return fmt.Errorf("%s: %d is out of range: %d to %d", key, value, least, most)
	}
	return nil
}

func checkChoice(key, value string, choices ...string) error {
	if !slices.Contains(choices, value) {
		return fmt.Errorf("%s: %q is not understood: %s", key, value, strings.Join(choices, " or "))
	}
	return nil
}
