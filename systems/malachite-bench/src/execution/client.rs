//! A JSON-RPC client for the IPC socket of an execution client.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use eyre::{Result, WrapErr, bail, ensure, eyre};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use super::hex::{FixedBytes, Hash, HexBytes, Quantity, Recipient};
use super::payload::{ExecutionPayload, Payload};
use crate::metrics::{ClientRequest, Metrics};

/// Maximum size of a response in bytes: a payload of the maximum size in JSON, with space for blobs.
const MAX_RESPONSE_SIZE: usize = 64 << 20;

const ZERO_HASH: Hash = FixedBytes([0; 32]);

/// Sends one request at a time. Any failure closes the connection, and the next request opens another.
#[derive(Debug)]
pub struct Client {
    socket: PathBuf,
    timeout: Duration,
    metrics: Metrics,
    connection: Option<UnixStream>,
    last_id: u64,
}

/// A block of the client's chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct BlockHeader {
    pub number: Quantity,
    pub hash: Hash,
    pub timestamp: Quantity,
}

/// The client's verdict on a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    Valid,
    Invalid(String),
    /// The client does not have the ancestors of the block.
    Syncing,
}

/// What a new block is built from.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PayloadAttributes {
    pub timestamp: Quantity,
    pub prev_randao: Hash,
    pub suggested_fee_recipient: Recipient,
    withdrawals: [u8; 0],
    parent_beacon_block_root: Hash,
}

#[derive(Serialize)]
struct Request<'a, P> {
    jsonrpc: &'static str,
    id: u64,
    method: &'a str,
    params: P,
}

#[derive(Deserialize)]
struct Response<T> {
    id: Option<u64>,
    result: Option<T>,
    error: Option<ResponseError>,
}

#[derive(Deserialize)]
struct ResponseError {
    code: i64,
    message: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BuiltPayload {
    execution_payload: ExecutionPayload,
    blobs_bundle: Option<BlobsBundle>,
    execution_requests: Option<Vec<HexBytes>>,
}

#[derive(Deserialize)]
struct BlobsBundle {
    commitments: Vec<HexBytes>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PayloadStatus {
    status: String,
    validation_error: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ForkchoiceResponse {
    payload_status: PayloadStatus,
}

impl PayloadAttributes {
    pub fn new(timestamp: u64, prev_randao: Hash, suggested_fee_recipient: Recipient) -> Self {
        let timestamp = Quantity(timestamp);
        let parent_beacon_block_root = ZERO_HASH;
        Self { timestamp, prev_randao, suggested_fee_recipient, withdrawals: [], parent_beacon_block_root }
    }
}

impl Client {
    pub fn new(socket: PathBuf, timeout: Duration, metrics: Metrics) -> Self {
        Self { socket, timeout, metrics, connection: None, last_id: 0 }
    }

    /// Returns the last block of the client's chain.
    pub async fn head(&mut self) -> Result<BlockHeader> {
        self.call("eth_getBlockByNumber", ("latest", false)).await
    }

    /// Returns the block of a number. Fails if the client does not have it.
    pub async fn block(&mut self, number: u64) -> Result<BlockHeader> {
        self.call("eth_getBlockByNumber", (Quantity(number), false)).await
    }

    /// Builds a block of the pool's transactions on `parent`, which must be the head. Does not execute it.
    pub async fn build(&mut self, parent: Hash, attributes: PayloadAttributes, round: u32) -> Result<Payload> {
        let params = (parent, attributes, (), ());
        let built: BuiltPayload = self.measure(ClientRequest::Build, "testing_buildBlockV1", params).await?;
        let commitments = built.blobs_bundle.map(|bundle| bundle.commitments).unwrap_or_default();
        Ok(Payload {
            round,
            execution: built.execution_payload,
            requests: built.execution_requests.unwrap_or_default(),
            blob_hashes: commitments.iter().map(versioned_hash).collect(),
        })
    }

    /// Executes a block.
    pub async fn new_payload(&mut self, payload: &Payload) -> Result<Status> {
        let params = (&payload.execution, &payload.blob_hashes, ZERO_HASH, &payload.requests);
        let status: PayloadStatus = self.measure(ClientRequest::Execute, "engine_newPayloadV4", params).await?;
        status.try_into()
    }

    /// Makes an executed block the head of the chain and final.
    pub async fn forkchoice_updated(&mut self, head: Hash) -> Result<Status> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct ForkchoiceState {
            head_block_hash: Hash,
            safe_block_hash: Hash,
            finalized_block_hash: Hash,
        }
        let state = ForkchoiceState { head_block_hash: head, safe_block_hash: head, finalized_block_hash: head };
        let response: ForkchoiceResponse =
            self.measure(ClientRequest::Finalize, "engine_forkchoiceUpdatedV3", (state, ())).await?;
        response.payload_status.try_into()
    }

    /// Sends a request and records its duration if it succeeds.
    async fn measure<T: DeserializeOwned>(
        &mut self,
        request: ClientRequest,
        method: &str,
        params: impl Serialize,
    ) -> Result<T> {
        let begin = Instant::now();
        let result = self.call(method, params).await?;
        self.metrics.record_request(request, begin.elapsed());
        Ok(result)
    }

    async fn call<T: DeserializeOwned>(&mut self, method: &str, params: impl Serialize) -> Result<T> {
        self.last_id += 1;
        let id = self.last_id;
        let request = serde_json::to_vec(&Request { jsonrpc: "2.0", id, method, params })?;
        let seconds = self.timeout.as_secs_f64();
        let response = tokio::time::timeout(self.timeout, self.exchange(&request))
            .await
            .map_err(|_| eyre!("{method}: no response within {seconds} s"))?
            .wrap_err_with(|| format!("{method}: {}", self.socket.display()))?;
        let response: Response<T> =
            serde_json::from_slice(&response).wrap_err_with(|| format!("{method}: decode the response"))?;
        if let Some(ResponseError { code, message }) = response.error {
            bail!("{method}: {message} ({code})");
        }
        ensure!(response.id == Some(id), "{method}: the response is for another request");
        response.result.ok_or_else(|| eyre!("{method}: the response is empty"))
    }

    /// Returns the response to a request. The connection is kept only on success.
    async fn exchange(&mut self, request: &[u8]) -> Result<Vec<u8>> {
        let mut stream = match self.connection.take() {
            Some(stream) => stream,
            None => UnixStream::connect(&self.socket).await.wrap_err("connect")?,
        };
        stream.write_all(request).await.wrap_err("send")?;
        let response = read_object(&mut stream).await.wrap_err("receive")?;
        self.connection = Some(stream);
        Ok(response)
    }
}

/// Reads a JSON object, which nothing separates from the next.
async fn read_object(stream: &mut UnixStream) -> Result<Vec<u8>> {
    let mut object = Vec::with_capacity(4096);
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    let mut scanned = 0;
    loop {
        for byte in &object[scanned..] {
            scanned += 1;
            match byte {
                _ if escaped => escaped = false,
                b'\\' if in_string => escaped = true,
                b'"' => in_string = !in_string,
                b'{' if !in_string => depth += 1,
                b'}' if !in_string => {
                    depth = depth.checked_sub(1).ok_or_else(|| eyre!("not a JSON object"))?;
                    if depth == 0 {
                        // With one request at a time, nothing but white space follows.
                        object.truncate(scanned);
                        return Ok(object);
                    }
                }
                _ => {}
            }
        }
        ensure!(object.len() <= MAX_RESPONSE_SIZE, "more than {MAX_RESPONSE_SIZE} bytes");
        object.reserve(64 << 10);
        ensure!(stream.read_buf(&mut object).await? > 0, "the connection was closed");
    }
}

/// Returns the hash that a transaction has of a blob.
fn versioned_hash(commitment: &HexBytes) -> Hash {
    let mut hash: [u8; 32] = Sha256::digest(&commitment.0).into();
    hash[0] = 1;
    FixedBytes(hash)
}

impl TryFrom<PayloadStatus> for Status {
    type Error = eyre::Report;

    fn try_from(PayloadStatus { status, validation_error }: PayloadStatus) -> Result<Self> {
        match status.as_str() {
            "VALID" => Ok(Self::Valid),
            "INVALID" => Ok(Self::Invalid(validation_error.unwrap_or_default())),
            "SYNCING" | "ACCEPTED" => Ok(Self::Syncing),
            _ => Err(eyre!("unknown status of a payload: {status:?}")),
        }
    }
}
