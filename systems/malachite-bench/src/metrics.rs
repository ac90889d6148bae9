//! The application's own metrics. The consensus library registers further metrics.

use std::time::Duration;

use malachitebft_app_channel::app::metrics::SharedRegistry;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets, linear_buckets};
use prometheus_client::registry::Registry;

use crate::execution::Contents;

/// All names begin with `malachite_bench_` and have the label `moniker`.
#[derive(Clone, Debug)]
pub struct Metrics {
    height: Gauge,
    block_time: Histogram,
    consensus_time: Histogram,
    rounds: Histogram,
    block_size: Histogram,
    blocks: Counter,
    bytes: Counter,
    rounds_above_zero: Counter,
    synced: Counter,
    build_time: Histogram,
    execute_time: Histogram,
    finalize_time: Histogram,
    transactions: Counter,
    gas: Counter,
    empty_blocks: Counter,
    execution_errors: Counter,
}

/// A timed request to the execution client.
#[derive(Clone, Copy, Debug)]
pub enum ClientRequest {
    Build,
    Execute,
    Finalize,
}

/// A decision for the metrics.
#[derive(Clone, Copy, Debug)]
pub struct Decision {
    pub height: u64,
    pub bytes: u64,
    pub round: i64,
    /// Time since the previous decision; `None` if that was before the start or if this one came from a peer.
    pub block_time: Option<Duration>,
    /// Time since the start of the height; `None` if the block came from a peer.
    pub consensus_time: Option<Duration>,
    pub synced: bool,
}

impl Metrics {
    /// Registers the metrics in the registry of the consensus library.
    pub fn register(moniker: &str) -> Self {
        let metrics = Self {
            height: Gauge::default(),
            block_time: Histogram::new(time_buckets()),
            consensus_time: Histogram::new(time_buckets()),
            rounds: Histogram::new(linear_buckets(0.0, 1.0, 11)),
            block_size: Histogram::new(exponential_buckets(256.0, 2.0, 19)),
            blocks: Counter::default(),
            bytes: Counter::default(),
            rounds_above_zero: Counter::default(),
            synced: Counter::default(),
            build_time: Histogram::new(time_buckets()),
            execute_time: Histogram::new(time_buckets()),
            finalize_time: Histogram::new(time_buckets()),
            transactions: Counter::default(),
            gas: Counter::default(),
            empty_blocks: Counter::default(),
            execution_errors: Counter::default(),
        };
        SharedRegistry::global()
            .with_moniker(moniker)
            .with_prefix("malachite_bench", |registry| metrics.register_metrics(registry));
        metrics
    }

    fn register_metrics(&self, registry: &mut Registry) {
        registry.register("height", "Last decided height", self.height.clone());
        registry.register("block_time_seconds", "Time from decision to decision", self.block_time.clone());
        registry.register(
            "consensus_time_seconds",
            "Time from the start of a height to its decision",
            self.consensus_time.clone(),
        );
        registry.register("rounds", "Round in which a block was decided", self.rounds.clone());
        registry.register("block_size_bytes", "Size of decided blocks", self.block_size.clone());
        registry.register("blocks", "Decided blocks", self.blocks.clone());
        registry.register("block_bytes", "Bytes of decided blocks", self.bytes.clone());
        registry.register(
            "rounds_above_zero",
            "Blocks decided in a later round than the first",
            self.rounds_above_zero.clone(),
        );
        registry.register(
            "blocks_synced",
            "Decided blocks that came from a peer which had decided them before",
            self.synced.clone(),
        );
        self.register_execution_metrics(registry);
    }

    /// Registers the metrics that change only with an execution client.
    fn register_execution_metrics(&self, registry: &mut Registry) {
        registry.register("build_seconds", "Time that the client took to build a block", self.build_time.clone());
        registry.register("execute_seconds", "Time that the client took to execute a block", self.execute_time.clone());
        registry.register(
            "finalize_seconds",
            "Time that the client took to make a block final",
            self.finalize_time.clone(),
        );
        registry.register("transactions", "Transactions in decided blocks", self.transactions.clone());
        registry.register("gas", "Gas that decided blocks used", self.gas.clone());
        registry.register("empty_blocks", "Decided blocks without transactions", self.empty_blocks.clone());
        registry.register("execution_errors", "Failed requests to the client", self.execution_errors.clone());
    }

    /// Sets the height without a decision, after a restart.
    pub fn set_height(&self, height: u64) {
        self.height.set(height as i64);
    }

    pub fn record_request(&self, request: ClientRequest, time: Duration) {
        let histogram = match request {
            ClientRequest::Build => &self.build_time,
            ClientRequest::Execute => &self.execute_time,
            ClientRequest::Finalize => &self.finalize_time,
        };
        histogram.observe(time.as_secs_f64());
    }

    /// Records what a decided block of the execution client contains.
    pub fn record_contents(&self, contents: Contents) {
        self.transactions.inc_by(contents.transactions);
        self.gas.inc_by(contents.gas);
        if contents.transactions == 0 {
            self.empty_blocks.inc();
        }
    }

    pub fn record_execution_error(&self) {
        self.execution_errors.inc();
    }

    pub fn record_decision(&self, decision: Decision) {
        self.height.set(decision.height as i64);
        self.blocks.inc();
        self.bytes.inc_by(decision.bytes);
        self.block_size.observe(decision.bytes as f64);
        self.rounds.observe(decision.round as f64);
        if decision.round > 0 {
            self.rounds_above_zero.inc();
        }
        if decision.synced {
            self.synced.inc();
        }
        if let Some(time) = decision.block_time {
            self.block_time.observe(time.as_secs_f64());
        }
        if let Some(time) = decision.consensus_time {
            self.consensus_time.observe(time.as_secs_f64());
        }
    }
}

/// Returns buckets from 1 ms to 10 s, ten per decade, so that adjacent bounds differ by 26 %.
fn time_buckets() -> impl Iterator<Item = f64> {
    (-30..=10).map(|tenth| 10_f64.powf(f64::from(tenth) / 10.0))
}
