//! Requests, as a connection makes them.

use core::future::poll_fn;
use core::task::{Context, Poll, Waker};
use std::boxed::Box;
use std::sync::Arc;
use std::time::Duration;

use super::{Connection, State};
use crate::engine::failure::late;
use crate::engine::line::Ticket;
use crate::engine::link::{Rejection, RequestKind, RequestSpec};
use crate::engine::packed_values::PackedValues;
use crate::engine::repeat::FailedAttempt;
use crate::net::clock::Clock;
use crate::net::{Reply, WhenFull};
use crate::session::Value;

impl Connection {
    /// Begins a request, unless the connection makes none any more. Where it is known
    /// already who is to be woken by the answer, the waker says so.
    pub(crate) fn ask(
        self: &Arc<Self>,
        spec: &RequestSpec<'_>,
        value: &Value<'static>,
        time_left: Option<Duration>,
        waker: Option<&Waker>,
    ) -> Result<Submission, Rejection> {
        self.ask_in(&mut self.lock(), spec, value, time_left, waker, None)
    }

    /// Queues an event that requires no acknowledgement.
    pub(crate) fn tell(
        &self,
        spec: &RequestSpec<'_>,
        full: WhenFull,
        value: &Value<'static>,
    ) -> Result<(), Rejection> {
        let wakes = self.lock().tell(spec, full, value)?;
        if wakes {
            self.wake.notify_one();
        }
        Ok(())
    }

    /// Queues events that require no acknowledgement: as many as there is room for. Returns how
    /// many, and whether the connection's task is to have its turn before there are more.
    pub(crate) fn tell_some(
        &self,
        spec: &RequestSpec<'_>,
        full: WhenFull,
        pulled: &mut PackedValues,
    ) -> Result<(usize, bool), Rejection> {
        let mut state = self.lock();
        let (told, wakes) = state.tell_some(spec, full, pulled)?;
        if wakes {
            self.wake.notify_one();
        }
        Ok((told, state.is_filled()))
    }

    /// Begins a request of somebody who has a place in a line, or none.
    pub(crate) fn ask_in(
        self: &Arc<Self>,
        state: &mut State,
        spec: &RequestSpec<'_>,
        value: &Value<'static>,
        time_left: Option<Duration>,
        waker: Option<&Waker>,
        ticket: Option<Ticket>,
    ) -> Result<Submission, Rejection> {
        let queued = state.ask(spec, value, time_left, waker, ticket)?;
        if queued.wakes {
            self.wake.notify_one();
        }
        Ok(match (spec.kind, queued.id) {
            (RequestKind::Open(..), Some(id)) => {
                Submission::Stream(Arc::clone(self), id, queued.service)
            }
            (_, Some(id)) => Submission::Call(PendingCall {
                connection: Arc::clone(self),
                id,
                is_waited_for: waker.is_some(),
                is_answered: false,
                made: queued.time,
                answered: 0,
            }),
            (_, None) => Submission::Event,
        })
    }
}

/// A request that was made.
pub(crate) enum Submission {
    Call(PendingCall),
    /// The stream's id, and the number of its service.
    Stream(Arc<Connection>, u64, u16),
    Event,
}

/// A call that is waited for. Without anybody who waits it is taken back.
pub(crate) struct PendingCall {
    connection: Arc<Connection>,
    id: u64,
    /// The next poll is of the same task, which the answer wakes already.
    is_waited_for: bool,
    is_answered: bool,
    /// The connection's times of the request, and of its answer.
    made: u64,
    answered: u64,
}

impl PendingCall {
    pub(crate) async fn answer(&mut self) -> Result<Reply, Box<FailedAttempt>> {
        poll_fn(|cx| self.poll(cx)).await
    }

    /// The failure of a request that has no answer by its deadline.
    pub(crate) fn end_late(self) -> FailedAttempt {
        self.connection.lock().note_late();
        late().into()
    }

    /// When the request was made, as exactly as the session knows, and by which clock.
    pub(crate) fn made(&self) -> (Clock, u64) {
        (self.connection.clock, self.made)
    }

    /// When it was answered, by the same clock.
    pub(crate) const fn answered(&self) -> u64 {
        self.answered
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Reply, Box<FailedAttempt>>> {
        if core::mem::take(&mut self.is_waited_for) {
            return Poll::Pending;
        }
        let polled = self.connection.lock().poll_answer(self.id, cx);
        polled.map(|(answer, time)| {
            self.answered = time;
            self.is_answered = true;
            answer
        })
    }
}

impl Drop for PendingCall {
    fn drop(&mut self) {
        if !self.is_answered && self.connection.lock().take_back(self.id) {
            self.connection.wake.notify_one();
        }
    }
}
