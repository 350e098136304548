//! Requests that are not answered yet [MXP-5.4].

use alloc::boxed::Box;
use alloc::collections::{BTreeSet, VecDeque};

use crate::frame::Flags;
use crate::session::Grant;

/// How many gaps there may be besides as many as there are exchanges.
const GAPS: usize = 16;

/// For how many exchanges memory is kept while there are none.
const SPARE: usize = 256;

/// One direction of a stream.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Direction {
    pub(crate) has_ended: bool,
    /// Chunks that may still be sent.
    pub(crate) messages: u64,
    /// Bytes that their values may have.
    pub(crate) bytes: u64,
    /// The most that these ever were [MXP-8.7].
    pub(crate) window: u64,
    /// Number of the last chunk.
    pub(crate) number: u64,
    /// Number of the last chunk that requires an acknowledgement.
    pub(crate) asked: u64,
    /// Number of the last chunk that was acknowledged.
    pub(crate) acked: u64,
}

impl Direction {
    pub(crate) fn grant(&mut self, grant: Grant) {
        self.messages = self.messages.saturating_add(u64::from(grant.messages));
        self.bytes = self.bytes.saturating_add(grant.bytes);
        self.window = self.window.max(self.bytes);
    }

    /// Whether so many chunks, of so many bytes together, may be sent [MXP-8.3].
    pub(crate) const fn allows(&self, chunks: u64, bytes: u64) -> bool {
        !self.has_ended && chunks <= self.messages && bytes <= self.bytes
    }

    /// Counts chunks that may be sent, and returns the number of the last, whose flags they
    /// have.
    pub(crate) fn count(&mut self, chunks: u64, bytes: u64, flags: Flags) -> u64 {
        self.messages -= chunks;
        self.bytes -= bytes;
        self.number += chunks;
        self.has_ended = flags.contains(Flags::FINAL);
        if flags.contains(Flags::REQUIRES_ACK) {
            self.asked = self.number;
        }
        self.number
    }

    /// Takes an acknowledgement, if it is one of this direction [MXP-8.5].
    pub(crate) fn ack(&mut self, chunk: u64) -> bool {
        let fits = self.acked < chunk && chunk <= self.asked;
        if fits {
            self.acked = chunk;
        }
        fits
    }

    /// Whether nothing of it is awaited.
    const fn is_over(&self) -> bool {
        self.has_ended && self.acked == self.asked
    }
}

/// The state of a stream, besides what all exchanges have.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    /// From here to the peer.
    pub(crate) out: Direction,
    /// From the peer to here.
    pub(crate) back: Direction,
}

impl Stream {
    pub(crate) const fn is_over(&self) -> bool {
        self.out.is_over() && self.back.is_over()
    }
}

/// The kind of a request, and so of its answer.
#[derive(Debug)]
pub(crate) enum Kind {
    Call,
    Agent,
    Event,
    Stream(Box<Stream>),
}

/// A request that is not answered yet.
#[derive(Debug)]
pub(crate) struct Exchange {
    pub(crate) kind: Kind,
    /// The trace id of all its frames.
    pub(crate) trace: u64,
    /// When it was made, or came.
    pub(crate) made: u64,
    /// When its deadline passes.
    pub(crate) deadline: Option<u64>,
    /// Bytes of its payload.
    pub(crate) bytes: usize,
    /// Whether the peer may know of it.
    pub(crate) sent: bool,
    /// It has ended, and only has its place [MXP-7.8].
    pub(crate) has_ended: bool,
}

impl Exchange {
    pub(crate) fn stream(&mut self) -> Option<&mut Stream> {
        match &mut self.kind {
            Kind::Stream(stream) => Some(stream),
            _ => None,
        }
    }
}

/// The requests of one side.
///
/// Ids ascend, so that the exchanges lie in their order in a ring. One that is gone
/// leaves a gap until those before it are gone too, or gaps are too many.
#[derive(Debug, Default)]
pub(crate) struct Table {
    ring: VecDeque<(u64, Option<Exchange>)>,
    places: usize,
    /// When deadlines pass, and whose.
    deadlines: BTreeSet<(u64, u64)>,
    bytes: usize,
}

impl Table {
    /// How many exchanges have a place.
    pub(crate) const fn places(&self) -> usize {
        self.places
    }

    /// Bytes of the payloads of those that have a place.
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether one has not ended.
    pub(crate) fn has_live(&self) -> bool {
        let mut exchanges = self
            .ring
            .iter()
            .filter_map(|(_, exchange)| exchange.as_ref());
        exchanges.any(|exchange| !exchange.has_ended)
    }

    /// Adds an exchange, whose id is greater than all before it.
    pub(crate) fn insert(&mut self, id: u64, exchange: Exchange) {
        if self.ring.len() >= 2 * self.places + GAPS {
            self.ring.retain(|(_, place)| place.is_some());
        }
        self.bytes += exchange.bytes;
        if let Some(at) = exchange.deadline {
            self.deadlines.insert((at, id));
        }
        self.places += 1;
        self.ring.push_back((id, Some(exchange)));
    }

    /// An exchange that has not ended.
    pub(crate) fn get(&mut self, id: u64) -> Option<&mut Exchange> {
        self.place(id).filter(|exchange| !exchange.has_ended)
    }

    /// An exchange that has a place.
    pub(crate) fn place(&mut self, id: u64) -> Option<&mut Exchange> {
        let at = self.find(id)?;
        self.ring.get_mut(at)?.1.as_mut()
    }

    /// Takes an exchange from its place.
    pub(crate) fn remove(&mut self, id: u64) -> Option<Exchange> {
        let at = self.find(id)?;
        let exchange = self.ring.get_mut(at)?.1.take()?;
        self.places -= 1;
        self.bytes -= exchange.bytes;
        if let Some(at) = exchange.deadline {
            self.deadlines.remove(&(at, id));
        }
        while let Some((_, None)) = self.ring.front() {
            self.ring.pop_front();
        }
        if self.ring.is_empty() && self.ring.capacity() > SPARE {
            self.ring = VecDeque::new();
        }
        Some(exchange)
    }

    /// Ends an exchange, which keeps its place.
    pub(crate) fn end(&mut self, id: u64) {
        let deadline = self.place(id).and_then(|exchange| {
            exchange.has_ended = true;
            exchange.deadline.take()
        });
        if let Some(at) = deadline {
            self.deadlines.remove(&(at, id));
        }
    }

    /// The earliest deadline, and whose it is.
    pub(crate) fn next_deadline(&self) -> Option<(u64, u64)> {
        self.deadlines.first().copied()
    }

    /// Empties the table, in ascending order of ids.
    pub(crate) fn take_all(&mut self) -> impl Iterator<Item = (u64, Exchange)> {
        let ring = core::mem::take(self).ring.into_iter();
        ring.filter_map(|(id, exchange)| Some((id, exchange?)))
    }

    /// Gives back the memory that nothing needs.
    pub(crate) fn rest(&mut self) {
        if self.places == 0 {
            self.ring = VecDeque::new();
        }
    }

    /// Where an exchange is, or its gap.
    fn find(&self, id: u64) -> Option<usize> {
        // Ids of one side are 2 apart: without gaps this is the place, or it is the last.
        let first = self.ring.front()?.0;
        let at = usize::try_from(id.checked_sub(first)? / 2).unwrap_or(usize::MAX);
        let at = at.min(self.ring.len() - 1);
        if self.ring[at].0 == id {
            return Some(at);
        }
        self.ring.binary_search_by_key(&id, |&(id, _)| id).ok()
    }
}
