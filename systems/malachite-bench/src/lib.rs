//! A block-producing application on Malachite consensus, made to be measured: validators propose blocks of a set size,
//! decide them, keep the last of them, and tell of each decision through metrics and a stream.

pub mod app;
pub mod block;
pub mod chain;
pub mod config;
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

/// One word for the sources that it was compiled from; `unknown` when compiled by hand.
pub const SOURCES: &str = match option_env!("MALACHITE_BENCH_SOURCES") {
    Some(sources) => sources,
    None => "unknown",
};
