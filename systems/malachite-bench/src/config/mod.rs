//! The configuration file.

mod address;
mod engine;
mod file;

pub use address::Peer;
pub use engine::Engine;
pub use file::{
    Block, Config, Consensus, Discovery, Execution, Gossip, Http, Log, LogFormat, LogLevel, MetricsEndpoint, Network,
    Protocol, Runtime, Stored, Sync,
};

use std::fs;
use std::path::Path;

use eyre::{Result, WrapErr, bail, ensure};

use crate::execution::MAX_PAYLOAD_SIZE;
use crate::stream::MAX_BLOCK_SIZE;

/// The size of generated blocks in bytes, unless the file sets it.
const DEFAULT_BLOCK_SIZE: u64 = 1 << 20;

/// Size of a message without the bytes of a block or a part: IDs, framing, and a certificate with the signatures of
/// `MAX_VALIDATORS` validators.
pub const MESSAGE_OVERHEAD: u64 = 192 << 10;

impl Config {
    /// Reads and validates a configuration file.
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).wrap_err_with(|| format!("read {}", path.display()))?;
        Self::parse(&text).wrap_err_with(|| path.display().to_string())
    }

    /// Parses and validates a configuration. The error is one line with the key, the value and the valid values.
    pub fn parse(text: &str) -> Result<Self> {
        let config: Self = match toml::from_str(text) {
            Ok(config) => config,
            Err(error) => bail!("{}", describe_toml_error(text, &error)),
        };
        config.validate()?;
        Ok(config)
    }

    fn validate(&self) -> Result<()> {
        ensure!(!self.moniker.is_empty(), "moniker: \"\" is empty: a name for this validator");
        self.block.validate()?;
        if let Some(execution) = &self.execution {
            execution.validate(self)?;
        }
        self.network.validate(self)?;
        self.sync.validate(self)?;
        check_range("store.heights", self.store.heights, 1, u64::MAX)?;
        check_range("store.bytes", self.store.bytes, 1, u64::MAX)?;
        check_range("runtime.threads", self.runtime.threads as u64, 0, 1024)
    }

    /// Returns the maximum size of a block in bytes.
    pub fn max_block_size(&self) -> u64 {
        match self.execution {
            Some(_) => MAX_PAYLOAD_SIZE,
            None => self.block.size.unwrap_or(DEFAULT_BLOCK_SIZE),
        }
    }
}

impl Block {
    fn validate(&self) -> Result<()> {
        if let Some(size) = self.size {
            check_range("block.size", size, 1, MAX_BLOCK_SIZE)?;
        }
        check_range("block.part_size", self.part_size, 256, MAX_BLOCK_SIZE)
    }
}

impl Execution {
    fn validate(&self, config: &Config) -> Result<()> {
        ensure!(!self.socket.as_os_str().is_empty(), "execution.socket: \"\" is empty: the path of an IPC socket");
        ensure!(!self.request_timeout.is_zero(), "execution.request_timeout: 0s is out of range: more than 0s");
        ensure!(
            config.block.size.is_none(),
            "block.size: not allowed with [execution], whose client builds the blocks"
        );
        ensure!(
            config.block.content.is_none(),
            "block.content: not allowed with [execution], whose client builds the blocks"
        );
        // The library takes the block of such a proposal as valid without asking the application.
        ensure!(
            config.consensus.payload == file::Payload::ProposalAndParts,
            "consensus.payload: proposal-only is not allowed with [execution]: proposal-and-parts"
        );
        Ok(())
    }
}

impl Network {
    fn validate(&self, config: &Config) -> Result<()> {
        let (key, bytes) = match config.consensus.payload {
            file::Payload::ProposalAndParts => ("block.part_size", config.block.part_size),
            file::Payload::ProposalOnly => ("block.size", config.max_block_size()),
        };
        // Parts are never longer than the block.
        let needed = bytes.min(config.max_block_size()) + MESSAGE_OVERHEAD;
        ensure!(
            self.pubsub_max_size >= needed,
            "network.pubsub_max_size: {} is too small for {key} {bytes}: at least {needed} bytes",
            self.pubsub_max_size
        );
        let discovery = &self.discovery;
        check_range("network.discovery.outbound_peers", discovery.outbound_peers as u64, 1, 1000)?;
        check_range("network.discovery.inbound_peers", discovery.inbound_peers as u64, 1, 1000)?;
        self.gossip.validate()
    }
}

impl Gossip {
    /// Rejects inconsistent values, which the library would silently replace.
    fn validate(&self) -> Result<()> {
        check_range("network.gossip.mesh_n", self.mesh_n as u64, 1, 1000)?;
        check_range("network.gossip.mesh_n_low", self.mesh_n_low as u64, 1, self.mesh_n as u64)?;
        check_range("network.gossip.mesh_n_high", self.mesh_n_high as u64, self.mesh_n as u64, 1000)?;
        let max = (self.mesh_n / 2).min(self.mesh_n_low - 1).max(1) as u64;
        check_range("network.gossip.mesh_outbound_min", self.mesh_outbound_min as u64, 1, max)
    }
}

impl Sync {
    fn validate(&self, config: &Config) -> Result<()> {
        if !self.enabled {
            return Ok(());
        }
        check_range("sync.parallel_requests", self.parallel_requests as u64, 1, 1000)?;
        check_range("sync.batch_size", self.batch_size as u64, 1, 1000)?;
        ensure!(!self.request_timeout.is_zero(), "sync.request_timeout: 0s is out of range: more than 0s");
        let size = config.max_block_size();
        let needed = size + MESSAGE_OVERHEAD;
        let what = if config.execution.is_some() { "[execution] blocks of" } else { "block.size" };
        let largest = self.max_response_size.min(config.network.rpc_max_size);
        ensure!(
            largest >= needed,
            "sync.max_response_size {} and network.rpc_max_size {}: too small for {what} {size}: at least {needed} bytes each",
            self.max_response_size,
            config.network.rpc_max_size
        );
        Ok(())
    }
}

fn check_range(key: &str, value: u64, min: u64, max: u64) -> Result<()> {
    ensure!(
        (min..=max).contains(&value),
        "{key}: {value} is out of range: {}",
        if max == u64::MAX { format!("{min} or more") } else { format!("{min} to {max}") }
    );
    Ok(())
}

/// Returns an error of the parser in one line, with the affected line of the file.
fn describe_toml_error(text: &str, error: &toml::de::Error) -> String {
    let message = error.message().replace('\n', " ");
    match error.span() {
        Some(span) if !span.is_empty() => {
            let number = text[..span.start].matches('\n').count();
            let line = text.lines().nth(number).unwrap_or_default().trim();
            format!("line {}: {line}: {message}", number + 1)
        }
        _ => message,
    }
}
