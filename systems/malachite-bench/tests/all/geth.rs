//! A validator with a real execution client. Skipped unless BENCHNET_GETH names its binary.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use malachite_bench::execution::{Client, Hash};
use malachite_bench::metrics::Metrics;

use crate::folder::Folder;
use crate::validators::{Network, find_free_ports};

/// A running geth. Dropping it kills it.
struct Geth(Child);

impl Geth {
    fn start(binary: &Path, folder: &Path) -> Self {
        let log = File::options().create(true).append(true).open(folder.join("geth.log")).expect("open the log");
        let port = find_free_ports(1)[0].to_string();
        let child = Command::new(binary)
            .args(["--state.scheme", "hash", "--gcmode", "archive", "--syncmode", "full", "--cache", "64"])
            .args(["--nodiscover", "--maxpeers", "0", "--port", "0", "--networkid", "12345", "--authrpc.port", &port])
            .arg("--datadir")
            .arg(folder.join("data"))
            .arg("--ipcpath")
            .arg(folder.join("geth.ipc"))
            .stdout(Stdio::null())
            .stderr(log)
            .spawn();
        Self(child.expect("geth starts"))
    }

    /// Returns the hashes of its first blocks.
    fn hashes(folder: &Path, count: u64) -> Vec<Hash> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("start the runtime");
        let mut client = Client::new(folder.join("geth.ipc"), Duration::from_secs(8), Metrics::register("test"));
        let mut hash = |number| runtime.block_on(client.block(number)).expect("geth has the block").hash;
        (0..=count).map(&mut hash).collect()
    }

    fn kill(&mut self) {
        self.0.kill().expect("geth runs");
        self.0.wait().expect("geth runs");
    }
}

impl Drop for Geth {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Writes a genesis with all forks up to Osaka and without accounts, unless BENCHNET_GETH_GENESIS names another.
fn genesis_path(folder: &Path) -> PathBuf {
    if let Some(path) = std::env::var_os("BENCHNET_GETH_GENESIS") {
        return path.into();
    }
    let path = folder.join("geth-genesis.json");
    fs::write(&path, include_str!("../osaka.json")).expect("write the genesis");
    path
}

#[test]
fn validator_continues_after_geth_was_killed() {
    let Some(binary) = std::env::var_os("BENCHNET_GETH").map(PathBuf::from).filter(|path| path.exists()) else {
        eprintln!("skipped: BENCHNET_GETH does not name a binary");
        return;
    };
    let folder = Folder::new();
    let root = folder.path();
    let init = Command::new(&binary)
        .args(["init", "--state.scheme", "hash", "--datadir"])
        .arg(root.join("data"))
        .arg(genesis_path(root))
        .output();
    let init = init.expect("geth runs");
    assert!(init.status.success(), "{}", String::from_utf8_lossy(&init.stderr));
    let mut geth = Geth::start(&binary, root);
    let settings = format!("execution.socket = {:?}", root.join("geth.ipc"));
    let mut network = Network::start_all(1, &settings);
    network.wait_for_height(0, 20);
    let hashes = Geth::hashes(root, 20);
    geth.kill();
    network.wait_until("the validator waits for the client", || {
        network.get_path(0, "/ready").is_some_and(|(status, text)| status == 503 && text.contains("execution client: "))
    });
    let decided = network.height(0);
    let mut geth = Geth::start(&binary, root);
    network.wait_for_height(0, decided + 20);
    assert_eq!(Geth::hashes(root, 20), hashes);
    assert_eq!(network.get_path(0, "/ready").expect("an answer").0, 200);
    let metric = |name: &str| network.metric(0, &format!("malachite_bench_{name}")).expect(name);
    for name in ["build_seconds_count", "execute_seconds_count", "finalize_seconds_count", "empty_blocks_total"] {
        assert!(metric(name) >= decided as f64, "{name}: {}", metric(name));
    }
    assert!(metric("execution_errors_total") > 0.0);
    // Both crash, and geth may lose its last block.
    let hashes = Geth::hashes(root, decided + 10);
    network.kill(0);
    geth.kill();
    network.start(0);
    let _geth = Geth::start(&binary, root);
    network.wait_for_height(0, decided + 40);
    assert_eq!(Geth::hashes(root, decided + 10), hashes);
}
