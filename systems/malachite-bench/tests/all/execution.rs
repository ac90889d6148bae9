//! Blocks of an execution client: their encoding, their rules, and clients that fail.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use bytes::Bytes;
use malachite_bench::chain::{Height, Validator, ValidatorSet, Value};
use malachite_bench::execution::{
    Client, Executor, FixedBytes, HexBytes, MAX_PAYLOAD_SIZE, Payload, Position, Quantity, fee_recipient,
};
use malachite_bench::http::Readiness;
use malachite_bench::metrics::Metrics;
use malachite_bench::store::{Decided, Limits, Store};
use malachitebft_core_types::{Round, Validity};
use nix::sys::signal::Signal;
use tokio::sync::watch;

use crate::engine::{Engine, Mode};
use crate::folder::Folder;
use crate::validators::{Network, StreamedBlock};
use crate::{certificate, key};

/// The timeout of the fake client, which a test awaits.
const CLIENT_TIMEOUT: Duration = Duration::from_millis(500);

/// An executor of a network of four validators with its client and its store.
struct Fixture {
    executor: Executor,
    engine: Engine,
    readiness: watch::Receiver<Readiness>,
    folder: Folder,
}

impl Fixture {
    fn new(heights: u64) -> Self {
        let folder = Folder::new();
        let engine = Engine::listen(&folder.path().join("client.ipc"));
        let store = Store::open(&folder.path().join("blocks"), Limits { heights, bytes: u64::MAX }).expect("open");
        let (executor, readiness) = new_executor(folder.path().join("client.ipc"), CLIENT_TIMEOUT, store);
        Self { executor, engine, readiness, folder }
    }

    /// Lets the validator propose, decide and store the next blocks. Returns the last.
    async fn decide(&mut self, count: u64) -> Bytes {
        let mut last = Bytes::new();
        for _ in 0..count {
            let height = self.executor.store.last().unwrap_or_default().0 + 1;
            last = self.propose(height).await;
            self.executor.finalize(Value::of(&last).id, &last).await.expect("finalize");
            self.store(height, &last).await;
        }
        last
    }

    async fn propose(&mut self, height: u64) -> Bytes {
        self.executor.propose(Height(height), Round::new(0), &[]).await.expect("propose")
    }

    async fn store(&self, height: u64, block: &Bytes) {
        let decided = Decided { certificate: certificate(height, block).await, block: block.clone() };
        self.executor.store.append(&decided).expect("append");
    }

    async fn verify(&mut self, height: u64, block: &Bytes) -> Option<Validity> {
        self.executor.verify(new_position(height), Value::of(block).id, block).await
    }

    /// Replaces the client by one without blocks, and restarts the validator.
    fn with_new_client(mut self) -> Self {
        std::fs::remove_file(self.folder.path().join("client.ipc")).expect("the socket exists");
        self.engine = Engine::listen(&self.folder.path().join("client.ipc"));
        let store = self.executor.store.clone();
        (self.executor, self.readiness) = new_executor(self.folder.path().join("client.ipc"), CLIENT_TIMEOUT, store);
        self
    }
}

/// Returns an executor of the first of four validators, with a client at a socket.
pub fn new_executor(socket: PathBuf, timeout: Duration, store: Store) -> (Executor, watch::Receiver<Readiness>) {
    let validators = (0..4).map(|number| Validator::new(key(number).public_key(), 10)).collect();
    let metrics = Metrics::register("test");
    let client = Client::new(socket, timeout, metrics.clone());
    let (sender, readiness) = watch::channel(Readiness::Ready);
    (Executor::new(client, ValidatorSet::new(validators), store, metrics, sender), readiness)
}

pub fn new_position(height: u64) -> Position {
    Position { height: Height(height), round: Round::new(0) }
}

#[tokio::test]
async fn payload_round_trips_and_hostile_bytes_are_errors() {
    let mut fixture = Fixture::new(10);
    fixture.executor.start().await.expect("start");
    let block = fixture.propose(1).await;
    let payload = Payload::decode(&block).expect("decode");
    assert_eq!(payload.clone().into_block().expect("encode"), block);
    assert_eq!((payload.number(), payload.execution.timestamp, payload.round), (1, Quantity(2), 0));
    assert_eq!(payload.execution.transactions, [HexBytes(vec![2, 0, 1])]);
    for length in 0..block.len() {
        assert!(Payload::decode(&block[..length]).is_err(), "truncated to {length}");
    }
    assert!(Payload::decode(&[&block[..], &[0]].concat()).is_err());
    assert!(Payload::decode(&vec![0; MAX_PAYLOAD_SIZE as usize + 1]).is_err());
    // Lengths of 4 GiB in place of the header's and of the list of transactions.
    assert!(Payload::decode(&[&[0; 4], &[255; 4][..], &block[8..]].concat()).is_err());
    let lists = block.len() - 4 - 4 - 3;
    assert!(Payload::decode(&[&block[..lists], &[255; 4][..], &block[lists + 4..]].concat()).is_err());

    let text = serde_json::to_string(&payload.execution).expect("encode");
    let empty = text.replace(r#"["0x020001"]"#, "[]");
    let encode = |header: &str| {
        let lists: [Vec<u8>; 3] = Default::default();
        borsh::to_vec(&(0_u32, header.as_bytes(), lists)).expect("encode")
    };
    assert!(Payload::decode(&encode(&empty)).is_ok());
    let headers = [
        String::new(),
        "7".into(),
        "{}".into(),
        text,
        empty.replace(r#""blockNumber":"0x1""#, r#""blockNumber":1"#),
        empty.replace(r#""blockNumber":"0x1""#, r#""blockNumber":"0x10000000000000000""#),
        empty.replace(r#""blockNumber":"0x1""#, r#""blockNumber":"0x+1""#),
        empty.replace(r#""extraData":"0x""#, r#""extraData":"0xäb""#),
        empty.replace(r#""extraData":"0x""#, r#""extraData":"0x1""#),
        empty.replace(r#""parentHash":"0x"#, r#""parentHash":"0x00"#),
        empty.replace(r#""withdrawals":[]"#, r#""withdrawals":[1]"#),
        empty.replace(r#""withdrawals":[]"#, r#""withdrawals":[],"more":1"#),
        "[".repeat(100_000),
    ];
    for header in headers {
        assert!(Payload::decode(&encode(&header)).is_err(), "{header:.200}");
    }
}

#[tokio::test]
async fn proposals_that_violate_a_rule_are_invalid_and_not_executed() {
    let mut fixture = Fixture::new(10);
    fixture.executor.start().await.expect("start");
    fixture.decide(2).await;
    let block = fixture.propose(3).await;
    let executed = fixture.engine.count_calls("engine_newPayloadV4");
    type Change = fn(&mut Payload);
    let changes: [(&str, Change); 7] = [
        ("parent", |payload| payload.execution.parent_hash = FixedBytes([1; 32])),
        ("number", |payload| payload.execution.block_number = Quantity(4)),
        ("timestamp", |payload| payload.execution.timestamp.0 += 1),
        ("earlier timestamp", |payload| payload.execution.timestamp.0 -= 1),
        ("fee recipient", |payload| payload.execution.fee_recipient = fee_recipient(0)),
        ("prevRandao", |payload| payload.execution.prev_randao = FixedBytes([2; 32])),
        ("round", |payload| payload.round = 1),
    ];
    for (field, change) in changes {
        let mut payload = Payload::decode(&block).expect("decode");
        change(&mut payload);
        let changed = payload.into_block().expect("encode");
        assert_eq!(fixture.verify(3, &changed).await, Some(Validity::Invalid), "{field}");
    }
    assert_eq!(fixture.verify(3, &Bytes::from_static(b"hostile")).await, Some(Validity::Invalid));
    assert_eq!(fixture.engine.count_calls("engine_newPayloadV4"), executed);
    // Validator 3 proposes block 3 in round 0; a later round may propose the block again.
    assert_eq!(Payload::decode(&block).expect("decode").execution.fee_recipient, fee_recipient(3));
    let id = Value::of(&block).id;
    let position = Position { round: Round::new(2), ..new_position(3) };
    assert_eq!(fixture.executor.verify(position, id, &block).await, Some(Validity::Valid));
    assert_eq!(fixture.verify(3, &block).await, Some(Validity::Valid));
    assert_eq!(fixture.engine.count_calls("engine_newPayloadV4"), executed + 1, "a block is executed once");
}

#[tokio::test]
async fn client_that_fails_gives_no_verdict_and_one_that_rejects_a_decided_block_is_an_error() {
    let mut fixture = Fixture::new(10);
    fixture.executor.start().await.expect("start");
    let block = fixture.propose(1).await;
    for mode in [Mode::Hanging, Mode::Down] {
        fixture.engine.set_mode(mode);
        assert_eq!(fixture.verify(1, &block).await, None, "{mode:?}");
    }
    fixture.engine.set_mode(Mode::Rejecting);
    // The connection to the dead client is closed already.
    assert_eq!(fixture.verify(1, &block).await, Some(Validity::Invalid));
    let error = fixture.executor.finalize(Value::of(&block).id, &block).await.expect_err("rejected").to_string();
    assert!(error.contains("rejects the decided block 1") && error.contains("the block is wrong"), "{error}");
    fixture.engine.set_mode(Mode::Correct);
    assert_eq!(fixture.verify(1, &block).await, Some(Validity::Valid));
}

#[tokio::test]
async fn client_that_lost_blocks_gets_them_again() {
    let mut fixture = Fixture::new(10);
    fixture.executor.start().await.expect("start");
    fixture.decide(4).await;
    let chain = fixture.engine.chain();
    // While it builds, verifies and finalizes.
    fixture.engine.forget(2);
    let block = fixture.propose(5).await;
    assert_eq!(fixture.engine.chain(), chain);
    fixture.engine.forget(3);
    assert_eq!(fixture.verify(5, &block).await, Some(Validity::Valid));
    fixture.engine.forget(1);
    fixture.executor.finalize(Value::of(&block).id, &block).await.expect("finalize");
    assert_eq!(fixture.engine.chain()[..5], chain);
    assert_eq!(fixture.engine.chain().len(), 6);
}

#[tokio::test]
async fn start_replays_stored_blocks() {
    let mut fixture = Fixture::new(10);
    fixture.executor.start().await.expect("start");
    fixture.decide(5).await;
    let chain = fixture.engine.chain();
    let mut fixture = fixture.with_new_client();
    fixture.executor.start().await.expect("start");
    assert_eq!(fixture.engine.chain(), chain);
    fixture.decide(1).await;
}

#[tokio::test]
async fn start_reports_that_the_store_lacks_blocks() {
    let mut fixture = Fixture::new(3);
    fixture.executor.start().await.expect("start");
    fixture.decide(5).await;
    let mut fixture = fixture.with_new_client();
    let expected = "execution client: the execution client is at block 0, but the first stored block is 3: reset";
    let is_reported = |readiness: &Readiness| matches!(readiness, Readiness::Waiting(text) if text.contains(expected));
    tokio::select! {
        outcome = fixture.executor.start() => panic!("started: {outcome:?}"),
        found = fixture.readiness.wait_for(is_reported) => assert!(found.is_ok()),
    }
}

#[tokio::test]
async fn later_rounds_propose_the_oldest_undecided_block_again_unless_it_is_rejected() {
    let mut fixture = Fixture::new(10);
    fixture.executor.start().await.expect("start");
    let mut known = Vec::new();
    for round in 0..3 {
        known.insert(0, fixture.executor.propose(Height(1), Round::new(round), &[]).await.expect("build"));
    }
    let [newest, middle, oldest] = &known[..] else { unreachable!() };
    let rounds = [(1, middle), (2, newest), (3, oldest)];
    for (round, expected) in rounds {
        let proposed = fixture.executor.propose(Height(1), Round::new(round), &known).await.expect("propose");
        assert_eq!(&proposed, expected, "round {round}");
    }
    fixture.engine.set_mode(Mode::Rejecting);
    assert_eq!(fixture.verify(1, oldest).await, Some(Validity::Invalid));
    let proposed = fixture.executor.propose(Height(1), Round::new(3), &known).await.expect("propose");
    assert_eq!(&proposed, middle);
}

/// A crash between client and store leaves the client one block ahead. The height is decided again.
#[tokio::test]
async fn decided_block_that_is_not_stored_is_decided_again() {
    let mut fixture = Fixture::new(10);
    fixture.executor.start().await.expect("start");
    fixture.decide(2).await;
    // A restarted consensus begins with round 0 again, before the round of the block.
    let block = fixture.executor.propose(Height(3), Round::new(1), &[]).await.expect("propose");
    let id = Value::of(&block).id;
    fixture.executor.finalize(id, &block).await.expect("finalize");
    let chain = fixture.engine.chain();
    (fixture.executor, fixture.readiness) =
        new_executor(fixture.folder.path().join("client.ipc"), CLIENT_TIMEOUT, fixture.executor.store.clone());
    fixture.executor.start().await.expect("start");
    for round in 0..2 {
        let known = [block.clone()];
        let proposed = fixture.executor.propose(Height(3), Round::new(round), &known).await.expect("propose");
        assert_eq!(proposed, block, "round {round}");
    }
    fixture.executor.finalize(id, &block).await.expect("finalize");
    fixture.store(3, &block).await;
    assert_eq!(fixture.engine.chain(), chain);
    fixture.decide(1).await;
}

const SETTINGS: &str = r#"
consensus.timeout_propose = "500ms"
consensus.timeout_prevote = "300ms"
consensus.timeout_precommit = "300ms"
consensus.timeout_rebroadcast = "1s"
execution.request_timeout = "2s"
"#;

/// Creates four validators, each with a client.
fn new_network(folder: &Folder) -> (Network, Vec<Engine>) {
    let socket = |index: &str| folder.path().join(format!("{index}.ipc"));
    let engines = (0..4).map(|index| Engine::listen(&socket(&index.to_string()))).collect();
    let settings = format!("{SETTINGS}execution.socket = {:?}", socket("{index}"));
    (Network::new(4, &settings), engines)
}

fn start_network(folder: &Folder) -> (Network, Vec<Engine>) {
    let (mut network, engines) = new_network(folder);
    (0..4).for_each(|index| network.start(index));
    (network, engines)
}

fn assert_same_chains(network: &Network, engines: &[Engine], height: u64) {
    (0..4).for_each(|index| network.wait_for_height(index, height));
    let chains: Vec<_> = engines.iter().map(|engine| engine.chain()[..=height as usize].to_vec()).collect();
    assert!(chains.iter().all(|chain| *chain == chains[0]), "{chains:?}");
}

#[test]
fn validators_execute_the_same_blocks_although_a_client_dies() {
    let folder = Folder::new();
    let (mut network, engines) = start_network(&folder);
    (0..4).for_each(|index| network.wait_for_height(index, 5));
    engines[3].set_mode(Mode::Down);
    let height = network.height(0);
    network.wait_for_height(0, height + 8);
    network.wait_until("validator 3 reports its client", || {
        network.get_path(3, "/ready").is_some_and(|(status, text)| status == 503 && text.contains("execution client"))
    });
    engines[3].forget(1);
    engines[3].set_mode(Mode::Correct);
    assert_same_chains(&network, &engines, height + 30);
    let metric = |name: &str| network.metric(0, &format!("malachite_bench_{name}_total")).expect(name);
    let (empty, blocks, transactions, gas) =
        (metric("empty_blocks"), metric("blocks"), metric("transactions"), metric("gas"));
    assert!((blocks / 3.0 - 2.0..=blocks / 3.0 + 2.0).contains(&empty), "{empty} of {blocks}");
    assert!(transactions > 10.0 && gas >= 21000.0 * transactions, "{transactions} {gas}");
    let streamed: Vec<_> = network.stream_blocks(0, 1).take(6).map(|block| block.transactions).collect();
    assert_eq!(streamed, [1, 1, 0, 1, 1, 0]);
    // A validator that waits for its client stops as any other.
    engines[3].set_mode(Mode::Down);
    network.wait_until("validator 3 waits for its client", || {
        network.get_path(3, "/ready").is_some_and(|(status, _)| status == 503)
    });
    assert_eq!(network.send_signal(3, Signal::SIGTERM).code(), Some(0), "{}", network.read_log(3));
}

#[test]
fn blocks_of_a_faulty_proposer_are_not_decided() {
    let folder = Folder::new();
    let (network, engines) = start_network(&folder);
    engines[3].set_mode(Mode::WrongTimestamp);
    (0..4).for_each(|index| network.wait_for_height(index, 5));
    let height = network.height(0);
    assert_same_chains(&network, &engines, height + 9);
    let recipient = serde_json::to_string(&fee_recipient(3)).expect("encode");
    assert_eq!(recipient, r#""0x0000000000000000000000000000be9c00000004""#);
    // Validator 3 proposes every fourth height in round 0.
    let blocks: Vec<_> = network.stream_blocks(0, height + 1).take(8).collect();
    assert_eq!(blocks.iter().filter(|block| block.round > 0).count(), 2, "{blocks:?}");
}

/// Returns a library that sets the wall clock of the program that loads it an hour ahead.
fn build_clock(folder: &Path) -> PathBuf {
    let (source, library) = (folder.join("clock.c"), folder.join("clock.so"));
    let text = r"
        #define _GNU_SOURCE
        #include <sys/syscall.h>
        #include <time.h>
        #include <unistd.h>
        int clock_gettime(clockid_t clock, struct timespec *now) {
            int outcome = syscall(SYS_clock_gettime, clock, now);
            if (clock == CLOCK_REALTIME) now->tv_sec += 3600;
            return outcome;
        }
    ";
    std::fs::write(&source, text).expect("write the library");
    let status = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).status();
    assert!(status.expect("the linker of Rust is there").success());
    library
}

#[test]
fn a_clock_that_is_ahead_changes_nothing() {
    let folder = Folder::new();
    let (mut network, engines) = new_network(&folder);
    let clock = build_clock(folder.path());
    (0..3).for_each(|index| network.start(index));
    network.start_with(3, &[("LD_PRELOAD", &clock)]);
    assert_same_chains(&network, &engines, 12);
    let [others, ahead] = [0, 3].map(|index| network.stream_blocks(index, 1).take(12).collect::<Vec<_>>());
    for (other, own) in others.iter().zip(&ahead) {
        let decision = |block: &StreamedBlock| (block.height, block.round, block.proposer.clone());
        assert_eq!(decision(other), decision(own));
        let difference = own.time_millis - other.time_millis;
        assert!(difference > 3_000_000.0, "the clock is {difference} ms ahead");
        assert!(own.interval_micros.is_none_or(|interval| interval < 3_000_000_000), "{own:?}");
    }
    let address = &network.addresses()[3];
    assert!(others.iter().any(|block| block.proposer == *address), "no block of validator 3: {others:?}");
}
