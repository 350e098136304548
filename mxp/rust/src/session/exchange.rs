//! Requests that are not answered yet [MXP-5.4].

use alloc::boxed::Box;
use alloc::collections::BTreeSet;

use crate::frame::Flags;
use crate::session::ring::Ring;
use crate::session::Grant;

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
#[derive(Debug, Default)]
pub(crate) struct Table {
    exchanges: Ring<Exchange>,
    /// When deadlines pass, and whose.
    deadlines: BTreeSet<(u64, u64)>,
    bytes: usize,
}

impl Table {
    /// How many exchanges have a place.
    pub(crate) const fn places(&self) -> usize {
        self.exchanges.len()
    }

    /// Bytes of the payloads of requests that have a place.
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether one has not ended.
    pub(crate) fn has_live(&self) -> bool {
        self.exchanges.iter().any(|exchange| !exchange.has_ended)
    }

    /// Adds an exchange, whose id is greater than all before it.
    #[inline]
    pub(crate) fn insert(&mut self, id: u64, exchange: Exchange) {
        self.bytes += exchange.bytes;
        if let Some(at) = exchange.deadline {
            self.deadlines.insert((at, id));
        }
        self.exchanges.insert(id, exchange);
    }

    /// An exchange that has not ended.
    #[inline]
    pub(crate) fn get(&mut self, id: u64) -> Option<&mut Exchange> {
        self.place(id).filter(|exchange| !exchange.has_ended)
    }

    /// An exchange that has a place.
    #[inline]
    pub(crate) fn place(&mut self, id: u64) -> Option<&mut Exchange> {
        self.exchanges.get_mut(id)
    }

    /// Takes an exchange from its place.
    #[inline]
    pub(crate) fn remove(&mut self, id: u64) -> Option<Exchange> {
        let exchange = self.exchanges.remove(id)?;
        self.bytes -= exchange.bytes;
        if let Some(at) = exchange.deadline {
            self.deadlines.remove(&(at, id));
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
        core::mem::take(self).exchanges.take_all()
    }

    /// Gives back the memory that nothing needs.
    pub(crate) fn rest(&mut self) {
        self.exchanges.rest();
    }
}
