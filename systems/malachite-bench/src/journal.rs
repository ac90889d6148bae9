//! The last decided blocks for observers, in memory.

use std::collections::VecDeque;
use std::sync::RwLock;

use serde::Serialize;
use tokio::sync::watch;

/// Maximum number of blocks: half an hour at ten blocks per second.
pub const MAX_ENTRIES: usize = 20_000;

/// A decided block.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    pub height: u64,
    /// When this validator learned of the decision: Unix time in milliseconds, with microsecond precision.
    pub time_millis: f64,
    /// Time since the previous decision by the monotonic clock, which is never set. Omitted for the first decision after
    /// the start, and for a block that came from a peer and the one after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval_micros: Option<u64>,
    /// Time from the start of the height to the decision by the same clock. Omitted if this validator did not see the
    /// start, and for a block that came from a peer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consensus_micros: Option<u64>,
    pub bytes: u64,
    /// 0 without an execution client: then blocks are bytes, not transactions.
    pub transactions: u64,
    /// The round of the decision; 0 if the first proposal was accepted.
    pub round: i64,
    /// The address of the validator whose proposal was decided.
    pub proposer: String,
    /// Whether the block came from a peer that had decided it before. Then its time is unrelated to the consensus.
    /// Omitted if false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub synced: bool,
}

/// A ring buffer of entries in ascending order of heights. Readers get copies, so that they do not block the writer
/// for long.
#[derive(Debug)]
pub struct Journal {
    entries: RwLock<VecDeque<Entry>>,
    last: watch::Sender<u64>,
}

impl Journal {
    /// Returns an empty journal that continues after the height `last`.
    pub fn starting_after(last: u64) -> Self {
        Self { entries: RwLock::default(), last: watch::Sender::new(last) }
    }

    pub fn push(&self, entry: Entry) {
        let height = entry.height;
        let mut entries = self.entries.write().expect("no holder of the lock panics");
        if entries.len() == MAX_ENTRIES {
            entries.pop_front();
        }
        entries.push_back(entry);
        drop(entries);
        self.last.send_replace(height);
    }

    /// Returns up to `count` entries from a height on, or later entries if that one was dropped.
    pub fn read(&self, from: u64, count: usize) -> Vec<Entry> {
        let entries = self.entries.read().expect("no holder of the lock panics");
        let start = entries.partition_point(|entry| entry.height < from);
        entries.range(start..).take(count).cloned().collect()
    }

    /// Returns the last height as a receiver that can wait for the next.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.last.subscribe()
    }
}
