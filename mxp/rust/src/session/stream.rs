//! The operations of a user on streams, and acknowledgements.

use crate::frame::{Flags, Type};
use crate::session::exchange::{Exchange, Kind as ExchangeKind, Table};
use crate::session::mxp_control::TakenRef;
use crate::session::queue::Class;
use crate::session::request::grant_ref;
use crate::session::state::header;
use crate::session::{Grant, Kind, Session, Value, Why};

impl Session {
    /// Sends a part of a stream, which must have been granted, and returns its
    /// number.
    ///
    /// # Errors
    ///
    /// [`Kind::Closed`], [`Kind::NotReady`], [`Kind::ExchangeEnded`] (also where
    /// this direction has ended), [`Kind::PayloadTooLarge`],
    /// [`Kind::StreamCredit`] and [`Kind::LimitQueueBytes`]. A chunk that is refused
    /// changes nothing.
    pub fn chunk<'v>(
        &mut self,
        id: u64,
        is_final: bool,
        requires_ack: bool,
        value: impl Into<Value<'v>>,
        now: u64,
    ) -> Result<u64, Kind> {
        self.chunk_of(id, is_final, requires_ack, &mut value.into(), now)
    }

    /// As [`Session::chunk`]. A value that is refused stays where it is.
    pub(crate) fn chunk_of(
        &mut self,
        id: u64,
        is_final: bool,
        requires_ack: bool,
        value: &mut Value<'_>,
        now: u64,
    ) -> Result<u64, Kind> {
        self.usable()?;
        let bytes = value.as_slice().len() as u64;
        let exchange = self.live(id)?;
        let trace = exchange.trace;
        let out = exchange.stream().map(|stream| stream.out);
        let out = out
            .filter(|half| !half.has_ended)
            .ok_or(Kind::ExchangeEnded)?;
        let most = self.peer_bytes;
        let draft = if self.queue.joins_chunk(id, value.as_slice().len(), most) {
            None
        } else {
            Some(self.draft(Type::StreamChunk, value, |_| Ok(()))?)
        };
        let is_free = if out.allows(1, bytes) {
            self.may_queue_bulk()
        } else {
            Err(Kind::StreamCredit)
        };
        is_free.inspect_err(|_| draft.into_iter().for_each(|draft| self.queue.undo(draft)))?;
        let mut flags = Flags::NONE;
        if is_final {
            flags |= Flags::FINAL;
        }
        if requires_ack {
            flags |= Flags::REQUIRES_ACK;
        }
        let stream = self.live(id)?.stream().ok_or(Kind::ExchangeEnded)?;
        let number = stream.out.count(1, bytes, flags);
        let value = core::mem::take(value);
        if let Some(draft) = draft {
            let header = header(Type::StreamChunk, flags, id, trace);
            self.commit(draft, header, value, Class::Plain, now);
        } else {
            self.queue.join(value.as_slice(), flags);
        }
        if is_final {
            self.close_if_over(id);
        }
        Ok(number)
    }

    /// Sends a part of a stream, if it joins the frame that was made last and nothing is in its
    /// way. This is what mostly happens where many are sent, and is [`Session::chunk`] then.
    #[cfg(feature = "bytes")]
    #[inline]
    pub(crate) fn join_chunk(&mut self, id: u64, value: &[u8]) -> bool {
        let bytes = value.len();
        let joins = self.queue.joins_chunk(id, bytes, self.peer_bytes);
        if !joins || self.usable().is_err() || self.may_queue_bulk().is_err() {
            return false;
        }
        let bytes = bytes as u64;
        let stream = self.table(id).get(id).and_then(Exchange::stream);
        let Some(out) = stream.map(|stream| &mut stream.out) else {
            return false;
        };
        if !out.allows(1, bytes) || bytes > out.window / 2 {
            return false;
        }
        out.count(1, bytes, Flags::NONE);
        self.queue.join(value, Flags::NONE);
        true
    }

    /// Whether a chunk of so many bytes can be sent on a stream now.
    ///
    /// # Errors
    ///
    /// The errors of [`Session::chunk`], but for [`Kind::PayloadTooLarge`].
    pub fn may_chunk(&mut self, id: u64, bytes: usize) -> Result<(), Kind> {
        self.usable()?;
        let stream = self.live(id)?.stream().ok_or(Kind::ExchangeEnded)?;
        if stream.out.has_ended {
            return Err(Kind::ExchangeEnded);
        }
        if !stream.out.allows(1, bytes as u64) {
            return Err(Kind::StreamCredit);
        }
        self.may_queue_bulk()
    }

    /// Ends a stream at both ends of a connection that holds more than it may, and of whose
    /// streams this one has most of the chunks that nobody takes [MXP-15.3].
    ///
    /// # Errors
    ///
    /// [`Kind::Closed`], [`Kind::NotReady`] and [`Kind::ExchangeEnded`].
    pub fn overrun_stream(&mut self, id: u64, now: u64) -> Result<(), Kind> {
        self.usable()?;
        self.live(id)?.stream().ok_or(Kind::ExchangeEnded)?;
        self.stop(id, Kind::LimitConnectionBytes, Why::Memory, now);
        Ok(())
    }

    /// How many bytes a chunk of a stream may have that is sure to be granted, in time
    /// [MXP-8.7]; none until something was granted.
    pub fn largest_chunk(&mut self, id: u64) -> Option<u64> {
        let window = self.live(id).ok()?.stream()?.out.window;
        (window > 0).then_some(window / 2)
    }

    /// Ends this side's direction of a stream, without a chunk.
    ///
    /// # Errors
    ///
    /// [`Kind::Closed`], [`Kind::NotReady`] and [`Kind::ExchangeEnded`].
    pub fn finish(&mut self, id: u64, now: u64) -> Result<(), Kind> {
        self.usable()?;
        let exchange = self.live(id)?;
        let trace = exchange.trace;
        let stream = exchange.stream().filter(|stream| !stream.out.has_ended);
        stream.ok_or(Kind::ExchangeEnded)?.out.has_ended = true;
        let header = header(Type::StreamClose, Flags::NONE, id, trace);
        self.push_empty(header, Class::Plain, now);
        self.close_if_over(id);
        Ok(())
    }

    /// Lets the peer send more on a stream.
    ///
    /// # Errors
    ///
    /// [`Kind::Closed`], [`Kind::NotReady`] and [`Kind::ExchangeEnded`].
    pub fn grant(&mut self, id: u64, grant: Grant, now: u64) -> Result<(), Kind> {
        self.usable()?;
        let exchange = self.live(id)?;
        let trace = exchange.trace;
        let stream = exchange.stream().ok_or(Kind::ExchangeEnded)?;
        stream.back.grant(grant);
        let header = header(Type::Credit, Flags::NONE, id, trace);
        self.push(header, Class::Plain, now, |output| {
            grant_ref(grant).append(output)
        })
    }

    /// Says that an event was taken, with 0, or a stream's chunks up to one that
    /// requires an acknowledgement.
    ///
    /// # Errors
    ///
    /// [`Kind::Closed`], [`Kind::NotReady`] and [`Kind::ExchangeEnded`] (also for a
    /// chunk of which no acknowledgement is awaited).
    pub fn ack(&mut self, id: u64, chunk: u64, now: u64) -> Result<(), Kind> {
        self.usable()?;
        let is_mine = self.is_mine(id);
        let exchange = self.live(id)?;
        let trace = exchange.trace;
        let fits = match &mut exchange.kind {
            ExchangeKind::Event => !is_mine && chunk == 0,
            ExchangeKind::Stream(stream) => stream.back.ack(chunk),
            _ => false,
        };
        if !fits {
            return Err(Kind::ExchangeEnded);
        }
        if exchange.stream().is_some() {
            self.close_if_over(id);
        } else {
            self.there.remove(id);
            self.tally.answered();
        }
        let header = header(Type::Ack, Flags::NONE, id, trace);
        let taken = TakenRef::new().with_chunk(chunk);
        self.push(header, Class::Plain, now, |output| taken.append(output))
    }

    /// The table of the side that gave out an id.
    pub(crate) fn table(&mut self, id: u64) -> &mut Table {
        if self.is_mine(id) {
            &mut self.here
        } else {
            &mut self.there
        }
    }

    /// Ends a stream of which nothing is awaited.
    pub(crate) fn close_if_over(&mut self, id: u64) {
        let table = self.table(id);
        let stream = table.get(id).and_then(Exchange::stream);
        if stream.is_some_and(|stream| stream.is_over()) {
            table.remove(id);
            if !self.is_mine(id) {
                self.tally.answered();
            }
        }
    }

    fn live(&mut self, id: u64) -> Result<&mut Exchange, Kind> {
        self.table(id).get(id).ok_or(Kind::ExchangeEnded)
    }
}
