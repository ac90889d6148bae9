package main

import (
	"log/slog"
	"path/filepath"
	"time"

	cfg "github.com/cometbft/cometbft/config"
	"github.com/cometbft/cometbft/libs/log"
)

const (
	// maxRPCBodyBytes holds a batch of 1000 transactions of 64 KiB in base64.
	maxRPCBodyBytes = 100 << 20
	maxRPCBatch     = 1000
	maxConnections  = 10_000
)

// engineConfig returns CometBFT's configuration: its defaults, the file's settings, and what a network of known
// validators needs. The program dials the peers itself, so CometBFT gets none.
func engineConfig(c *Config) *cfg.Config {
	e := cfg.DefaultConfig().SetRoot(c.Home)
	e.Moniker = c.Moniker
	e.Genesis, e.PrivValidatorKey, e.NodeKey = c.Genesis, c.Key, c.NodeKey
	e.TxIndex.Indexer = "null"
	// The program serves the metrics, since CometBFT's server admits three connections.
	e.Instrumentation.Prometheus = true
	e.Instrumentation.PrometheusListenAddr = ""

	e.Consensus.TimeoutPropose = time.Duration(c.Consensus.TimeoutPropose)
	e.Consensus.TimeoutProposeDelta = time.Duration(c.Consensus.TimeoutProposeDelta)
	e.Consensus.TimeoutPrevote = time.Duration(c.Consensus.TimeoutPrevote)
	e.Consensus.TimeoutPrevoteDelta = time.Duration(c.Consensus.TimeoutPrevoteDelta)
	e.Consensus.TimeoutPrecommit = time.Duration(c.Consensus.TimeoutPrecommit)
	e.Consensus.TimeoutPrecommitDelta = time.Duration(c.Consensus.TimeoutPrecommitDelta)
	e.Consensus.TimeoutCommit = time.Duration(c.Consensus.TimeoutCommit)
	e.Consensus.PeerGossipSleepDuration = time.Duration(c.Consensus.GossipSleep)
	e.Consensus.CreateEmptyBlocks = c.Consensus.CreateEmptyBlocks

	e.P2P.ListenAddress = "tcp://" + c.Network.Listen
	e.P2P.AddrBook = filepath.Join(cfg.DefaultDataDir, cfg.DefaultAddrBookName)
	e.P2P.AddrBookStrict = false
	e.P2P.AllowDuplicateIP = true
	e.P2P.PexReactor = false
	e.P2P.MaxNumInboundPeers, e.P2P.MaxNumOutboundPeers = 2*maxValidators, 2*maxValidators
	e.P2P.SendRate, e.P2P.RecvRate = c.Network.SendRate, c.Network.RecvRate
	e.P2P.MaxPacketMsgPayloadSize = c.Network.PacketSize
	e.P2P.FlushThrottleTimeout = time.Duration(c.Network.FlushThrottle)

	if c.Application.Type != appKVStore {
		e.Mempool.Type = cfg.MempoolTypeNop
		e.RPC.ListenAddress = ""
		return e
	}
	e.Mempool.Size, e.Mempool.CacheSize = c.Mempool.Size, c.Mempool.CacheSize
	e.Mempool.Recheck, e.Mempool.Broadcast = c.Mempool.Recheck, c.Mempool.Broadcast
	e.RPC.ListenAddress = "tcp://" + c.RPC.Listen
	e.RPC.MaxRequestBatchSize = maxRPCBatch
	e.RPC.MaxBodyBytes = maxRPCBodyBytes
	e.RPC.MaxOpenConnections = maxConnections
	e.RPC.MaxSubscriptionClients = maxConnections
	return e
}

// engineLogger passes CometBFT's log to slog.
type engineLogger struct{ *slog.Logger }

func (l engineLogger) With(keyvals ...any) log.Logger { return engineLogger{l.Logger.With(keyvals...)} }
