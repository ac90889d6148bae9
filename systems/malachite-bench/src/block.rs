//! The content of blocks.

use bytes::Bytes;
use rand::rngs::SmallRng;
use rand::{RngCore, SeedableRng};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::chain::{Address, Height};

/// The kind of content of blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Content {
    /// Incompressible bytes from a fast generator, seeded by proposer, height and round.
    #[default]
    Random,
    /// A repeated byte after a header that makes blocks distinct.
    Repeated,
}

/// The byte of repeated content.
const REPEATED_BYTE: u8 = 0xb5;

impl Content {
    /// Returns the block of a proposer in a round. The same arguments give the same block.
    pub fn generate(self, size: usize, proposer: Address, height: Height, round: u32) -> Bytes {
        let name = format!("{proposer} {height} {round} ");
        let mut block = vec![REPEATED_BYTE; size];
        match self {
            Self::Random => SmallRng::seed_from_u64(seed_from(&name)).fill_bytes(&mut block),
            Self::Repeated => {
                let head = name.len().min(size);
                block[..head].copy_from_slice(&name.as_bytes()[..head]);
            }
        }
        block.into()
    }
}

fn seed_from(name: &str) -> u64 {
    let hash = Sha256::digest(name);
    u64::from_le_bytes(hash[..8].try_into().expect("a SHA-256 has 32 bytes"))
}
