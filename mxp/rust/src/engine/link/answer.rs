//! The answers to requests of the peer's, and the places that these have until then.

use alloc::vec::Vec;

use super::{Link, Todo};
use crate::engine::budget::ITEM_BYTES;
use crate::engine::driver::Driver;
use crate::engine::failure::fail;
use crate::engine::line::{Room, Ticket};
use crate::engine::method::{Interface, MethodId};
use crate::engine::request::lent;
use crate::engine::{Failure, Reply, Window};
use crate::session::{Kind, Session};

/// The end of a request of the peer's.
pub(crate) enum RequestEnd {
    Call(u64, MethodId, Result<Reply, Failure>),
    Acked(u64),
    Failed(u64, Failure),
    Released(u64),
}

impl RequestEnd {
    /// The bytes that it holds until it is said.
    pub(crate) fn held(&self) -> usize {
        match self {
            Self::Call(_, _, Ok(reply)) => reply.value.len(),
            _ => 0,
        }
    }
}

impl<D: Driver> Link<D> {
    /// Says how a request has ended. An answer that the queue has no room for is returned, to be
    /// said later.
    #[inline]
    pub(crate) fn say(&mut self, interface: &impl Interface, end: RequestEnd) -> Option<Todo<D>> {
        let now = self.time;
        // The request that it ends may have been taken back.
        let _ = match end {
            RequestEnd::Call(id, method, Ok(reply)) => {
                if self.has_room(Room::of(reply.value.len()), None) {
                    answer(&mut self.session, interface, id, method, Ok(reply), now);
                } else if self.session.is_open(id) {
                    self.keep_place(id);
                    self.parts.places.answer_bytes += reply.value.len() + ITEM_BYTES;
                    return Some(Todo::Wait(id, method, reply));
                } else {
                    let _ = self.session.release(id, now);
                }
                Ok(())
            }
            RequestEnd::Call(id, method, Err(failure)) => {
                interface.failed(method, &failure);
                fail(&mut self.session, id, &failure, now)
            }
            RequestEnd::Failed(id, failure) => fail(&mut self.session, id, &failure, now),
            RequestEnd::Acked(id) => self.session.ack(id, 0, now),
            RequestEnd::Released(id) => self.session.release(id, now),
        };
        None
    }

    /// Keeps the place of a request whose handler is still to begin.
    pub(crate) fn keep_place(&mut self, id: u64) {
        self.parts.places.keep(id);
    }

    /// Keeps the place of a call whose handler waits for something. Returns whether the call
    /// is still there: the place of one that was taken back is given free for that.
    pub(crate) fn keep_call(&mut self, id: u64) -> bool {
        let is_open = self.session.is_open(id);
        if is_open {
            self.keep_place(id);
        }
        is_open
    }

    /// Whether a request that waited for its turn is still to be begun. From here on it
    /// does not wait.
    pub(crate) fn is_wanted(&mut self, id: u64) -> bool {
        self.now();
        // Its deadline may have passed meanwhile.
        self.tick();
        self.parts.places.free(id).is_some() && self.session.is_open(id)
    }

    /// Begins a stream that the peer has opened, if it is still wanted.
    pub(crate) fn begin_stream(&mut self, id: u64) -> Option<Window> {
        if self.is_wanted(id) {
            self.keep_place(id);
        } else {
            self.parts.streams.remove(id);
        }
        Some(self.parts.streams.get(id)?.window())
    }

    /// Names the task that a handler has become, unless it is done.
    pub(crate) fn runs(&mut self, id: u64, task: D::Task) {
        self.parts.places.name(id, task);
    }

    /// Answers a call that has its place, unless there is no room for that: then the answer
    /// counts while it waits. Returns whether the call was still there.
    pub(crate) fn answer(
        &mut self,
        interface: &impl Interface,
        (id, method): (u64, MethodId),
        result: &mut Option<Result<Reply, Failure>>,
        waiting_bytes: &mut usize,
        ticket: Option<Ticket>,
    ) -> Result<bool, Room> {
        if !self.parts.places.has(id) {
            return Ok(false);
        }
        if let Some(Ok(reply)) = &result {
            let bytes = reply.value.len();
            let room = Room::of(bytes);
            if !self.has_room(room, ticket) {
                if *waiting_bytes == 0 {
                    *waiting_bytes = bytes + ITEM_BYTES;
                    self.parts.places.answer_bytes += *waiting_bytes;
                }
                return Err(room);
            }
        }
        self.parts.places.answer_bytes -= core::mem::take(waiting_bytes);
        self.parts.places.free(id);
        let now = self.now();
        if let Some(result) = result.take() {
            answer(&mut self.session, interface, id, method, result, now);
        }
        Ok(true)
    }

    /// Ends this side's direction of a stream that has its place, or all of it. Returns
    /// whether it had.
    pub(crate) fn finish_handler(
        &mut self,
        interface: &impl Interface,
        (id, method): (u64, MethodId),
        result: Result<(), Failure>,
    ) -> bool {
        let now = self.now();
        if self.parts.places.free(id).is_none() {
            return false;
        }
        // The handler may have done it himself.
        let _ = match result {
            Ok(()) => self.session.finish(id, now),
            Err(failure) => {
                interface.failed(method, &failure);
                fail(&mut self.session, id, &failure, now)
            }
        };
        true
    }

    /// An answer, or why the peer doesn't take it: it is too large.
    #[cfg(feature = "opentelemetry")]
    pub(crate) fn fitting(&mut self, reply: Reply) -> Result<Reply, Failure> {
        let fits = self.session.fits(&lent(&reply.metadata), &reply.value);
        fits.map_err(|kind| not_sent(kind, &self.session))?;
        Ok(reply)
    }

    /// Forgets an answer that has waited for room with so many bytes.
    pub(crate) fn forget_answer(&mut self, waiting_bytes: usize) {
        self.parts.places.answer_bytes -= waiting_bytes;
    }

    /// Gives free the place of a request that nobody answers. The peer is told why, if it has
    /// not taken it back.
    pub(crate) fn free_place(&mut self, id: u64, why: impl FnOnce() -> Failure) {
        let now = self.now();
        let _ = match self.parts.places.free(id) {
            Some(_) => fail(&mut self.session, id, &why(), now),
            None => self.session.release(id, now),
        };
    }
}

/// The failure of a call whose answer the peer doesn't take.
fn not_sent(kind: Kind, session: &Session) -> Failure {
    let mut failure = Failure::refusing(kind, session);
    failure.acted = true;
    failure
}

/// Answers a call. The room of the queue is not checked here.
fn answer(
    session: &mut Session,
    interface: &impl Interface,
    id: u64,
    method: MethodId,
    result: Result<Reply, Failure>,
    now: u64,
) {
    let done = match result {
        Ok(reply) => {
            let metadata: Vec<_> = lent(&reply.metadata);
            session.respond(id, &metadata, reply.value, now)
        }
        Err(failure) => {
            interface.failed(method, &failure);
            fail(session, id, &failure, now)
        }
    };
    if let Err(kind @ Kind::PayloadTooLarge) = done {
        let failure = not_sent(kind, session);
        interface.unsent(method, &failure);
        let _ = fail(session, id, &failure, now);
    }
}
