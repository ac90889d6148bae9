//! Tests of validators that decide blocks together.

use std::collections::BTreeSet;

use nix::sys::signal::Signal;

use crate::folder::Folder;
use crate::validators::{Block, Network};

/// Short timeouts, so that an absent proposer does not delay the others for long.
const TIMEOUTS: &str = r#"
consensus.timeout_propose = "500ms"
consensus.timeout_prevote = "300ms"
consensus.timeout_precommit = "300ms"
consensus.timeout_rebroadcast = "1s"
"#;

fn first_blocks(network: &Network, index: usize, count: usize) -> Vec<Block> {
    network.wait_for_height(index, 1);
    network.blocks(index, 1).take(count).collect()
}

/// Checks that all validators report the same consecutive blocks, each of the configured size. Measurements rely on
/// this.
fn check_blocks(network: &Network, size: u64) {
    let told: Vec<_> = (0..4).map(|index| first_blocks(network, index, 12)).collect();
    for blocks in &told {
        assert_eq!(blocks.iter().map(|block| block.height).collect::<Vec<_>>(), (1..=12).collect::<Vec<_>>());
        assert!(blocks.iter().all(|block| block.bytes == size && block.transactions == 0));
        assert!(blocks.is_sorted_by(|one, next| one.time_millis < next.time_millis));
    }
    let decisions =
        |blocks: &[Block]| -> Vec<_> { blocks.iter().map(|block| (block.round, block.proposer.clone())).collect() };
    assert!(told.iter().all(|blocks| decisions(blocks) == decisions(&told[0])), "{told:?}");
    let proposers: BTreeSet<_> = told[0].iter().map(|block| block.proposer.clone()).collect();
    assert!(proposers.len() > 1 && proposers.is_subset(&network.addresses()), "{proposers:?}");
}

/// Checks that the metrics match the streamed blocks.
fn check_metrics(network: &Network, size: u64) {
    let (status, text) = network.get(0, "/ready").expect("an answer");
    assert_eq!((status, text.as_str()), (200, "ready\n"));
    let metric = |name: &str| network.metric(0, &format!("malachite_bench_{name}")).expect(name);
    let least = metric("blocks_total");
    let counts = [
        metric("height"),
        metric("block_bytes_total") / size as f64,
        metric("block_size_bytes_sum") / size as f64,
        metric("rounds_count"),
    ];
    let (times, intervals) = (metric("consensus_time_seconds_count"), metric("block_time_seconds_count"));
    // A block from a peer's store has no time, and there is no interval before and after it.
    let (most, synced) = (metric("height"), metric("blocks_synced_total"));
    // The validators decide further blocks during these requests.
    assert!(least >= 12.0 && counts.iter().all(|count| (least..=most).contains(count)), "{least} {counts:?} {most}");
    assert!(times <= most && times + synced >= least, "{least} {times} {synced} {most}");
    assert!(intervals < most && intervals + 1.0 + 2.0 * synced >= least, "{least} {intervals} {synced} {most}");
    assert!(metric("block_time_seconds_sum") > 0.0);
    assert!(network.metric(0, "malachitebft_core_consensus_connected_peers").expect("the library's") >= 3.0);
}

fn check_network(settings: &str, size: u64) {
    let mut network = Network::started(4, &format!("{TIMEOUTS}block.size = {size}\n{settings}"));
    check_blocks(&network, size);
    check_metrics(&network, size);
    for index in 0..4 {
        let status = network.signal(index, [Signal::SIGTERM, Signal::SIGINT][index % 2]);
        assert_eq!(status.code(), Some(0), "{}", network.log_of(index));
    }
}

#[test]
fn four_validators_decide_blocks_that_are_streamed_in_parts() {
    check_network("block.part_size = 16384", 200_000);
}

#[test]
fn four_validators_decide_blocks_that_proposals_carry() {
    check_network("consensus.payload = \"proposal-only\"\nblock.content = \"repeated\"", 50_000);
}

#[test]
fn four_validators_decide_by_broadcast() {
    check_network("network.gossip.protocol = \"broadcast\"", 1024);
}

#[test]
fn one_validator_alone_decides_at_the_set_pace() {
    let network = Network::started(1, "block.size = 1\nconsensus.target_time = \"100ms\"");
    let blocks = first_blocks(&network, 0, 10);
    let elapsed = blocks[9].time_millis - blocks[0].time_millis;
    assert!(elapsed >= 850.0, "nine heights of 100 ms each took {elapsed} ms");
}

#[test]
fn blocks_and_metrics_are_served_on_separate_ports() {
    let network = Network::started(1, "block.size = 1");
    network.wait_for_height(0, 1);
    let status = |answer: Option<(u16, String)>| answer.expect("an answer").0;
    assert_eq!(network.blocks(0, 1).next().map(|block| block.height), Some(1));
    assert_eq!(status(network.get(0, "/ready")), 200);
    assert_eq!(status(network.get(0, "/metrics")), 404);
    assert_eq!(status(network.get_at_metrics_port(0, "/metrics")), 200);
    assert_eq!(status(network.get_at_metrics_port(0, "/blocks")), 404);
    assert_eq!(status(network.get_at_metrics_port(0, "/ready")), 404);
}

#[test]
fn a_killed_validator_restarts_and_catches_up() {
    let mut network = Network::started(4, &format!("{TIMEOUTS}block.size = 10000"));
    network.wait_for_height(3, 5);
    network.kill(3);
    let missed = network.height(0);
    network.wait_for_height(0, missed + 8);
    network.start(3);
    let synced = || network.metric(3, "malachite_bench_blocks_synced_total").is_some_and(|synced| synced > 0.0);
    network.eventually("validator 3 gets what it has missed", synced);

    // The first may be the block that it was deciding when it was killed.
    let mut told: Vec<Block> = Vec::new();
    for block in network.blocks(3, 1) {
        let caught_up = !block.synced && told.iter().any(|block| block.synced);
        told.push(block);
        if caught_up {
            break;
        }
    }
    let first = told[0].height;
    assert!(first > 5, "what was decided before the restart is not told again");
    assert!(told.iter().zip(first..).all(|(block, height)| block.height == height && block.bytes == 10000), "{told:?}");
    let reference: Vec<_> = network.blocks(0, first).take(told.len()).map(|block| block.proposer).collect();
    assert_eq!(told.iter().map(|block| block.proposer.clone()).collect::<Vec<_>>(), reference);
}

#[test]
fn a_network_that_is_killed_goes_on_where_it_was() {
    for payload in ["proposal-and-parts", "proposal-only"] {
        let settings = format!("{TIMEOUTS}block.size = 10000\nconsensus.payload = \"{payload}\"");
        let mut network = Network::started(4, &settings);
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
fn a_validator_that_its_peers_cannot_help_says_so() {
    let mut network = Network::new(4, &format!("{TIMEOUTS}block.size = 1000\nstore.heights = 3"));
    (0..3).for_each(|index| network.start(index));
    network.wait_for_height(0, 8);
    network.start(3);
    let says =
        || network.get(3, "/ready").is_some_and(|(status, text)| status == 503 && text.contains("cannot catch up"));
    network.eventually("validator 3 says that it cannot catch up", says);
    assert!(network.log_of(3).contains("cannot catch up: block 1 comes next, but the peers keep none before"));
}

#[test]
fn a_validator_alone_of_four_is_not_ready_and_stops_in_order() {
    let mut network = Network::new(4, "");
    network.start(0);
    network.eventually("the consensus starts", || {
        network.get(0, "/ready").is_some_and(|(_, text)| text.contains("no block decided since the start: height 1"))
    });
    assert_eq!(network.get(0, "/ready").expect("an answer").0, 503);
    let stream = network.blocks(0, 1);
    assert_eq!(network.signal(0, Signal::SIGTERM).code(), Some(0));
    assert_eq!(stream.count(), 0, "the stream ends with the validator");
}

#[test]
fn what_is_refused_ends_with_a_line_and_a_code_of_its_own() {
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
    let (code, text) = run(&["init", "--validators", "1001", "--out", "nowhere"]);
    assert_eq!(code, Some(2));
    assert!(text.contains("invalid value '1001' for '--validators <VALIDATORS>': 1001 is not in 1..=1000"), "{text}");
}
