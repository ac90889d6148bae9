package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"time"

	dbm "github.com/cometbft/cometbft-db"
	"github.com/cometbft/cometbft/abci/example/kvstore"
	abci "github.com/cometbft/cometbft/abci/types"
	cfg "github.com/cometbft/cometbft/config"
	"github.com/cometbft/cometbft/node"
	"github.com/cometbft/cometbft/proxy"
	"github.com/cometbft/cometbft/state"
	"github.com/cometbft/cometbft/types"
)

// stopTimeout bounds how long the node may take to stop. A killed validator continues as well as a stopped one.
const stopTimeout = 10 * time.Second

// runValidator runs a validator until ctx ends, or fails when the consensus or a server does.
func runValidator(ctx context.Context, c *Config, id *identity) error {
	slog.SetDefault(newLogger(c.Log.Level))
	if c.Runtime.Threads > 0 {
		runtime.GOMAXPROCS(c.Runtime.Threads)
	}
	if err := os.MkdirAll(filepath.Join(c.Home, cfg.DefaultDataDir), 0o700); err != nil {
		return fmt.Errorf("home: %w", err)
	}
	app := &recordingApp{}
	n, err := newNode(ctx, c, id, app)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return fmt.Errorf("create the node: %w", err)
	}
	failed := make(chan error, 3) // One for each server and the consensus.
	last := n.BlockStore().Height()
	r := &recorder{
		journal:    newJournal(last),
		metrics:    newMetrics(c.Moniker),
		isSynced:   n.ConsensusReactor().WaitSync,
		loadCommit: n.BlockStore().LoadSeenCommit,
	}
	app.recorder.Store(r)
	if err := r.watchHeights(ctx, n.EventBus()); err != nil {
		return err
	}
	waitingFor := func() string {
		doing := "waiting for the first decision since the start"
		switch {
		case r.decided.Load():
			return ""
		case n.ConsensusReactor().WaitSync():
			doing = "getting blocks from peers"
		}
		return fmt.Sprintf("%s: height %d, %d peers connected", doing, n.BlockStore().Height(), n.Switch().Peers().Size())
	}
	if err := serveHTTP(ctx, "http.listen", c.HTTP.Listen, newBlocksHandler(r.journal, newTurns(n.EventBus(), id), waitingFor), failed); err != nil {
		return err
	}
	if err := serveHTTP(ctx, "metrics.listen", c.Metrics.Listen, newMetricsHandler(), failed); err != nil {
		return err
	}
	if err := n.Start(); err != nil {
		return fmt.Errorf("start the node: %w", err)
	}
	slog.Info("validator started", "moniker", c.Moniker, "address", id.validator.GetAddress().String(), "height", last)
	for _, p := range id.peers {
		go p.keepConnected(ctx, n.Switch())
	}
	if err := watchConsensus(n, failed); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		stopNode(n)
		return nil
	case err := <-failed:
		return err
	}
}

// watchConsensus reports the end of the consensus, which CometBFT only logs: the node goes on without deciding.
func watchConsensus(n *node.Node, failed chan<- error) error {
	environment, err := n.ConfigureRPC()
	if err != nil {
		return fmt.Errorf("find the consensus: %w", err)
	}
	consensus, ok := environment.ConsensusState.(interface{ Wait() })
	if !ok {
		return fmt.Errorf("find the consensus: %T cannot be waited for", environment.ConsensusState)
	}
	go func() {
		consensus.Wait()
		failed <- errors.New("the consensus ended, see the log for the reason")
	}()
	return nil
}

// newNode creates a node and replays the blocks that the application has not seen.
func newNode(ctx context.Context, c *Config, id *identity, app *recordingApp) (*node.Node, error) {
	engine := engineConfig(c)
	if err := engine.ValidateBasic(); err != nil {
		return nil, err
	}
	var stateDB dbm.DB
	openDB := func(d *cfg.DBContext) (dbm.DB, error) {
		db, err := cfg.DefaultDBProvider(d)
		if d.ID == "state" {
			stateDB = db
		}
		return db, err
	}
	loadState := func() (state.State, error) { return state.NewStore(stateDB, state.StoreOptions{}).Load() }
	app.Application = newApplication(c, engine.DBDir(), loadState)
	return node.NewNodeWithContext(ctx, engine, id.validator, id.node, proxy.NewLocalClientCreator(app),
		func() (*types.GenesisDoc, error) { return id.genesis, nil }, openDB,
		node.DefaultMetricsProvider(engine.Instrumentation), engineLogger{newLogger(c.Log.Libraries)})
}

func newApplication(c *Config, dir string, loadState func() (state.State, error)) abci.Application {
	if c.Application.Type == appKVStore {
		app := kvstore.NewPersistentApplication(dir)
		app.RetainBlocks = c.Store.Heights
		return keyValueApp{app}
	}
	return &blocksApp{settings: c.Application, keptHeights: c.Store.Heights, loadState: loadState}
}

func stopNode(n *node.Node) {
	stopped := make(chan error, 1)
	go func() { stopped <- n.Stop() }()
	select {
	case err := <-stopped:
		if err != nil {
			slog.Warn("the node did not stop cleanly", "err", err)
		}
	case <-time.After(stopTimeout):
		slog.Warn("the node did not stop in time", "timeout", stopTimeout)
	}
}

func newLogger(level Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.Level(level)}))
}
