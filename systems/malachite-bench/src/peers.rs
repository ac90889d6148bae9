//! What the peers say of the blocks that they have.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use malachitebft_app_channel::app::types::PeerId;
use malachitebft_sync::Status;

use crate::chain::{Chain, Height};

/// The last status of each peer. Cheap to clone; all clones are the same.
#[derive(Clone, Debug, Default)]
pub struct Peers(Arc<Mutex<BTreeMap<PeerId, Span>>>);

#[derive(Clone, Copy, Debug)]
struct Span {
    first: Height,
    last: Height,
}

impl Peers {
    pub fn note(&self, status: &Status<Chain>) {
        let span = Span { first: status.history_min_height, last: status.tip_height };
        let mut peers = self.0.lock().expect("no holder of the lock panics");
        peers.insert(status.peer_id, span);
    }

    /// If peers are past a height and none of them has its block any more: the first height that one still has.
    pub fn pruned(&self, height: Height) -> Option<Height> {
        let peers = self.0.lock().expect("no holder of the lock panics");
        let first = peers.values().filter(|span| span.last >= height).map(|span| span.first).min()?;
        (first > height).then_some(first)
    }
}
