//! Blocks as streams of parts.

use bytes::Bytes;
use malachite_bench::chain::{Height, Part};
use malachite_bench::stream::{Assembler, MAX_BLOCK_SIZE, split};
use malachitebft_app_channel::app::streaming::{StreamId, StreamMessage};
use malachitebft_app_channel::app::types::PeerId;
use malachitebft_core_types::Round;

use crate::{address, peer};

fn first_part(height: u64, size: u64) -> Part {
    Part::Begin { height: Height(height), round: Round::new(0), pol_round: Round::Nil, proposer: address(1), size }
}

fn stream_messages(height: u64, block: &Bytes, declared_size: u64) -> Vec<StreamMessage<Part>> {
    let id = StreamId::new(Bytes::from(height.to_be_bytes().to_vec()));
    split(&id, first_part(height, declared_size), block, 1000).collect()
}

/// Feeds all messages; returns the outcome of the last.
fn add_all(assembler: &mut Assembler, publisher: PeerId, messages: Vec<StreamMessage<Part>>) -> Option<(Part, Bytes)> {
    let mut outcomes: Vec<_> =
        messages.into_iter().map(|message| assembler.add_message(publisher, message, |_| true)).collect();
    let last = outcomes.pop().expect("there is a message");
    assert!(outcomes.iter().all(Option::is_none), "only the last message completes the block");
    last
}

fn block_of_size(size: usize) -> Bytes {
    (0..size).map(|at| (at % 251) as u8).collect()
}

#[test]
fn messages_in_any_order_give_the_block() {
    for size in [1, 999, 1000, 1001, 12_345] {
        let block = block_of_size(size);
        let all = stream_messages(1, &block, size as u64);
        assert_eq!(all.len(), size.div_ceil(1000) + 2);
        let reversed: Vec<_> = all.iter().rev().cloned().collect();
        let mut rotated = all.clone();
        rotated.rotate_left(1);
        for order in [all, reversed, rotated] {
            let taken = add_all(&mut Assembler::default(), peer(1), order);
            assert_eq!(taken, Some((first_part(1, size as u64), block.clone())));
        }
    }
}

#[test]
fn duplicate_part_counts_once() {
    let block = block_of_size(2500);
    let mut all = stream_messages(1, &block, 2500);
    all.insert(1, all[1].clone());
    assert_eq!(add_all(&mut Assembler::default(), peer(1), all).expect("a block").1, block);
}

#[test]
fn streams_of_several_publishers_do_not_mix() {
    let (one, other) = (block_of_size(2500), block_of_size(3500));
    let mut assembler = Assembler::default();
    let (first, second) = (peer(1), peer(2));
    let pairs = stream_messages(1, &one, 2500).into_iter().zip(stream_messages(1, &other, 3500));
    for (left, right) in pairs {
        // The shorter stream completes first.
        if let Some((_, taken)) = assembler.add_message(first, left, |_| true) {
            assert_eq!(taken, one);
        }
        assert_eq!(assembler.add_message(second, right, |_| true), None);
    }
    let last = stream_messages(1, &other, 3500).pop().expect("the end");
    assert_eq!(assembler.add_message(second, last, |_| true).expect("the block is complete").1, other);
}

#[test]
fn stream_of_wrong_or_excessive_size_gives_no_block() {
    for declared_size in [2499, 2501, MAX_BLOCK_SIZE + 1] {
        assert_eq!(
            add_all(&mut Assembler::default(), peer(1), stream_messages(1, &block_of_size(2500), declared_size)),
            None
        );
    }
}

#[test]
fn unwanted_stream_gives_no_block() {
    let mut assembler = Assembler::default();
    let publisher = peer(1);
    for message in stream_messages(1, &block_of_size(2500), 2500) {
        assert_eq!(assembler.add_message(publisher, message, |_| false), None);
    }
}

#[test]
fn retain_drops_streams_of_past_heights() {
    let mut assembler = Assembler::default();
    let publisher = peer(1);
    let mut all = stream_messages(1, &block_of_size(2500), 2500);
    let end = all.pop().expect("the end");
    all.into_iter().for_each(|message| assert!(assembler.add_message(publisher, message, |_| true).is_none()));
    assembler.retain(|_| false);
    assert_eq!(assembler.add_message(publisher, end, |_| true), None);
}
