//! Valid and invalid configurations.

use malachite_bench::config::Config;

const MINIMAL: &str = r#"
moniker = "validator-0"
key = "key.json"
genesis = "genesis.json"
home = "home"
"#;

#[test]
fn defaults_are_valid() {
    let config = Config::parse(MINIMAL).expect("the defaults go together");
    assert_eq!(config.max_block_size(), 1 << 20);
    assert_eq!(config.block.part_size, 128 << 10);
    assert_eq!(config.network.listen.to_string(), "/ip4/0.0.0.0/tcp/27000");
    assert_eq!(config.http.listen.to_string(), "0.0.0.0:29000");
    assert_eq!(config.metrics.listen.to_string(), "0.0.0.0:29001");
    assert_eq!(config.consensus.target_time, None);
}

/// The configuration in the README must be valid.
#[test]
fn readme_example_is_valid() {
    let readme = include_str!("../../README.md");
    let example = readme.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
    Config::parse(example.expect("the README has an example")).expect("the example is right");
}

#[test]
fn execution_client_needs_only_its_socket() {
    let text = format!("{MINIMAL}[execution]\nsocket = \"/run/execution/geth.ipc\"\n[block]\npart_size = 65536\n");
    let config = Config::parse(&text).expect("the client builds the blocks");
    assert_eq!(config.execution.expect("a client").request_timeout.as_secs(), 8);
}

#[test]
fn peers_are_hosts_or_multiaddresses() {
    let text =
        format!("{MINIMAL}[network]\npeers = [\"a.b:27000\", \"10.0.0.1:1\", \"[::1]:2\", \"/dns4/host/tcp/3\"]\n");
    let peers = Config::parse(&text).expect("all are addresses").network.peers;
    let peers: Vec<_> = peers.iter().map(ToString::to_string).collect();
    assert_eq!(peers, ["/dns4/a.b/tcp/27000", "/ip4/10.0.0.1/tcp/1", "/ip6/::1/tcp/2", "/dns4/host/tcp/3"]);
}

/// Each error is one line with the key, the value and the valid values.
#[test]
fn invalid_values_give_a_one_line_error() {
    let refused = [
        ("", "colour = 1", "unknown field `colour`, expected one of `moniker`"),
        ("", "moniker = \"x\"", "line 6: moniker = \"x\": duplicate key"),
        ("block", "size = 0", "block.size: 0 is out of range: 1 to 67108864"),
        ("block", "size = 67108865", "block.size: 67108865 is out of range: 1 to 67108864"),
        ("block", "size = -1", "line 7: size = -1: invalid value: integer `-1`, expected u64"),
        ("block", "part_size = 255", "block.part_size: 255 is out of range: 256 to 67108864"),
        ("block", "content = \"zeros\"", "unknown variant `zeros`, expected `random` or `repeated`"),
        (
            "block",
            "part_size = 8388608\nsize = 8388608",
            "network.pubsub_max_size: 4194304 is too small for block.part_size 8388608: at least 8585216",
        ),
        ("block", "size = 12582912", "too small for block.size 12582912: at least 12779520 bytes each"),
        (
            "consensus",
            "payload = \"parts-only\"",
            "unknown variant `parts-only`, expected `proposal-and-parts` or `proposal-only`",
        ),
        (
            "consensus",
            "timeout_propose = \"3\"",
            "line 7: timeout_propose = \"3\": invalid value: string \"3\", expected a duration",
        ),
        ("network", "listen = \"nowhere\"", "\"nowhere\" is not an address; want host:port or /dns4/host/tcp/port"),
        ("network", "peers = [\"a:b\"]", "\"a:b\" is not an address"),
        ("network", "peers = [\"/dns4/host\"]", "\"/dns4/host\" is not an address"),
        ("network.gossip", "protocol = \"flood\"", "unknown variant `flood`, expected `gossipsub` or `broadcast`"),
        ("network.gossip", "mesh_n_low = 7", "network.gossip.mesh_n_low: 7 is out of range: 1 to 6"),
        ("network.gossip", "mesh_n_high = 5", "network.gossip.mesh_n_high: 5 is out of range: 6 to 1000"),
        ("network.gossip", "mesh_outbound_min = 4", "network.gossip.mesh_outbound_min: 4 is out of range: 1 to 3"),
        ("network.discovery", "outbound_peers = 0", "network.discovery.outbound_peers: 0 is out of range: 1 to 1000"),
        ("sync", "batch_size = 0", "sync.batch_size: 0 is out of range: 1 to 1000"),
        ("sync", "request_timeout = \"0s\"", "sync.request_timeout: 0s is out of range: more than 0s"),
        ("store", "heights = 0", "store.heights: 0 is out of range: 1 or more"),
        ("runtime", "threads = 1025", "runtime.threads: 1025 is out of range: 0 to 1024"),
        ("http", "listen = \"29000\"", "line 7: listen = \"29000\": invalid socket address syntax"),
        ("metrics", "listen = \"29001\"", "line 7: listen = \"29001\": invalid socket address syntax"),
        ("execution", "request_timeout = \"8s\"", "missing field `socket`"),
        ("execution", "socket = \"\"", "execution.socket: \"\" is empty"),
        ("execution", "socket = \"a\"\nurl = \"b\"", "unknown field `url`, expected `socket` or `request_timeout`"),
        ("execution", "socket = \"a\"\nrequest_timeout = \"0s\"", "execution.request_timeout: 0s is out of range"),
        ("execution", "socket = \"a\"\n[block]\nsize = 1024", "block.size: not allowed with [execution]"),
        ("execution", "socket = \"a\"\n[block]\ncontent = \"random\"", "block.content: not allowed with [execution]"),
        (
            "execution",
            "socket = \"a\"\n[consensus]\npayload = \"proposal-only\"",
            "consensus.payload: proposal-only is not allowed with [execution]",
        ),
        (
            "execution",
            "socket = \"a\"\n[sync]\nmax_response_size = 9437184",
            "too small for [execution] blocks of 9437184: at least 9633792 bytes each",
        ),
        ("log", "level = \"loud\"", "unknown variant `loud`"),
    ];
    for (table, line, message) in refused {
        let heading = if table.is_empty() { String::new() } else { format!("[{table}]\n") };
        let error = Config::parse(&format!("{MINIMAL}{heading}{line}\n")).expect_err(line).to_string();
        assert!(error.contains(message), "{table} {line}: {error}");
        assert!(!error.contains('\n'), "{table} {line}: {error}");
    }
}

#[test]
fn proposal_only_mode_requires_messages_as_large_as_blocks() {
    let text = format!("{MINIMAL}[block]\nsize = 4194304\n[consensus]\npayload = \"proposal-only\"\n");
    let error = Config::parse(&text).expect_err("the message does not fit").to_string();
    assert!(error.contains("network.pubsub_max_size: 4194304 is too small for block.size 4194304"), "{error}");
    Config::parse(&format!("{text}[network]\npubsub_max_size = 4390912\n")).expect("now it fits");
}

#[test]
fn block_may_exceed_a_response_without_sync() {
    let text = format!("{MINIMAL}[block]\nsize = 12582912\n[sync]\nenabled = false\n");
    Config::parse(&text).expect("no peer requests blocks");
}
