//! A block-producing application on Malachite consensus for benchmarks. Validators propose blocks of a configured
//! size, or blocks of an execution client, decide them, store the latest, and report each decision in metrics and a
//! stream.

pub mod app;
pub mod block;
pub mod blocks;
pub mod chain;
pub mod config;
pub mod execution;
pub mod genesis;
pub mod http;
pub mod journal;
pub mod metrics;
pub mod node;
pub mod peers;
pub mod proposals;
pub mod store;
pub mod stream;
pub mod wire;

/// The hash of the sources that the program was compiled from; `unknown` without MALACHITE_BENCH_SOURCES.
pub const SOURCES: &str = match option_env!("MALACHITE_BENCH_SOURCES") {
    Some(sources) => sources,
    None => "unknown",
};
