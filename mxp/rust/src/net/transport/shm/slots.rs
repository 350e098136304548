//! The two directions of a channel: values in slots of rings, and the numbers of them, of which
//! this side's are kept here and the peer's are believed only as far as they can be [MXP-18.14].

use std::boxed::Box;
use std::vec;

use super::atomic::{fence, Ordering};
use super::channel_offer::{Delivery, Form};
use super::memory::{Own, Peers, Ring};
use super::offer::{LEAST_RING, MOST_RING};

/// How many slots a ring has at least.
const LEAST_SLOTS: usize = 4;

/// The bytes that a stride is a multiple of: no two values have a line of the processor's cache
/// in common.
const LINE: usize = 64;

/// Attempts to take the newest value, where it was written over meanwhile.
const TRIES: usize = 4;

/// A number of the peer's that can't be.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wrong;

/// Where values lie in a ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slots {
    stride: usize,
    count: u64,
}

impl Slots {
    /// The slots of a ring for values of a form, unless they are fewer than there have to be.
    pub(super) fn new(form: Form, ring: usize) -> Option<Self> {
        let stride = stride(form)?;
        let count = ring / stride;
        (count >= LEAST_SLOTS).then_some(Self {
            stride,
            count: count as u64,
        })
    }

    /// Where a value's slot begins.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "it is less than there are slots"
    )]
    const fn place(self, n: u64) -> usize {
        (n % self.count) as usize * self.stride
    }

    /// Where the slot behind another begins, found in the same time at the ring's end.
    #[inline]
    const fn behind(self, position: usize) -> usize {
        let next = position + self.stride;
        #[expect(clippy::cast_possible_truncation, reason = "a ring is in memory")]
        let end = self.stride * self.count as usize;
        next * (next != end) as usize
    }
}

/// How many bytes are between two values, which have some.
fn stride(form: Form) -> Option<usize> {
    let bytes = usize::try_from(form.bytes).ok().filter(|n| *n > 0)?;
    (bytes <= MOST_RING).then(|| bytes.next_multiple_of(LINE))
}

/// How many bytes a ring has for so many values at least, if there is such a ring.
pub(super) fn ring_for(form: Form, capacity: usize) -> Option<usize> {
    let all = stride(form)?.checked_mul(capacity.max(LEAST_SLOTS))?;
    let ring = all.checked_next_power_of_two()?.max(LEAST_RING);
    (ring <= MOST_RING).then_some(ring)
}

/// The direction that this side writes.
pub(super) struct Outbox {
    ring: Ring,
    own: Own,
    peer: Peers,
    slots: Slots,
    delivery: Delivery,
    bytes: usize,
    /// How many values were sent.
    sent: u64,
    /// Where the next lies.
    at: usize,
    /// How many the peer had taken when that was looked at last.
    taken: u64,
}

impl Outbox {
    /// The direction, whose memory was touched.
    pub(super) fn new(mut ring: Ring, own: Own, peer: Peers, form: Form) -> Option<Self> {
        let slots = Slots::new(form, ring.len())?;
        ring.touch();
        own.set_written(0);
        Some(Self {
            ring,
            own,
            peer,
            slots,
            delivery: form.delivery,
            bytes: form.bytes as usize,
            sent: 0,
            at: 0,
            taken: 0,
        })
    }

    /// Whether there is room for a value. The peer's number is read where this side knows of
    /// none.
    #[inline]
    pub(super) fn has_room(&mut self) -> Result<bool, Wrong> {
        if self.delivery == Delivery::Latest || self.sent - self.taken < self.slots.count {
            return Ok(true);
        }
        let taken = self.peer.taken();
        if taken < self.taken || taken > self.sent {
            return Err(Wrong);
        }
        self.taken = taken;
        Ok(self.sent - taken < self.slots.count)
    }

    /// The memory of the next value, if there is room.
    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<&mut [u8]>, Wrong> {
        if !self.has_room()? {
            return Ok(None);
        }
        // Nothing of this value may be seen before the number of the last one [MXP-18.16].
        fence(Ordering::Release);
        Ok(Some(self.ring.slot(self.at, self.bytes)))
    }

    /// Says that the value is there.
    #[inline]
    pub(super) fn publish(&mut self) {
        self.sent += 1;
        self.own.set_written(self.sent);
        self.at = self.slots.behind(self.at);
    }

    /// Whether the peer takes nothing more.
    #[inline]
    pub(super) fn has_left(&self) -> bool {
        self.peer.has_left()
    }
}

/// The direction that the peer writes.
pub(super) struct Inbox {
    own: Own,
    peer: Peers,
    slots: Slots,
    delivery: Delivery,
    /// How many values were taken, or passed over.
    taken: u64,
    /// Where the next lies.
    at: usize,
    /// How many the peer had sent when that was looked at last.
    sent: u64,
    /// Whether the peer can send no more: its socket has ended.
    is_last: bool,
    /// The value that was copied.
    copied: Box<[u8]>,
}

/// The state of a direction that has no value.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Dry {
    /// One may come.
    Yet,
    /// None comes any more, since the peer has said so.
    Ended,
    /// None comes any more, since the peer is gone.
    Lost,
}

impl Inbox {
    /// The direction, whose memory was touched.
    pub(super) fn new(own: Own, peer: Peers, form: Form) -> Option<Self> {
        let slots = Slots::new(form, peer.ring())?;
        peer.touch();
        own.set_taken(0);
        Some(Self {
            own,
            peer,
            slots,
            delivery: form.delivery,
            taken: 0,
            at: 0,
            sent: 0,
            is_last: false,
            // Zeros may be pages that are not there yet.
            copied: vec![1; form.bytes as usize].into(),
        })
    }

    /// Reads how many values the peer has sent, and returns whether there are new ones.
    #[inline]
    fn look(&mut self) -> Result<bool, Wrong> {
        if !self.is_last {
            let sent = self.peer.written();
            let is_too_many = sent.wrapping_sub(self.taken) > self.slots.count;
            if sent < self.sent || is_too_many && self.delivery == Delivery::Queue {
                return Err(Wrong);
            }
            self.sent = sent;
        }
        Ok(self.sent > self.taken)
    }

    /// Copies the next value out, or the newest, if there is one.
    #[inline]
    pub(super) fn take(&mut self) -> Result<Option<&[u8]>, Wrong> {
        match self.delivery {
            Delivery::Queue => {
                if self.sent == self.taken && !self.look()? {
                    return Ok(None);
                }
                self.peer.copy_slot(self.at, &mut self.copied);
                self.taken += 1;
                self.own.set_taken(self.taken);
                self.at = self.slots.behind(self.at);
                Ok(Some(&self.copied))
            }
            Delivery::Latest => {
                let is_there = self.newest()?;
                Ok(is_there.then_some(&*self.copied))
            }
        }
    }

    /// Copies the newest value, if it is new. Returns false too where each was written over while
    /// it was copied.
    #[inline]
    fn newest(&mut self) -> Result<bool, Wrong> {
        if !self.look()? {
            return Ok(false);
        }
        for _ in 0..TRIES {
            let newest = self.sent - 1;
            let at = self.slots.place(newest);
            self.peer.copy_slot(at, &mut self.copied);
            // The copy is of before the number that is read now [MXP-18.16].
            fence(Ordering::Acquire);
            let sent = self.peer.written();
            if sent < self.sent {
                return Err(Wrong);
            }
            if sent - newest < self.slots.count {
                self.taken = newest + 1;
                return Ok(true);
            }
            if self.is_last {
                // A peer that is gone and writes all the same has no more values.
                self.taken = self.sent;
                break;
            }
            self.sent = sent;
        }
        Ok(false)
    }

    /// Whether something is there, or is to be found out.
    #[inline]
    pub(super) fn has_news(&mut self, is_alone: bool) -> bool {
        !matches!(self.look(), Ok(false)) || self.peer.has_ended() || is_alone
    }

    /// Why there is no value. The end is looked at before what was sent until then.
    #[inline]
    pub(super) fn dry(&mut self, is_alone: bool) -> Result<Dry, Wrong> {
        let has_ended = self.peer.has_ended();
        if !has_ended && !is_alone {
            return Ok(Dry::Yet);
        }
        let is_there = self.look()?;
        self.is_last |= is_alone;
        Ok(match (is_there, has_ended) {
            (true, _) => Dry::Yet,
            (false, true) => Dry::Ended,
            (false, false) => Dry::Lost,
        })
    }
}
