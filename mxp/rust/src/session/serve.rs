//! Requests of the peer's, the places that they have, and their answers [MXP-7], [MXP-9.3].

use alloc::boxed::Box;

use crate::frame::{Flags, Header, Type};
use crate::session::exchange::{Exchange, Kind as ExchangeKind, Stream};
use crate::session::handle::{start, HandleResult, Head, News};
use crate::session::mxp_control::{
    self as control, CallStartView, FailureRef, ResponseHeadRef, ResponseStartRef, StreamStartView,
};
use crate::session::queue::{Class, Draft};
use crate::session::records;
use crate::session::request::metadata;
use crate::session::state::header;
use crate::session::timing::deadline;
use crate::session::{Failure, Grant, Kind, Session, Value};

/// The start of an answer that nothing travels beside, as most are: it needs no encoder.
const NO_METADATA: [u8; 5] = [1, 0, 0, 0, 0];

/// A request that came, and the facts that decide on its place.
struct PeerRequest {
    kind: ExchangeKind,
    /// The service and its method, if it is asked of one.
    service: Option<(u16, u16)>,
    trace: u64,
    deadline: u64,
    bytes: usize,
}

impl Session {
    pub(super) fn take_call(&mut self, header: &Header, payload: &[u8], now: u64) -> HandleResult {
        let (start, value_at) = start::<CallStartView<'_>>(payload)?;
        let head = Head::of(start.head(), value_at);
        let asked = PeerRequest {
            kind: ExchangeKind::Call,
            service: Some((head.service, head.method)),
            trace: head.trace_id(),
            deadline: head.deadline,
            bytes: payload.len(),
        };
        Ok(self.admit(header, asked, now).then_some(News::Call(head)))
    }

    pub(super) fn take_event(&mut self, header: &Header, payload: &[u8], now: u64) -> HandleResult {
        let (start, value_at) = start::<CallStartView<'_>>(payload)?;
        let head = Head::of(start.head(), value_at);
        if !header.flags.contains(Flags::REQUIRES_ACK) {
            let is_served = self.serves(&head, 1, now);
            return Ok(is_served.then_some(News::Event(head)));
        }
        let asked = PeerRequest {
            kind: ExchangeKind::Event,
            service: Some((head.service, head.method)),
            trace: head.trace_id(),
            // An Event's deadline means nothing.
            deadline: 0,
            bytes: payload.len(),
        };
        Ok(self.admit(header, asked, now).then_some(News::Event(head)))
    }

    pub(super) fn take_events(&mut self, payload: &[u8], now: u64) -> HandleResult {
        let (start, value_at) = start::<CallStartView<'_>>(payload)?;
        let head = Head::of(start.head(), value_at);
        let count = records::count(payload.get(value_at..).unwrap_or_default())?;
        let is_served = self.serves(&head, count, now);
        Ok(is_served.then_some(News::Events { head, count }))
    }

    /// Whether Events with this head, which nobody answers, are served. Else they are counted
    /// and passed over [MXP-7.3].
    fn serves(&mut self, head: &Head, events: usize, now: u64) -> bool {
        let refusal = self.unserved(head.service, head.method);
        if let Some(refusal) = refusal {
            self.caused_all(events as u64, now);
            self.counters.refused_all(events as u64, refusal.number());
        }
        refusal.is_none()
    }

    pub(super) fn take_open(&mut self, header: &Header, payload: &[u8], now: u64) -> HandleResult {
        let (start, value_at) = start::<StreamStartView<'_>>(payload)?;
        let head = Head::of(start.head(), value_at);
        let grant = Grant {
            messages: start.grant().messages(),
            bytes: start.grant().bytes(),
        };
        let mut stream = Box::<Stream>::default();
        stream.out.grant(grant);
        stream.back.has_ended = header.flags.contains(Flags::FINAL);
        let asked = PeerRequest {
            kind: ExchangeKind::Stream(stream),
            service: Some((head.service, head.method)),
            trace: head.trace_id(),
            deadline: head.deadline,
            bytes: payload.len(),
        };
        let is_admitted = self.admit(header, asked, now);
        Ok(is_admitted.then_some(News::Open(head, grant)))
    }

    pub(super) fn take_agent(
        &mut self,
        header: &Header,
        payload: &[u8],
        news: News,
        now: u64,
    ) -> Option<News> {
        let asked = PeerRequest {
            kind: ExchangeKind::Agent,
            service: None,
            trace: 0,
            deadline: 0,
            bytes: payload.len(),
        };
        self.admit(header, asked, now).then_some(news)
    }

    /// Why a method can't be served [MXP-6.8, MXP-7.3].
    fn unserved(&self, service: u16, method: u16) -> Option<Kind> {
        if usize::from(service) >= self.config.services.len() {
            return Some(Kind::ServiceUnknown);
        }
        let difference = self.differences.find(true, service, method);
        difference.map(|_| Kind::Schema)
    }

    /// Gives a request of the peer's a place, or refuses it [MXP-9.3].
    fn admit(&mut self, header: &Header, request: PeerRequest, now: u64) -> bool {
        let limits = &self.config.limits;
        let unserved = match request.service {
            Some((service, method)) => self.unserved(service, method),
            None if self.config.takes_agents => None,
            None => Some(Kind::AgentsOff),
        };
        let refusal = if self.drains {
            Some(Kind::Draining)
        } else if unserved.is_some() {
            unserved
        } else if self.there.places() >= limits.in_flight {
            Some(Kind::LimitInFlight)
        } else if self.there.bytes().saturating_add(request.bytes) > limits.in_flight_bytes {
            Some(Kind::LimitInFlightBytes)
        } else {
            None
        };
        let id = header.message_id;
        if let Some(refusal) = refusal {
            self.caused(now);
            self.answer_error(id, request.trace, refusal, true, now);
            return false;
        }
        let deadline = deadline(request.deadline, now);
        let exchange = Exchange {
            kind: request.kind,
            trace: request.trace,
            made: now,
            deadline,
            bytes: request.bytes,
            has_ended: false,
        };
        self.there.insert(id, exchange);
        true
    }
}

impl Session {
    /// Answers a call, or an agent request.
    ///
    /// # Errors
    ///
    /// [`Kind::Closed`], [`Kind::NotReady`], [`Kind::PayloadTooLarge`] and
    /// [`Kind::LimitQueueBytes`], which change nothing; and [`Kind::ExchangeEnded`]
    /// for a request that has ended, whose place is free then.
    pub fn respond<'v>(
        &mut self,
        id: u64,
        pairs: &[(&str, &[u8])],
        value: impl Into<Value<'v>>,
        now: u64,
    ) -> Result<(), Kind> {
        self.usable()?;
        let (trace, has_value) = self.unanswered(id, now)?;
        if !has_value {
            return Err(Kind::ExchangeEnded);
        }
        let value = value.into();
        let draft = self.response(pairs, &value)?;
        let is_bulk = self.is_bulk(draft, &value);
        self.has_room(is_bulk)
            .inspect_err(|_| self.queue.undo(draft))?;
        self.there.remove(id);
        self.tally.answered();
        let header = header(Type::Response, Flags::NONE, id, trace);
        self.commit(draft, header, value, Class::Plain, now);
        Ok(())
    }

    /// Whether the peer takes an answer so large: [`Kind::PayloadTooLarge`] if not.
    #[cfg(feature = "opentelemetry")]
    pub(crate) fn fits(&mut self, pairs: &[(&str, &[u8])], value: &[u8]) -> Result<(), Kind> {
        let draft = self.response(pairs, &value.into())?;
        self.queue.undo(draft);
        Ok(())
    }

    fn response(&mut self, pairs: &[(&str, &[u8])], value: &Value<'_>) -> Result<Draft, Kind> {
        self.draft(Type::Response, value, |output| {
            if pairs.is_empty() {
                output.extend_from_slice(&NO_METADATA);
                return Ok(());
            }
            let head = ResponseHeadRef::new().with_metadata(metadata(pairs));
            ResponseStartRef { head }.append(output)
        })
    }

    /// Ends any request of the peer's with a failure.
    ///
    /// # Errors
    ///
    /// The errors of [`Session::respond`], but for [`Kind::LimitQueueBytes`].
    pub fn fail(&mut self, id: u64, failure: &Failure<'_>, now: u64) -> Result<(), Kind> {
        self.usable()?;
        let (trace, _) = self.unanswered(id, now)?;
        let said = FailureRef::new()
            .with_status(control::Status::from_number(failure.status.0))
            .with_refused(!failure.acted)
            .with_name(failure.name)
            .with_text(failure.text)
            .with_details(failure.details);
        let draft = self.draft(Type::Error, &Value::default(), |output| said.append(output))?;
        self.there.remove(id);
        if !failure.acted {
            self.caused(now);
        }
        self.commit_empty(draft, header(Type::Error, Flags::NONE, id, trace), now);
        Ok(())
    }

    /// Lets go of a request of the peer's. A request that has not ended is answered with the
    /// failure [`Kind::Cancelled`].
    ///
    /// # Errors
    ///
    /// [`Kind::Closed`], [`Kind::NotReady`] and [`Kind::ExchangeEnded`].
    pub fn release(&mut self, id: u64, now: u64) -> Result<(), Kind> {
        self.usable()?;
        let exchange = self.there.remove(id).ok_or(Kind::ExchangeEnded)?;
        if !exchange.has_ended {
            self.answer_error(id, exchange.trace, Kind::Cancelled, false, now);
        }
        self.settle(now);
        Ok(())
    }

    /// The trace of a request of the peer's that is to be answered, and whether it can be by a
    /// value. A request that has ended frees its place.
    fn unanswered(&mut self, id: u64, now: u64) -> Result<(u64, bool), Kind> {
        let exchange = self.there.place(id).ok_or(Kind::ExchangeEnded)?;
        if !exchange.has_ended {
            let has_value = matches!(exchange.kind, ExchangeKind::Call | ExchangeKind::Agent);
            return Ok((exchange.trace, has_value));
        }
        self.there.remove(id);
        self.settle(now);
        Err(Kind::ExchangeEnded)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn most_answers_begin_alike() {
        let mut out = Vec::new();
        let head = ResponseHeadRef::new();
        ResponseStartRef { head }.append(&mut out).unwrap();
        assert_eq!(out, NO_METADATA);
    }
}
