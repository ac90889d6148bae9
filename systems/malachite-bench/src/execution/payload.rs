//! The bytes of a block with an execution payload.

use borsh::{BorshDeserialize, BorshSerialize};
use bytes::Bytes;
use eyre::{Result, WrapErr, ensure};
use serde::{Deserialize, Serialize};

use super::hex::{FixedBytes, Hash, HexBytes, Quantity, Recipient};

/// Maximum size of a block in bytes. The protocol of the execution client limits its blocks to 8 MiB in RLP.
pub const MAX_PAYLOAD_SIZE: u64 = 9 << 20;

/// An execution payload with what the client needs besides it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    /// The round that the payload was built in. A later round may propose it again.
    pub round: u32,
    pub execution: ExecutionPayload,
    pub requests: Vec<HexBytes>,
    /// The versioned hashes of blobs, in the order of their transactions.
    pub blob_hashes: Vec<Hash>,
}

/// The payload of `engine_newPayloadV4`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExecutionPayload {
    pub parent_hash: Hash,
    pub fee_recipient: Recipient,
    pub state_root: Hash,
    pub receipts_root: Hash,
    pub logs_bloom: FixedBytes<256>,
    pub prev_randao: Hash,
    pub block_number: Quantity,
    pub gas_limit: Quantity,
    pub gas_used: Quantity,
    pub timestamp: Quantity,
    pub extra_data: HexBytes,
    pub base_fee_per_gas: Quantity,
    pub block_hash: Hash,
    pub transactions: Vec<HexBytes>,
    /// Always empty.
    pub withdrawals: [u8; 0],
    pub blob_gas_used: Quantity,
    pub excess_blob_gas: Quantity,
}

/// The block on the wire. Transactions are raw, which takes half the bytes of their JSON.
#[derive(BorshSerialize, BorshDeserialize)]
struct EncodedPayload {
    round: u32,
    /// The execution payload in JSON with an empty list of transactions.
    header: Vec<u8>,
    requests: Vec<HexBytes>,
    blob_hashes: Vec<Hash>,
    transactions: Vec<HexBytes>,
}

impl Payload {
    pub fn into_block(self) -> Result<Bytes> {
        let Self { round, mut execution, requests, blob_hashes } = self;
        let transactions = std::mem::take(&mut execution.transactions);
        let header = serde_json::to_vec(&execution)?;
        Ok(borsh::to_vec(&EncodedPayload { round, header, requests, blob_hashes, transactions })?.into())
    }

    /// Decodes a block, which may come from a faulty validator.
    pub fn decode(block: &[u8]) -> Result<Self> {
        let size = block.len();
        ensure!(size as u64 <= MAX_PAYLOAD_SIZE, "{size} bytes are more than the maximum of {MAX_PAYLOAD_SIZE}");
        let EncodedPayload { round, header, requests, blob_hashes, transactions } =
            borsh::from_slice(block).wrap_err("decode a block")?;
        let mut execution: ExecutionPayload =
            serde_json::from_slice(&header).wrap_err("decode the header of an execution payload")?;
        ensure!(execution.transactions.is_empty(), "the header of an execution payload has transactions");
        execution.transactions = transactions;
        Ok(Self { round, execution, requests, blob_hashes })
    }

    pub fn number(&self) -> u64 {
        self.execution.block_number.0
    }

    pub fn hash(&self) -> Hash {
        self.execution.block_hash
    }
}
