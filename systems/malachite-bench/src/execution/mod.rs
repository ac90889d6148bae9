//! Blocks that an execution client beside the validator builds and executes.

mod client;
mod executor;
mod hex;
mod payload;

pub use client::{BlockHeader, Client, PayloadAttributes, Status};
pub use executor::{Contents, Executor, Position, fee_recipient, randao};
pub use hex::{FixedBytes, Hash, HexBytes, Quantity, Recipient};
pub use payload::{ExecutionPayload, MAX_PAYLOAD_SIZE, Payload};
