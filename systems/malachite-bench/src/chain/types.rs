//! Heights, addresses, validators and values.

use std::fmt;
use std::sync::Arc;

use borsh::{BorshDeserialize, BorshSerialize};
use malachitebft_core_types::{self as core, Round, VotingPower};
use sha2::{Digest, Sha256};

use super::{Chain, PublicKey};

/// The number of a block; the first is 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, BorshSerialize, BorshDeserialize)]
pub struct Height(pub u64);

impl fmt::Display for Height {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl core::Height for Height {
    const ZERO: Self = Self(0);
    const INITIAL: Self = Self(1);

    fn increment_by(&self, n: u64) -> Self {
        Self(self.0 + n)
    }

    fn decrement_by(&self, n: u64) -> Option<Self> {
        self.0.checked_sub(n).map(Self)
    }

    fn as_u64(&self) -> u64 {
        self.0
    }
}

/// The first 20 bytes of the SHA-256 hash of a validator's public key, written in hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, BorshSerialize, BorshDeserialize)]
pub struct Address([u8; 20]);

impl Address {
    pub fn of(key: &PublicKey) -> Self {
        let hash = Sha256::digest(key.as_bytes());
        Self(hash[..20].try_into().expect("a SHA-256 has 32 bytes"))
    }
}

impl core::Address for Address {}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex(&self.0, f)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex(&self.0[..4], f)
    }
}

/// The SHA-256 hash of a block's bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, BorshSerialize, BorshDeserialize)]
pub struct ValueId([u8; 32]);

impl fmt::Display for ValueId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex(&self.0, f)
    }
}

impl fmt::Debug for ValueId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex(&self.0[..4], f)
    }
}

fn hex(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

/// The value that the consensus decides on: the ID of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, BorshSerialize, BorshDeserialize)]
pub struct Value {
    pub id: ValueId,
    /// Size of the block in bytes.
    pub size: u64,
}

impl Value {
    /// Returns the value of a block. It determines the content and, since values are compared as a whole, the size.
    pub fn of(block: &[u8]) -> Self {
        Self { id: ValueId(Sha256::digest(block).into()), size: block.len() as u64 }
    }
}

impl core::Value for Value {
    type Id = ValueId;

    fn id(&self) -> ValueId {
        self.id
    }
}

/// A validator of the genesis file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Validator {
    pub address: Address,
    pub key: PublicKey,
    pub power: VotingPower,
}

impl Validator {
    pub fn new(key: PublicKey, power: VotingPower) -> Self {
        Self { address: Address::of(&key), key, power }
    }
}

impl core::Validator<Chain> for Validator {
    fn address(&self) -> &Address {
        &self.address
    }

    fn public_key(&self) -> &PublicKey {
        &self.key
    }

    fn voting_power(&self) -> VotingPower {
        self.power
    }
}

/// The validators in the order of the genesis file; the same at every height.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValidatorSet {
    validators: Arc<[Validator]>,
    /// The indices of the proposers of one period of turns.
    proposers: Arc<[u16]>,
}

impl ValidatorSet {
    /// # Panics
    /// If there are no validators.
    pub fn new(validators: Vec<Validator>) -> Self {
        assert!(!validators.is_empty(), "a validator set has a validator");
        let proposers = schedule_proposers(&validators).into();
        Self { validators: validators.into(), proposers }
    }

    /// Returns the proposer of a round. Each height and each further round is the turn after the one before.
    pub fn proposer(&self, height: Height, round: Round) -> &Validator {
        &self.validators[self.proposer_index(height, round)]
    }

    /// Returns the proposer's index in the genesis file.
    pub fn proposer_index(&self, height: Height, round: Round) -> usize {
        let turn = height.0 + u64::from(round.as_u32().unwrap_or(0));
        self.proposers[(turn % self.proposers.len() as u64) as usize].into()
    }
}

/// Returns the indices of the proposers of one period, by the weighted round robin of the Tendermint specification
/// ("Proposer Selection Procedure"): in each turn the priority of every validator grows by its power, and the one with
/// the highest priority proposes and loses the sum of all powers. Among equal priorities the first in the genesis file
/// is chosen, where Tendermint chooses the lowest address. So the turns depend only on the powers, and validators of
/// equal power propose in the order of the genesis file.
///
/// All priorities start at 0. They are 0 again after as many turns as the sum of the powers divided by their greatest
/// common divisor, in which each validator proposes in proportion to its power.
fn schedule_proposers(validators: &[Validator]) -> Vec<u16> {
    let total: VotingPower = validators.iter().map(|validator| validator.power).sum();
    let mut priorities = vec![0; validators.len()];
    let mut proposers = Vec::new();
    loop {
        let mut chosen = 0;
        for (index, validator) in validators.iter().enumerate() {
            priorities[index] += validator.power as i64;
            if priorities[index] > priorities[chosen] {
                chosen = index;
            }
        }
        priorities[chosen] -= total as i64;
        proposers.push(chosen as u16);
        if priorities.iter().all(|priority| *priority == 0) {
            return proposers;
        }
    }
}

impl core::ValidatorSet<Chain> for ValidatorSet {
    fn count(&self) -> usize {
        self.validators.len()
    }

    fn total_voting_power(&self) -> VotingPower {
        self.validators.iter().map(|validator| validator.power).sum()
    }

    fn get_by_address(&self, address: &Address) -> Option<&Validator> {
        self.validators.iter().find(|validator| validator.address == *address)
    }

    fn get_by_index(&self, index: usize) -> Option<&Validator> {
        self.validators.get(index)
    }
}
