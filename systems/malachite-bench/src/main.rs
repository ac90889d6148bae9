//! The command line.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand, value_parser};
use eyre::{Result, WrapErr};
use malachite_bench::config::{Config, Log, LogFormat, LogLevel};
use malachite_bench::genesis::{DEFAULT_POWER, MAX_POWER, MAX_VALIDATORS};
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
    /// Generate the keys and the genesis file of a network.
    Init {
        /// Number of validators: 1 to 1000. Each has the voting power 10.
        #[arg(long, value_parser = value_parser!(u16).range(1..=MAX_VALIDATORS as i64), required_unless_present = "powers")]
        validators: Option<u16>,
        /// Voting powers of the validators in place of their number, such as 70,10,10,10: each 1 to 1000.
        #[arg(long, value_parser = value_parser!(u64).range(1..=MAX_POWER), value_delimiter = ',', conflicts_with = "validators")]
        powers: Vec<u64>,
        /// The directory for genesis.json and validators/<index>/priv_validator_key.json.
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

/// The exit code for invalid arguments and configurations, which the argument parser uses too.
const INVALID_ARGUMENTS: u8 = 2;
const FAILURE: u8 = 1;

fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::Init { validators, powers, out } => {
            let powers = validators.map_or(powers, |count| vec![DEFAULT_POWER; count.into()]);
            to_exit_code(genesis::init(&out, &powers), FAILURE)
        }
        Command::Start { config } => match Config::read(&config) {
            Ok(config) => to_exit_code(start_validator(config), FAILURE),
            Err(error) => to_exit_code(Err(error), INVALID_ARGUMENTS),
        },
        Command::Version => {
            println!("malachite-bench {} (sources {SOURCES})", env!("CARGO_PKG_VERSION"));
            ExitCode::SUCCESS
        }
    }
}

/// Prints an error in one line, and returns the exit code.
fn to_exit_code(outcome: Result<()>, code: u8) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("malachite-bench: {error:#}");
            ExitCode::from(code)
        }
    }
}

fn start_validator(config: Config) -> Result<()> {
    init_logging(&config.log);
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    if config.runtime.threads > 0 {
        builder.worker_threads(config.runtime.threads);
    }
    let runtime = builder.enable_all().build().wrap_err("start the runtime")?;
    runtime.block_on(node::run(config))
}

/// Configures logging to standard error.
fn init_logging(config: &Log) {
    let filter =
        EnvFilter::new(format!("{},malachite_bench={}", level_name(config.libraries), level_name(config.level)));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).with_writer(std::io::stderr);
    match config.format {
        LogFormat::Text => builder.init(),
        LogFormat::Json => builder.json().init(),
    }
}

fn level_name(level: LogLevel) -> &'static str {
    match level {
        LogLevel::Error => "error",
        LogLevel::Warn => "warn",
        LogLevel::Info => "info",
        LogLevel::Debug => "debug",
        LogLevel::Trace => "trace",
    }
}
