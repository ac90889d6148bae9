//! Which validator proposes.

use malachite_bench::chain::{Height, Validator, ValidatorSet};
use malachite_bench::genesis::{MAX_POWER, MAX_VALIDATORS};
use malachitebft_core_types::{Round, ValidatorSet as _};

use crate::key;

fn new_set(powers: impl IntoIterator<Item = u64>) -> ValidatorSet {
    ValidatorSet::new(
        (0..).zip(powers).map(|(number, power)| Validator::new(key(number).public_key(), power)).collect(),
    )
}

fn proposers(validators: &ValidatorSet, first: u64, count: u64) -> Vec<usize> {
    (first..first + count).map(|height| validators.proposer_index(Height(height), Round::new(0))).collect()
}

/// Checks that each validator proposes as many of `total` consecutive blocks as its power, from any height on.
fn check_shares(powers: &[u64]) {
    let validators = new_set(powers.iter().copied());
    assert_eq!(validators.total_voting_power(), powers.iter().sum::<u64>());
    for first in [1, 17, 1 << 40] {
        let mut counts = vec![0_u64; powers.len()];
        for index in proposers(&validators, first, powers.iter().sum()) {
            counts[index] += 1;
        }
        assert_eq!(counts, powers, "from height {first}");
    }
}

#[test]
fn shares_of_proposals_equal_the_powers() {
    check_shares(&[7]);
    check_shares(&[70, 10, 10, 10]);
    check_shares(&[1, 1000, 3]);
    check_shares(&(1..=100).map(|rank: u64| (2000 / rank).div_ceil(2)).collect::<Vec<_>>());
}

#[test]
fn largest_set_has_its_shares() {
    check_shares(&(1..=MAX_VALIDATORS as u64).map(|index| index.min(MAX_POWER)).collect::<Vec<_>>());
}

#[test]
fn heaviest_validator_waits_for_the_others_in_between() {
    let validators = new_set([70, 10, 10, 10]);
    assert_eq!(proposers(&validators, 10, 12), [0, 0, 1, 0, 0, 2, 0, 3, 0, 0, 0, 0]);
    assert_eq!(proposers(&new_set([7, 1, 1, 1]), 10, 12), proposers(&validators, 10, 12), "only ratios matter");
}

#[test]
fn validators_of_equal_power_take_turns_in_the_order_of_the_genesis() {
    for power in [1, 10] {
        let validators = new_set([power; 5]);
        assert_eq!(proposers(&validators, 1, 11), [1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1]);
    }
}

#[test]
fn each_round_is_the_next_turn() {
    let validators = new_set([5, 3, 1]);
    for height in 1..20 {
        for round in 0..20 {
            let next = validators.proposer(Height(height + u64::from(round)), Round::new(0));
            assert_eq!(validators.proposer(Height(height), Round::new(round)), next);
        }
    }
}
