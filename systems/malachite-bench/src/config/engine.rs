//! The configuration in the types of the consensus library.

use bytesize::ByteSize;
use malachitebft_app_channel::app::config::{
    BootstrapProtocol, ConsensusConfig, DiscoveryConfig, GossipSubConfig, NodeConfig, P2pConfig, PubSubProtocol,
    Selector, ValuePayload, ValueSyncConfig,
};
use malachitebft_core_types::LinearTimeouts;

use super::{Config, Consensus, Discovery, Gossip, Network, Protocol, Sync, file};
use crate::proposals::HEIGHTS_AHEAD;

/// The configuration that the library reads.
#[derive(Clone, Debug)]
pub struct Engine {
    moniker: String,
    consensus: ConsensusConfig,
    value_sync: ValueSyncConfig,
}

impl From<&Config> for Engine {
    fn from(config: &Config) -> Self {
        Self {
            moniker: config.moniker.clone(),
            consensus: ConsensusConfig {
                p2p: p2p_config(&config.network),
                value_payload: config.consensus.payload.into(),
                queue_capacity: HEIGHTS_AHEAD as usize,
                ..Default::default()
            },
            value_sync: value_sync_config(&config.sync),
        }
    }
}

impl NodeConfig for Engine {
    fn moniker(&self) -> &str {
        &self.moniker
    }

    fn consensus(&self) -> &ConsensusConfig {
        &self.consensus
    }

    fn consensus_mut(&mut self) -> &mut ConsensusConfig {
        &mut self.consensus
    }

    fn value_sync(&self) -> &ValueSyncConfig {
        &self.value_sync
    }

    fn value_sync_mut(&mut self) -> &mut ValueSyncConfig {
        &mut self.value_sync
    }
}

impl From<file::Payload> for ValuePayload {
    fn from(payload: file::Payload) -> Self {
        match payload {
            file::Payload::ProposalAndParts => Self::ProposalAndParts,
            file::Payload::ProposalOnly => Self::ProposalOnly,
        }
    }
}

impl Consensus {
    /// Returns the timeouts in the library's type.
    pub fn timeouts(&self) -> LinearTimeouts {
        LinearTimeouts {
            propose: self.timeout_propose,
            propose_delta: self.timeout_propose_delta,
            prevote: self.timeout_prevote,
            prevote_delta: self.timeout_prevote_delta,
            precommit: self.timeout_precommit,
            precommit_delta: self.timeout_precommit_delta,
            rebroadcast: self.timeout_rebroadcast,
            ..Default::default()
        }
    }
}

fn p2p_config(network: &Network) -> P2pConfig {
    P2pConfig {
        listen_addr: network.listen.0.clone(),
        persistent_peers: network.peers.iter().map(|peer| peer.0.clone()).collect(),
        persistent_peers_only: network.peers_only,
        discovery: discovery_config(&network.discovery),
        protocol: pubsub_protocol(&network.gossip),
        pubsub_max_size: ByteSize::b(network.pubsub_max_size),
        rpc_max_size: ByteSize::b(network.rpc_max_size),
        ..Default::default()
    }
}

fn discovery_config(discovery: &Discovery) -> DiscoveryConfig {
    DiscoveryConfig {
        enabled: discovery.enabled,
        bootstrap_protocol: match discovery.bootstrap {
            file::Bootstrap::Kademlia => BootstrapProtocol::Kademlia,
            file::Bootstrap::Full => BootstrapProtocol::Full,
        },
        selector: match discovery.selector {
            file::Selector::Kademlia => Selector::Kademlia,
            file::Selector::Random => Selector::Random,
        },
        num_outbound_peers: discovery.outbound_peers,
        num_inbound_peers: discovery.inbound_peers,
        max_connections_per_peer: discovery.max_connections_per_peer,
        max_connections_per_ip: discovery.max_connections_per_ip,
        ip_throttle_duration: discovery.ip_throttle,
        ephemeral_connection_timeout: discovery.ephemeral_timeout,
        dial_max_retries: discovery.dial_retries,
        request_max_retries: discovery.request_retries,
        connect_request_max_retries: discovery.connect_retries,
        max_peers_per_response: discovery.max_peers_per_response,
    }
}

fn pubsub_protocol(gossip: &Gossip) -> PubSubProtocol {
    match gossip.protocol {
        Protocol::Broadcast => PubSubProtocol::Broadcast,
        Protocol::Gossipsub => PubSubProtocol::GossipSub(GossipSubConfig::new(
            gossip.mesh_n,
            gossip.mesh_n_high,
            gossip.mesh_n_low,
            gossip.mesh_outbound_min,
            gossip.peer_scoring,
            gossip.explicit_peering,
            gossip.flood_publish,
        )),
    }
}

fn value_sync_config(sync: &Sync) -> ValueSyncConfig {
    ValueSyncConfig {
        enabled: sync.enabled,
        status_update_interval: sync.status_interval,
        request_timeout: sync.request_timeout,
        max_request_size: ByteSize::b(sync.max_request_size),
        max_response_size: ByteSize::b(sync.max_response_size),
        parallel_requests: sync.parallel_requests,
        inactive_threshold: sync.inactive_threshold,
        batch_size: sync.batch_size,
        ..Default::default()
    }
}
