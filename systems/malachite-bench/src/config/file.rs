//! The keys of the configuration file with their units and defaults.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use super::Peer;
use crate::block::Content;

/// The whole file. Sizes are in bytes; times have the form `500ms` or `3s`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The name of this validator in logs and metrics.
    pub moniker: String,
    /// The file with the private key.
    pub key: PathBuf,
    /// The file that lists all validators.
    pub genesis: PathBuf,
    /// The directory for the write-ahead log of the consensus and the decided blocks.
    pub home: PathBuf,
    #[serde(default)]
    pub block: Block,
    /// The execution client; without it, blocks are generated.
    pub execution: Option<Execution>,
    #[serde(default)]
    pub consensus: Consensus,
    #[serde(default)]
    pub network: Network,
    #[serde(default)]
    pub sync: Sync,
    #[serde(default)]
    pub store: Stored,
    #[serde(default)]
    pub runtime: Runtime,
    #[serde(default)]
    pub http: Http,
    #[serde(default)]
    pub metrics: MetricsEndpoint,
    #[serde(default)]
    pub log: Log,
}

/// The blocks that this validator proposes.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Block {
    /// Only without an execution client; defaults to 1 MiB.
    pub size: Option<u64>,
    /// Only without an execution client.
    pub content: Option<Content>,
    /// Bytes of a block in one message.
    pub part_size: u64,
}

impl Default for Block {
    fn default() -> Self {
        Self { size: None, content: None, part_size: 128 << 10 }
    }
}

/// The execution client beside this validator, which builds and executes the blocks.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Execution {
    /// The client's IPC socket.
    pub socket: PathBuf,
    /// Timeout of one request.
    #[serde(with = "humantime_serde", default = "default_request_timeout")]
    pub request_timeout: Duration,
}

fn default_request_timeout() -> Duration {
    Duration::from_secs(8)
}

/// How a proposed block reaches the other validators. All validators of a network must use the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Payload {
    /// The proposal has only the ID of the block, which is streamed in parts.
    #[default]
    ProposalAndParts,
    /// The proposal contains the block.
    ProposalOnly,
}

/// The consensus. Timeouts grow by their delta with each round of a height.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Consensus {
    pub payload: Payload,
    /// The minimum time from one height to the next; no delay when absent.
    #[serde(with = "humantime_serde")]
    pub target_time: Option<Duration>,
    #[serde(with = "humantime_serde")]
    pub timeout_propose: Duration,
    #[serde(with = "humantime_serde")]
    pub timeout_propose_delta: Duration,
    #[serde(with = "humantime_serde")]
    pub timeout_prevote: Duration,
    #[serde(with = "humantime_serde")]
    pub timeout_prevote_delta: Duration,
    #[serde(with = "humantime_serde")]
    pub timeout_precommit: Duration,
    #[serde(with = "humantime_serde")]
    pub timeout_precommit_delta: Duration,
    #[serde(with = "humantime_serde")]
    pub timeout_rebroadcast: Duration,
}

impl Default for Consensus {
    /// Returns the library's timeouts.
    fn default() -> Self {
        Self {
            payload: Payload::default(),
            target_time: None,
            timeout_propose: Duration::from_secs(3),
            timeout_propose_delta: Duration::from_millis(500),
            timeout_prevote: Duration::from_secs(1),
            timeout_prevote_delta: Duration::from_millis(500),
            timeout_precommit: Duration::from_secs(1),
            timeout_precommit_delta: Duration::from_millis(500),
            timeout_rebroadcast: Duration::from_secs(5),
        }
    }
}

/// Connections between validators.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Network {
    pub listen: Peer,
    /// Peers with a permanent connection.
    pub peers: Vec<Peer>,
    /// Whether only these peers may connect.
    pub peers_only: bool,
    /// Maximum size of a broadcast message in bytes.
    pub pubsub_max_size: u64,
    /// Maximum size of a request or response between two peers in bytes.
    pub rpc_max_size: u64,
    pub discovery: Discovery,
    pub gossip: Gossip,
}

impl Default for Network {
    fn default() -> Self {
        Self {
            listen: "0.0.0.0:27000".parse().expect("the default is an address"),
            peers: Vec::new(),
            peers_only: false,
            pubsub_max_size: 4 << 20,
            rpc_max_size: 10 << 20,
            discovery: Discovery::default(),
            gossip: Gossip::default(),
        }
    }
}

/// How validators discover each other.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Discovery {
    pub enabled: bool,
    pub bootstrap: Bootstrap,
    pub selector: Selector,
    pub outbound_peers: usize,
    pub inbound_peers: usize,
    pub max_connections_per_peer: usize,
    pub max_connections_per_ip: usize,
    /// How long an address is rejected after its connection has closed. Does not apply to configured peers.
    #[serde(with = "humantime_serde")]
    pub ip_throttle: Duration,
    /// How long a connection that is neither an inbound nor an outbound peer is kept.
    #[serde(with = "humantime_serde")]
    pub ephemeral_timeout: Duration,
    pub dial_retries: usize,
    pub request_retries: usize,
    pub connect_retries: usize,
    pub max_peers_per_response: usize,
}

impl Default for Discovery {
    /// Returns the library's values.
    fn default() -> Self {
        Self {
            enabled: false,
            bootstrap: Bootstrap::default(),
            selector: Selector::default(),
            outbound_peers: 50,
            inbound_peers: 50,
            max_connections_per_peer: 5,
            max_connections_per_ip: 5,
            ip_throttle: Duration::from_secs(30),
            ephemeral_timeout: Duration::from_secs(60),
            dial_retries: 5,
            request_retries: 5,
            connect_retries: 3,
            max_peers_per_response: 100,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bootstrap {
    #[default]
    Kademlia,
    Full,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Selector {
    #[default]
    Kademlia,
    Random,
}

/// How broadcast messages spread.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Gossip {
    pub protocol: Protocol,
    /// The desired number of peers in the mesh. The fields up to `explicit_peering` apply to gossipsub only.
    pub mesh_n: usize,
    pub mesh_n_high: usize,
    pub mesh_n_low: usize,
    pub mesh_outbound_min: usize,
    /// Whether a validator's own messages go to all peers instead of those of the mesh.
    pub flood_publish: bool,
    /// Whether configured peers get all messages independent of the mesh.
    pub explicit_peering: bool,
    pub peer_scoring: bool,
}

impl Default for Gossip {
    /// Returns the library's values.
    fn default() -> Self {
        Self {
            protocol: Protocol::default(),
            mesh_n: 6,
            mesh_n_high: 12,
            mesh_n_low: 4,
            mesh_outbound_min: 2,
            flood_publish: true,
            explicit_peering: false,
            peer_scoring: false,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    #[default]
    Gossipsub,
    /// Every validator sends to all its peers; requires a full mesh of connections.
    Broadcast,
}

/// How a validator that is behind fetches missing blocks.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sync {
    pub enabled: bool,
    /// The interval of status messages about stored blocks; 0s sends one after each block.
    #[serde(with = "humantime_serde")]
    pub status_interval: Duration,
    #[serde(with = "humantime_serde")]
    pub request_timeout: Duration,
    /// Time without a success until a peer's score is reset; 0s never resets it.
    #[serde(with = "humantime_serde")]
    pub inactive_threshold: Duration,
    pub parallel_requests: usize,
    /// Blocks per request.
    pub batch_size: usize,
    pub max_request_size: u64,
    pub max_response_size: u64,
}

impl Default for Sync {
    /// Returns the library's values, except that status messages are sent each second, so that a restarted validator
    /// quickly notices that it is behind.
    fn default() -> Self {
        Self {
            enabled: true,
            status_interval: Duration::from_secs(1),
            request_timeout: Duration::from_secs(10),
            inactive_threshold: Duration::from_secs(60),
            parallel_requests: 5,
            batch_size: 5,
            max_request_size: 1 << 20,
            max_response_size: 10 << 20,
        }
    }
}

/// The decided blocks to keep: the last `heights`, of these as many as fit into `bytes`.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Stored {
    pub heights: u64,
    pub bytes: u64,
}

impl Default for Stored {
    fn default() -> Self {
        Self { heights: 10_000, bytes: 1 << 30 }
    }
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Runtime {
    /// Worker threads; 0 means one per core.
    pub threads: usize,
}

/// The address of `/blocks` and `/ready`.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Http {
    pub listen: SocketAddr,
}

impl Default for Http {
    fn default() -> Self {
        Self { listen: ([0, 0, 0, 0], 29000).into() }
    }
}

/// The address of `/metrics`.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MetricsEndpoint {
    pub listen: SocketAddr,
}

impl Default for MetricsEndpoint {
    fn default() -> Self {
        Self { listen: ([0, 0, 0, 0], 29001).into() }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Log {
    pub level: LogLevel,
    /// The level of the libraries, which at `info` write several lines for each block.
    pub libraries: LogLevel,
    pub format: LogFormat,
}

impl Default for Log {
    fn default() -> Self {
        Self { level: LogLevel::Info, libraries: LogLevel::Warn, format: LogFormat::Text }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogLevel {
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogFormat {
    Text,
    Json,
}
