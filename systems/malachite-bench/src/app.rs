//! The application: answers the requests of the consensus. It creates blocks, streams them to the other validators,
//! assembles the blocks of others, and stores decided blocks.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use eyre::{Result, WrapErr, eyre};
use malachitebft_app_channel::app::config::ValuePayload;
use malachitebft_app_channel::app::streaming::{StreamId, StreamMessage};
use malachitebft_app_channel::app::types::{LocallyProposedValue, PeerId, ProposedValue};
use malachitebft_app_channel::{AppMsg, Channels, NetworkMsg, Reply};
use malachitebft_core_types::{CommitCertificate, HeightParams, LinearTimeouts, Round, Validity};
use malachitebft_engine::host::{Next, SyncedValueOutcome};
use malachitebft_sync::RawDecidedValue;
use tokio::sync::{mpsc, watch};
use tracing::{debug, error, info};

use crate::blocks::Blocks;
use crate::chain::{Address, Chain, Height, Part, ValidatorSet, Value, ValueId};
use crate::execution::Position;
use crate::http::{Readiness, Turn};
use crate::journal::{Entry, Journal};
use crate::metrics::{Decision, Metrics};
use crate::peers::Peers;
use crate::proposals::Proposals;
use crate::store::{Decided, Store};
use crate::stream::{self, Assembler};
use crate::wire;

/// The interval between checks whether the peers still have the next block.
const PEER_CHECK_INTERVAL: Duration = Duration::from_secs(5);

/// Maximum number of proposals that wait for the blocks before them. A correct proposer sends one for each height.
const MAX_WAITING: usize = 64;

/// Settings that are constant while the application runs.
#[derive(Clone, Debug)]
pub struct Settings {
    pub address: Address,
    pub validators: ValidatorSet,
    pub part_size: usize,
    pub payload: ValuePayload,
    pub timeouts: LinearTimeouts,
    /// The minimum time from the start of a height to the start of the next; `None` means no delay.
    pub target_time: Option<Duration>,
}

/// The application's state and its outputs.
pub struct App {
    pub settings: Settings,
    pub blocks: Blocks,
    pub proposals: Proposals,
    pub peers: Peers,
    pub store: Store,
    pub journal: Arc<Journal>,
    pub metrics: Metrics,
    pub readiness: watch::Sender<Readiness>,
    pub turn: watch::Sender<Turn>,
    assembler: Assembler,
    /// Received proposals of later heights, which wait for the blocks before them.
    waiting: Vec<ProposedValue<Chain>>,
    progress: Progress,
    stream_count: u64,
}

/// The progress of the consensus, for metrics.
#[derive(Debug, Default)]
struct Progress {
    height: Height,
    started: Option<Instant>,
    decided: Option<Instant>,
    /// The last height with a block from a peer's store.
    synced: Height,
}

impl App {
    pub fn new(
        settings: Settings,
        blocks: Blocks,
        (proposals, peers): (Proposals, Peers),
        (store, journal): (Store, Arc<Journal>),
        metrics: Metrics,
        (readiness, turn): (watch::Sender<Readiness>, watch::Sender<Turn>),
    ) -> Self {
        Self {
            settings,
            blocks,
            proposals,
            peers,
            store,
            journal,
            metrics,
            readiness,
            turn,
            assembler: Assembler::default(),
            waiting: Vec::new(),
            progress: Progress::default(),
            stream_count: 0,
        }
    }

    /// Serves the consensus until it ends, which is an error unless the caller ended it.
    pub async fn run(mut self, channels: &mut Channels<Chain>) -> Result<()> {
        self.blocks.start().await?;
        let mut peer_check = tokio::time::interval(PEER_CHECK_INTERVAL);
        loop {
            tokio::select! {
                message = channels.consensus.recv() => {
                    let message = message.ok_or_else(|| eyre!("the consensus engine has stopped"))?;
                    self.handle(message, &channels.network).await?;
                }
                _ = peer_check.tick() => self.check_peers(),
            }
        }
    }

    async fn handle(&mut self, message: AppMsg<Chain>, network: &mpsc::Sender<NetworkMsg<Chain>>) -> Result<()> {
        match message {
            AppMsg::ConsensusReady { reply } => {
                let height = Height(self.proposals.last_decided().0 + 1);
                info!(%height, "the consensus starts");
                send_reply(reply, (height, self.height_params()));
            }
            AppMsg::StartedRound { height, round, reply_value, .. } => {
                self.start_round(height, round);
                // The write-ahead log of the consensus restores other undecided blocks.
                send_reply(reply_value, self.verify_waiting(height).await);
            }
            AppMsg::GetValue { height, round, reply, .. } => {
                self.propose(height, round, reply, network).await?;
            }
            AppMsg::RestreamProposal { height, round, valid_round, address, value_id } => {
                if let Some(block) = self.proposals.get(height, value_id) {
                    let begin = first_part(height, round, valid_round, address, block.len());
                    self.stream_block(network, begin, block).await?;
                }
            }
            AppMsg::ReceivedProposalPart { from, published_by, part, reply } => {
                send_reply(reply, self.receive_part(published_by.unwrap_or(from), part).await);
            }
            AppMsg::Decided { certificate, reply, .. } => {
                self.store_decision(certificate).await?;
                send_reply(reply, ());
            }
            AppMsg::Finalized { certificate, reply, .. } => {
                let next = Height(certificate.height.0 + 1);
                send_reply(reply, Next::Start(next, self.height_params()));
            }
            AppMsg::ProcessSyncedValue { height, round, proposer, value_bytes, reply } => {
                send_reply(reply, self.receive_synced_block(height, round, proposer, value_bytes));
            }
            AppMsg::GetHistoryMinHeight { reply } => {
                send_reply(reply, self.store.first().unwrap_or(Height(1)));
            }
            AppMsg::GetDecidedValues { range, reply } => {
                let store = self.store.clone();
                tokio::task::spawn_blocking(move || {
                    send_reply(reply, read_decided_range(&store, *range.start(), *range.end()))
                });
            }
            // Vote extensions are disabled, so the consensus sends neither request.
            AppMsg::ExtendVote { reply, .. } => send_reply(reply, None),
            AppMsg::VerifyVoteExtensions { extensions, reply, .. } => {
                send_reply(reply, extensions.into_iter().map(|(voter, ())| (voter, Ok(()))).collect());
            }
        }
        Ok(())
    }

    fn height_params(&self) -> HeightParams<Chain> {
        let Settings { validators, timeouts, target_time, .. } = &self.settings;
        HeightParams::new(validators.clone(), *timeouts, *target_time)
    }

    fn start_round(&mut self, height: Height, round: Round) {
        debug!(%height, %round, "round started");
        if self.progress.height != height {
            self.progress.height = height;
            self.progress.started = Some(Instant::now());
        }
        let Settings { address, validators, .. } = &self.settings;
        if validators.proposer(height, round).address == *address {
            let turn = Turn { height: height.0, round: round.as_i64(), proposer: address.to_string() };
            self.turn.send_replace(turn);
        }
        self.set_waiting(format!("no block decided since the start: height {height}, round {round}"));
    }

    /// Proposes the block of this validator's turn: replies with its value and streams it to the other validators.
    async fn propose(
        &mut self,
        height: Height,
        round: Round,
        reply: Reply<LocallyProposedValue<Chain>>,
        network: &mpsc::Sender<NetworkMsg<Chain>>,
    ) -> Result<()> {
        let block = self.blocks.propose(height, round, &self.proposals.blocks_at(height)).await?;
        let value = self.proposals.put(height, block.clone());
        send_reply(reply, LocallyProposedValue::new(height, round, value));
        let begin = first_part(height, round, Round::Nil, self.settings.address, block.len());
        self.stream_block(network, begin, block.clone()).await?;
        // The other validators verify the block at the same time. The outcome is needed only when it is decided.
        let position = Position { height, round };
        self.blocks.verify(position, value.id, &block).await;
        Ok(())
    }

    /// Streams a block to the other validators, unless proposals contain their blocks.
    async fn stream_block(
        &mut self,
        network: &mpsc::Sender<NetworkMsg<Chain>>,
        begin: Part,
        block: Bytes,
    ) -> Result<()> {
        if self.settings.payload == ValuePayload::ProposalOnly {
            return Ok(());
        }
        // Unique across restarts, so that the network never mistakes a stream for an earlier one.
        self.stream_count += 1;
        let now = time_since_epoch().as_nanos() as u64;
        let id = StreamId::new([now.to_be_bytes(), self.stream_count.to_be_bytes()].concat().into());
        for message in stream::split(&id, begin, &block, self.settings.part_size) {
            network.send(NetworkMsg::PublishProposalPart(message)).await.wrap_err("publish a part of a block")?;
        }
        Ok(())
    }

    async fn receive_part(&mut self, publisher: PeerId, message: StreamMessage<Part>) -> Option<ProposedValue<Chain>> {
        let is_wanted = |begin: &Part| self.proposals.accepts_height(height_of(begin));
        let (begin, block) = self.assembler.add_message(publisher, message, is_wanted)?;
        let Part::Begin { height, round, pol_round, proposer, .. } = begin else {
            return None;
        };
        let value = self.proposals.put(height, block.clone());
        let proposed = proposed_value(height, round, pol_round, proposer, value);
        if self.blocks.depend_on_previous() && height.0 > self.proposals.last_decided().0 + 1 {
            if self.waiting.len() < MAX_WAITING {
                self.waiting.push(proposed);
            }
            return None;
        }
        self.verify(proposed, &block).await
    }

    /// Keeps a block from a peer's store. The certificate proves that it was decided.
    fn receive_synced_block(
        &mut self,
        height: Height,
        round: Round,
        proposer: Address,
        block: Bytes,
    ) -> SyncedValueOutcome<Chain> {
        if !self.blocks.is_well_formed(&block) {
            return SyncedValueOutcome::PeerFault;
        }
        let value = self.proposals.put(height, block);
        self.progress.synced = height;
        SyncedValueOutcome::Verdict(proposed_value(height, round, Round::Nil, proposer, value))
    }

    /// Returns a proposal with its validity; `None` if that is unknown.
    async fn verify(&mut self, mut proposed: ProposedValue<Chain>, block: &[u8]) -> Option<ProposedValue<Chain>> {
        let position = Position { height: proposed.height, round: proposed.round };
        proposed.validity = self.blocks.verify(position, proposed.value.id, block).await?;
        Some(proposed)
    }

    /// Verifies the proposals of a height that arrived before the height started.
    async fn verify_waiting(&mut self, height: Height) -> Vec<ProposedValue<Chain>> {
        let (waiting, later) =
            self.waiting.drain(..).partition(|proposed: &ProposedValue<_>| proposed.height <= height);
        self.waiting = later;
        let mut verified = Vec::new();
        for proposed in waiting {
            // Blocks of lower heights are gone.
            if let Some(block) = self.proposals.get(proposed.height, proposed.value.id) {
                verified.extend(self.verify(proposed, &block).await);
            }
        }
        verified
    }

    /// Stores a decided block and updates journal and metrics.
    async fn store_decision(&mut self, certificate: CommitCertificate<Chain>) -> Result<()> {
        let (now, time) = (Instant::now(), time_since_epoch());
        let (height, id) = (certificate.height, certificate.value_id);
        let round = certificate.round;
        let block = self.proposed_block(height, id)?;
        let bytes = block.len() as u64;
        let transactions = self.blocks.finalize(id, &block).await.wrap_err_with(|| format!("height {height}"))?;

        let store = self.store.clone();
        tokio::task::spawn_blocking(move || store.append(&Decided { certificate, block }))
            .await
            .wrap_err("store a block")??;
        self.proposals.mark_decided(height);
        self.assembler.retain(|begin| height_of(begin) > height);

        let synced = self.progress.synced == height;
        let decision = self.progress.record_decision(now, height, bytes, round, synced);
        self.metrics.record_decision(decision);
        self.journal.push(Entry {
            height: height.0,
            time_millis: time.as_micros() as f64 / 1e3,
            interval_micros: decision.block_time.map(|time| time.as_micros() as u64),
            consensus_micros: decision.consensus_time.map(|time| time.as_micros() as u64),
            bytes,
            transactions,
            round: round.as_i64(),
            proposer: self.settings.validators.proposer(height, round).address.to_string(),
            synced,
        });
        self.readiness.send_replace(Readiness::Ready);
        Ok(())
    }

    fn proposed_block(&self, height: Height, id: ValueId) -> Result<Bytes> {
        self.proposals
            .get(height, id)
            .ok_or_else(|| eyre!("height {height}: decided on block {id}, which this validator does not have"))
    }

    /// Reports if this validator cannot catch up.
    fn check_peers(&self) {
        let next = Height(self.proposals.last_decided().0 + 1);
        if let Some(first) = self.peers.first_available_after(next) {
            let reason = format!(
                "cannot catch up: block {next} comes next, but the first that a peer stores is {first}; \
                 reset the network, or start from a newer copy of a validator's home; \
                 the peers keep more blocks with greater store.heights and store.bytes (keptBlocks of a BenchmarkNetwork)"
            );
            error!("{reason}");
            self.readiness.send_replace(Readiness::Waiting(reason));
        }
    }

    /// Records why this validator is not ready, unless it already is.
    fn set_waiting(&self, reason: String) {
        self.readiness.send_if_modified(|readiness| {
            let is_waiting = *readiness != Readiness::Ready;
            if is_waiting {
                *readiness = Readiness::Waiting(reason);
            }
            is_waiting
        });
    }
}

impl Progress {
    /// Records a decision. It has no times if the block came from a peer's store.
    fn record_decision(&mut self, now: Instant, height: Height, bytes: u64, round: Round, synced: bool) -> Decision {
        let before = self.decided.replace(now).filter(|_| !synced);
        let started = self.started.filter(|_| !synced);
        if synced {
            self.decided = None;
        }
        Decision {
            height: height.0,
            bytes,
            round: round.as_i64(),
            block_time: before.map(|before| now - before),
            consensus_time: started.map(|started| now - started),
            synced,
        }
    }
}

fn first_part(height: Height, round: Round, pol_round: Round, proposer: Address, size: usize) -> Part {
    Part::Begin { height, round, pol_round, proposer, size: size as u64 }
}

fn height_of(begin: &Part) -> Height {
    match begin {
        Part::Begin { height, .. } => *height,
        Part::Data(_) => Height(0),
    }
}

fn proposed_value(
    height: Height,
    round: Round,
    valid_round: Round,
    proposer: Address,
    value: Value,
) -> ProposedValue<Chain> {
    ProposedValue { height, round, valid_round, proposer, value, validity: Validity::Valid }
}

/// Returns the stored blocks of a range up to the first gap.
fn read_decided_range(store: &Store, first: Height, last: Height) -> Vec<RawDecidedValue<Chain>> {
    let mut values = Vec::new();
    for height in (first.0..=last.0).map(Height) {
        match store.get(height) {
            Ok(Some(Decided { certificate, block })) => {
                values.push(RawDecidedValue::new(block, wire::extend_certificate(certificate)));
            }
            Ok(None) => break,
            Err(error) => {
                error!("read a block for a peer: {error:#}");
                break;
            }
        }
    }
    values
}

/// Replies to a request of the consensus, which may no longer wait.
fn send_reply<T>(reply: Reply<T>, content: T) {
    if reply.send(content).is_err() {
        debug!("the consensus no longer waits for a reply");
    }
}

fn time_since_epoch() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("the clock is past 1970")
}
