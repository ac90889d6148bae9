//! Ed25519 keys and signatures.

use std::fmt;

use async_trait::async_trait;
use borsh::io::{Read, Result as IoResult, Write};
use borsh::{BorshDeserialize, BorshSerialize};
use malachitebft_core_types::{SigningScheme, ValidatorProof, VoteExtensionScope};
use malachitebft_signing::{Error, Signer, VerificationResult, Verifier};
use malachitebft_signing_ed25519::{self as ed25519, Ed25519};

use super::{Chain, Proposal, Vote};

pub use ed25519::{PrivateKey, PublicKey};

type SignedMessage<T> = malachitebft_core_types::SignedMessage<Chain, T>;

/// The library's Ed25519 signature with a wire format, which the library's type lacks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Signature(ed25519::Signature);

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Signature")
    }
}

impl BorshSerialize for Signature {
    fn serialize<W: Write>(&self, writer: &mut W) -> IoResult<()> {
        self.0.to_bytes().serialize(writer)
    }
}

impl BorshDeserialize for Signature {
    fn deserialize_reader<R: Read>(reader: &mut R) -> IoResult<Self> {
        let bytes = <[u8; 64]>::deserialize_reader(reader)?;
        Ok(Self(ed25519::Signature::from_bytes(bytes)))
    }
}

/// Ed25519 with [`Signature`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scheme;

impl SigningScheme for Scheme {
    type DecodingError = <Ed25519 as SigningScheme>::DecodingError;
    type Signature = Signature;
    type PublicKey = PublicKey;
    type PrivateKey = PrivateKey;

    fn decode_signature(bytes: &[u8]) -> Result<Signature, Self::DecodingError> {
        Ed25519::decode_signature(bytes).map(Signature)
    }

    fn encode_signature(signature: &Signature) -> Vec<u8> {
        Ed25519::encode_signature(&signature.0)
    }

    fn decode_public_key(bytes: &[u8]) -> Result<PublicKey, Self::DecodingError> {
        Ed25519::decode_public_key(bytes)
    }

    fn encode_public_key(key: &PublicKey) -> Vec<u8> {
        Ed25519::encode_public_key(key)
    }
}

/// Signs for one validator and verifies for all.
#[derive(Clone, Debug)]
pub struct Signing(PrivateKey);

impl Signing {
    pub fn new(key: PrivateKey) -> Self {
        Self(key)
    }

    fn sign_message<T: Signed>(&self, message: T) -> SignedMessage<T> {
        let signature = Signature(self.0.sign(&message.signed_bytes()));
        SignedMessage::new(message, signature)
    }
}

/// A message as it is signed: a prefix for its kind and its encoding, so that no signature is valid for another kind.
trait Signed: BorshSerialize {
    const KIND: &'static [u8];

    fn signed_bytes(&self) -> Vec<u8> {
        let mut bytes = Self::KIND.to_vec();
        self.serialize(&mut bytes).expect("writing to memory works");
        bytes
    }
}

impl Signed for Vote {
    const KIND: &'static [u8] = b"malachite-bench vote:";
}

impl Signed for Proposal {
    const KIND: &'static [u8] = b"malachite-bench proposal:";
}

fn verify_message<T: Signed>(message: &T, signature: &Signature, key: &PublicKey) -> VerificationResult {
    let outcome = key.verify(&message.signed_bytes(), &signature.0);
    VerificationResult::from_bool(outcome.is_ok())
}

/// The error for vote extensions, which are disabled.
fn extensions_disabled_error() -> Error {
    Error::from_source("vote extensions are not used")
}

#[async_trait]
impl Verifier<Chain> for Signing {
    async fn verify_signed_vote(
        &self,
        vote: &Vote,
        signature: &Signature,
        key: &PublicKey,
    ) -> Result<VerificationResult, Error> {
        Ok(verify_message(vote, signature, key))
    }

    async fn verify_signed_proposal(
        &self,
        proposal: &Proposal,
        signature: &Signature,
        key: &PublicKey,
    ) -> Result<VerificationResult, Error> {
        Ok(verify_message(proposal, signature, key))
    }

    async fn verify_signed_vote_extension(
        &self,
        _: &VoteExtensionScope<Chain>,
        _: &(),
        _: &Signature,
        _: &PublicKey,
    ) -> Result<VerificationResult, Error> {
        Err(extensions_disabled_error())
    }

    async fn verify_validator_proof(&self, proof: &ValidatorProof<Chain>) -> Result<VerificationResult, Error> {
        let Ok(key) = proof.decoded_public_key() else {
            return Ok(VerificationResult::Invalid);
        };
        let outcome = key.verify(&proof.preimage(), &proof.signature.0);
        Ok(VerificationResult::from_bool(outcome.is_ok()))
    }
}

#[async_trait]
impl Signer<Chain> for Signing {
    async fn sign_vote(&self, vote: Vote) -> Result<SignedMessage<Vote>, Error> {
        Ok(self.sign_message(vote))
    }

    async fn sign_proposal(&self, proposal: Proposal) -> Result<SignedMessage<Proposal>, Error> {
        Ok(self.sign_message(proposal))
    }

    async fn sign_vote_extension(&self, _: VoteExtensionScope<Chain>, _: ()) -> Result<SignedMessage<()>, Error> {
        Err(extensions_disabled_error())
    }

    async fn sign_validator_proof(
        &self,
        public_key: Vec<u8>,
        peer_id: Vec<u8>,
    ) -> Result<ValidatorProof<Chain>, Error> {
        let preimage = ValidatorProof::<Chain>::signing_bytes(&public_key, &peer_id);
        let signature = Signature(self.0.sign(&preimage));
        Ok(ValidatorProof::new(public_key, peer_id, signature))
    }
}
