//! Networks of real validators on loopback.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde::Deserialize;

use crate::folder::Folder;

/// Timeout of every wait. It only finds hangs, because everything takes many times as long on a busy machine.
const WAIT_TIMEOUT: Duration = Duration::from_secs(600);

const PROGRAM: &str = env!("CARGO_BIN_EXE_malachite-bench");

/// A network of validators, some of which run. Dropping it kills all.
pub struct Network {
    folder: Folder,
    running: Vec<Option<Child>>,
    http: Vec<u16>,
    metrics: Vec<u16>,
}

/// A line of a validator's stream of blocks.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StreamedBlock {
    pub height: u64,
    pub time_millis: f64,
    #[serde(default)]
    pub interval_micros: Option<u64>,
    #[serde(default)]
    pub consensus_micros: Option<u64>,
    pub bytes: u64,
    pub transactions: u64,
    pub round: i64,
    pub proposer: String,
    #[serde(default)]
    pub synced: bool,
}

impl Network {
    /// Creates a network of validators of equal power without starting it. `settings` are the tables of the configuration file besides `[network]
    /// listen and peers`, `[http]` and `[metrics]`; `{index}` becomes the validator's index.
    pub fn new(count: usize, settings: &str) -> Self {
        Self::init(count, ["--validators", &count.to_string()], settings)
    }

    /// Creates a network of `count` validators, which arguments of `init` describe.
    pub fn init(count: usize, validators: [&str; 2], settings: &str) -> Self {
        let folder = Folder::new();
        let out = folder.path().to_str().expect("the path is text");
        let status = Command::new(PROGRAM).arg("init").args(validators).args(["--out", out]).status();
        assert!(status.expect("init runs").success());
        let ports = find_free_ports(3 * count);
        let (p2p, observed) = ports.split_at(count);
        let (http, metrics) = observed.split_at(count);
        for index in 0..count {
            let text = config_text(&folder, index, p2p, (http[index], metrics[index]))
                + &settings.replace("{index}", &index.to_string());
            fs::write(folder.path().join(format!("{index}.toml")), text).expect("write the configuration");
        }
        let running = (0..count).map(|_| None).collect();
        Self { folder, running, http: http.to_vec(), metrics: metrics.to_vec() }
    }

    /// Creates a network and starts all its validators.
    pub fn start_all(count: usize, settings: &str) -> Self {
        let mut network = Self::new(count, settings);
        (0..count).for_each(|index| network.start(index));
        network
    }

    pub fn start(&mut self, index: usize) {
        self.start_with(index, &[]);
    }

    /// Starts a validator with further environment variables.
    pub fn start_with(&mut self, index: usize, variables: &[(&str, &Path)]) {
        let log = File::options().create(true).append(true).open(self.log_path(index)).expect("open the log");
        let child = Command::new(PROGRAM)
            .args(["start", "--config"])
            .arg(self.folder.path().join(format!("{index}.toml")))
            .envs(variables.iter().copied())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn();
        self.running[index] = Some(child.expect("the validator starts"));
    }

    /// Kills a validator with SIGKILL.
    pub fn kill(&mut self, index: usize) {
        self.send_signal(index, Signal::SIGKILL);
    }

    pub fn send_signal(&mut self, index: usize, signal: Signal) -> ExitStatus {
        let child = self.running[index].as_mut().expect("the validator runs");
        kill(Pid::from_raw(child.id() as i32), signal).expect("the validator is there");
        let begin = Instant::now();
        while begin.elapsed() < WAIT_TIMEOUT {
            if let Some(status) = child.try_wait().expect("the validator is there") {
                self.running[index] = None;
                return status;
            }
            sleep(Duration::from_millis(20));
        }
        panic!("validator {index} does not end on {signal}: {}", self.log_tail(index));
    }

    /// Returns the status and body of a path at `http.listen`; `None` if the validator does not answer.
    pub fn get_path(&self, index: usize, path: &str) -> Option<(u16, String)> {
        get_url(&local_url(self.http[index], path))
    }

    /// Returns the status and body of a path at `metrics.listen`; `None` if the validator does not answer.
    pub fn get_metrics_path(&self, index: usize, path: &str) -> Option<(u16, String)> {
        get_url(&local_url(self.metrics[index], path))
    }

    /// Returns the value of a metric without labels other than the moniker.
    pub fn metric(&self, index: usize, name: &str) -> Option<f64> {
        let (_, text) = self.get_metrics_path(index, "/metrics")?;
        let line = text.lines().find(|line| line.starts_with(&format!("{name}{{")))?;
        line.rsplit(' ').next()?.parse().ok()
    }

    /// Returns the last decided height; 0 if the validator does not answer.
    pub fn height(&self, index: usize) -> u64 {
        self.metric(index, "malachite_bench_height").unwrap_or(0.0) as u64
    }

    pub fn wait_for_height(&self, index: usize, height: u64) {
        self.wait_until(&format!("validator {index} is past height {height}"), || self.height(index) >= height);
    }

    /// Returns the blocks of the stream as they arrive; ends with the validator.
    pub fn stream_blocks(&self, index: usize, from: u64) -> impl Iterator<Item = StreamedBlock> + use<> {
        let response =
            ureq::get(local_url(self.http[index], &format!("/blocks?from={from}"))).call().expect("the stream opens");
        assert_eq!(response.headers()["content-type"], "application/x-ndjson");
        let lines = BufReader::new(response.into_body().into_reader()).lines();
        lines.map_while(Result::ok).map(|line| serde_json::from_str(&line).expect("a line is a block"))
    }

    /// Waits until the condition holds; panics with the logs after `WAIT_TIMEOUT`.
    pub fn wait_until(&self, what: &str, holds: impl Fn() -> bool) {
        let begin = Instant::now();
        while !holds() {
            if begin.elapsed() > WAIT_TIMEOUT {
                let logs: Vec<_> = (0..self.running.len()).map(|index| self.log_tail(index)).collect();
                panic!("not after {} s: {what}\n{}", WAIT_TIMEOUT.as_secs(), logs.join("\n"));
            }
            sleep(Duration::from_millis(50));
        }
    }

    /// Returns the addresses in the order of the genesis file.
    pub fn addresses(&self) -> Vec<String> {
        let text = fs::read(self.folder.path().join("genesis.json")).expect("read the genesis");
        let genesis: serde_json::Value = serde_json::from_slice(&text).expect("the genesis is JSON");
        let validators = genesis["validators"].as_array().expect("a list").iter();
        validators.map(|validator| validator["address"].as_str().expect("text").to_owned()).collect()
    }

    pub fn read_log(&self, index: usize) -> String {
        fs::read_to_string(self.log_path(index)).unwrap_or_default()
    }

    fn log_tail(&self, index: usize) -> String {
        let log = self.read_log(index);
        let lines: Vec<_> = log.lines().rev().take(15).collect();
        format!("validator {index}:\n{}", lines.into_iter().rev().collect::<Vec<_>>().join("\n"))
    }

    fn log_path(&self, index: usize) -> std::path::PathBuf {
        self.folder.path().join(format!("{index}.log"))
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        for child in self.running.iter_mut().flatten() {
            // The validator may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn local_url(port: u16, path: &str) -> String {
    format!("http://127.0.0.1:{port}{path}")
}

fn get_url(url: &str) -> Option<(u16, String)> {
    let agent = ureq::Agent::config_builder().http_status_as_error(false).build().new_agent();
    let mut response = agent.get(url).call().ok()?;
    let text = response.body_mut().read_to_string().ok()?;
    Some((response.status().as_u16(), text))
}

fn config_text(folder: &Folder, index: usize, p2p: &[u16], (http, metrics): (u16, u16)) -> String {
    let root = folder.path().display();
    let peers: Vec<_> =
        p2p.iter().filter(|port| **port != p2p[index]).map(|port| format!("localhost:{port}")).collect();
    format!(
        r#"moniker = "validator-{index}"
key = "{root}/validators/{index}/priv_validator_key.json"
genesis = "{root}/genesis.json"
home = "{root}/home/{index}"
network.listen = "127.0.0.1:{}"
network.peers = {peers:?}
http.listen = "127.0.0.1:{http}"
metrics.listen = "127.0.0.1:{metrics}"
"#,
        p2p[index]
    )
}

/// Returns ports that were free a moment ago.
pub fn find_free_ports(count: usize) -> Vec<u16> {
    let bind = |_| TcpListener::bind(("127.0.0.1", 0)).expect("a port is free");
    let listeners: Vec<_> = (0..count).map(bind).collect();
    listeners.iter().map(|listener| listener.local_addr().expect("it listens").port()).collect()
}
