//! Tests of validators that decide blocks together.

use std::collections::BTreeSet;
use std::thread::sleep;
use std::time::Duration;

use nix::sys::signal::Signal;

use crate::folder::Folder;
use crate::validators::{Network, StreamedBlock};

/// Short timeouts, so that an absent proposer does not delay the others for long.
const TIMEOUTS: &str = r#"
consensus.timeout_propose = "500ms"
consensus.timeout_prevote = "300ms"
consensus.timeout_precommit = "300ms"
consensus.timeout_rebroadcast = "1s"
"#;

fn first_blocks(network: &Network, index: usize, count: usize) -> Vec<StreamedBlock> {
    network.wait_for_height(index, 1);
    network.stream_blocks(index, 1).take(count).collect()
}

/// Checks that all validators report the same consecutive blocks, each of the configured size. Measurements rely on
/// this.
fn check_blocks(network: &Network, size: u64) {
    let streamed: Vec<_> = (0..4).map(|index| first_blocks(network, index, 12)).collect();
    for blocks in &streamed {
        assert_eq!(blocks.iter().map(|block| block.height).collect::<Vec<_>>(), (1..=12).collect::<Vec<_>>());
        assert!(blocks.iter().all(|block| block.bytes == size && block.transactions == 0));
        assert!(
            blocks.windows(2).all(|pair| pair[0].synced || pair[1].synced || pair[1].interval_micros > Some(0)),
            "{blocks:?}"
        );
        assert!(blocks.iter().all(|block| block.synced || block.consensus_micros > Some(0)), "{blocks:?}");
        assert!(blocks.is_sorted_by(|one, next| one.time_millis < next.time_millis));
    }
    let decisions = |blocks: &[StreamedBlock]| -> Vec<_> {
        blocks.iter().map(|block| (block.round, block.proposer.clone())).collect()
    };
    assert!(streamed.iter().all(|blocks| decisions(blocks) == decisions(&streamed[0])), "{streamed:?}");
    let proposers: BTreeSet<_> = streamed[0].iter().map(|block| block.proposer.clone()).collect();
    assert!(proposers.len() > 1 && proposers.is_subset(&network.addresses().into_iter().collect()), "{proposers:?}");
}

/// Checks that the metrics match the streamed blocks.
fn check_metrics(network: &Network, size: u64) {
    let (status, text) = network.get_path(0, "/ready").expect("an answer");
    assert_eq!((status, text.as_str()), (200, "ready\n"));
    let metric = |name: &str| network.metric(0, &format!("malachite_bench_{name}")).expect(name);
    let min = metric("blocks_total");
    let counts = [
        metric("height"),
        metric("block_bytes_total") / size as f64,
        metric("block_size_bytes_sum") / size as f64,
        metric("rounds_count"),
    ];
    let (times, intervals) = (metric("consensus_time_seconds_count"), metric("block_time_seconds_count"));
    // A block from a peer's store has no time, and there is no interval before and after it.
    let (max, synced) = (metric("height"), metric("blocks_synced_total"));
    // The validators decide further blocks during these requests.
    assert!(min >= 12.0 && counts.iter().all(|count| (min..=max).contains(count)), "{min} {counts:?} {max}");
    assert!(times <= max && times + synced >= min, "{min} {times} {synced} {max}");
    assert!(intervals < max && intervals + 1.0 + 2.0 * synced >= min, "{min} {intervals} {synced} {max}");
    assert!(metric("block_time_seconds_sum") > 0.0);
    assert!(network.metric(0, "malachitebft_core_consensus_connected_peers").expect("the library's") >= 3.0);
}

fn check_network(settings: &str, size: u64) {
    let mut network = Network::start_all(4, &format!("{TIMEOUTS}block.size = {size}\n{settings}"));
    check_blocks(&network, size);
    check_metrics(&network, size);
    for index in 0..4 {
        let status = network.send_signal(index, [Signal::SIGTERM, Signal::SIGINT][index % 2]);
        assert_eq!(status.code(), Some(0), "{}", network.read_log(index));
    }
}

#[test]
fn four_validators_decide_blocks_streamed_in_parts() {
    check_network("block.part_size = 16384", 200_000);
}

#[test]
fn four_validators_decide_blocks_inside_proposals() {
    check_network("consensus.payload = \"proposal-only\"\nblock.content = \"repeated\"", 50_000);
}

#[test]
fn four_validators_decide_by_broadcast() {
    check_network("network.gossip.protocol = \"broadcast\"", 1024);
}

#[test]
fn validator_reports_its_turns() {
    let network = Network::start_all(4, &format!("{TIMEOUTS}block.size = 1000"));
    network.wait_for_height(3, 3);
    let address = network.addresses().swap_remove(3);
    for _ in 0..3 {
        let (status, text) = network.get_path(3, "/turn").expect("an answer");
        assert_eq!(status, 200, "{text}");
        let turn: serde_json::Value = serde_json::from_str(&text).expect("a turn is JSON");
        assert_eq!(turn["proposer"], address);
        let block = network.stream_blocks(0, turn["height"].as_u64().expect("a number")).next().expect("a block");
        assert_eq!(turn["height"], block.height);
        assert_eq!(turn["round"] == block.round, block.proposer == address, "{turn} {block:?}");
    }
}

#[test]
fn single_validator_decides_at_the_target_time() {
    let network = Network::start_all(1, "block.size = 1\nconsensus.target_time = \"100ms\"");
    let blocks = first_blocks(&network, 0, 10);
    let elapsed = blocks[9].time_millis - blocks[0].time_millis;
    assert!(elapsed >= 850.0, "nine heights of 100 ms each took {elapsed} ms");
}

#[test]
fn blocks_and_metrics_are_served_on_separate_ports() {
    let network = Network::start_all(1, "block.size = 1");
    network.wait_for_height(0, 1);
    let status = |answer: Option<(u16, String)>| answer.expect("an answer").0;
    assert_eq!(network.stream_blocks(0, 1).next().map(|block| block.height), Some(1));
    assert_eq!(status(network.get_path(0, "/ready")), 200);
    assert_eq!(status(network.get_path(0, "/metrics")), 404);
    assert_eq!(status(network.get_metrics_path(0, "/metrics")), 200);
    assert_eq!(status(network.get_metrics_path(0, "/blocks")), 404);
    assert_eq!(status(network.get_metrics_path(0, "/ready")), 404);
}

/// Kills a validator with a tenth of the power, without which the others go on, and then one with seven tenths.
#[test]
fn killed_validator_restarts_and_catches_up() {
    let mut network = Network::init(4, ["--powers", "70,10,10,10"], &format!("{TIMEOUTS}block.size = 10000"));
    (0..4).for_each(|index| network.start(index));
    network.wait_for_height(3, 5);
    network.kill(3);
    let missed = network.height(0);
    network.wait_for_height(0, missed + 8);
    network.start(3);
    let synced = || network.metric(3, "malachite_bench_blocks_synced_total").is_some_and(|synced| synced > 0.0);
    network.wait_until("validator 3 gets the missed blocks", synced);

    // The first may be the block that it was deciding when it was killed.
    let mut streamed: Vec<StreamedBlock> = Vec::new();
    for block in network.stream_blocks(3, 1) {
        let caught_up = !block.synced && streamed.iter().any(|block| block.synced);
        streamed.push(block);
        if caught_up {
            break;
        }
    }
    let first = streamed[0].height;
    assert!(first > 5, "blocks decided before the restart are not streamed again");
    assert!(
        streamed.iter().zip(first..).all(|(block, height)| block.height == height && block.bytes == 10000),
        "{streamed:?}"
    );
    let last = streamed[streamed.len() - 1].height;
    let reference: Vec<_> = network.stream_blocks(0, 1).take(last as usize).collect();
    let proposers = |blocks: &[StreamedBlock]| blocks.iter().map(|block| block.proposer.clone()).collect::<Vec<_>>();
    assert_eq!(proposers(&streamed), proposers(&reference[first as usize - 1..]));

    let addresses = network.addresses();
    for block in &reference {
        let turn = (block.height as usize + block.round as usize) % 10;
        assert_eq!(block.proposer, addresses[[0, 0, 1, 0, 0, 2, 0, 3, 0, 0][turn]], "{block:?}");
    }
    network.kill(0);
    let heights = || (1..4).map(|index| network.height(index)).collect::<Vec<_>>();
    network.wait_until("three tenths of the power decide no block for a second", || {
        let before = heights();
        sleep(Duration::from_secs(1));
        heights() == before
    });
}

#[test]
fn killed_network_resumes_at_its_height() {
    for payload in ["proposal-and-parts", "proposal-only"] {
        let settings = format!("{TIMEOUTS}block.size = 10000\nconsensus.payload = \"{payload}\"");
        let mut network = Network::start_all(4, &settings);
        network.wait_for_height(0, 5);
        let decided: Vec<_> = (0..4).map(|index| network.height(index)).collect();
        (0..4).for_each(|index| network.kill(index));
        (0..4).for_each(|index| network.start(index));
        for (index, before) in decided.into_iter().enumerate() {
            network.wait_for_height(index, before + 8);
            let first = first_blocks(&network, index, 1)[0].height;
            assert!(first > before, "validator {index} decided height {first} again, after {before}");
        }
    }
}

#[test]
fn validator_reports_that_peers_pruned_its_next_block() {
    let mut network = Network::new(4, &format!("{TIMEOUTS}block.size = 1000\nstore.heights = 3"));
    (0..3).for_each(|index| network.start(index));
    network.wait_for_height(0, 8);
    network.start(3);
    let reports_pruned = || {
        network.get_path(3, "/ready").is_some_and(|(status, text)| status == 503 && text.contains("cannot catch up"))
    };
    network.wait_until("validator 3 reports that it cannot catch up", reports_pruned);
    assert!(network.read_log(3).contains("cannot catch up: block 1 comes next, but the first that a peer stores is"));
}

#[test]
fn one_of_four_validators_is_not_ready_and_stops_cleanly() {
    let mut network = Network::new(4, "");
    network.start(0);
    network.wait_until("the consensus starts", || {
        network
            .get_path(0, "/ready")
            .is_some_and(|(_, text)| text.contains("no block decided since the start: height 1"))
    });
    assert_eq!(network.get_path(0, "/ready").expect("an answer").0, 503);
    let stream = network.stream_blocks(0, 1);
    assert_eq!(network.send_signal(0, Signal::SIGTERM).code(), Some(0));
    assert_eq!(stream.count(), 0, "the stream ends with the validator");
}

#[test]
fn invalid_input_exits_with_code_2_and_one_line() {
    let folder = Folder::new();
    let path = folder.path().join("config.toml");
    std::fs::write(&path, "moniker = 7\n").expect("write");
    let run = |arguments: &[&str]| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_malachite-bench")).args(arguments).output();
        let output = output.expect("the program runs");
        (output.status.code(), String::from_utf8(output.stderr).expect("text"))
    };
    let (code, text) = run(&["start", "--config", path.to_str().expect("text")]);
    assert_eq!(code, Some(2));
    assert!(
        text.ends_with("config.toml: line 1: moniker = 7: invalid type: integer `7`, expected a string\n"),
        "{text}"
    );
    assert_eq!(text.lines().count(), 1);
    for (validators, message) in [
        ("--validators 1001", "'1001' for '--validators <VALIDATORS>': 1001 is not in 1..=1000"),
        ("--powers 70,0", "'0' for '--powers <POWERS>': 0 is not in 1..=1000"),
        ("--powers 1001", "'1001' for '--powers <POWERS>': 1001 is not in 1..=1000"),
        ("--powers 7 --validators 2", "cannot be used with"),
        ("", "required arguments were not provided"),
    ] {
        let arguments: Vec<_> = "init --out nowhere".split(' ').chain(validators.split_whitespace()).collect();
        let (code, text) = run(&arguments);
        assert_eq!(code, Some(2));
        assert!(text.contains(message), "{text}");
    }
}
