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

/// A validator of the genesis file. All have the same voting power.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Validator {
    pub address: Address,
    pub key: PublicKey,
}

impl Validator {
    pub fn new(key: PublicKey) -> Self {
        Self { address: Address::of(&key), key }
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
        1
    }
}

/// The validators in the order of the genesis file; the same at every height.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValidatorSet(Arc<[Validator]>);

impl ValidatorSet {
    /// # Panics
    /// If there are no validators.
    pub fn new(validators: Vec<Validator>) -> Self {
        assert!(!validators.is_empty(), "a validator set has a validator");
        Self(validators.into())
    }

    /// Returns the proposer: round robin over heights and rounds.
    pub fn proposer(&self, height: Height, round: Round) -> &Validator {
        &self.0[self.proposer_index(height, round)]
    }

    /// Returns the proposer's index in the genesis file.
    pub fn proposer_index(&self, height: Height, round: Round) -> usize {
        let turn = height.0 + u64::from(round.as_u32().unwrap_or(0));
        (turn % self.0.len() as u64) as usize
    }
}

impl core::ValidatorSet<Chain> for ValidatorSet {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn total_voting_power(&self) -> VotingPower {
        self.0.len() as VotingPower
    }

    fn get_by_address(&self, address: &Address) -> Option<&Validator> {
        self.0.iter().find(|validator| validator.address == *address)
    }

    fn get_by_index(&self, index: usize) -> Option<&Validator> {
        self.0.get(index)
    }
}
