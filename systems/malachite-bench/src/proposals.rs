//! The bytes of proposed, undecided blocks. The application creates and receives them; the codec writes them to the
//! write-ahead log of the consensus and reads them back after a crash.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use bytes::Bytes;

use crate::chain::{Height, Value, ValueId};

/// Number of undecided heights whose blocks are kept. The consensus queues as many (its `queue_capacity`), so that a
/// validator that is slightly behind need not request blocks from its peers.
pub const HEIGHTS_AHEAD: u64 = 10;

/// Clones share the store.
#[derive(Clone, Debug, Default)]
pub struct Proposals(Arc<Mutex<ProposalBlocks>>);

#[derive(Debug, Default)]
struct ProposalBlocks {
    last_decided: Height,
    blocks: BTreeMap<(Height, ValueId), Bytes>,
}

impl Proposals {
    /// Keeps a block until its height is decided, if its height is [accepted](Self::accepts_height). Returns its value.
    pub fn put(&self, height: Height, block: Bytes) -> Value {
        let value = Value::of(&block);
        let mut blocks = self.lock();
        if blocks.accepts_height(height) {
            blocks.blocks.insert((height, value.id), block);
        }
        value
    }

    pub fn get(&self, height: Height, id: ValueId) -> Option<Bytes> {
        self.lock().blocks.get(&(height, id)).cloned()
    }

    /// Returns all blocks of a height.
    pub fn blocks_at(&self, height: Height) -> Vec<Bytes> {
        let blocks = &self.lock().blocks;
        blocks.iter().filter(|((proposed_at, _), _)| *proposed_at == height).map(|(_, block)| block.clone()).collect()
    }

    /// Reports whether a block of this height can still be used: the height is undecided and not too far ahead.
    pub fn accepts_height(&self, height: Height) -> bool {
        self.lock().accepts_height(height)
    }

    /// Drops all blocks up to a height, which is now decided.
    pub fn mark_decided(&self, height: Height) {
        let mut blocks = self.lock();
        blocks.last_decided = height;
        blocks.blocks.retain(|(proposed_at, _), _| *proposed_at > height);
    }

    /// Returns the last decided height; 0 before the first.
    pub fn last_decided(&self) -> Height {
        self.lock().last_decided
    }

    fn lock(&self) -> MutexGuard<'_, ProposalBlocks> {
        self.0.lock().expect("no holder of the lock panics")
    }
}

impl ProposalBlocks {
    fn accepts_height(&self, height: Height) -> bool {
        height > self.last_decided && height.0 <= self.last_decided.0 + HEIGHTS_AHEAD
    }
}
