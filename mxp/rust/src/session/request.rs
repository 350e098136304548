//! The requests of a user [MXP-7], [MXP-8].

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::frame::{Flags, Header, Type};
use crate::session::exchange::{Exchange, Kind as ExchangeKind, Stream};
use crate::session::mxp_control::{
    CallHeadRef, CallStartRef, FarewellRef, GrantRef, MetadatumRef, StreamStartRef, Trace,
};
use crate::session::queue::{Class, Draft};
use crate::session::state::header;
use crate::session::timing::deadline;
use crate::session::{Grant, Kind, Session, TraceContext, Value, BULK_PAYLOAD_BYTES};

/// A request, besides its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Request<'a> {
    /// Number of the service, by its place in the peer's list.
    pub service: u16,
    /// Number of the method in the service.
    pub method: u16,
    /// Microseconds after which it ends; 0 is never. For an event it means nothing.
    pub deadline: u64,
    /// Where it belongs.
    pub trace: Option<TraceContext>,
    /// The metadata that travels beside the value.
    pub metadata: &'a [(&'a str, &'a [u8])],
}

impl<'a> Request<'a> {
    /// A request without a deadline.
    #[must_use]
    pub const fn new(service: u16, method: u16) -> Self {
        Self {
            service,
            method,
            deadline: 0,
            trace: None,
            metadata: &[],
        }
    }

    /// Ends after so many microseconds.
    #[must_use]
    pub const fn with_deadline(mut self, microseconds: u64) -> Self {
        self.deadline = microseconds;
        self
    }

    /// Belongs to a trace.
    #[must_use]
    pub const fn with_trace(mut self, trace: Option<TraceContext>) -> Self {
        self.trace = trace;
        self
    }

    /// Is accompanied by keys and values.
    #[must_use]
    pub const fn with_metadata(mut self, metadata: &'a [(&'a str, &'a [u8])]) -> Self {
        self.metadata = metadata;
        self
    }

    pub(crate) fn head(&self) -> CallHeadRef<'a> {
        let trace = self.trace.map(|trace| {
            let mut out = Trace::default();
            (out.id, out.parent, out.flags) = (trace.id, trace.parent, trace.flags);
            out
        });
        CallHeadRef::new()
            .with_service(self.service)
            .with_method(self.method)
            .with_deadline(self.deadline)
            .with_trace(trace)
            .with_metadata(metadata(self.metadata))
    }

    /// Appends the start of a payload that it makes.
    #[inline]
    pub(crate) fn append(&self, output: &mut Vec<u8>) -> Result<(), sdp::Error> {
        if self.is_bare() {
            output.extend_from_slice(&self.bare());
            return Ok(());
        }
        let head = self.head();
        CallStartRef { head }.append(output)
    }

    /// The start of the payload of a request that has nothing but its method, as most have:
    /// it needs no encoder.
    fn bare(&self) -> [u8; BARE_BYTES] {
        let mut bytes = [0; BARE_BYTES];
        bytes[0] = 14;
        bytes[4..6].copy_from_slice(&self.service.to_le_bytes());
        bytes[6..8].copy_from_slice(&self.method.to_le_bytes());
        bytes
    }

    /// Whether it has nothing but its method.
    const fn is_bare(&self) -> bool {
        self.deadline == 0 && self.trace.is_none() && self.metadata.is_empty()
    }

    /// The trace id of its frames.
    pub(crate) fn trace_id(&self) -> u64 {
        self.trace.map_or(0, |trace| trace.low_half())
    }
}

/// Bytes of a length, a service, a method, no deadline, no trace and no metadata.
const BARE_BYTES: usize = 4 + 14;

pub(crate) fn metadata<'a>(pairs: &[(&'a str, &'a [u8])]) -> Vec<MetadatumRef<'a>> {
    let pairs = pairs.iter().map(|&(key, value)| {
        let mut pair = MetadatumRef::default();
        (pair.key, pair.value) = (key, value);
        pair
    });
    pairs.collect()
}

/// The policy for an event where the queue is full [MXP-9.5].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FullPolicy {
    /// It is refused.
    Refuse,
    /// It is dropped.
    DropNewest,
    /// The oldest ones that wait are dropped.
    DropOldest,
}

/// A request of this side's.
struct OwnRequest {
    /// The numbers of the service and the method, if it is asked of one.
    method: Option<(u16, u16)>,
    frame_type: Type,
    flags: Flags,
    kind: ExchangeKind,
    trace: u64,
    deadline: u64,
}

impl Session {
    /// Calls a method of the peer's, and returns the id that the answer has.
    ///
    /// # Errors
    ///
    /// The refusals that all requests have: [`Kind::Closed`], [`Kind::NotReady`],
    /// [`Kind::Draining`], [`Kind::Schema`] (where [`Session::difference`] says why),
    /// [`Kind::PayloadTooLarge`], [`Kind::LimitInFlight`], [`Kind::LimitInFlightBytes`] and
    /// [`Kind::LimitQueueBytes`]. A call that is refused changes nothing.
    pub fn call<'v>(
        &mut self,
        request: &Request<'_>,
        value: impl Into<Value<'v>>,
        now: u64,
    ) -> Result<u64, Kind> {
        let asking = OwnRequest {
            method: Some((request.service, request.method)),
            frame_type: Type::Call,
            flags: Flags::NONE,
            kind: ExchangeKind::Call,
            trace: request.trace_id(),
            deadline: request.deadline,
        };
        self.ask(asking, value.into(), now, |output| request.append(output))
    }

    /// Opens a stream, on which the peer may send what is granted. The stream is
    /// final if this side sends nothing on it but the value.
    ///
    /// # Errors
    ///
    /// The errors of [`Session::call`].
    pub fn open<'v>(
        &mut self,
        request: &Request<'_>,
        grant: Grant,
        is_final: bool,
        value: impl Into<Value<'v>>,
        now: u64,
    ) -> Result<u64, Kind> {
        let mut stream = Box::<Stream>::default();
        stream.back.grant(grant);
        stream.out.has_ended = is_final;
        let asking = OwnRequest {
            method: Some((request.service, request.method)),
            frame_type: Type::StreamOpen,
            flags: if is_final { Flags::FINAL } else { Flags::NONE },
            kind: ExchangeKind::Stream(stream),
            trace: request.trace_id(),
            deadline: request.deadline,
        };
        self.ask(asking, value.into(), now, |output| {
            let (head, grant) = (request.head(), grant_ref(grant));
            StreamStartRef { head, grant }.append(output)
        })
    }

    /// Tells the peer something, and returns the id, or none if the event was dropped. An event
    /// that requires an acknowledgement is never dropped. Events that go into one batch have the
    /// same id.
    ///
    /// # Errors
    ///
    /// The errors of [`Session::call`].
    pub fn event<'v>(
        &mut self,
        request: &Request<'_>,
        requires_ack: bool,
        on_full: FullPolicy,
        value: impl Into<Value<'v>>,
        now: u64,
    ) -> Result<Option<u64>, Kind> {
        let value = value.into();
        if requires_ack {
            let asking = OwnRequest {
                method: Some((request.service, request.method)),
                frame_type: Type::Event,
                flags: Flags::REQUIRES_ACK,
                kind: ExchangeKind::Event,
                trace: request.trace_id(),
                deadline: 0,
            };
            let id = self.ask(asking, value, now, |output| request.append(output))?;
            return Ok(Some(id));
        }
        let of = (request.service, request.method);
        self.may_ask_of(Some(of))?;
        // Mostly there is no more than these, which need not be encoded to be compared.
        let is_bare = request.is_bare();
        if is_bare && self.queue.bytes() < self.most_queued(false) {
            let value = value.as_slice();
            if self
                .queue
                .joins_bare_event(of, value.len(), self.peer_bytes)
            {
                return Ok(Some(self.queue.join(value, Flags::NONE)));
            }
        }
        let draft = self.draft(Type::Event, &value, |output| request.append(output))?;
        let most = self.most_queued(self.is_bulk(draft, &value));
        if self.queue.bytes() >= most {
            if on_full == FullPolicy::DropOldest {
                self.counters.dropped += self.queue.drop_oldest(most);
            }
            if self.queue.bytes() >= most {
                self.queue.undo(draft);
                if on_full == FullPolicy::Refuse {
                    return Err(Kind::LimitQueueBytes);
                }
                self.counters.dropped += 1;
                return Ok(None);
            }
        }
        let n = value.as_slice().len();
        if self.queue.joins_event(draft, n, self.peer_bytes) {
            self.queue.undo(draft);
            return Ok(Some(self.queue.join(value.as_slice(), Flags::NONE)));
        }
        let id = self.new_id();
        let header = header(Type::Event, Flags::NONE, id, request.trace_id());
        self.commit(draft, header, value, Class::Droppable, now);
        if is_bare {
            self.queue.note_bare_event(of);
        }
        Ok(Some(id))
    }

    /// Takes back a request of this side's.
    ///
    /// # Errors
    ///
    /// [`Kind::Closed`], [`Kind::NotReady`] and [`Kind::ExchangeEnded`].
    pub fn cancel(&mut self, id: u64, now: u64) -> Result<(), Kind> {
        self.usable()?;
        if self.here.get(id).is_none() {
            return Err(Kind::ExchangeEnded);
        }
        self.give_up(id, Kind::Cancelled, now);
        self.settle(now);
        Ok(())
    }

    /// Takes no new requests from here on, and makes none. Requests in flight go on; then the
    /// session is finished [MXP-11.1]. A session that is not ready drains as soon as it is.
    ///
    /// # Errors
    ///
    /// [`Kind::Closed`] and [`Kind::PayloadTooLarge`].
    pub fn drain(&mut self, reason: &str, now: u64) -> Result<(), Kind> {
        match self.usable() {
            Err(Kind::NotReady) => {
                self.leaving.get_or_insert_with(|| (reason.into(), now));
                return Ok(());
            }
            usable => usable?,
        }
        if self.drains {
            return Ok(());
        }
        let farewell = farewell_ref(reason, self.last_id);
        let draft = self.draft(Type::Drain, &Value::default(), |output| {
            farewell.append(output)
        })?;
        self.commit_empty(draft, Header::new(Type::Drain), now);
        self.drains = true;
        Ok(())
    }

    /// Sends Drain with a reason that a peer has given, or this side gives by itself, once.
    pub(crate) fn farewell(&mut self, reason: &str, now: u64) {
        if self.drains {
            return;
        }
        self.drains = true;
        let farewell = farewell_ref(reason, self.last_id);
        // A reason that could be decoded can be encoded.
        let _ = self.push(Header::new(Type::Drain), Class::Plain, now, |output| {
            farewell.append(output)
        });
    }

    /// Queues a frame that has no value.
    pub(crate) fn commit_empty(&mut self, draft: Draft, header: Header, now: u64) {
        self.commit(draft, header, Value::default(), Class::Plain, now);
    }

    /// Whether requests and events can be made, as far as the session's state tells.
    ///
    /// # Errors
    ///
    /// [`Kind::Closed`], [`Kind::NotReady`] and [`Kind::Draining`].
    pub fn may_ask(&self) -> Result<(), Kind> {
        self.usable()?;
        if self.drains || self.peer_drains {
            return Err(Kind::Draining);
        }
        Ok(())
    }

    /// Refuses requests of methods that can't be made now [MXP-5.9].
    fn may_ask_of(&self, method: Option<(u16, u16)>) -> Result<(), Kind> {
        self.may_ask()?;
        let difference = method.and_then(|(service, method)| self.difference(service, method));
        match difference {
            Some(_) => Err(Kind::Schema),
            None => Ok(()),
        }
    }

    /// Makes a request to the peer's directory.
    pub(super) fn ask_agents(
        &mut self,
        frame_type: Type,
        now: u64,
        head: impl FnOnce(&mut Vec<u8>) -> Result<(), sdp::Error>,
    ) -> Result<u64, Kind> {
        let asking = OwnRequest {
            method: None,
            frame_type,
            flags: Flags::NONE,
            kind: ExchangeKind::Agent,
            trace: 0,
            deadline: 0,
        };
        self.ask(asking, Value::default(), now, head)
    }

    /// Makes a request.
    fn ask(
        &mut self,
        spec: OwnRequest,
        value: Value<'_>,
        now: u64,
        head: impl FnOnce(&mut Vec<u8>) -> Result<(), sdp::Error>,
    ) -> Result<u64, Kind> {
        self.may_ask_of(spec.method)?;
        let draft = self.draft(spec.frame_type, &value, head)?;
        let bytes = self.queue.begun_bytes(draft) + value.as_slice().len();
        self.has_place(bytes)
            .inspect_err(|_| self.queue.undo(draft))?;
        let id = self.new_id();
        let deadline = deadline(spec.deadline, now);
        let exchange = Exchange {
            kind: spec.kind,
            trace: spec.trace,
            made: now,
            deadline,
            bytes,
            has_ended: false,
        };
        self.here.insert(id, exchange);
        let header = header(spec.frame_type, spec.flags, id, spec.trace);
        self.commit(draft, header, value, Class::Plain, now);
        Ok(id)
    }

    /// Refuses a request with a payload of so many bytes for which there is no place, here
    /// or in the queue. Bytes alone keep none that is alone from having one [MXP-9.3].
    fn has_place(&self, bytes: usize) -> Result<(), Kind> {
        self.may_have_place()?;
        let most = self.config.limits.in_flight_bytes;
        if self.here.bytes() > 0 && bytes > most.saturating_sub(self.here.bytes()) {
            return Err(Kind::LimitInFlightBytes);
        }
        self.has_room(bytes >= BULK_PAYLOAD_BYTES)
    }

    /// Whether there is a place for a request of this side's, as far as its payload does
    /// not matter.
    ///
    /// # Errors
    ///
    /// [`Kind::LimitInFlight`].
    pub const fn may_have_place(&self) -> Result<(), Kind> {
        if self.here.places() >= self.config.limits.in_flight {
            return Err(Kind::LimitInFlight);
        }
        Ok(())
    }

    /// Whether a frame that was begun, with a value, is bulk [MXP-9.1].
    pub(super) fn is_bulk(&self, draft: Draft, value: &Value<'_>) -> bool {
        self.queue.begun_bytes(draft) + value.as_slice().len() >= BULK_PAYLOAD_BYTES
    }
}

fn farewell_ref(reason: &str, last: u64) -> FarewellRef<'_> {
    let mut farewell = FarewellRef::new().with_reason(reason);
    farewell.last = Some(last);
    farewell
}

pub(crate) fn grant_ref<'a>(grant: Grant) -> GrantRef<'a> {
    GrantRef::new()
        .with_messages(grant.messages)
        .with_bytes(grant.bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_requests_begin_alike() {
        let request = Request::new(0x0102, 0x0304);
        let mut out = Vec::new();
        let head = request.head();
        CallStartRef { head }.append(&mut out).unwrap();
        assert_eq!(out, request.bare());
        assert!(request.is_bare() && !request.with_deadline(1).is_bare());
    }
}
