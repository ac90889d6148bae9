//! A running validator: the start of all components and the orderly shutdown.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use eyre::{Result, WrapErr, ensure, eyre};
use malachitebft_app_channel::app::types::Keypair;
use malachitebft_app_channel::app::types::codec::Codec;
use malachitebft_app_channel::{
    Channels, ConsensusContext, EngineBuilder, EngineHandle, NetworkContext, NetworkIdentity, RequestContext,
    SyncContext, WalContext,
};
use malachitebft_core_types::ValidatorSet as _;
use malachitebft_signing::Signer;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tracing::{info, warn};

use crate::app::{App, Settings};
use crate::blocks::Blocks;
use crate::chain::{Address, Chain, PrivateKey, Signing, ValidatorSet};
use crate::config::{Config, Engine};
use crate::execution::{Client, Executor};
use crate::genesis;
use crate::http::{self, Readiness, ServedState, Turn};
use crate::journal::Journal;
use crate::metrics::Metrics;
use crate::peers::Peers;
use crate::proposals::Proposals;
use crate::store::{Limits, Store};
use crate::wire::MessageCodec;

/// Timeout for the consensus to stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// Runs a validator until SIGTERM or SIGINT. Returns errors that the validator cannot continue after.
pub async fn run(config: Config) -> Result<()> {
    let mut terminate = signal(SignalKind::terminate()).wrap_err("listen to SIGTERM")?;
    let mut interrupt = signal(SignalKind::interrupt()).wrap_err("listen to SIGINT")?;
    let (stop, stopped) = watch::channel(false);
    let node = Node::start(&config, stopped).await?;
    let Node { app, mut channels, engine, http } = node;

    let outcome = tokio::select! {
        outcome = app.run(&mut channels) => outcome,
        outcome = join_http_server(http) => outcome,
        _ = terminate.recv() => Ok(()),
        _ = interrupt.recv() => Ok(()),
    };
    info!("stopping");
    stop.send_replace(true);
    stop_engine(engine).await;
    outcome
}

/// Waits for a task that must not end by itself; always returns an error.
async fn join_http_server(task: JoinHandle<Result<()>>) -> Result<()> {
    task.await.wrap_err("the HTTP server failed")??;
    Err(eyre!("the HTTP server has ended"))
}

/// Stops the consensus, which flushes its log and closes its connections.
async fn stop_engine(engine: EngineHandle) {
    let EngineHandle { actor, handle } = engine;
    actor.get_cell().stop_children(Some("the validator stops".into()));
    actor.stop(Some("the validator stops".into()));
    if tokio::time::timeout(STOP_TIMEOUT, handle).await.is_err() {
        warn!("the consensus has not ended after {} s", STOP_TIMEOUT.as_secs());
    }
}

struct Node {
    app: App,
    channels: Channels<Chain>,
    engine: EngineHandle,
    http: JoinHandle<Result<()>>,
}

impl Node {
    async fn start(config: &Config, stop: watch::Receiver<bool>) -> Result<Self> {
        let (key, validators) = read_identity(config)?;
        let store = open_store(config)?;
        let last = store.last().unwrap_or_default();
        let proposals = Proposals::default();
        proposals.mark_decided(last);
        let journal = Arc::new(Journal::starting_after(last.0));
        let (readiness, ready) = watch::channel(Readiness::Waiting("the consensus has not started".into()));
        let (turn, turns) = watch::channel(Turn::default());

        let blocks_listener = bind_listener("http.listen", config.http.listen).await?;
        let metrics_listener = bind_listener("metrics.listen", config.metrics.listen).await?;
        let state = ServedState { journal: journal.clone(), readiness: ready, turn: turns, stop };
        let http = tokio::spawn(http::serve(blocks_listener, metrics_listener, state));

        let codec = MessageCodec {
            payload: config.consensus.payload.into(),
            proposals: proposals.clone(),
            peers: Peers::default(),
        };
        let (channels, engine) = start_engine(config, &key, codec.clone()).await?;
        let metrics = Metrics::register(&config.moniker);
        metrics.set_height(last.0);
        let settings = app_settings(config, Address::of(&key.public_key()), validators);
        info!(validator = %settings.address, %last, block_size = config.max_block_size(), "started");
        let blocks = new_blocks(config, &settings, (store.clone(), metrics.clone()), readiness.clone());
        let app = App::new(settings, blocks, (proposals, codec.peers), (store, journal), metrics, (readiness, turn));
        Ok(Self { app, channels, engine, http })
    }
}

/// Binds a TCP listener. An error names the configuration key of the address.
async fn bind_listener(key: &str, address: SocketAddr) -> Result<TcpListener> {
    TcpListener::bind(address).await.wrap_err_with(|| format!("{key}: listen on {address}"))
}

/// Reads the validator's key, which must be in the genesis file, and all validators.
fn read_identity(config: &Config) -> Result<(PrivateKey, ValidatorSet)> {
    let key = genesis::read_key(&config.key).wrap_err("key")?;
    let validators = genesis::read_validators(&config.genesis).wrap_err("genesis")?;
    let address = Address::of(&key.public_key());
    ensure!(
        validators.get_by_address(&address).is_some(),
        "key: {} has the address {address}, which is not among the {} validators of {}",
        config.key.display(),
        validators.count(),
        config.genesis.display()
    );
    Ok((key, validators))
}

fn open_store(config: &Config) -> Result<Store> {
    let make_folder = |folder: &Path| {
        std::fs::create_dir_all(folder).wrap_err_with(|| format!("home: create the folder {}", folder.display()))
    };
    make_folder(&config.home.join("wal"))?;
    let limits = Limits { heights: config.store.heights, bytes: config.store.bytes };
    Store::open(&config.home.join("blocks.redb"), limits)
}

fn app_settings(config: &Config, address: Address, validators: ValidatorSet) -> Settings {
    Settings {
        address,
        validators,
        part_size: config.block.part_size as usize,
        payload: config.consensus.payload.into(),
        timeouts: config.consensus.timeouts(),
        target_time: config.consensus.target_time,
    }
}

/// Returns the configured source of blocks.
fn new_blocks(
    config: &Config,
    settings: &Settings,
    (store, metrics): (Store, Metrics),
    readiness: watch::Sender<Readiness>,
) -> Blocks {
    let Some(execution) = &config.execution else {
        let content = config.block.content.unwrap_or_default();
        return Blocks::Generated { size: config.max_block_size() as usize, content, proposer: settings.address };
    };
    let client = Client::new(execution.socket.clone(), execution.request_timeout, metrics.clone());
    let executor = Executor::new(client, settings.validators.clone(), store, metrics, readiness);
    Blocks::Executed(Box::new(executor))
}

async fn start_engine(
    config: &Config,
    key: &PrivateKey,
    codec: MessageCodec,
) -> Result<(Channels<Chain>, EngineHandle)> {
    let signing = Signing::new(key.clone());
    let identity = network_identity(config, key, &signing, &codec).await?;
    let consensus =
        ConsensusContext::new_validator(Address::of(&key.public_key()), Box::new(signing.clone()), Box::new(signing));
    EngineBuilder::new(Chain, Engine::from(config))
        .with_default_wal(WalContext::new(config.home.join("wal/consensus.wal"), codec.clone()))
        .with_default_network(NetworkContext::new(identity, codec.clone()))
        .with_default_sync(SyncContext::new(codec))
        .with_default_consensus(consensus)
        .with_default_request(RequestContext::new(16))
        .build()
        .await
        .wrap_err("start the consensus engine")
}

/// Returns the validator's network identity: the network key is the validator's own, and a signed proof links the two.
async fn network_identity(
    config: &Config,
    key: &PrivateKey,
    signing: &Signing,
    codec: &MessageCodec,
) -> Result<NetworkIdentity> {
    let keypair = Keypair::ed25519_from_bytes(key.inner().to_bytes()).wrap_err("derive the network key")?;
    let public_key = key.public_key();
    let proof = signing
        .sign_validator_proof(public_key.as_bytes().to_vec(), keypair.public().to_peer_id().to_bytes())
        .await
        .wrap_err("sign the proof of being a validator")?;
    let proof: Bytes = codec.encode(&proof).wrap_err("encode the proof of being a validator")?;
    let address = Address::of(&public_key).to_string();
    Ok(NetworkIdentity::new_validator(config.moniker.clone(), keypair, address, proof))
}
