//! The type parameters of Malachite's consensus. A value is only the ID of a block (hash and size). The block's bytes
//! are in [`crate::proposals::Proposals`] until it is decided, and in [`crate::store::Store`] afterwards.

mod keys;
mod messages;
mod types;

pub use keys::{PrivateKey, PublicKey, Scheme, Signature, Signing};
pub use messages::{Part, Proposal, Vote};
pub use types::{Address, Height, Validator, ValidatorSet, Value, ValueId};

use malachitebft_core_types::{LinearTimeouts, NilOrVal, Round, VoteType};

/// The consensus context of this application.
#[derive(Clone, Debug)]
pub struct Chain;

impl malachitebft_core_types::Context for Chain {
    type Address = Address;
    type Height = Height;
    type ProposalPart = Part;
    type Proposal = Proposal;
    type Validator = Validator;
    type ValidatorSet = ValidatorSet;
    type Timeouts = LinearTimeouts;
    type Value = Value;
    type Vote = Vote;
    type Extension = ();
    type SigningScheme = Scheme;

    fn select_proposer<'a>(&self, validators: &'a ValidatorSet, height: Height, round: Round) -> &'a Validator {
        validators.proposer(height, round)
    }

    fn new_proposal(
        &self,
        height: Height,
        round: Round,
        value: Value,
        pol_round: Round,
        proposer: Address,
    ) -> Proposal {
        Proposal { height, round, value, pol_round, proposer }
    }

    fn new_prevote(&self, height: Height, round: Round, value: NilOrVal<ValueId>, voter: Address) -> Vote {
        Vote { kind: VoteType::Prevote, height, round, value, voter }
    }

    fn new_precommit(&self, height: Height, round: Round, value: NilOrVal<ValueId>, voter: Address) -> Vote {
        Vote { kind: VoteType::Precommit, height, round, value, voter }
    }
}
