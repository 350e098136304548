//! Requests, as a connection makes them.

use core::future::poll_fn;
use core::task::{Context, Poll, Waker};
use std::boxed::Box;
use std::sync::Arc;
use std::time::Instant;

use crate::net::again::Missed;
use crate::net::agents::AgentRequest;
use crate::net::connection::{Connection, State, Waiting};
use crate::net::entry::Entry;
use crate::net::failure::lost_here;
use crate::net::line::{Room, Ticket};
use crate::net::request::{lent, microseconds};
use crate::net::{Failure, Options, Reply, WhenFull, Window};
use crate::session::{Grant, Kind, OnFull, Request, Value};

impl Connection {
    /// Begins a request, unless the connection makes none any more. Where it is known
    /// already who is to be woken by the answer, the waker says so.
    pub(crate) fn ask(
        self: &Arc<Self>,
        what: &What<'_>,
        value: &Value<'static>,
        time_left: Option<core::time::Duration>,
        waker: Option<&Waker>,
    ) -> Result<Made, Refused> {
        self.ask_in(&mut self.lock(), what, value, time_left, waker, None)
    }

    /// Lets somebody look at the entry of a stream that was opened here.
    pub(crate) fn entry<T>(&self, id: u64, window: Window, look: impl FnOnce(&Entry) -> T) -> T {
        let desk = &mut self.lock().desk;
        let entry = desk.streams.entry(id);
        look(entry.or_insert_with(|| Entry::new(window, &desk.unread)))
    }

    /// Begins a request of somebody who has a place in a line, or none.
    pub(crate) fn ask_in(
        self: &Arc<Self>,
        state: &mut State,
        what: &What<'_>,
        value: &Value<'static>,
        time_left: Option<core::time::Duration>,
        waker: Option<&Waker>,
        ticket: Option<Ticket>,
    ) -> Result<Made, Refused> {
        let State {
            session,
            desk,
            lines,
            clock,
            is_held,
        } = state;
        session.may_ask().map_err(|_| Refused::Elsewhere)?;
        let number = match what.kind {
            Asking::Agent(_) => Some(0),
            _ => desk.peer_services.find(what.service),
        };
        let number = number
            .ok_or_else(|| Refused::of(Failure::not_served(what.service, &desk.peer_services)))?;
        let is_of_method = !matches!(what.kind, Asking::Agent(_));
        let difference = session.difference(number, what.method);
        if let Some(difference) = difference.filter(|_| is_of_method) {
            return Err(Refused::of(Failure::differing(difference)));
        }
        let room = Room::of(value.as_slice().len());
        if what.kind.waits() {
            let mut needs = [
                Some(Room::Places).filter(|_| what.kind.has_place()),
                Some(room),
            ]
            .into_iter()
            .flatten();
            let lacks = needs.find(|room| !lines.lets_on(*room, ticket) || !room.is_in(session));
            if let Some(room) = lacks {
                return Err(Refused::Full(room));
            }
        }
        let was_empty = session.queue_bytes() == 0;
        // A frame that waits and is not held is given out soon, and had the time looked at.
        let is_soon = !was_empty && !*is_held && time_left.is_none();
        if !is_soon && (was_empty || !matches!(what.kind, Asking::Event(_))) {
            *clock = self.now().max(*clock);
        }
        let metadata = lent(&what.options.metadata);
        let request = Request::new(number, what.method)
            .with_deadline(time_left.map_or(0, microseconds))
            .with_trace(what.options.trace)
            .with_metadata(&metadata);
        let value = value.lent();
        let made = match what.kind {
            Asking::Call => session.call(&request, value, *clock).map(Some),
            Asking::Open(grant, is_final) => session
                .open(&request, grant, is_final, value, *clock)
                .map(Some),
            Asking::Event(full) => session.event(&request, false, full.on_full(), value, *clock),
            Asking::Acked => session.event(&request, true, OnFull::Refuse, value, *clock),
            Asking::Agent(request) => request.make(session, *clock).map(Some),
        };
        let made = made.map_err(|kind| match kind {
            Kind::LimitInFlight | Kind::LimitInFlightBytes => Refused::Full(Room::Places),
            // A payload may be bulk where its value alone is not.
            Kind::LimitQueueBytes if what.kind.waits() => Refused::Full(Room::Bulk),
            _ => Refused::of(Failure::refusing(kind, session)),
        })?;
        let made = match (what.kind, made) {
            (Asking::Open(..), Some(id)) => {
                desk.streams
                    .insert(id, Entry::new(desk.window, &desk.unread));
                Made::Stream(Arc::clone(self), id, number)
            }
            (Asking::Call | Asking::Acked | Asking::Agent(_), Some(id)) => {
                desk.calls.insert(id, Waiting::Asked(waker.cloned()));
                Made::Call(Pending {
                    connection: Arc::clone(self),
                    id,
                    is_waited_for: waker.is_some(),
                    is_answered: false,
                    made: *clock,
                    answered: 0,
                })
            }
            _ => Made::Event,
        };
        // Of what waits behind others the connection's task knows already, but for when its
        // deadline passes.
        if was_empty || (*is_held && time_left.is_some()) {
            self.wake.notify_one();
        }
        Ok(made)
    }
}

/// A request, as it can be made on any connection.
pub(crate) struct What<'a> {
    pub(crate) service: &'a str,
    pub(crate) method: u16,
    pub(crate) options: &'a Options,
    pub(crate) kind: Asking<'a>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Asking<'a> {
    Call,
    /// The grant that the peer has, and whether this side sends nothing.
    Open(Grant, bool),
    Event(WhenFull),
    /// An event that is acknowledged.
    Acked,
    /// A request to the peer's directory.
    Agent(AgentRequest<'a>),
}

impl Asking<'_> {
    /// Whether it waits where the queue is full.
    const fn waits(self) -> bool {
        match self {
            Self::Event(full) => matches!(full, WhenFull::Wait),
            _ => true,
        }
    }

    /// Whether it takes a place among the requests in flight.
    const fn has_place(self) -> bool {
        !matches!(self, Self::Event(_))
    }
}

/// A request that was made.
pub(crate) enum Made {
    Call(Pending),
    /// The stream's id, and the number of its service.
    Stream(Arc<Connection>, u64, u16),
    Event,
}

/// Why a request was not made.
#[derive(Debug)]
pub(crate) enum Refused {
    /// This connection makes none any more, or not yet. Another may.
    Elsewhere,
    /// There is no room for it, or others wait for that. It may be made soon.
    Full(Room),
    /// It was refused for what it is.
    For(Box<Failure>),
}

impl Refused {
    #[cold]
    fn of(failure: Failure) -> Self {
        Self::For(Box::new(failure))
    }
}

/// A call that is waited for. Without anybody who waits it is taken back.
pub(crate) struct Pending {
    connection: Arc<Connection>,
    id: u64,
    /// The next poll is the one that has made it, which is woken by the answer.
    is_waited_for: bool,
    is_answered: bool,
    /// The connection's times of the request, and of its answer.
    made: u64,
    answered: u64,
}

impl Pending {
    pub(crate) async fn answer(mut self) -> Result<Reply, Missed> {
        self.answer_by_ref().await
    }

    pub(crate) async fn answer_by_ref(&mut self) -> Result<Reply, Missed> {
        poll_fn(|cx| self.poll(cx)).await
    }

    /// When the request was made, as exactly as the session knows.
    pub(crate) fn made(&self) -> Option<Instant> {
        self.connection.instant(self.made)
    }

    /// When it was answered, as exactly as the session knows.
    pub(crate) fn answered(&self) -> Option<Instant> {
        self.connection.instant(self.answered)
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Reply, Missed>> {
        if core::mem::take(&mut self.is_waited_for) {
            return Poll::Pending;
        }
        let mut state = self.connection.lock();
        let calls = &mut state.desk.calls;
        if let Some(Waiting::Asked(waker)) = calls.get_mut(&self.id) {
            match waker {
                Some(waker) => waker.clone_from(cx.waker()),
                None => *waker = Some(cx.waker().clone()),
            }
            return Poll::Pending;
        }
        let answered = calls.remove(&self.id);
        self.answered = state.clock;
        self.is_answered = true;
        Poll::Ready(match answered {
            Some(Waiting::Answered(Ok(reply))) => Ok(reply),
            Some(Waiting::Answered(Err(failure))) => {
                Err(Missed::on(failure, state.session.may_ask().is_ok()))
            }
            _ => Err(Failure::saying(Kind::Lost, lost_here()).into()),
        })
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if self.is_answered {
            return;
        }
        let mut state = self.connection.lock();
        if state.desk.calls.remove(&self.id).is_some() {
            let now = state.time(self.connection.now());
            // It may have ended in this moment.
            let _ = state.session.cancel(self.id, now);
            drop(state);
            self.connection.wake.notify_one();
        }
    }
}
