//! The encoding of all messages, on the network and in the write-ahead log of the consensus, in Borsh.
//!
//! In the payload mode proposal-only a proposal contains its block. The log entry of a proposed value contains the
//! block in both modes. Both are encoded with the block from [`Proposals`], and decoding adds the block there.

use std::io::{Error, ErrorKind, Result};

use borsh::{BorshDeserialize, BorshSerialize};
use bytes::Bytes;
use malachitebft_app_channel::app::config::ValuePayload;
use malachitebft_app_channel::app::types::codec::{Codec, HasEncodedLen};
use malachitebft_core_consensus::{LivenessMsg, ProposedValue, SignedConsensusMsg};
use malachitebft_core_types::{
    CommitCertificate, ExtendedCommitCertificate, PolkaCertificate, ValidatorProof, VoteExtensions,
};
use malachitebft_engine::util::streaming::StreamMessage;
use malachitebft_sync::{RawDecidedValue, Request, Response, Status, ValueResponse};

use crate::chain::{Chain, Height, Part, Signature, Value};
use crate::peers::Peers;
use crate::proposals::Proposals;

/// The codec of all messages.
#[derive(Clone, Debug)]
pub struct MessageCodec {
    pub payload: ValuePayload,
    pub proposals: Proposals,
    pub peers: Peers,
}

/// Implements the codec of messages that are encoded in plain Borsh.
macro_rules! plain_borsh_codec {
    ($($message:ty),+ $(,)?) => {$(
        impl Codec<$message> for MessageCodec {
            type Error = Error;

            fn decode(&self, bytes: Bytes) -> Result<$message> {
                borsh::from_slice(&bytes)
            }

            fn encode(&self, message: &$message) -> Result<Bytes> {
                borsh::to_vec(message).map(Bytes::from)
            }
        }
    )+};
}

plain_borsh_codec!(Part, StreamMessage<Part>, LivenessMsg<Chain>, PolkaCertificate<Chain>, Request<Chain>,);

impl MessageCodec {
    /// Encodes a message, followed by the block of its value if there is one.
    fn encode_with_block<T: BorshSerialize>(&self, message: &T, block_of: Option<(Height, Value)>) -> Result<Bytes> {
        let block = block_of.and_then(|(height, value)| self.proposals.get(height, value.id));
        let mut bytes = Vec::with_capacity(512 + block.as_ref().map_or(0, Bytes::len));
        message.serialize(&mut bytes)?;
        block.serialize(&mut bytes)?;
        Ok(bytes.into())
    }

    /// Keeps a received block. Fails if it does not match its value.
    fn store_block(&self, block: Option<Bytes>, height: Height, value: Value) -> Result<()> {
        let Some(block) = block else {
            return Ok(());
        };
        if self.proposals.put(height, block) != value {
            return Err(invalid_message("the block does not have the hash of its value"));
        }
        Ok(())
    }
}

fn invalid_message(what: &'static str) -> Error {
    Error::new(ErrorKind::InvalidData, what)
}

/// Decodes a message and the optional block after it. Fails if anything follows.
fn split_block<T: BorshDeserialize>(bytes: &Bytes) -> Result<(T, Option<Bytes>)> {
    borsh::from_slice(bytes)
}

impl Codec<SignedConsensusMsg<Chain>> for MessageCodec {
    type Error = Error;

    fn encode(&self, message: &SignedConsensusMsg<Chain>) -> Result<Bytes> {
        let block_of = match (message, self.payload) {
            (SignedConsensusMsg::Proposal(proposal), ValuePayload::ProposalOnly) => {
                Some((proposal.height, proposal.value))
            }
            _ => None,
        };
        self.encode_with_block(message, block_of)
    }

    /// Rejects a proposal whose block is missing or too far ahead to be kept. Otherwise the consensus would queue the
    /// proposal until its height and decide on a missing block. A validator that is so far behind gets the height
    /// from its peers.
    fn decode(&self, bytes: Bytes) -> Result<SignedConsensusMsg<Chain>> {
        let (message, block): (SignedConsensusMsg<Chain>, _) = split_block(&bytes)?;
        if let SignedConsensusMsg::Proposal(proposal) = &message {
            let height = proposal.height;
            if self.payload == ValuePayload::ProposalOnly && height > self.proposals.last_decided() {
                if !self.proposals.accepts_height(height) {
                    return Err(invalid_message("the height of a proposal is too far ahead"));
                }
                if block.is_none() {
                    return Err(invalid_message("a proposal without its block"));
                }
            }
            self.store_block(block, height, proposal.value)?;
        }
        Ok(message)
    }
}

impl Codec<ProposedValue<Chain>> for MessageCodec {
    type Error = Error;

    fn encode(&self, proposed: &ProposedValue<Chain>) -> Result<Bytes> {
        self.encode_with_block(proposed, Some((proposed.height, proposed.value)))
    }

    fn decode(&self, bytes: Bytes) -> Result<ProposedValue<Chain>> {
        let (proposed, block): (ProposedValue<Chain>, _) = split_block(&bytes)?;
        self.store_block(block, proposed.height, proposed.value)?;
        Ok(proposed)
    }
}

impl Codec<Status<Chain>> for MessageCodec {
    type Error = Error;

    fn encode(&self, status: &Status<Chain>) -> Result<Bytes> {
        borsh::to_vec(status).map(Bytes::from)
    }

    /// Records the blocks of the peer, which the consensus does not expose.
    fn decode(&self, bytes: Bytes) -> Result<Status<Chain>> {
        let status: Status<Chain> = borsh::from_slice(&bytes)?;
        self.peers.record_status(&status);
        Ok(status)
    }
}

impl Codec<ValidatorProof<Chain>> for MessageCodec {
    type Error = Error;

    fn encode(&self, proof: &ValidatorProof<Chain>) -> Result<Bytes> {
        borsh::to_vec(&(&proof.public_key, &proof.peer_id, &proof.signature)).map(Bytes::from)
    }

    fn decode(&self, bytes: Bytes) -> Result<ValidatorProof<Chain>> {
        let (public_key, peer_id, signature): (Vec<u8>, Vec<u8>, Signature) = borsh::from_slice(&bytes)?;
        Ok(ValidatorProof::new(public_key, peer_id, signature))
    }
}

/// A decided block in a response to a peer. It has the plain certificate, because this application does not use vote
/// extensions.
type DecidedBlock = (Bytes, CommitCertificate<Chain>);

impl Codec<Response<Chain>> for MessageCodec {
    type Error = Error;

    fn encode(&self, response: &Response<Chain>) -> Result<Bytes> {
        let Response::ValueResponse(response) = response;
        let size: usize = response.values.iter().map(|v| v.value_bytes.len() + 16384).sum();
        let mut bytes = Vec::with_capacity(size);
        response.start_height.serialize(&mut bytes)?;
        (response.values.len() as u32).serialize(&mut bytes)?;
        for value in &response.values {
            value.value_bytes.serialize(&mut bytes)?;
            value.certificate.trim_vote_extensions().serialize(&mut bytes)?;
        }
        Ok(bytes.into())
    }

    fn decode(&self, bytes: Bytes) -> Result<Response<Chain>> {
        let (start_height, values): (Height, Vec<DecidedBlock>) = borsh::from_slice(&bytes)?;
        let values = values
            .into_iter()
            .map(|(block, certificate)| RawDecidedValue::new(block, extend_certificate(certificate)))
            .collect();
        Ok(Response::ValueResponse(ValueResponse::new(start_height, values)))
    }
}

/// Returns the form of a certificate that the consensus expects from a peer or from the store.
pub fn extend_certificate(certificate: CommitCertificate<Chain>) -> ExtendedCommitCertificate<Chain> {
    ExtendedCommitCertificate::from_commit_certificate_and_extensions(certificate, VoteExtensions::default())
}

impl HasEncodedLen<Response<Chain>> for MessageCodec {
    fn encoded_len(&self, response: &Response<Chain>) -> Result<usize> {
        self.encode(response).map(|bytes| bytes.len())
    }
}
