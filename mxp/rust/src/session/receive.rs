//! The way from received bytes to news for the user.

use alloc::boxed::Box;

use crate::frame::{payload_of, Flags, Header};
use crate::session::handle::{Head, News};
use crate::session::mxp_control::{FailureRef, FarewellRef, HelloView};
use crate::session::mxp_registry::{HeartbeatRef, QueryRef, RegistrationView};
use crate::session::state::stirs;
use crate::session::{
    Acked, Call, Chunk, Chunks, Discover, Draining, Ended, Event, Events, Failure, Finished,
    Granted, Heartbeat, Incoming, Metadata, Open, Ready, Records, Register, Response, Session,
    Status,
};

impl Session {
    /// Reads until there is something to tell, and cuts what it read from the front of the bytes.
    /// News that earlier calls have left comes first, and takes no bytes.
    ///
    /// When there is nothing to tell, all bytes were read; or some are left since so
    /// many replies wait that no more is read until some are sent [MXP-9.4], or since so
    /// much was refused that none is read until the next timeout [MXP-9.7].
    #[expect(clippy::inline_always, reason = "what is told is large to be moved")]
    #[inline(always)]
    pub fn receive<'a, 'p: 'a>(
        &'a mut self,
        bytes: &mut &'p [u8],
        now: u64,
    ) -> Option<Incoming<'a>> {
        let found = self.read(bytes, now);
        if let Some(note) = self.notes.pop_front() {
            return Some(self.told(note));
        }
        let (found, header, payload) = found?;
        let payload = payload.unwrap_or_else(|| self.reader.gathered());
        Some(incoming(found, &header, payload))
    }

    /// Tells what other calls than [`Session::receive`] have left to be told.
    pub fn poll_incoming(&mut self) -> Option<Incoming<'_>> {
        self.receive(&mut &[][..], self.heard)
    }

    /// Reads frames until one is to be told, or something else is. A payload that is
    /// not in the bytes is in the reader.
    fn read<'p>(
        &mut self,
        bytes: &mut &'p [u8],
        now: u64,
    ) -> Option<(News, Header, Option<&'p [u8]>)> {
        if self.notes.is_empty() {
            // The Hello that was told is no longer borrowed.
            self.hello = Box::default();
        }
        while self.notes.is_empty() {
            if self.is_over() {
                *bytes = &[];
                return None;
            }
            if self.tally.is_over() {
                self.tally.pass(now);
            }
            if !bytes.is_empty() {
                self.heard = now;
                if let Some(ping) = &mut self.ping {
                    ping.is_open = false;
                }
            }
            let has_replies = self.queue.reply_bytes() >= self.config.limits.reply_bytes;
            if has_replies || self.tally.is_over() {
                return None;
            }
            let (header, payload) = match self.reader.advance(bytes) {
                Ok(Some(frame)) => frame,
                Ok(None) => {
                    if self.reader.is_inside() {
                        self.began.get_or_insert(now);
                    }
                    return None;
                }
                Err(refusal) => {
                    self.end_by_frame(refusal.kind, now);
                    continue;
                }
            };
            self.began = None;
            if stirs(header.frame_type) {
                self.stirred = now;
            }
            let found = if let Some(payload) = payload {
                self.take_frame(&header, payload, now)
            } else {
                let buffer = self.reader.lend();
                let found = self.take_frame(&header, payload_of(&buffer), now);
                self.reader.restore(buffer);
                found
            };
            match found {
                Ok(None) => {}
                Ok(Some(found)) => {
                    self.settle(now);
                    return Some((found, header, payload));
                }
                Err(fatal) => self.end_by(fatal, now),
            }
            self.settle(now);
        }
        None
    }
}

/// The news that was found in a frame, as it is told. The payload was validated.
#[expect(clippy::inline_always, reason = "what is told is large to be moved")]
#[inline(always)]
fn incoming<'a>(news: News, header: &Header, payload: &'a [u8]) -> Incoming<'a> {
    let id = header.message_id;
    let is_final = header.flags.contains(Flags::FINAL);
    let requires_ack = header.flags.contains(Flags::REQUIRES_ACK);
    let rest = |position: usize| payload.get(position..).unwrap_or_default();
    let metadata = |head: &Head| Metadata::of(rest(head.metadata_at));
    match news {
        News::Ready => Incoming::Ready(Ready {
            hello: HelloView::new(payload).ok(),
        }),
        News::Call(head) => Incoming::Call(Call {
            id,
            service: head.service,
            method: head.method,
            deadline: head.deadline,
            trace: head.trace,
            metadata: metadata(&head),
            value: rest(head.value_at),
        }),
        News::Open(head, grant) => Incoming::Open(Open {
            id,
            service: head.service,
            method: head.method,
            deadline: head.deadline,
            trace: head.trace,
            metadata: metadata(&head),
            grant,
            is_final,
            value: rest(head.value_at),
        }),
        News::Event(head) => Incoming::Event(Event {
            id,
            service: head.service,
            method: head.method,
            trace: head.trace,
            metadata: metadata(&head),
            requires_ack,
            value: rest(head.value_at),
        }),
        News::Events { head, count } => Incoming::Events(Events {
            id,
            service: head.service,
            method: head.method,
            trace: head.trace,
            metadata: metadata(&head),
            records: Records::of(count, rest(head.value_at)),
        }),
        News::Response {
            metadata_at,
            value_at,
        } => Incoming::Response(Response {
            id,
            metadata: Metadata::of(rest(metadata_at)),
            value: rest(value_at),
        }),
        News::Ended { acted } => {
            let said = FailureRef::decode(payload).unwrap_or_default();
            let failure = Failure {
                status: Status(said.status.number()),
                name: said.name,
                text: said.text,
                details: said.details,
                acted,
            };
            Incoming::Ended(Ended { id, failure })
        }
        News::Chunk { number } => Incoming::Chunk(Chunk {
            id,
            number,
            is_final,
            requires_ack,
            value: payload,
        }),
        News::Chunks { first, count } => Incoming::Chunks(Chunks {
            id,
            first,
            is_final,
            requires_ack,
            records: Records::of(count, payload),
        }),
        News::Finished => Incoming::Finished(Finished { id }),
        News::Granted(grant) => Incoming::Granted(Granted { id, grant }),
        News::Acked { chunk } => Incoming::Acked(Acked { id, chunk }),
        News::Draining => Incoming::Draining(Draining {
            reason: FarewellRef::decode(payload).unwrap_or_default().reason,
        }),
        News::Register => Incoming::Register(Register {
            id,
            registration: RegistrationView::new(payload).ok(),
        }),
        News::Heartbeat => Incoming::Heartbeat(Heartbeat {
            id,
            name: HeartbeatRef::decode(payload).unwrap_or_default().name,
        }),
        News::Discover => Incoming::Discover(discover(id, payload)),
    }
}

fn discover(id: u64, payload: &[u8]) -> Discover<'_> {
    let query = QueryRef::decode(payload).unwrap_or_default();
    Discover {
        id,
        capability: query.capability,
        name: query.name,
        service: query.service,
        version: query.version,
    }
}
