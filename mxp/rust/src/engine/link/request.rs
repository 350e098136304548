//! Requests that are made of the peer.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::task::{Context, Poll, Waker};
use core::time::Duration;

use super::Link;
use crate::engine::agent::AgentRequest;
use crate::engine::driver::Driver;
use crate::engine::failure::lost_here;
use crate::engine::line::{Room, Ticket};
use crate::engine::packed_values::PackedValues;
use crate::engine::repeat::FailedAttempt;
use crate::engine::request::{lent, microseconds};
use crate::engine::{Failure, Reply, WhenFull};
use crate::session::{FullPolicy, Grant, Kind, Request, Session, Status, TraceContext, Value};

/// A request, as it can be made on any connection.
pub(crate) struct RequestSpec<'a> {
    pub(crate) service: &'a str,
    pub(crate) method: u16,
    pub(crate) trace: Option<TraceContext>,
    pub(crate) metadata: &'a [(String, Vec<u8>)],
    pub(crate) kind: RequestKind<'a>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum RequestKind<'a> {
    Call,
    /// The grant that the peer has, and whether this side sends nothing.
    Open(Grant, bool),
    Event(WhenFull),
    /// An event that is acknowledged.
    Acked,
    /// A request to the peer's directory.
    Agent(AgentRequest<'a>),
}

impl RequestKind<'_> {
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

/// A request that was queued.
pub(crate) struct QueuedRequest {
    /// The id that its answers have, if there are any.
    pub(crate) id: Option<u64>,
    /// The number of its service.
    pub(crate) service: u16,
    /// The session's time.
    pub(crate) time: u64,
    /// The connection's task is to look at it, which does not do so soon anyway.
    pub(crate) wakes: bool,
}

/// Why a request was not made.
#[derive(Debug)]
pub(crate) enum Rejection {
    /// This connection makes none any more, or not yet. Another may.
    Elsewhere,
    /// There is no room for it, or others wait for that. It may be made soon.
    Full(Room),
    /// The request itself was refused.
    For(Box<Failure>),
}

impl Rejection {
    #[cold]
    fn of(failure: Failure) -> Self {
        Self::For(Box::new(failure))
    }
}

impl<D: Driver> Link<D> {
    /// Queues a request of somebody who has a place in a line, or none. Where it is known
    /// already who is to be woken by the answer, the waker says so.
    pub(crate) fn ask(
        &mut self,
        spec: &RequestSpec<'_>,
        value: &Value<'_>,
        time_left: Option<Duration>,
        waker: Option<&Waker>,
        ticket: Option<Ticket>,
    ) -> Result<QueuedRequest, Rejection> {
        self.session.may_ask().map_err(|_| Rejection::Elsewhere)?;
        let service = self.service(spec)?;
        if let Some(room) = self.lacks(spec, value, ticket) {
            return Err(Rejection::Full(room));
        }
        let was_empty = !self.has_more();
        // A frame that waits and is not held is given out soon, and had the time looked at.
        let is_soon = !was_empty && !self.is_held && time_left.is_none();
        if !is_soon && (was_empty || !matches!(spec.kind, RequestKind::Event(_))) {
            self.now();
        }
        let (session, time) = (&mut self.session, self.time);
        let metadata = lent(spec.metadata);
        let request = Request::new(service, spec.method)
            .with_deadline(time_left.map_or(0, microseconds))
            .with_trace(spec.trace)
            .with_metadata(&metadata);
        let value = value.lent();
        let made = match spec.kind {
            RequestKind::Call => session.call(&request, value, time).map(Some),
            RequestKind::Open(grant, is_final) => session
                .open(&request, grant, is_final, value, time)
                .map(Some),
            RequestKind::Event(full) => session
                .event(&request, false, full.on_full(), value, time)
                .map(|_| None),
            RequestKind::Acked => session.event(&request, true, FullPolicy::Refuse, value, time),
            RequestKind::Agent(request) => request.make(session, time).map(Some),
        };
        let id = made.map_err(|kind| match kind {
            Kind::LimitInFlight | Kind::LimitInFlightBytes => Rejection::Full(Room::Places),
            // A payload may be bulk where its value alone is not.
            Kind::LimitQueueBytes if spec.kind.waits() => Rejection::Full(Room::Bulk),
            _ => Rejection::of(Failure::refusing(kind, session)),
        })?;
        match (spec.kind, id) {
            (RequestKind::Open(..), Some(id)) => self
                .parts
                .streams
                .open(id, self.parts.streams.window.of(spec.service)),
            (_, Some(id)) => {
                self.parts.calls.insert(id, waker);
            }
            (_, None) => {}
        }
        Ok(QueuedRequest {
            id,
            service,
            time,
            // Of what waits behind others the connection's task knows already, but for when
            // its deadline passes.
            wakes: was_empty || (self.is_held && time_left.is_some()),
        })
    }

    /// Queues an event that requires no acknowledgement, of somebody who has no place in a line.
    /// Returns whether the connection's task is to be told.
    pub(crate) fn tell(
        &mut self,
        spec: &RequestSpec<'_>,
        full: WhenFull,
        value: &Value<'_>,
    ) -> Result<bool, Rejection> {
        let bytes = value.as_slice().len();
        self.tell_by(spec, full, bytes, |session, request, time| {
            let told = session.event(request, false, full.on_full(), value.lent(), time);
            told.map(|_| ())
        })
    }

    /// Queues events that require no acknowledgement, of which there is at least one: as many as
    /// there is room for. Returns how many, and whether the connection's task is to be told.
    pub(crate) fn tell_some(
        &mut self,
        spec: &RequestSpec<'_>,
        full: WhenFull,
        pulled: &mut PackedValues,
    ) -> Result<(usize, bool), Rejection> {
        let mut told = 0;
        let bytes = pulled.first_bytes();
        let wakes = self.tell_by(spec, full, bytes, |session, request, time| {
            let (taken, rest) =
                pulled.take(|values| session.events(request, full.on_full(), values, time));
            told = taken;
            match rest {
                // The next attempt finds the reason that has kept the rest back.
                Err(_) if told > 0 => Ok(()),
                rest => rest,
            }
        })?;
        Ok((told, wakes))
    }

    /// Queues events, the first of which has so many bytes, by a function. Returns whether the
    /// connection's task is to be told.
    #[inline]
    fn tell_by(
        &mut self,
        spec: &RequestSpec<'_>,
        full: WhenFull,
        bytes: usize,
        tell: impl FnOnce(&mut Session, &Request<'_>, u64) -> Result<(), Kind>,
    ) -> Result<bool, Rejection> {
        self.session.may_ask().map_err(|_| Rejection::Elsewhere)?;
        let service = self.service(spec)?;
        let (room, waits) = (Room::of(bytes), matches!(full, WhenFull::Wait));
        if waits && !self.has_room(room, None) {
            return Err(Rejection::Full(room));
        }
        let was_empty = !self.has_more();
        // A frame that waits had the time looked at.
        if was_empty {
            self.now();
        }
        let metadata = lent(spec.metadata);
        let request = Request::new(service, spec.method)
            .with_trace(spec.trace)
            .with_metadata(&metadata);
        let told = tell(&mut self.session, &request, self.time);
        told.map_err(|kind| match kind {
            // A payload may be bulk where its value alone is not.
            Kind::LimitQueueBytes if waits => Rejection::Full(Room::Bulk),
            _ => Rejection::of(Failure::refusing(kind, &self.session)),
        })?;
        Ok(was_empty)
    }

    /// The number of the service that is asked for.
    fn service(&self, spec: &RequestSpec<'_>) -> Result<u16, Rejection> {
        if matches!(spec.kind, RequestKind::Agent(_)) {
            return Ok(0);
        }
        let services = &self.parts.peer_services;
        let number = services
            .find(spec.service)
            .ok_or_else(|| Rejection::of(Failure::not_served(spec.service, services)))?;
        match self.session.difference(number, spec.method) {
            Some(difference) => Err(Rejection::of(Failure::differing(difference))),
            None => Ok(number),
        }
    }

    /// The room that a request has to wait for.
    fn lacks(
        &self,
        spec: &RequestSpec<'_>,
        value: &Value<'_>,
        ticket: Option<Ticket>,
    ) -> Option<Room> {
        if !spec.kind.waits() {
            return None;
        }
        let place = Some(Room::Places).filter(|_| spec.kind.has_place());
        let mut needs = [place, Some(Room::of(value.as_slice().len()))]
            .into_iter()
            .flatten();
        needs.find(|room| !self.has_room(*room, ticket))
    }

    /// The name of a service that the peer serves.
    pub(crate) fn peer_service(&self, number: u16) -> &str {
        let services = &self.parts.peer_services;
        services.get(number).unwrap_or_default()
    }

    /// The answer of a call, and the session's time, once it has come.
    pub(crate) fn poll_answer(
        &mut self,
        id: u64,
        cx: &Context<'_>,
    ) -> Poll<(Result<Reply, Box<FailedAttempt>>, u64)> {
        let Poll::Ready(outcome) = self.parts.calls.poll(id, cx.waker()) else {
            return Poll::Pending;
        };
        let answer = match outcome {
            Some(Ok(reply)) => Ok(reply),
            Some(Err(failure)) => {
                let takes_more = self.session.may_ask().is_ok();
                Err(FailedAttempt::on(*failure, takes_more).into())
            }
            None => Err(Box::new(Failure::saying(Kind::Lost, lost_here()).into())),
        };
        Poll::Ready((answer, self.time))
    }

    /// Notes that a request's deadline has passed before its answer came.
    pub(crate) fn note_late(&mut self) {
        let now = self.now();
        self.parts
            .outlier
            .failed(Status::DEADLINE_EXCEEDED, true, now);
    }

    /// Takes a call back that nobody waits for. Returns whether it was still there.
    pub(crate) fn take_back(&mut self, id: u64) -> bool {
        if !self.parts.calls.remove(id) {
            return false;
        }
        let now = self.now();
        // It may have ended in this moment.
        let _ = self.session.cancel(id, now);
        true
    }
}
