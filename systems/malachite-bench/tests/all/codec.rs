//! Encoding round trips of messages, and which messages contain blocks.

use std::fmt::Debug;

use bytes::Bytes;
use malachite_bench::chain::{Chain, Height, Part, Signing, Value};
use malachite_bench::config::MESSAGE_OVERHEAD;
use malachite_bench::genesis::MAX_VALIDATORS;
use malachite_bench::peers::Peers;
use malachite_bench::proposals::{HEIGHTS_AHEAD, Proposals};
use malachite_bench::wire::{MessageCodec, extend_certificate};
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

fn new_codec(payload: ValuePayload) -> MessageCodec {
    MessageCodec { payload, proposals: Proposals::default(), peers: Peers::default() }
}

#[track_caller]
fn assert_round_trip<T: Debug + PartialEq>(message: T)
where
    MessageCodec: Codec<T>,
{
    let codec = new_codec(ValuePayload::ProposalAndParts);
    let bytes = codec.encode(&message).expect("encode");
    assert_eq!(codec.decode(bytes.clone()).expect("decode"), message);
    let cut = bytes.slice(..bytes.len() - 1);
    assert!(Codec::<T>::decode(&codec, cut).is_err(), "decoding rejects a truncated message");
}

fn sample_block() -> Bytes {
    Bytes::from_static(b"the content of a block")
}

#[tokio::test]
async fn consensus_messages_round_trip() {
    let value = Value::of(&sample_block());
    let vote = signed_precommit(1, 7, value).await;
    assert_round_trip(SignedConsensusMsg::Vote(vote.clone()));
    assert_round_trip(SignedConsensusMsg::Proposal(signed_proposal(1, 7, value).await));
    assert_round_trip(LivenessMsg::Vote(vote.clone()));
    let polka = PolkaCertificate::new(Height(7), Round::new(0), value.id, vec![vote.clone()]);
    assert_round_trip(polka.clone());
    assert_round_trip(LivenessMsg::PolkaCertificate(polka));
    let round = RoundCertificate::new_from_votes(Height(7), Round::new(0), RoundCertificateType::Precommit, vec![vote]);
    assert_round_trip(LivenessMsg::SkipRoundCertificate(round));
}

#[tokio::test]
async fn parts_round_trip() {
    let begin =
        Part::Begin { height: Height(7), round: Round::new(2), pol_round: Round::Nil, proposer: address(1), size: 9 };
    assert_round_trip(begin.clone());
    let id = StreamId::new(Bytes::from_static(b"id"));
    assert_round_trip(StreamMessage::new(id.clone(), 0, StreamContent::Data(begin)));
    assert_round_trip(StreamMessage::new(id.clone(), 1, StreamContent::Data(Part::Data(sample_block()))));
    assert_round_trip(StreamMessage::<Part>::new(id, 2, StreamContent::Fin));
}

#[tokio::test]
async fn validator_proof_round_trips_and_verifies() {
    let signing = Signing::new(key(1));
    let public_key = key(1).public_key().as_bytes().to_vec();
    let proof: ValidatorProof<Chain> = signing.sign_validator_proof(public_key, vec![1, 2, 3]).await.expect("sign");
    assert_round_trip(proof.clone());
    assert!(signing.verify_validator_proof(&proof).await.expect("verify").is_valid());
    let other = ValidatorProof::new(proof.public_key, vec![3, 2, 1], proof.signature);
    assert!(signing.verify_validator_proof(&other).await.expect("verify").is_invalid());
}

#[tokio::test]
async fn sync_messages_round_trip() {
    let status = Status { peer_id: peer(1), tip_height: Height(9), history_min_height: Height(4) };
    assert_round_trip(status);
    assert_round_trip(Request::ValueRequest(ValueRequest::<Chain>::new(Height(3)..=Height(8))));
    let mut values = Vec::new();
    for height in 3..6 {
        values
            .push(RawDecidedValue::new(sample_block(), extend_certificate(certificate(height, &sample_block()).await)));
    }
    let response = Response::ValueResponse(ValueResponse::<Chain>::new(Height(3), values));
    let codec = new_codec(ValuePayload::ProposalAndParts);
    assert_eq!(codec.encoded_len(&response).expect("measure"), codec.encode(&response).expect("encode").len());
    assert_round_trip(response);
    assert_round_trip(Response::ValueResponse(ValueResponse::<Chain>::new(Height(3), vec![])));
}

/// The configuration requires `MESSAGE_OVERHEAD` bytes for a message besides a block or a part.
#[tokio::test]
async fn certificates_of_the_largest_network_fit_a_message() {
    let value = Value::of(&sample_block());
    let mut votes = Vec::new();
    for number in 0..u16::try_from(MAX_VALIDATORS).expect("it is small") {
        votes.push(signed_precommit(number, 7, value).await);
    }
    let commit = CommitCertificate::new(Height(7), Round::new(0), value.id, votes.clone());
    let decided = RawDecidedValue::new(Bytes::new(), extend_certificate(commit));
    let response = Response::ValueResponse(ValueResponse::<Chain>::new(Height(7), vec![decided]));
    let round = RoundCertificate::new_from_votes(Height(7), Round::new(0), RoundCertificateType::Precommit, votes);
    let liveness = LivenessMsg::<Chain>::SkipRoundCertificate(round);

    let codec = new_codec(ValuePayload::ProposalAndParts);
    // An address and a signature are 84 bytes.
    let range = MAX_VALIDATORS * 84..=MESSAGE_OVERHEAD as usize;
    for length in [codec.encode(&response).expect("encode").len(), codec.encode(&liveness).expect("encode").len()] {
        assert!(range.contains(&length), "{length} bytes are not in {range:?}");
    }
}

#[tokio::test]
async fn proposal_contains_its_block_only_in_proposal_only_mode() {
    for (payload, carries) in [(ValuePayload::ProposalOnly, true), (ValuePayload::ProposalAndParts, false)] {
        let (sender, receiver) = (new_codec(payload), new_codec(payload));
        let value = sender.proposals.put(Height(1), sample_block());
        let message = SignedConsensusMsg::Proposal(signed_proposal(1, 1, value).await);
        let decoded: SignedConsensusMsg<Chain> =
            receiver.decode(sender.encode(&message).expect("encode")).expect("decode");
        assert_eq!(decoded, message);
        assert_eq!(receiver.proposals.get(Height(1), value.id).is_some(), carries);
    }
}

#[tokio::test]
async fn proposal_only_mode_rejects_a_proposal_without_its_block() {
    let codec = new_codec(ValuePayload::ProposalOnly);
    let message = SignedConsensusMsg::Proposal(signed_proposal(1, 1, Value::of(&sample_block())).await);
    let bytes = codec.encode(&message).expect("encode");
    assert!(Codec::<SignedConsensusMsg<Chain>>::decode(&codec, bytes).is_err());
}

// A validator that catches up receives proposals far ahead without keeping their blocks; these must not reach the
// consensus. Decided heights need no block, as in a log after a crash.
#[tokio::test]
async fn proposal_only_mode_rejects_a_proposal_too_far_ahead() {
    for (height, carried, accepted) in [(5, false, true), (6, true, true), (6, false, false), (51, true, false)] {
        let (sender, receiver) = (new_codec(ValuePayload::ProposalOnly), new_codec(ValuePayload::ProposalOnly));
        receiver.proposals.mark_decided(Height(5));
        sender.proposals.mark_decided(Height(height - 1));
        let value =
            if carried { sender.proposals.put(Height(height), sample_block()) } else { Value::of(&sample_block()) };
        let message = SignedConsensusMsg::Proposal(signed_proposal(1, height, value).await);
        let bytes = sender.encode(&message).expect("encode");
        let decoded = Codec::<SignedConsensusMsg<Chain>>::decode(&receiver, bytes);
        assert_eq!(decoded.is_ok(), accepted, "height {height}, block carried: {carried}");
        assert_eq!(receiver.proposals.get(Height(height), value.id).is_some(), carried && accepted);
    }
}

#[test]
fn write_ahead_log_restores_blocks() {
    for payload in [ValuePayload::ProposalOnly, ValuePayload::ProposalAndParts] {
        let (before, after) = (new_codec(payload), new_codec(payload));
        let value = before.proposals.put(Height(1), sample_block());
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
        assert_eq!(after.proposals.get(Height(1), value.id), Some(sample_block()));
    }
}

#[tokio::test]
async fn decode_rejects_a_block_of_another_value() {
    let codec = new_codec(ValuePayload::ProposalOnly);
    let value = codec.proposals.put(Height(1), sample_block());
    let message = SignedConsensusMsg::Proposal(signed_proposal(1, 1, value).await);
    let mut bytes = codec.encode(&message).expect("encode").to_vec();
    *bytes.last_mut().expect("there are bytes") ^= 1;
    assert!(Codec::<SignedConsensusMsg<Chain>>::decode(&codec, bytes.into()).is_err());
}

#[test]
fn only_blocks_of_the_next_heights_are_kept() {
    let proposals = Proposals::default();
    proposals.mark_decided(Height(10));
    let ids: Vec<_> = [10, 11, 10 + HEIGHTS_AHEAD, 11 + HEIGHTS_AHEAD]
        .map(|height| (Height(height), proposals.put(Height(height), sample_block()).id))
        .into();
    let kept = |proposals: &Proposals| -> Vec<_> {
        ids.iter().map(|(height, id)| proposals.get(*height, *id).is_some()).collect()
    };
    assert_eq!(kept(&proposals), [false, true, true, false]);
    proposals.mark_decided(Height(11));
    assert_eq!(kept(&proposals), [false, false, true, false]);
}

#[test]
fn peers_report_the_first_height_after_a_pruned_block() {
    let peers = Peers::default();
    let record = |id: u8, first, last| {
        peers.record_status(&Status { peer_id: peer(id), tip_height: Height(last), history_min_height: Height(first) });
    };
    assert_eq!(peers.first_available_after(Height(5)), None, "no peer is known");
    record(1, 8, 20);
    assert_eq!(peers.first_available_after(Height(5)), Some(Height(8)));
    record(2, 7, 20);
    assert_eq!(peers.first_available_after(Height(5)), Some(Height(7)));
    record(3, 1, 4);
    assert_eq!(peers.first_available_after(Height(5)), Some(Height(7)), "a peer that is behind does not count");
    record(3, 5, 20);
    assert_eq!(peers.first_available_after(Height(5)), None);
}
