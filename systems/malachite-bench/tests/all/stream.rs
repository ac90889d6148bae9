//! Blocks as streams of parts.

use bytes::Bytes;
use malachite_bench::chain::{Height, Part};
use malachite_bench::stream::{Assembler, MAX_BLOCK_SIZE, split};
use malachitebft_app_channel::app::streaming::{StreamId, StreamMessage};
use malachitebft_app_channel::app::types::PeerId;
use malachitebft_core_types::Round;

use crate::{address, peer};

fn begin(height: u64, size: u64) -> Part {
    Part::Begin { height: Height(height), round: Round::new(0), pol_round: Round::Nil, proposer: address(1), size }
}

fn messages(height: u64, block: &Bytes, said: u64) -> Vec<StreamMessage<Part>> {
    let id = StreamId::new(Bytes::from(height.to_be_bytes().to_vec()));
    split(&id, begin(height, said), block, 1000).collect()
}

/// Feeds all messages; returns the outcome of the last.
fn take(assembler: &mut Assembler, publisher: PeerId, messages: Vec<StreamMessage<Part>>) -> Option<(Part, Bytes)> {
    let mut outcomes: Vec<_> =
        messages.into_iter().map(|message| assembler.take(publisher, message, |_| true)).collect();
    let last = outcomes.pop().expect("there is a message");
    assert!(outcomes.iter().all(Option::is_none), "the block is whole with the last message");
    last
}

fn block(size: usize) -> Bytes {
    (0..size).map(|at| (at % 251) as u8).collect()
}

#[test]
fn a_block_is_whole_again_whatever_the_order() {
    for size in [1, 999, 1000, 1001, 12_345] {
        let block = block(size);
        let all = messages(1, &block, size as u64);
        assert_eq!(all.len(), size.div_ceil(1000) + 2);
        let reversed: Vec<_> = all.iter().rev().cloned().collect();
        let mut rotated = all.clone();
        rotated.rotate_left(1);
        for order in [all, reversed, rotated] {
            let taken = take(&mut Assembler::default(), peer(1), order);
            assert_eq!(taken, Some((begin(1, size as u64), block.clone())));
        }
    }
}

#[test]
fn a_part_that_comes_twice_counts_once() {
    let block = block(2500);
    let mut all = messages(1, &block, 2500);
    all.insert(1, all[1].clone());
    assert_eq!(take(&mut Assembler::default(), peer(1), all).expect("a block").1, block);
}

#[test]
fn streams_of_several_publishers_do_not_mix() {
    let (one, other) = (block(2500), block(3500));
    let mut assembler = Assembler::default();
    let (first, second) = (peer(1), peer(2));
    let pairs = messages(1, &one, 2500).into_iter().zip(messages(1, &other, 3500));
    for (left, right) in pairs {
        // The shorter stream completes first.
        if let Some((_, taken)) = assembler.take(first, left, |_| true) {
            assert_eq!(taken, one);
        }
        assert_eq!(assembler.take(second, right, |_| true), None);
    }
    let last = messages(1, &other, 3500).pop().expect("the end");
    assert_eq!(assembler.take(second, last, |_| true).expect("now it is whole").1, other);
}

#[test]
fn a_stream_that_breaks_its_word_or_is_too_long_makes_no_block() {
    for said in [2499, 2501, MAX_BLOCK_SIZE + 1] {
        assert_eq!(take(&mut Assembler::default(), peer(1), messages(1, &block(2500), said)), None);
    }
}

#[test]
fn a_stream_that_nobody_wants_makes_no_block() {
    let mut assembler = Assembler::default();
    let publisher = peer(1);
    for message in messages(1, &block(2500), 2500) {
        assert_eq!(assembler.take(publisher, message, |_| false), None);
    }
}

#[test]
fn a_stream_whose_height_has_passed_is_forgotten() {
    let mut assembler = Assembler::default();
    let publisher = peer(1);
    let mut all = messages(1, &block(2500), 2500);
    let end = all.pop().expect("the end");
    all.into_iter().for_each(|message| assert!(assembler.take(publisher, message, |_| true).is_none()));
    assembler.retain(|_| false);
    assert_eq!(assembler.take(publisher, end, |_| true), None);
}
