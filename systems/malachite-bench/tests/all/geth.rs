//! Validators with a real execution client. Skipped unless BENCHNET_GETH names its binary.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use malachite_bench::chain::{Height, Value};
use malachite_bench::execution::{Client, ExecutionPayload, Executor, FixedBytes, Hash, Payload, Status};
use malachite_bench::metrics::Metrics;
use malachite_bench::store::{Limits, Store};
use malachitebft_core_types::{Round, Validity};

use crate::execution::{new_executor, new_position};
use crate::folder::Folder;
use crate::validators::{Network, find_free_ports};

/// A running geth. Dropping it kills it.
struct Geth(Child);

impl Geth {
    /// Creates a chain in a folder.
    fn init(binary: &Path, folder: &Path) {
        let init = Command::new(binary)
            .args(["init", "--state.scheme", "hash", "--datadir"])
            .arg(folder.join("data"))
            .arg(genesis_path(folder))
            .output();
        let init = init.expect("geth runs");
        assert!(init.status.success(), "{}", String::from_utf8_lossy(&init.stderr));
    }

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

/// Returns the binary, or nothing if the test is to be skipped.
fn find_geth() -> Option<PathBuf> {
    let binary = std::env::var_os("BENCHNET_GETH").map(PathBuf::from).filter(|path| path.exists());
    if binary.is_none() {
        eprintln!("skipped: BENCHNET_GETH does not name a binary");
    }
    binary
}

#[test]
fn validator_continues_after_geth_was_killed() {
    let Some(binary) = find_geth() else { return };
    let folder = Folder::new();
    let root = folder.path();
    Geth::init(&binary, root);
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

/// Each network has its own keys, which do not enter the blocks.
#[test]
fn first_blocks_depend_on_the_genesis_only() {
    let Some(binary) = find_geth() else { return };
    let [one, other] = [Folder::new(), Folder::new()].map(|folder| {
        let root = folder.path();
        Geth::init(&binary, root);
        let _geth = Geth::start(&binary, root);
        // A later round would have another block.
        let settings = format!("execution.socket = {:?}\nconsensus.timeout_propose = \"600s\"", root.join("geth.ipc"));
        Network::start_all(1, &settings).wait_for_height(0, 5);
        Geth::hashes(root, 5)
    });
    assert_eq!(one, other);
}

#[tokio::test]
async fn blocks_that_geth_rejects_are_invalid() {
    let Some(binary) = find_geth() else { return };
    let folder = Folder::new();
    let root = folder.path();
    Geth::init(&binary, root);
    let _geth = Geth::start(&binary, root);
    let store = Store::open(&root.join("blocks"), Limits { heights: 1, bytes: u64::MAX }).expect("open");
    let (mut executor, _readiness) = new_executor(root.join("geth.ipc"), Duration::from_secs(60), store);
    executor.start().await.expect("start");
    let block = executor.propose(Height(1), Round::new(0), &[]).await.expect("propose");
    type Change = fn(&mut ExecutionPayload);
    let changes: [(&str, Change); 4] = [
        ("invalid gas used", |block| block.gas_used.0 += 21_000),
        ("invalid gas limit", |block| block.gas_limit.0 *= 2),
        ("invalid baseFee", |block| block.base_fee_per_gas.0 += 1),
        ("invalid merkle root", |block| block.state_root = FixedBytes([1; 32])),
    ];
    for (expected, change) in changes {
        let mut payload = Payload::decode(&block).expect("decode");
        change(&mut payload.execution);
        // geth names the hash that the changed block should have.
        let mismatch = reject(&mut executor, &payload).await;
        let (_, hash) = mismatch.split_once(", got ").expect("a hash");
        payload.execution.block_hash = serde_json::from_str(&format!("\"0x{hash}\"")).expect("a hash");
        let reason = reject(&mut executor, &payload).await;
        assert!(reason.contains(expected), "{reason}");
        let changed = payload.into_block().expect("encode");
        let validity = executor.verify(new_position(1), Value::of(&changed).id, &changed).await;
        assert_eq!(validity, Some(Validity::Invalid), "{expected}");
    }
    assert_eq!(executor.verify(new_position(1), Value::of(&block).id, &block).await, Some(Validity::Valid));
}

/// Returns why geth rejects a block.
async fn reject(executor: &mut Executor, payload: &Payload) -> String {
    match executor.client.new_payload(payload).await.expect("an answer") {
        Status::Invalid(reason) => reason,
        status => panic!("{status:?}"),
    }
}
