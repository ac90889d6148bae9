//! The chain of executed blocks: builds, verifies and finalizes its blocks, and brings a client up to date that lost
//! blocks.

use std::collections::HashSet;
use std::time::Duration;

use bytes::Bytes;
use eyre::{Report, Result, WrapErr, ensure, eyre};
use malachitebft_core_types::{Round, Validity};
use sha2::{Digest, Sha256};
use tokio::sync::watch;
use tokio::time::sleep;
use tracing::{info, warn};

use super::client::{BlockHeader, Client, PayloadAttributes, Status};
use super::hex::{FixedBytes, Hash, Quantity, Recipient};
use super::payload::Payload;
use crate::chain::{Height, ValidatorSet, ValueId};
use crate::http::Readiness;
use crate::metrics::Metrics;
use crate::store::Store;

/// The delay after a failed attempt doubles from the first to the last of these.
const MIN_RETRY_DELAY: Duration = Duration::from_millis(100);
const MAX_RETRY_DELAY: Duration = Duration::from_secs(1);

/// The prefix of all fee recipients.
const RECIPIENT_PREFIX: u64 = 0xbe9c_0000_0000;

/// The application's side of an execution client.
pub struct Executor {
    pub client: Client,
    pub validators: ValidatorSet,
    pub store: Store,
    pub metrics: Metrics,
    pub readiness: watch::Sender<Readiness>,
    /// The last decided block, or the client's genesis block.
    parent: BlockHeader,
    /// The client's head if it is past the stored blocks: a decided block that the store lacks after a crash.
    ahead: Option<Hash>,
    /// The blocks of the next height that the client found valid.
    executed: HashSet<ValueId>,
    /// The blocks of the next height that the client rejected.
    rejected: HashSet<Hash>,
    /// Why the last request failed.
    failure: Option<String>,
}

/// The position of a proposal.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    pub height: Height,
    pub round: Round,
}

/// What a decided block contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contents {
    pub transactions: u64,
    pub gas: u64,
}

/// Why an attempt failed.
enum Failure {
    /// The client may succeed later.
    Temporary(Report),
    /// The client rejects a decided block.
    Fatal(Report),
}

impl From<Report> for Failure {
    fn from(error: Report) -> Self {
        Self::Temporary(error)
    }
}

impl Executor {
    /// Returns an executor, which [`start`](Self::start) connects to its client.
    pub fn new(
        client: Client,
        validators: ValidatorSet,
        store: Store,
        metrics: Metrics,
        readiness: watch::Sender<Readiness>,
    ) -> Self {
        let parent = BlockHeader { number: Quantity(0), hash: FixedBytes([0; 32]), timestamp: Quantity(0) };
        let (executed, rejected) = (HashSet::new(), HashSet::new());
        Self { client, validators, store, metrics, readiness, parent, ahead: None, executed, rejected, failure: None }
    }

    /// Waits for the client and brings it up to the last stored block.
    pub async fn start(&mut self) -> Result<()> {
        self.retry(Self::recover).await?;
        info!(block = self.parent.number.0, hash = %self.parent.hash, "the execution client is up to date");
        Ok(())
    }

    /// Returns the block of this validator's turn. Retries until the client has built it.
    ///
    /// `known` are the blocks of this height that this validator has. A block that an earlier round did not decide is
    /// proposed again, the oldest first: the clients have begun to execute it, while a new one in each round might never
    /// be executed in time. The same round proposes the same block again. If the height is decided already, the client
    /// cannot build another block, and the decided one is returned.
    pub async fn propose(&mut self, height: Height, round: Round, known: &[Bytes]) -> Result<Bytes> {
        let (position, current) = (Position { height, round }, round_number(round));
        let proposable: Vec<(u32, &Bytes)> = known
            .iter()
            .filter_map(|block| Some((self.decode_proposal(block, position).ok()?, block)))
            .filter(|(payload, _)| payload.round == current || !self.rejected.contains(&payload.hash()))
            .map(|(payload, block)| (payload.round, block))
            .collect();
        let own = proposable.iter().find(|(built, _)| *built == current).map(|(_, block)| *block);
        // After a restart, the decided block may be from a later round than this one.
        let is_decided =
            |block: &&Bytes| Payload::decode(block).is_ok_and(|payload| Some(payload.hash()) == self.ahead);
        let oldest = || proposable.iter().min_by_key(|(built, _)| *built).map(|(_, block)| *block);
        if let Some(block) = own.or_else(|| known.iter().find(is_decided)).or_else(oldest) {
            return Ok(block.clone());
        }
        let payload = self.retry(async |executor: &mut Self| executor.try_build(height, round).await).await?;
        payload.into_block()
    }

    async fn try_build(&mut self, height: Height, round: Round) -> Result<Payload, Failure> {
        // The client builds on its head only, and a client that failed may have lost blocks.
        if self.failure.is_some() {
            self.recover().await?;
        }
        let round = round_number(round);
        let timestamp = self.parent.timestamp.0 + 1;
        let attributes = PayloadAttributes::new(timestamp, randao(height, round), self.recipient(height, round));
        let payload = self.client.build(self.parent.hash, attributes, round).await?;
        Ok(payload)
    }

    /// Verifies a proposed block of the next height. Returns `None` if the client cannot tell.
    pub async fn verify(&mut self, position: Position, id: ValueId, block: &[u8]) -> Option<Validity> {
        let payload = match self.decode_proposal(block, position) {
            Ok(payload) => payload,
            Err(error) => {
                warn!(height = %position.height, round = %position.round, "invalid proposal: {error:#}");
                return Some(Validity::Invalid);
            }
        };
        match self.execute(id, &payload).await {
            Ok(Status::Valid) => Some(Validity::Valid),
            Ok(Status::Invalid(reason)) => {
                warn!(height = %position.height, round = %position.round, "invalid block: {reason}");
                self.rejected.insert(payload.hash());
                Some(Validity::Invalid)
            }
            Ok(Status::Syncing) => {
                self.record_failure(&eyre!("the ancestors of block {} are missing", payload.number()));
                None
            }
            Err(Failure::Temporary(error) | Failure::Fatal(error)) => {
                self.record_failure(&error);
                None
            }
        }
    }

    /// Executes a decided block and makes it final. Retries until the client has done so; fails if the client rejects
    /// the block.
    pub async fn finalize(&mut self, id: ValueId, block: &[u8]) -> Result<Contents> {
        let payload = Payload::decode(block).wrap_err("decode a decided block")?;
        self.retry(async |executor: &mut Self| executor.try_finalize(id, &payload).await).await?;
        self.parent = header_of(&payload);
        self.ahead = None;
        self.executed.clear();
        self.rejected.clear();
        let contents =
            Contents { transactions: payload.execution.transactions.len() as u64, gas: payload.execution.gas_used.0 };
        self.metrics.record_contents(contents);
        Ok(contents)
    }

    async fn try_finalize(&mut self, id: ValueId, payload: &Payload) -> Result<(), Failure> {
        require_valid(self.execute(id, payload).await?, payload)?;
        require_valid(self.client.forkchoice_updated(payload.hash()).await?, payload)
    }

    /// Executes a block, unless the client already found it valid. A client that lost the parent gets it again.
    async fn execute(&mut self, id: ValueId, payload: &Payload) -> Result<Status, Failure> {
        if self.executed.contains(&id) {
            return Ok(Status::Valid);
        }
        let mut status = self.client.new_payload(payload).await?;
        if status == Status::Syncing {
            self.recover().await?;
            status = self.client.new_payload(payload).await?;
        }
        if status == Status::Valid {
            self.failure = None;
            self.executed.insert(id);
        }
        Ok(status)
    }

    /// Makes the client execute the stored blocks above its head. Fails if it needs a block that is not stored, or if
    /// its chain is another.
    async fn recover(&mut self) -> Result<(), Failure> {
        let latest = self.client.head().await?;
        let head = latest.number.0;
        // Without a stored block, the client has the genesis block only or a block that is decided again.
        let last = self.store.last().unwrap_or_default().0;
        let first = self.store.first().unwrap_or_default().0;
        if head + 1 < first {
            return Err(Failure::Temporary(eyre!(
                "the execution client is at block {head}, but the first stored block is {first}: reset the network; \
                 a validator keeps more blocks with greater store.heights and store.bytes"
            )));
        }
        let mut block = self.client.block(head.min(last)).await?;
        for number in head + 1..=last {
            let payload = self.read_stored(number).await?;
            check_chain(block, payload.execution.parent_hash)?;
            require_valid(self.client.new_payload(&payload).await?, &payload)?;
            require_valid(self.client.forkchoice_updated(payload.hash()).await?, &payload)?;
            info!(block = number, "the execution client executed a stored block again");
            block = header_of(&payload);
        }
        if last > 0 {
            check_chain(block, self.read_stored(last).await?.hash())?;
        }
        self.parent = block;
        self.ahead = (head > last).then_some(latest.hash);
        Ok(())
    }

    async fn read_stored(&self, number: u64) -> Result<Payload> {
        let store = self.store.clone();
        let decided = tokio::task::spawn_blocking(move || store.get(Height(number))).await??;
        let decided = decided.ok_or_else(|| eyre!("block {number} is not stored"))?;
        Payload::decode(&decided.block).wrap_err_with(|| format!("decode the stored block {number}"))
    }

    /// Decodes a proposed block. Fails if it violates a rule of this chain.
    fn decode_proposal(&self, block: &[u8], position: Position) -> Result<Payload> {
        let Position { height, round } = position;
        let payload = Payload::decode(block)?;
        let execution = &payload.execution;
        let parent = self.parent;
        let built = payload.round;
        ensure!(built <= round_number(round), "built in round {built}, after {round}");
        let number = payload.number();
        ensure!(
            number == height.0 && number == parent.number.0 + 1,
            "number {number} at height {height} after block {}",
            parent.number.0
        );
        let hash = execution.parent_hash;
        ensure!(hash == parent.hash, "parent {hash} instead of {}", parent.hash);
        let (time, expected) = (execution.timestamp.0, parent.timestamp.0 + 1);
        ensure!(time == expected, "timestamp {time} instead of {expected}");
        let (recipient, expected) = (execution.fee_recipient, self.recipient(height, built));
        ensure!(recipient == expected, "fee recipient {recipient} instead of {expected}");
        let (random, expected) = (execution.prev_randao, randao(height, built));
        ensure!(random == expected, "prevRandao {random} instead of {expected}");
        Ok(payload)
    }

    /// Returns the fee recipient of the proposer of a round.
    fn recipient(&self, height: Height, round: u32) -> Recipient {
        fee_recipient(self.validators.proposer_index(height, Round::new(round)))
    }

    /// Repeats an attempt until it succeeds. Fails if no further attempt can.
    async fn retry<T>(&mut self, mut attempt: impl AsyncFnMut(&mut Self) -> Result<T, Failure>) -> Result<T> {
        let mut delay = MIN_RETRY_DELAY;
        loop {
            match attempt(self).await {
                Ok(outcome) => {
                    self.failure = None;
                    return Ok(outcome);
                }
                Err(Failure::Fatal(error)) => return Err(error),
                Err(Failure::Temporary(error)) => {
                    self.record_failure(&error);
                    self.readiness.send_replace(Readiness::Waiting(format!("execution client: {error:#}")));
                }
            }
            sleep(delay).await;
            delay = MAX_RETRY_DELAY.min(delay * 2);
        }
    }

    /// Counts a failure and logs it if the reason is new.
    fn record_failure(&mut self, error: &Report) {
        self.metrics.record_execution_error();
        // The client may have restarted and lost blocks.
        self.executed.clear();
        let reason = format!("{error:#}");
        if self.failure.as_ref() != Some(&reason) {
            warn!("execution client: {reason}");
            self.failure = Some(reason);
        }
    }
}

/// Returns the `prevRandao` of a round, which makes each round's block distinct.
pub fn randao(height: Height, round: u32) -> Hash {
    let digest = Sha256::new().chain_update(height.0.to_be_bytes()).chain_update(round.to_be_bytes()).finalize();
    FixedBytes(digest.into())
}

/// Returns the fee recipient of the validator with an index in the genesis file.
pub fn fee_recipient(index: usize) -> Recipient {
    let mut address = [0; 20];
    address[12..].copy_from_slice(&(RECIPIENT_PREFIX + index as u64 + 1).to_be_bytes());
    FixedBytes(address)
}

fn round_number(round: Round) -> u32 {
    round.as_u32().unwrap_or(0)
}

fn header_of(payload: &Payload) -> BlockHeader {
    let execution = &payload.execution;
    BlockHeader { number: execution.block_number, hash: execution.block_hash, timestamp: execution.timestamp }
}

/// Fails if the client rejects a decided block or does not have its ancestors.
fn require_valid(status: Status, payload: &Payload) -> Result<(), Failure> {
    let (number, hash) = (payload.number(), payload.hash());
    match status {
        Status::Valid => Ok(()),
        Status::Syncing => Err(Failure::Temporary(eyre!("the ancestors of block {number} are missing"))),
        Status::Invalid(reason) => Err(Failure::Fatal(eyre!(
            "the execution client rejects the decided block {number} ({hash}): {reason}: more than a third of the \
             validators are faulty, or this client is"
        ))),
    }
}

/// Fails if the client's chain is not the decided one.
fn check_chain(block: BlockHeader, decided: Hash) -> Result<()> {
    let BlockHeader { number: Quantity(number), hash, .. } = block;
    ensure!(
        hash == decided,
        "block {number} of the execution client is {hash}, but the decided one is {decided}: reset the network"
    );
    Ok(())
}
