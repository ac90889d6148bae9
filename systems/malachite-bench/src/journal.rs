//! The last decided blocks as they are told to observers, in memory.

use std::collections::VecDeque;
use std::sync::RwLock;

use serde::Serialize;
use tokio::sync::watch;

/// How many blocks are remembered: at ten blocks a second, half an hour.
pub const CAPACITY: usize = 20_000;

/// A decided block.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    pub height: u64,
    /// When this validator learned of the decision: Unix time in milliseconds, to the microsecond.
    pub time_millis: f64,
    pub bytes: u64,
    /// Always 0: blocks are bytes, not transactions.
    pub transactions: u64,
    /// The round of the decision, 0 when the first proposal was accepted.
    pub round: i64,
    /// The address of the validator whose proposal was decided.
    pub proposer: String,
    /// The block came from a peer that had decided it before, so its time says nothing of the consensus. Left out when
    /// false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub synced: bool,
}

/// A ring of entries in ascending order of their heights. Readers take copies and so never hold up the writer.
#[derive(Debug)]
pub struct Journal {
    entries: RwLock<VecDeque<Entry>>,
    last: watch::Sender<u64>,
}

impl Journal {
    /// An empty journal that goes on after the height `last`.
    pub fn after(last: u64) -> Self {
        Self { entries: RwLock::default(), last: watch::Sender::new(last) }
    }

    pub fn push(&self, entry: Entry) {
        let height = entry.height;
        let mut entries = self.entries.write().expect("no holder of the lock panics");
        if entries.len() == CAPACITY {
            entries.pop_front();
        }
        entries.push_back(entry);
        drop(entries);
        self.last.send_replace(height);
    }

    /// Up to `count` entries from a height on; later ones if that one is forgotten.
    pub fn read(&self, from: u64, count: usize) -> Vec<Entry> {
        let entries = self.entries.read().expect("no holder of the lock panics");
        let start = entries.partition_point(|entry| entry.height < from);
        entries.range(start..).take(count).cloned().collect()
    }

    /// The last height, and a way to wait for the next.
    pub fn last(&self) -> watch::Receiver<u64> {
        self.last.subscribe()
    }
}
