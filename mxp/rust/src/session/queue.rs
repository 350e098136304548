//! Frames that wait to be sent [MXP-9.1].
//!
//! They lie one behind the other in one buffer, but for long values, which stay
//! where they are. So frames that follow each other are given out as one piece.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::ops::Range;

use crate::frame::{hash, Checksum, Header, Type, HEADER_BYTES, TRAILER_BYTES};
use crate::session::state::stirs;
use crate::session::Value;

use join::Tail;

mod join;

/// How much memory is kept while nothing waits.
const SPARE_BYTES: usize = 256 << 10;

/// How many bytes that were given out, or belong to nothing, a buffer may begin
/// with or have in it, before what waits is moved together.
const WASTE_BYTES: usize = 4 << 10;

/// Bytes to be sent, in this order. They are one frame or several whole ones.
#[derive(Debug)]
pub struct Outgoing<'a> {
    /// The bytes that go first.
    pub head: &'a [u8],
    /// A long value, which can be taken out to be kept. It is empty if all lay
    /// together.
    pub value: &'a mut Value<'static>,
    /// The bytes that go behind the value.
    pub trailer: &'a [u8],
}

impl Outgoing<'_> {
    /// The pieces, for a write that takes them together.
    #[must_use]
    pub fn pieces(&self) -> [&[u8]; 3] {
        [self.head, self.value.as_slice(), self.trailer]
    }

    /// How many bytes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pieces().iter().map(|piece| piece.len()).sum()
    }

    /// Whether there are none, which is never so.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes, copied.
    #[must_use]
    pub fn to_vec(&self) -> Vec<u8> {
        self.pieces().concat()
    }
}

/// The class that a frame has in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// It waits until it is given out.
    Plain,
    /// The session has made it by itself to answer the peer [MXP-9.4].
    Reply,
    /// It can be dropped for newer ones [MXP-9.5].
    Droppable,
}

/// A frame that waits.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) id: u64,
    pub(crate) frame_type: Type,
    /// Bytes of the whole frame.
    pub(crate) bytes: usize,
    class: Class,
    /// How many values it has: of more than one it is a batch.
    values: u32,
    /// Bytes of it in the buffer.
    buffered: usize,
    /// Its value, if that is long.
    long: Option<Box<Value<'static>>>,
    /// It was dropped, and only its bytes are still there.
    gone: bool,
}

/// A frame that is being made at the end of the buffer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Draft {
    start: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Queue {
    slots: VecDeque<Slot>,
    /// The last of them, if values may join it.
    tail: Option<Tail>,
    buffer: Vec<u8>,
    /// Where in the buffer the first slot's bytes are.
    front: usize,
    /// How many bytes of the buffer are of slots that are gone.
    wasted: usize,
    /// Where what was taken out last lies.
    taken: Range<usize>,
    /// How many bytes of that go behind the long value.
    trailer: usize,
    /// The long value that was taken out last.
    given: Value<'static>,
    bytes: usize,
    frames: usize,
    /// How many of them are Pings and Pongs.
    pulses: usize,
    reply_bytes: usize,
    droppable_bytes: usize,
}

impl Queue {
    /// Bytes of all frames that wait.
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) const fn frames(&self) -> usize {
        self.frames
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.frames == 0
    }

    /// Whether nothing waits but Pings and Pongs.
    pub(crate) const fn is_quiet(&self) -> bool {
        self.frames == self.pulses
    }

    /// Bytes of the frames that the session has made to answer the peer.
    pub(crate) const fn reply_bytes(&self) -> usize {
        self.reply_bytes
    }

    /// Begins a frame with what its payload starts with.
    pub(crate) fn begin(
        &mut self,
        head: impl FnOnce(&mut Vec<u8>) -> Result<(), sdp::Error>,
    ) -> Result<Draft, sdp::Error> {
        self.tidy();
        let start = self.buffer.len();
        self.buffer.extend_from_slice(&[0; HEADER_BYTES]);
        let draft = Draft { start };
        head(&mut self.buffer).inspect_err(|_| self.undo(draft))?;
        Ok(draft)
    }

    /// How many bytes the start of a draft's payload has.
    pub(crate) fn begun_bytes(&self, draft: Draft) -> usize {
        self.buffer.len() - draft.start - HEADER_BYTES
    }

    /// Forgets a draft.
    pub(crate) fn undo(&mut self, draft: Draft) {
        self.buffer.truncate(draft.start);
    }

    /// Makes a draft a frame that waits, which is open if values may join it.
    pub(crate) fn commit(
        &mut self,
        draft: Draft,
        header: Header,
        value: Value<'_>,
        class: Class,
        checksum: Checksum,
        is_open: bool,
    ) {
        self.seal(draft.start);
        let begun = self.begun_bytes(draft);
        let n = begun + value.as_slice().len();
        let start = &mut self.buffer[draft.start..];
        start[..HEADER_BYTES].copy_from_slice(&header.bytes(n));
        let long = match value.into_long() {
            Ok(long) => {
                let pieces = [&start[HEADER_BYTES..], long.as_slice()];
                let trailer = match checksum {
                    Checksum::On => hash::of_parts(header.words(n), &pieces, n),
                    Checksum::Off => 0,
                };
                self.buffer.extend_from_slice(&trailer.to_le_bytes());
                Some(Box::new(long))
            }
            Err(value) => {
                self.buffer.extend_from_slice(value.as_slice());
                let trailer = match checksum {
                    Checksum::On if !is_open => hash::of(&self.buffer[draft.start..]),
                    _ => 0,
                };
                self.buffer.extend_from_slice(&trailer.to_le_bytes());
                None
            }
        };
        let slot = Slot {
            id: header.message_id,
            frame_type: header.frame_type,
            bytes: HEADER_BYTES + n + TRAILER_BYTES,
            class,
            values: 1,
            buffered: self.buffer.len() - draft.start,
            long,
            gone: false,
        };
        self.count(&slot, true);
        self.slots.push_back(slot);
        self.tail = is_open.then(|| Tail::new(header, begun, checksum));
    }

    /// Takes out the first frame, and as many of the frames behind it as fit into so many bytes
    /// together with it. Each is told. They are what is given next.
    pub(crate) fn take(
        &mut self,
        most_bytes: usize,
        most_frames: usize,
        mut visit: impl FnMut(&Slot),
    ) {
        let start = self.front;
        let (mut bytes, mut frames, mut trailer) = (0_usize, 0, 0);
        self.given = Value::default();
        while let Some(slot) = self.slots.front() {
            let room = bytes.saturating_add(slot.bytes) <= most_bytes && frames < most_frames;
            if slot.gone || (frames > 0 && !room) {
                break;
            }
            if self.slots.len() == 1 {
                self.seal(self.buffer.len());
            }
            let Some(mut slot) = self.slots.pop_front() else {
                break;
            };
            self.front += slot.buffered;
            bytes += slot.bytes;
            frames += 1;
            self.count(&slot, false);
            visit(&slot);
            if let Some(long) = slot.long.take() {
                self.given = *long;
                trailer = TRAILER_BYTES;
                break;
            }
        }
        self.taken = start..self.front;
        self.trailer = trailer;
        self.skip_gone();
    }

    /// The frame that was taken out last.
    pub(crate) fn given(&mut self) -> Option<Outgoing<'_>> {
        let bytes = self.buffer.get(self.taken.clone())?;
        let (head, trailer) = bytes.split_at_checked(bytes.len().checked_sub(self.trailer)?)?;
        (!head.is_empty()).then_some(Outgoing {
            head,
            value: &mut self.given,
            trailer,
        })
    }

    /// Drops the frames of an exchange.
    pub(crate) fn drop_exchange(&mut self, id: u64) {
        self.drop_where(|slot| slot.id == id);
    }

    /// Drops everything but frames of this type.
    pub(crate) fn drop_all_but(&mut self, frame_type: Type) {
        self.drop_where(|slot| slot.frame_type != frame_type);
    }

    /// Drops everything.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Drops the oldest frames that can be dropped until less than so many bytes
    /// wait, and returns how many values they had.
    pub(crate) fn drop_oldest(&mut self, bytes: usize) -> u64 {
        let mut dropped = 0;
        let mut i = 0;
        while self.bytes >= bytes && self.droppable_bytes > 0 && i < self.slots.len() {
            if self.slots[i].class == Class::Droppable && !self.slots[i].gone {
                dropped += u64::from(self.slots[i].values);
                self.drop_slot(i);
            }
            i += 1;
        }
        self.skip_gone();
        dropped
    }

    /// Gives back the memory that nothing needs.
    pub(crate) fn rest(&mut self) {
        if self.is_empty() {
            self.clear();
        }
    }

    fn drop_where(&mut self, unwanted: impl Fn(&Slot) -> bool) {
        for i in 0..self.slots.len() {
            if !self.slots[i].gone && unwanted(&self.slots[i]) {
                self.drop_slot(i);
            }
        }
        self.skip_gone();
    }

    fn drop_slot(&mut self, i: usize) {
        if i + 1 == self.slots.len() {
            self.tail = None;
        }
        let mut slot = core::mem::replace(
            &mut self.slots[i],
            Slot {
                id: 0,
                frame_type: Type::Ping,
                bytes: 0,
                class: Class::Plain,
                values: 0,
                buffered: 0,
                long: None,
                gone: true,
            },
        );
        self.count(&slot, false);
        slot.long = None;
        slot.gone = true;
        self.wasted += slot.buffered;
        self.slots[i] = slot;
    }

    /// Counts a frame in, or out.
    fn count(&mut self, slot: &Slot, come: bool) {
        let change = |sum: &mut usize, n: usize| {
            *sum = if come { *sum + n } else { *sum - n };
        };
        change(&mut self.bytes, slot.bytes);
        change(&mut self.frames, 1);
        change(&mut self.pulses, usize::from(!stirs(slot.frame_type)));
        match slot.class {
            Class::Plain => {}
            Class::Reply => change(&mut self.reply_bytes, slot.bytes),
            Class::Droppable => change(&mut self.droppable_bytes, slot.bytes),
        }
    }

    /// Moves to the first frame that is not gone.
    fn skip_gone(&mut self) {
        while self.slots.front().is_some_and(|slot| slot.gone) {
            if let Some(slot) = self.slots.pop_front() {
                self.front += slot.buffered;
                self.wasted -= slot.buffered;
            }
        }
    }

    /// Moves the waiting frames together, if they are little in comparison with the wasted bytes.
    fn tidy(&mut self) {
        let waste = self.front + self.wasted;
        if self.slots.is_empty() {
            self.buffer.clear();
            self.buffer.shrink_to(SPARE_BYTES);
            self.front = 0;
        } else if waste > WASTE_BYTES && waste > self.buffer.len() / 2 {
            let (mut from, mut to) = (self.front, 0);
            for slot in &self.slots {
                if !slot.gone {
                    self.buffer.copy_within(from..from + slot.buffered, to);
                    to += slot.buffered;
                }
                from += slot.buffered;
            }
            self.buffer.truncate(to);
            self.slots.retain(|slot| !slot.gone);
            (self.front, self.wasted) = (0, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{decode, DecodeOptions};

    const ALL: usize = usize::MAX;

    fn put(queue: &mut Queue, frame_type: Type, id: u64, value: Value<'_>, class: Class) {
        let header = Header {
            message_id: id,
            ..Header::new(frame_type)
        };
        let draft = queue.begin(|_| Ok(())).unwrap();
        queue.commit(draft, header, value, class, Checksum::On, false);
    }

    fn take(queue: &mut Queue) -> Option<(u64, usize)> {
        queue.take(0, ALL, |_| ());
        let bytes = queue.given()?.to_vec();
        let frame = decode(&bytes, &DecodeOptions::new(Checksum::On)).unwrap();
        Some((frame.header.message_id, frame.payload.len()))
    }

    #[test]
    fn frames_come_out_as_they_went_in_one_by_one_or_together() {
        let mut queue = Queue::default();
        for id in 1..=3 {
            put(&mut queue, Type::Event, id, (&[7; 10]).into(), Class::Plain);
        }
        put(
            &mut queue,
            Type::Event,
            4,
            alloc::vec![7; 5000].into(),
            Class::Plain,
        );
        put(&mut queue, Type::Event, 5, (&[7; 10]).into(), Class::Plain);
        assert_eq!(queue.bytes(), 3 * 50 + 5040 + 50);
        assert_eq!(take(&mut queue), Some((1, 10)));
        queue.take(ALL, ALL, |_| ());
        let out = queue.given().unwrap();
        assert_eq!(out.pieces().map(<[u8]>::len), [2 * 50 + 32, 5000, 8]);
        assert_eq!(take(&mut queue), Some((5, 10)));
        assert_eq!(take(&mut queue), None);
        assert!(queue.is_empty() && queue.bytes() == 0);
    }

    #[test]
    fn what_is_dropped_leaves_no_trace_and_little_memory() {
        let mut queue = Queue::default();
        put(&mut queue, Type::Call, 1, (&[7; 10]).into(), Class::Plain);
        for id in 2..10_000 {
            put(
                &mut queue,
                Type::Event,
                id,
                (&[7; 10]).into(),
                Class::Droppable,
            );
            assert_eq!(
                queue.drop_oldest(60),
                u64::from(id > 2) + u64::from(id == 2)
            );
        }
        assert!(
            queue.buffer.capacity() < 4 * WASTE_BYTES,
            "{}",
            queue.buffer.capacity()
        );
        put(
            &mut queue,
            Type::StreamChunk,
            5,
            alloc::vec![7; 5000].into(),
            Class::Plain,
        );
        put(&mut queue, Type::Hello, 0, (&[]).into(), Class::Reply);
        queue.drop_exchange(5);
        queue.drop_all_but(Type::Hello);
        assert_eq!(
            (queue.bytes(), queue.reply_bytes(), queue.frames()),
            (40, 40, 1)
        );
        assert_eq!(take(&mut queue), Some((0, 0)));
        assert_eq!((queue.wasted, queue.reply_bytes()), (0, 0));
    }
}
