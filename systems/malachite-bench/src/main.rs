//! The command line.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use eyre::{Result, WrapErr};
use malachite_bench::config::{Config, Log, LogFormat, LogLevel};
use malachite_bench::{SOURCES, genesis, node};
use tracing_subscriber::EnvFilter;

/// A block-producing application on Malachite consensus, for benchmarks.
#[derive(Debug, Parser)]
#[command(name = "malachite-bench", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make keys and genesis of a network.
    Init {
        /// How many validators: 1 to 100.
        #[arg(long)]
        validators: usize,
        /// The folder to write genesis.json and validators/<index>/priv_validator_key.json into.
        #[arg(long)]
        out: PathBuf,
    },
    /// Run a validator until SIGTERM.
    Start {
        /// The configuration file (TOML).
        #[arg(long)]
        config: PathBuf,
    },
    /// Print the version.
    Version,
}

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("malachite-bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<()> {
    match command {
        Command::Init { validators, out } => genesis::init(&out, validators),
        Command::Start { config } => start(&config),
        Command::Version => {
            println!("malachite-bench {} (sources {SOURCES})", env!("CARGO_PKG_VERSION"));
            Ok(())
        }
    }
}

fn start(path: &std::path::Path) -> Result<()> {
    let config = Config::read(path)?;
    log(&config.log);
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    if config.runtime.threads > 0 {
        builder.worker_threads(config.runtime.threads);
    }
    let runtime = builder.enable_all().build().wrap_err("start the runtime")?;
    runtime.block_on(node::run(config))
}

/// Sends the log to standard error.
fn log(config: &Log) {
    let filter = EnvFilter::new(format!("{},malachite_bench={}", level(config.libraries), level(config.level)));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).with_writer(std::io::stderr);
    match config.format {
        LogFormat::Text => builder.init(),
        LogFormat::Json => builder.json().init(),
    }
}

fn level(level: LogLevel) -> &'static str {
    match level {
        LogLevel::Error => "error",
        LogLevel::Warn => "warn",
        LogLevel::Info => "info",
        LogLevel::Debug => "debug",
        LogLevel::Trace => "trace",
    }
}
