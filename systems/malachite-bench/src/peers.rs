//! The blocks that the peers report in their status.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use malachitebft_app_channel::app::types::PeerId;
use malachitebft_sync::Status;

use crate::chain::{Chain, Height};

/// The last status of each peer. Clones share the data.
#[derive(Clone, Debug, Default)]
pub struct Peers(Arc<Mutex<BTreeMap<PeerId, StoredRange>>>);

#[derive(Clone, Copy, Debug)]
struct StoredRange {
    first: Height,
    last: Height,
}

impl Peers {
    pub fn record_status(&self, status: &Status<Chain>) {
        let range = StoredRange { first: status.history_min_height, last: status.tip_height };
        let mut peers = self.0.lock().expect("no holder of the lock panics");
        peers.insert(status.peer_id, range);
    }

    /// Returns the first height that a peer still stores, if peers are past a height and none of them has its block.
    pub fn first_available_after(&self, height: Height) -> Option<Height> {
        let peers = self.0.lock().expect("no holder of the lock panics");
        let first = peers.values().filter(|range| range.last >= height).map(|range| range.first).min()?;
        (first > height).then_some(first)
    }
}
