//! An execution client for tests: a deterministic chain behind a Unix socket.

use std::collections::HashMap;
use std::fmt::Write;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;

use serde_json::{Deserializer, Value, json};
use sha2::{Digest, Sha256};

/// How the client answers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Mode {
    #[default]
    Correct,
    /// Closes all connections, as a dead process does.
    Down,
    /// Never answers a request to execute a block.
    Hanging,
    /// Rejects all blocks.
    Rejecting,
    /// Builds blocks with a wrong timestamp.
    WrongTimestamp,
}

/// A fake client. Clones share its chain. The threads end with the test program.
#[derive(Clone)]
pub struct Engine(Arc<Mutex<State>>);

struct State {
    mode: Mode,
    /// All known payloads by hash, without transactions.
    blocks: HashMap<String, Value>,
    /// The hashes of the canonical chain by number.
    chain: Vec<String>,
    methods: Vec<String>,
}

impl Engine {
    /// Listens at a path. All clients have the same genesis block.
    pub fn listen(path: &Path) -> Self {
        let genesis = json!({"blockNumber": "0x0", "timestamp": "0x1"});
        let hash = hash_of(&genesis);
        let state = State {
            mode: Mode::Correct,
            blocks: [(hash.clone(), genesis)].into(),
            chain: vec![hash],
            methods: Vec::new(),
        };
        let engine = Self(Arc::new(Mutex::new(state)));
        let listener = UnixListener::bind(path).expect("listen");
        let server = engine.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (stream, server) = (stream.expect("accept"), server.clone());
                thread::spawn(move || server.serve(&stream));
            }
        });
        engine
    }

    pub fn set_mode(&self, mode: Mode) {
        self.lock().mode = mode;
    }

    /// Forgets the last blocks, as a client does that is killed.
    pub fn forget(&self, count: usize) {
        let mut state = self.lock();
        let length = state.chain.len().saturating_sub(count).max(1);
        state.chain.truncate(length);
        let chain = state.chain.clone();
        state.blocks.retain(|hash, _| chain.contains(hash));
    }

    /// Returns the hashes of the canonical chain by number.
    pub fn chain(&self) -> Vec<String> {
        self.lock().chain.clone()
    }

    /// Returns how often a method was called.
    pub fn count_calls(&self, method: &str) -> usize {
        self.lock().methods.iter().filter(|called| *called == method).count()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no holder of the lock panics")
    }

    fn serve(&self, stream: &UnixStream) {
        for request in Deserializer::from_reader(stream).into_iter::<Value>() {
            let Ok(request) = request else { return };
            let mut state = self.lock();
            let method = request["method"].as_str().expect("a method").to_owned();
            state.methods.push(method.clone());
            if state.mode == Mode::Down {
                return;
            }
            if state.mode == Mode::Hanging && method == "engine_newPayloadV4" {
                continue;
            }
            let mut response = match state.answer(&method, &request["params"]) {
                Ok(result) => json!({"jsonrpc": "2.0", "result": result}),
                Err(message) => json!({"jsonrpc": "2.0", "error": {"code": -32000, "message": message}}),
            };
            response["id"] = request["id"].clone();
            if serde_json::to_writer(stream, &response).is_err() {
                return;
            }
        }
    }
}

impl State {
    fn answer(&mut self, method: &str, params: &Value) -> Result<Value, &'static str> {
        match method {
            "eth_getBlockByNumber" => Ok(self.header(&params[0])),
            "testing_buildBlockV1" => self.build(text(&params[0]), &params[1]),
            "engine_newPayloadV4" => Ok(self.execute(&params[0])),
            "engine_forkchoiceUpdatedV3" => {
                Ok(json!({"payloadStatus": self.finalize(text(&params[0]["headBlockHash"]))}))
            }
            _ => Err("method not found"),
        }
    }

    fn header(&self, number: &Value) -> Value {
        let number = if number == "latest" { self.chain.len() - 1 } else { parse(number) as usize };
        self.chain.get(number).map_or(Value::Null, |hash| {
            let block = &self.blocks[hash];
            json!({"number": block["blockNumber"], "timestamp": block["timestamp"], "hash": hash, "extraData": "0x"})
        })
    }

    /// Builds a block with one transaction; every third block is empty.
    fn build(&self, parent: &str, attributes: &Value) -> Result<Value, &'static str> {
        if self.chain.last().map(String::as_str) != Some(parent) {
            return Err("parentHash is not current head");
        }
        let number = self.chain.len();
        let transactions = if number.is_multiple_of(3) { json!([]) } else { json!([format!("0x02{number:04x}")]) };
        let timestamp = parse(&attributes["timestamp"]) + u64::from(self.mode == Mode::WrongTimestamp);
        let zero = format!("0x{:064x}", 0);
        let mut payload = json!({
            "parentHash": parent, "feeRecipient": attributes["suggestedFeeRecipient"], "stateRoot": zero,
            "receiptsRoot": zero, "logsBloom": format!("0x{:0512x}", 0), "prevRandao": attributes["prevRandao"],
            "blockNumber": format!("{number:#x}"), "gasLimit": "0x3b9aca00",
            "gasUsed": format!("{:#x}", 21000 * transactions.as_array().expect("a list").len()),
            "timestamp": format!("{timestamp:#x}"), "extraData": "0x", "baseFeePerGas": "0x7", "transactions": transactions,
            "withdrawals": [], "blobGasUsed": "0x0", "excessBlobGas": "0x0",
        });
        payload["blockHash"] = hash_of(&payload).into();
        let blobs = json!({"commitments": [], "proofs": [], "blobs": []});
        Ok(json!({"executionPayload": payload, "blockValue": "0x0", "blobsBundle": blobs, "executionRequests": [],
            "shouldOverrideBuilder": false}))
    }

    fn execute(&mut self, payload: &Value) -> Value {
        let mut block = payload.clone();
        let hash = block.as_object_mut().and_then(|block| block.remove("blockHash")).expect("a hash");
        if self.mode == Mode::Rejecting || hash != hash_of(&block) {
            return json!({"status": "INVALID", "latestValidHash": null, "validationError": "the block is wrong"});
        }
        if !self.blocks.contains_key(text(&payload["parentHash"])) {
            return json!({"status": "SYNCING", "latestValidHash": null, "validationError": null});
        }
        self.blocks.insert(text(&hash).to_owned(), block);
        json!({"status": "VALID", "latestValidHash": hash, "validationError": null})
    }

    /// Makes a known block the head.
    fn finalize(&mut self, hash: &str) -> Value {
        let Some(block) = self.blocks.get(hash) else {
            return json!({"status": "SYNCING", "validationError": null});
        };
        let number = parse(&block["blockNumber"]) as usize;
        if self.chain.get(number).map(String::as_str) != Some(hash) {
            assert_eq!(self.chain[number - 1], text(&block["parentHash"]), "blocks become final in their order");
            self.chain.truncate(number);
            self.chain.push(hash.to_owned());
        }
        json!({"status": "VALID", "validationError": null})
    }
}

fn text(value: &Value) -> &str {
    value.as_str().expect("text")
}

fn parse(number: &Value) -> u64 {
    u64::from_str_radix(&text(number)[2..], 16).expect("a number")
}

fn hash_of(payload: &Value) -> String {
    let digest = Sha256::digest(payload.to_string());
    digest.iter().fold(String::from("0x"), |mut text, byte| {
        write!(text, "{byte:02x}").expect("text grows");
        text
    })
}
