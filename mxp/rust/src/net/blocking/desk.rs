//! The answers and streams that the threads of a connection wait for.

use std::string::String;
use std::vec::Vec;

use bytes::Bytes;

use crate::net::again::Missed;
use crate::net::inbox::Inbox;
use crate::net::names::Names;
use crate::net::request::kept;
use crate::net::{Failure, Reply, Window};
use crate::session::{Chunks, Grant, Incoming, Kind, Session};

/// The things that have come for the requests that were made.
#[derive(Default)]
pub(super) struct Desk {
    /// The services of the peer.
    pub(super) services: Names,
    /// The requests whose answers are awaited: one for each thread that waits.
    calls: Vec<(u64, Option<Result<Reply, Failure>>)>,
    streams: Vec<(u64, Entry)>,
    /// The end of the session, if it has come.
    pub(super) end: Option<Failure>,
    /// The reason that the socket gave when the connection was lost.
    pub(super) cause: String,
}

/// The state of a stream.
pub(super) struct Entry {
    /// Chunks that came, and nobody has taken.
    pub(super) inbox: Inbox,
    /// The peer's direction has ended.
    pub(super) has_ended: bool,
    /// The stream has ended without both directions.
    pub(super) failure: Option<Failure>,
    /// The chunks and bytes that were taken since something was granted.
    taken: Grant,
    window: Window,
    /// A chunk was sent, or something has come.
    pub(super) is_used: bool,
}

impl Desk {
    /// Awaits the answer to a request.
    pub(super) fn expect(&mut self, id: u64) {
        self.calls.push((id, None));
    }

    /// The answer to a request, if it has come.
    pub(super) fn answered(&mut self, id: u64) -> Option<Result<Reply, Failure>> {
        let place = self.place(id)?;
        self.calls.get(place)?.1.as_ref()?;
        self.calls.swap_remove(place).1
    }

    /// Awaits no answer to a request any more. Returns one that has come.
    pub(super) fn forget(&mut self, id: u64) -> Option<Result<Reply, Failure>> {
        let place = self.place(id)?;
        self.calls.swap_remove(place).1
    }

    fn place(&self, id: u64) -> Option<usize> {
        self.calls.iter().position(|(of, _)| *of == id)
    }

    /// Keeps what comes on a stream.
    pub(super) fn open(&mut self, id: u64, window: Window) {
        let entry = Entry {
            inbox: Inbox::default(),
            has_ended: false,
            failure: None,
            taken: Grant::default(),
            window,
            is_used: false,
        };
        self.streams.push((id, entry));
    }

    /// Keeps nothing of a stream any more.
    pub(super) fn close(&mut self, id: u64) {
        self.streams.retain(|(of, _)| *of != id);
    }

    pub(super) fn stream(&mut self, id: u64) -> Option<&mut Entry> {
        let mut streams = self.streams.iter_mut();
        streams.find_map(|(of, entry)| (*of == id).then_some(entry))
    }

    /// Takes what a session tells. Values stay by a function of their buffer.
    pub(super) fn take(&mut self, incoming: &Incoming<'_>, keep: impl Fn(&[u8]) -> Bytes) {
        match incoming {
            Incoming::Ready(ready) => self.services = ready.services().collect(),
            Incoming::Response(response) => self.answer(response.id, || {
                Ok(Reply {
                    value: keep(response.value),
                    metadata: kept(response.metadata),
                })
            }),
            Incoming::Acked(acked) => self.answer(acked.id, || Ok(Reply::default())),
            Incoming::Ended(ended) => {
                let failure = Failure::told_of(&ended.failure, &self.cause);
                if let Some(entry) = self.stream(ended.id) {
                    entry.fail(failure);
                } else {
                    self.answer(ended.id, || Err(failure));
                }
            }
            Incoming::Chunk(chunk) => {
                if let Some(entry) = self.stream(chunk.id) {
                    let ack = chunk.requires_ack.then_some(chunk.number);
                    entry.inbox.push(chunk.value, ack);
                    entry.is_used = true;
                    entry.has_ended |= chunk.is_final;
                }
            }
            Incoming::Chunks(chunks) => {
                if let Some(entry) = self.stream(chunks.id) {
                    entry.push_all(chunks);
                }
            }
            Incoming::Finished(finished) => {
                if let Some(entry) = self.stream(finished.id) {
                    entry.is_used = true;
                    entry.has_ended = true;
                }
            }
            Incoming::End(end) => self.end = Some(Failure::told_of(&end.failure, &self.cause)),
            _ => {}
        }
    }

    fn answer(&mut self, id: u64, answer: impl FnOnce() -> Result<Reply, Failure>) {
        // Nobody may wait any more.
        let mut calls = self.calls.iter_mut();
        if let Some((_, place)) = calls.find(|(of, _)| *of == id) {
            *place = Some(answer());
        }
    }
}

impl Entry {
    /// Takes the chunks of a batch.
    fn push_all(&mut self, chunks: &Chunks<'_>) {
        self.inbox.push_all(chunks.records, chunks.ack());
        self.is_used = true;
        self.has_ended |= chunks.is_final;
    }

    /// Ends the stream. Chunks that are too much are not kept to be taken later.
    pub(super) fn fail(&mut self, failure: Failure) {
        if failure.status == crate::session::Status::RESOURCE_EXHAUSTED {
            self.inbox = Inbox::default();
        }
        self.failure.get_or_insert(failure);
    }

    /// Takes the next chunk, and tells the peer so if that is due.
    pub(super) fn pop(&mut self, session: &mut Session, id: u64, now: u64) -> Option<Vec<u8>> {
        let (value, ack) = self.inbox.pop()?;
        let value = value.into_vec();
        self.taken.add(&value);
        self.tell(ack, session, id, now);
        Some(value)
    }

    /// Moves all chunks that have come, and tells the peer so if that is due.
    pub(super) fn pop_all(&mut self, inbox: &mut Inbox, session: &mut Session, id: u64, now: u64) {
        let mut chunks = self.inbox.chunks();
        for value in &mut chunks {
            self.taken.add(value);
            inbox.push(value, None);
        }
        let ack = chunks.ack;
        self.tell(ack, session, id, now);
    }

    /// Acknowledges what was taken, and lets the peer send more if that was much.
    fn tell(&mut self, ack: Option<u64>, session: &mut Session, id: u64, now: u64) {
        if let Some(number) = ack {
            // The stream may have ended.
            let _ = session.ack(id, number, now);
        }
        if self.window.is_much(self.taken) && !self.has_ended {
            let _ = session.grant(id, core::mem::take(&mut self.taken), now);
        }
    }

    /// The failure of something that was tried on the stream, which can be opened anew while
    /// nothing was sent on it and nothing has come [MXP-14.6].
    pub(super) fn missed(&self, failure: Failure, session: &Session) -> Missed {
        if self.is_used {
            return failure.into();
        }
        Missed::on(failure, session.may_ask().is_ok())
    }
}

/// The failure of a stream that is not there any more.
pub(super) fn gone() -> Missed {
    Failure::of(Kind::ExchangeEnded).into()
}
