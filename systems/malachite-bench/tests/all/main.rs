//! All tests. Those in `network` run real validators on loopback; none asserts a duration.

mod block;
mod codec;
mod config;
mod dependencies;
mod engine;
mod execution;
mod folder;
mod genesis;
mod geth;
mod journal;
mod network;
mod proposers;
mod store;
mod stream;
mod validators;

use bytes::Bytes;
use malachite_bench::chain::{Address, Chain, Height, PrivateKey, Proposal, Signing, Value, Vote};
use malachitebft_app_channel::app::types::PeerId;
use malachitebft_core_types::{CommitCertificate, NilOrVal, Round, SignedProposal, SignedVote, VoteType};
use malachitebft_signing::Signer;

/// Returns a validator's key that is the same in every run.
fn key(number: u16) -> PrivateKey {
    let mut seed = [0; 32];
    seed[..2].copy_from_slice(&number.to_be_bytes());
    PrivateKey::from(seed)
}

/// Returns the network ID of a peer.
fn peer(number: u8) -> PeerId {
    // The identity multihash of an Ed25519 key.
    let bytes = [&[0, 36, 8, 1, 18, 32][..], &[number; 32][..]].concat();
    PeerId::from_bytes(&bytes).expect("it is the name of a peer")
}

fn address(number: u16) -> Address {
    Address::of(&key(number).public_key())
}

async fn signed_precommit(number: u16, height: u64, value: Value) -> SignedVote<Chain> {
    let vote = Vote {
        kind: VoteType::Precommit,
        height: Height(height),
        round: Round::new(0),
        value: NilOrVal::Val(value.id),
        voter: address(number),
    };
    Signing::new(key(number)).sign_vote(vote).await.expect("signing works")
}

async fn signed_proposal(number: u16, height: u64, value: Value) -> SignedProposal<Chain> {
    let proposal = Proposal {
        height: Height(height),
        round: Round::new(1),
        value,
        pol_round: Round::Nil,
        proposer: address(number),
    };
    Signing::new(key(number)).sign_proposal(proposal).await.expect("signing works")
}

/// Returns a certificate of three validators for a block.
async fn certificate(height: u64, block: &Bytes) -> CommitCertificate<Chain> {
    let value = Value::of(block);
    let mut votes = Vec::new();
    for number in 1..=3 {
        votes.push(signed_precommit(number, height, value).await);
    }
    CommitCertificate::new(Height(height), Round::new(0), value.id, votes)
}
