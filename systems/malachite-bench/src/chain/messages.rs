//! The messages between validators: proposals, parts of proposed blocks, and votes.

use borsh::{BorshDeserialize, BorshSerialize};
use bytes::Bytes;
use malachitebft_core_types::{self as core, NilOrVal, Round, SignedExtension, VoteType};

use super::{Address, Chain, Height, Value, ValueId};

/// A validator's proposal of a block for a height.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Proposal {
    pub height: Height,
    pub round: Round,
    pub value: Value,
    pub pol_round: Round,
    pub proposer: Address,
}

impl core::Proposal<Chain> for Proposal {
    fn height(&self) -> Height {
        self.height
    }

    fn round(&self) -> Round {
        self.round
    }

    fn value(&self) -> &Value {
        &self.value
    }

    fn take_value(self) -> Value {
        self.value
    }

    fn pol_round(&self) -> Round {
        self.pol_round
    }

    fn validator_address(&self) -> &Address {
        &self.proposer
    }
}

/// A part of a proposed block's stream. Parts are unsigned: the receiver of a block computes its hash, and only a
/// signed [`Proposal`] with that hash makes the block valid.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Part {
    /// The first part.
    Begin {
        height: Height,
        round: Round,
        pol_round: Round,
        proposer: Address,
        /// Size of the whole block in bytes.
        size: u64,
    },
    /// The next bytes of the block.
    Data(Bytes),
}

impl core::ProposalPart<Chain> for Part {
    fn is_first(&self) -> bool {
        matches!(self, Self::Begin { .. })
    }

    /// Always false: a separate message ends the stream.
    fn is_last(&self) -> bool {
        false
    }
}

/// A prevote or precommit, for a block or for nil.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Vote {
    pub kind: VoteType,
    pub height: Height,
    pub round: Round,
    pub value: NilOrVal<ValueId>,
    pub voter: Address,
}

impl core::Vote<Chain> for Vote {
    fn height(&self) -> Height {
        self.height
    }

    fn round(&self) -> Round {
        self.round
    }

    fn value(&self) -> &NilOrVal<ValueId> {
        &self.value
    }

    fn take_value(self) -> NilOrVal<ValueId> {
        self.value
    }

    fn vote_type(&self) -> VoteType {
        self.kind
    }

    fn validator_address(&self) -> &Address {
        &self.voter
    }

    /// Votes have no extensions.
    fn extension(&self) -> Option<&SignedExtension<Chain>> {
        None
    }

    fn take_extension(&mut self) -> Option<SignedExtension<Chain>> {
        None
    }

    fn extend(self, _: SignedExtension<Chain>) -> Self {
        self
    }
}
