//! Splits blocks into streams of parts and reassembles them.

use std::collections::{BTreeMap, HashMap};

use bytes::{Bytes, BytesMut};
use malachitebft_app_channel::app::streaming::{StreamContent, StreamId, StreamMessage};
use malachitebft_app_channel::app::types::PeerId;
use tracing::warn;

use crate::chain::Part;

/// Maximum size of a block in bytes.
pub const MAX_BLOCK_SIZE: u64 = 64 << 20;

/// Maximum number of incomplete streams, beyond which all are dropped. A correct peer has one at a time.
const MAX_STREAMS: usize = 1024;

/// Splits a block into the messages of a stream: `begin`, the bytes in parts of `part_size`, and the end.
pub fn split(id: &StreamId, begin: Part, block: &Bytes, part_size: usize) -> impl Iterator<Item = StreamMessage<Part>> {
    let data = (0..block.len())
        .step_by(part_size)
        .map(move |at| block.slice(at..block.len().min(at + part_size)))
        .map(|bytes| StreamContent::Data(Part::Data(bytes)));
    std::iter::once(StreamContent::Data(begin))
        .chain(data)
        .chain(std::iter::once(StreamContent::Fin))
        .zip(0..)
        .map(move |(content, sequence)| StreamMessage::new(id.clone(), sequence, content))
}

/// Assembles the blocks of incoming streams, independent of the order of the messages.
#[derive(Debug, Default)]
pub struct Assembler {
    streams: HashMap<(PeerId, StreamId), Stream>,
}

#[derive(Debug, Default)]
struct Stream {
    begin: Option<Part>,
    data: BTreeMap<u64, Bytes>,
    received: u64,
    /// The sequence number of the last message.
    end: Option<u64>,
    ignored: bool,
}

impl Assembler {
    /// Adds a message of a publisher's stream. Returns the first part and the block if the stream is complete.
    /// A stream is ignored if `is_wanted` rejects its first part or if it is invalid.
    pub fn add_message(
        &mut self,
        publisher: PeerId,
        message: StreamMessage<Part>,
        is_wanted: impl FnOnce(&Part) -> bool,
    ) -> Option<(Part, Bytes)> {
        if self.streams.len() >= MAX_STREAMS {
            warn!(streams = MAX_STREAMS, "dropping incomplete streams of blocks");
            self.streams.clear();
        }
        let key = (publisher, message.stream_id.clone());
        let stream = self.streams.entry(key.clone()).or_default();
        stream.add(message, is_wanted);
        if !stream.is_complete() {
            return None;
        }
        self.streams.remove(&key)?.into_block()
    }

    /// Drops the streams whose first part is no longer wanted.
    pub fn retain(&mut self, is_wanted: impl Fn(&Part) -> bool) {
        self.streams.retain(|_, stream| stream.begin.as_ref().is_none_or(&is_wanted));
    }
}

impl Stream {
    fn add(&mut self, message: StreamMessage<Part>, is_wanted: impl FnOnce(&Part) -> bool) {
        let sequence = message.sequence;
        match message.content {
            StreamContent::Data(begin @ Part::Begin { size, .. }) => {
                self.ignored |= size > MAX_BLOCK_SIZE || !is_wanted(&begin);
                self.begin = Some(begin);
            }
            StreamContent::Data(Part::Data(bytes)) => {
                let length = bytes.len() as u64;
                if self.data.insert(sequence, bytes).is_none() {
                    self.received += length;
                }
                self.ignored |= self.received > MAX_BLOCK_SIZE;
            }
            StreamContent::Fin => self.end = Some(sequence),
        }
        if self.ignored {
            self.data.clear();
        }
    }

    fn is_complete(&self) -> bool {
        // All messages between the first and the end are data.
        self.begin.is_some() && self.end == Some(self.data.len() as u64 + 1)
    }

    fn into_block(self) -> Option<(Part, Bytes)> {
        let begin = self.begin?;
        let Part::Begin { size, .. } = begin else {
            return None;
        };
        if size != self.received {
            warn!(size, received = self.received, "a block differs in size from the first part of its stream");
            return None;
        }
        let mut block = BytesMut::with_capacity(size as usize);
        for bytes in self.data.into_values() {
            block.extend_from_slice(&bytes);
        }
        Some((begin, block.freeze()))
    }
}
