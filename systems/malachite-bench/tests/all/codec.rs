//! Encoding round trips of messages, and which messages contain blocks.

use std::fmt::Debug;

use bytes::Bytes;
use malachite_bench::chain::{Chain, Height, Part, Signing, Value};
use malachite_bench::config::OVERHEAD;
use malachite_bench::genesis::MAX_VALIDATORS;
use malachite_bench::peers::Peers;
use malachite_bench::proposals::{HEIGHTS_AHEAD, Proposals};
use malachite_bench::wire::{Wire, extended};
use malachitebft_app_channel::app::config::ValuePayload;
use malachitebft_app_channel::app::streaming::{StreamContent, StreamId, StreamMessage};
use malachitebft_app_channel::app::types::codec::{Codec, HasEncodedLen};
use malachitebft_core_consensus::{LivenessMsg, ProposedValue, SignedConsensusMsg};
use malachitebft_core_types::{
    CommitCertificate, PolkaCertificate, Round, RoundCertificate, RoundCertificateType, ValidatorProof, Validity,
};
use malachitebft_signing::{Signer, Verifier};
use malachitebft_sync::{RawDecidedValue, Request, Response, Status, ValueRequest, ValueResponse};

use crate::{address, certificate, key, peer, signed_precommit, signed_proposal};

fn wire(payload: ValuePayload) -> Wire {
    Wire { payload, proposals: Proposals::default(), peers: Peers::default() }
}

#[track_caller]
fn survives<T: Debug + PartialEq>(message: T)
where
    Wire: Codec<T>,
{
    let wire = wire(ValuePayload::ProposalAndParts);
    let bytes = wire.encode(&message).expect("encode");
    assert_eq!(wire.decode(bytes.clone()).expect("decode"), message);
    let cut = bytes.slice(..bytes.len() - 1);
    assert!(Codec::<T>::decode(&wire, cut).is_err(), "a message that is cut off is refused");
}

fn block() -> Bytes {
    Bytes::from_static(b"the content of a block")
}

#[tokio::test]
async fn consensus_messages_survive() {
    let value = Value::of(&block());
    let vote = signed_precommit(1, 7, value).await;
    survives(SignedConsensusMsg::Vote(vote.clone()));
    survives(SignedConsensusMsg::Proposal(signed_proposal(1, 7, value).await));
    survives(LivenessMsg::Vote(vote.clone()));
    let polka = PolkaCertificate::new(Height(7), Round::new(0), value.id, vec![vote.clone()]);
    survives(polka.clone());
    survives(LivenessMsg::PolkaCertificate(polka));
    let round = RoundCertificate::new_from_votes(Height(7), Round::new(0), RoundCertificateType::Precommit, vec![vote]);
    survives(LivenessMsg::SkipRoundCertificate(round));
}

#[tokio::test]
async fn parts_survive() {
    let begin =
        Part::Begin { height: Height(7), round: Round::new(2), pol_round: Round::Nil, proposer: address(1), size: 9 };
    survives(begin.clone());
    let id = StreamId::new(Bytes::from_static(b"id"));
    survives(StreamMessage::new(id.clone(), 0, StreamContent::Data(begin)));
    survives(StreamMessage::new(id.clone(), 1, StreamContent::Data(Part::Data(block()))));
    survives(StreamMessage::<Part>::new(id, 2, StreamContent::Fin));
}

#[tokio::test]
async fn the_proof_of_being_a_validator_survives_and_verifies() {
    let signing = Signing::new(key(1));
    let public_key = key(1).public_key().as_bytes().to_vec();
    let proof: ValidatorProof<Chain> = signing.sign_validator_proof(public_key, vec![1, 2, 3]).await.expect("sign");
    survives(proof.clone());
    assert!(signing.verify_validator_proof(&proof).await.expect("verify").is_valid());
    let other = ValidatorProof::new(proof.public_key, vec![3, 2, 1], proof.signature);
    assert!(signing.verify_validator_proof(&other).await.expect("verify").is_invalid());
}

#[tokio::test]
async fn sync_messages_survive() {
    let status = Status { peer_id: peer(1), tip_height: Height(9), history_min_height: Height(4) };
    survives(status);
    survives(Request::ValueRequest(ValueRequest::<Chain>::new(Height(3)..=Height(8))));
    let mut values = Vec::new();
    for height in 3..6 {
        values.push(RawDecidedValue::new(block(), extended(certificate(height, &block()).await)));
    }
    let response = Response::ValueResponse(ValueResponse::<Chain>::new(Height(3), values));
    let wire = wire(ValuePayload::ProposalAndParts);
    assert_eq!(wire.encoded_len(&response).expect("measure"), wire.encode(&response).expect("encode").len());
    survives(response);
    survives(Response::ValueResponse(ValueResponse::<Chain>::new(Height(3), vec![])));
}

/// The configuration requires `OVERHEAD` bytes for a message besides a block or a part.
#[tokio::test]
async fn certificates_of_the_largest_network_fit_a_message() {
    let value = Value::of(&block());
    let mut votes = Vec::new();
    for number in 0..u16::try_from(MAX_VALIDATORS).expect("it is small") {
        votes.push(signed_precommit(number, 7, value).await);
    }
    let commit = CommitCertificate::new(Height(7), Round::new(0), value.id, votes.clone());
    let decided = RawDecidedValue::new(Bytes::new(), extended(commit));
    let response = Response::ValueResponse(ValueResponse::<Chain>::new(Height(7), vec![decided]));
    let round = RoundCertificate::new_from_votes(Height(7), Round::new(0), RoundCertificateType::Precommit, votes);
    let liveness = LivenessMsg::<Chain>::SkipRoundCertificate(round);

    let wire = wire(ValuePayload::ProposalAndParts);
    // An address and a signature are 84 bytes.
    let range = MAX_VALIDATORS * 84..=OVERHEAD as usize;
    for length in [wire.encode(&response).expect("encode").len(), wire.encode(&liveness).expect("encode").len()] {
        assert!(range.contains(&length), "{length} bytes are not in {range:?}");
    }
}

#[tokio::test]
async fn only_in_proposal_only_mode_does_a_proposal_carry_its_block() {
    for (payload, carries) in [(ValuePayload::ProposalOnly, true), (ValuePayload::ProposalAndParts, false)] {
        let (sender, receiver) = (wire(payload), wire(payload));
        let value = sender.proposals.put(Height(1), block());
        let message = SignedConsensusMsg::Proposal(signed_proposal(1, 1, value).await);
        let decoded: SignedConsensusMsg<Chain> =
            receiver.decode(sender.encode(&message).expect("encode")).expect("decode");
        assert_eq!(decoded, message);
        assert_eq!(receiver.proposals.get(Height(1), value.id).is_some(), carries);
    }
}

#[tokio::test]
async fn in_proposal_only_mode_a_proposal_without_its_block_is_refused() {
    let wire = wire(ValuePayload::ProposalOnly);
    let message = SignedConsensusMsg::Proposal(signed_proposal(1, 1, Value::of(&block())).await);
    let bytes = wire.encode(&message).expect("encode");
    assert!(Codec::<SignedConsensusMsg<Chain>>::decode(&wire, bytes).is_err());
}

// A validator that catches up receives proposals far ahead without keeping their blocks; these must not reach the
// consensus. Decided heights need no block, as in a log after a crash.
#[tokio::test]
async fn in_proposal_only_mode_a_proposal_is_dropped_with_a_block_that_is_not_kept() {
    for (height, carried, accepted) in [(5, false, true), (6, true, true), (6, false, false), (51, true, false)] {
        let (sender, receiver) = (wire(ValuePayload::ProposalOnly), wire(ValuePayload::ProposalOnly));
        receiver.proposals.decide(Height(5));
        sender.proposals.decide(Height(height - 1));
        let value = if carried { sender.proposals.put(Height(height), block()) } else { Value::of(&block()) };
        let message = SignedConsensusMsg::Proposal(signed_proposal(1, height, value).await);
        let bytes = sender.encode(&message).expect("encode");
        let decoded = Codec::<SignedConsensusMsg<Chain>>::decode(&receiver, bytes);
        assert_eq!(decoded.is_ok(), accepted, "height {height}, block carried: {carried}");
        assert_eq!(receiver.proposals.get(Height(height), value.id).is_some(), carried && accepted);
    }
}

#[test]
fn the_log_of_the_consensus_brings_blocks_back() {
    for payload in [ValuePayload::ProposalOnly, ValuePayload::ProposalAndParts] {
        let (before, after) = (wire(payload), wire(payload));
        let value = before.proposals.put(Height(1), block());
        let proposed = ProposedValue::<Chain> {
            height: Height(1),
            round: Round::new(0),
            valid_round: Round::Nil,
            proposer: address(1),
            value,
            validity: Validity::Valid,
        };
        let decoded: ProposedValue<Chain> = after.decode(before.encode(&proposed).expect("encode")).expect("decode");
        assert_eq!(decoded, proposed);
        assert_eq!(after.proposals.get(Height(1), value.id), Some(block()));
    }
}

#[tokio::test]
async fn a_block_that_is_not_the_named_one_is_refused() {
    let wire = wire(ValuePayload::ProposalOnly);
    let value = wire.proposals.put(Height(1), block());
    let message = SignedConsensusMsg::Proposal(signed_proposal(1, 1, value).await);
    let mut bytes = wire.encode(&message).expect("encode").to_vec();
    *bytes.last_mut().expect("there are bytes") ^= 1;
    assert!(Codec::<SignedConsensusMsg<Chain>>::decode(&wire, bytes.into()).is_err());
}

#[test]
fn blocks_are_kept_for_the_next_heights_alone() {
    let proposals = Proposals::default();
    proposals.decide(Height(10));
    let ids: Vec<_> = [10, 11, 10 + HEIGHTS_AHEAD, 11 + HEIGHTS_AHEAD]
        .map(|height| (Height(height), proposals.put(Height(height), block()).id))
        .into();
    let kept = |proposals: &Proposals| -> Vec<_> {
        ids.iter().map(|(height, id)| proposals.get(*height, *id).is_some()).collect()
    };
    assert_eq!(kept(&proposals), [false, true, true, false]);
    proposals.decide(Height(11));
    assert_eq!(kept(&proposals), [false, false, true, false]);
}

#[test]
fn peers_that_all_have_pruned_a_block_are_noticed() {
    let peers = Peers::default();
    let note = |id: u8, first, last| {
        peers.note(&Status { peer_id: peer(id), tip_height: Height(last), history_min_height: Height(first) });
    };
    assert_eq!(peers.pruned(Height(5)), None, "nobody is known");
    note(1, 8, 20);
    assert_eq!(peers.pruned(Height(5)), Some(Height(8)));
    note(2, 7, 20);
    assert_eq!(peers.pruned(Height(5)), Some(Height(7)));
    note(3, 1, 4);
    assert_eq!(peers.pruned(Height(5)), Some(Height(7)), "one that is behind is no help");
    note(3, 5, 20);
    assert_eq!(peers.pruned(Height(5)), None);
}
