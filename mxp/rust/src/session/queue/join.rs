//! Values that join the frame that was made last [MXP-17.6].

use super::{Class, Draft, Queue};
use crate::frame::{hash, Checksum, Flags, Header, Type, HEADER_BYTES, TRAILER_BYTES};
use crate::session::records::LENGTH_BYTES;
#[cfg(feature = "bytes")]
use crate::session::Records;
use crate::session::{BATCHED_BYTES, BATCH_BYTES};

/// The frame that was made last, while values may join it: it waits, its bytes are the last
/// of the buffer, and its header and trailer are not right yet.
#[derive(Debug)]
pub(super) struct Tail {
    header: Header,
    /// Bytes of its payload before its values.
    start: usize,
    checksum: Checksum,
    /// The service and the method of an Event that has nothing else before its values.
    pub(super) bare: Option<(u16, u16)>,
}

impl Tail {
    pub(super) const fn new(header: Header, start: usize, checksum: Checksum) -> Self {
        Self {
            header,
            start,
            checksum,
            bare: None,
        }
    }
}

impl Queue {
    /// Whether a chunk of so many bytes joins the frame that was made last, where the peer
    /// takes payloads of so many bytes.
    #[inline]
    pub(crate) fn joins_chunk(&self, id: u64, bytes: usize, most: usize) -> bool {
        let Some(Tail { header, .. }) = &self.tail else {
            return false;
        };
        matches!(header.frame_type, Type::StreamChunk | Type::StreamChunks)
            && header.message_id == id
            && self.has_room(bytes, most.min(BATCH_BYTES))
    }

    /// The same of an Event, whose payload's start was begun.
    pub(crate) fn joins_event(&self, draft: Draft, bytes: usize, most: usize) -> bool {
        let (Some(tail), Some(slot)) = (&self.tail, self.slots.back()) else {
            return false;
        };
        let begun = &self.buffer[draft.start + HEADER_BYTES..];
        let start = draft.start - slot.buffered + HEADER_BYTES;
        matches!(tail.header.frame_type, Type::Event | Type::Events)
            && self.buffer[start..start + tail.start] == *begun
            && self.has_room(bytes, most.min(BATCHED_BYTES))
    }

    /// The same of an Event of a service's method that has nothing else before its value.
    #[inline]
    pub(crate) fn joins_bare_event(&self, method: (u16, u16), bytes: usize, most: usize) -> bool {
        let tail = self.tail.as_ref();
        tail.is_some_and(|tail| tail.bare == Some(method))
            && self.has_room(bytes, most.min(BATCHED_BYTES))
    }

    /// Notes that the frame that was made last is an Event of a service's method that has
    /// nothing else before its value.
    pub(crate) fn note_bare_event(&mut self, method: (u16, u16)) {
        if let Some(tail) = &mut self.tail {
            tail.bare = Some(method);
        }
    }

    /// Whether the frame that was made last has room for one more value.
    fn has_room(&self, bytes: usize, most: usize) -> bool {
        self.slots.back().is_some_and(|slot| {
            let lengths = if slot.values == 1 { 2 } else { 1 };
            let payload = slot.bytes - HEADER_BYTES - TRAILER_BYTES;
            bytes <= BATCHED_BYTES && payload + lengths * LENGTH_BYTES + bytes <= most
        })
    }

    /// Puts a value that joins it into the frame that was made last, which has these flags
    /// then, and returns its id.
    pub(crate) fn join(&mut self, value: &[u8], flags: Flags) -> u64 {
        let (Some(tail), Some(slot)) = (&mut self.tail, self.slots.back_mut()) else {
            return 0;
        };
        let before = self.buffer.len();
        let end = before - TRAILER_BYTES;
        self.buffer.truncate(end);
        if slot.values == 1 {
            let at = before - slot.buffered + HEADER_BYTES + tail.start;
            self.buffer.extend_from_slice(&[0; LENGTH_BYTES]);
            self.buffer.copy_within(at..end, at + LENGTH_BYTES);
            self.buffer[at..at + LENGTH_BYTES].copy_from_slice(&length(end - at));
            tail.header.frame_type = match tail.header.frame_type {
                Type::StreamChunk => Type::StreamChunks,
                _ => Type::Events,
            };
            slot.frame_type = tail.header.frame_type;
        }
        self.buffer.extend_from_slice(&length(value.len()));
        self.buffer.extend_from_slice(value);
        self.buffer.extend_from_slice(&[0; TRAILER_BYTES]);
        let grown = self.buffer.len() - before;
        slot.values += 1;
        slot.bytes += grown;
        slot.buffered += grown;
        self.bytes += grown;
        if slot.class == Class::Droppable {
            self.droppable_bytes += grown;
        }
        let id = slot.id;
        if flags != Flags::NONE {
            tail.header.flags = flags;
            self.seal(self.buffer.len());
        }
        id
    }

    /// How many bytes of values, with their lengths, the frame that was made last has room for
    /// as a batch, if it is one.
    #[cfg(feature = "bytes")]
    fn batch_room(&self, most: usize) -> Option<usize> {
        let slot = self.slots.back().filter(|slot| slot.values > 1)?;
        let payload = slot.bytes - HEADER_BYTES - TRAILER_BYTES;
        most.checked_sub(payload)
    }

    /// The room that a stream's batch has which was made last, if it is one.
    #[cfg(feature = "bytes")]
    pub(crate) fn chunks_room(&self, id: u64, most: usize) -> Option<usize> {
        let header = self.tail.as_ref()?.header;
        let fits = header.frame_type == Type::StreamChunks && header.message_id == id;
        self.batch_room(most.min(BATCH_BYTES)).filter(|_| fits)
    }

    /// The same of a batch of Events with an id.
    #[cfg(feature = "bytes")]
    pub(crate) fn events_room(&self, id: u64, most: usize) -> Option<usize> {
        let header = self.tail.as_ref()?.header;
        let fits = header.frame_type == Type::Events && header.message_id == id;
        self.batch_room(most.min(BATCHED_BYTES)).filter(|_| fits)
    }

    /// Puts values into the batch that was made last, which has room for them.
    #[cfg(feature = "bytes")]
    pub(crate) fn join_all(&mut self, records: Records<'_>) {
        let Some(slot) = self.slots.back_mut() else {
            return;
        };
        let grown = records.data().len();
        self.buffer.truncate(self.buffer.len() - TRAILER_BYTES);
        self.buffer.extend_from_slice(records.data());
        self.buffer.extend_from_slice(&[0; TRAILER_BYTES]);
        slot.values += u32::try_from(records.len()).unwrap_or(u32::MAX);
        slot.bytes += grown;
        slot.buffered += grown;
        self.bytes += grown;
        if slot.class == Class::Droppable {
            self.droppable_bytes += grown;
        }
    }

    /// Lets nothing join the frame that was made last any more, and makes its header and its
    /// trailer right. It ends at this place in the buffer.
    #[inline]
    pub(super) fn seal(&mut self, end: usize) {
        if let Some(tail) = self.tail.take() {
            self.write(&tail, end);
        }
    }

    fn write(&mut self, tail: &Tail, end: usize) {
        let Some(slot) = self.slots.back() else {
            return;
        };
        let frame = &mut self.buffer[end - slot.buffered..end];
        let (head, trailer) = frame.split_at_mut(slot.buffered - TRAILER_BYTES);
        if slot.values > 1 {
            let payload = slot.bytes - HEADER_BYTES - TRAILER_BYTES;
            head[..HEADER_BYTES].copy_from_slice(&tail.header.bytes(payload));
        }
        if tail.checksum == Checksum::On {
            trailer.copy_from_slice(&hash::of(head).to_le_bytes());
        }
    }
}

/// The length of a record, which is at most [`BATCHED_BYTES`].
fn length(bytes: usize) -> [u8; LENGTH_BYTES] {
    u16::try_from(bytes).unwrap_or(u16::MAX).to_le_bytes()
}
