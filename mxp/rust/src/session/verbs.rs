//! The operations of a user on requests.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::frame::{Flags, Header, Type};
use crate::session::exchange::{Exchange, Kind as ExchangeKind, Stream};
use crate::session::mxp_control::{
    self as control, FailureRef, FarewellRef, GrantRef, HeartbeatRef, QueryRef, RegistrationRef,
    ResponseHeadRef, ResponseStartRef, StreamStartRef,
};
use crate::session::queue::{Class, Draft};
use crate::session::request::metadata;
use crate::session::state::header;
use crate::session::time::deadline;
use crate::session::{Failure, Grant, Kind, OnFull, Request, Session, Value, BULK_PAYLOAD_BYTES};

/// A request of this side's.
struct Asking {
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
        let asking = Asking {
            method: Some((request.service, request.method)),
            frame_type: Type::Call,
            flags: Flags::NONE,
            kind: ExchangeKind::Call,
            trace: request.trace_id(),
            deadline: request.deadline,
        };
        self.ask(asking, value.into(), now, |out| request.append(out))
    }

    /// Opens a stream, on which the peer may send what is granted. The stream is
    /// final if this side sends nothing on it but the value.
    ///
    /// # Errors
    ///
    /// Those of [`Session::call`].
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
        let asking = Asking {
            method: Some((request.service, request.method)),
            frame_type: Type::StreamOpen,
            flags: if is_final { Flags::FINAL } else { Flags::NONE },
            kind: ExchangeKind::Stream(stream),
            trace: request.trace_id(),
            deadline: request.deadline,
        };
        self.ask(asking, value.into(), now, |out| {
            let (head, grant) = (request.head(), grant_ref(grant));
            StreamStartRef { head, grant }.append(out)
        })
    }

    /// Tells the peer something, and returns the id, or none if the event was
    /// dropped. One that requires an acknowledgement is never dropped.
    ///
    /// # Errors
    ///
    /// Those of [`Session::call`].
    pub fn event<'v>(
        &mut self,
        request: &Request<'_>,
        requires_ack: bool,
        on_full: OnFull,
        value: impl Into<Value<'v>>,
        now: u64,
    ) -> Result<Option<u64>, Kind> {
        let value = value.into();
        if requires_ack {
            let asking = Asking {
                method: Some((request.service, request.method)),
                frame_type: Type::Event,
                flags: Flags::REQUIRES_ACK,
                kind: ExchangeKind::Event,
                trace: request.trace_id(),
                deadline: 0,
            };
            let id = self.ask(asking, value, now, |out| request.append(out))?;
            return Ok(Some(id));
        }
        self.may_ask_of(Some((request.service, request.method)))?;
        let draft = self.draft(Type::Event, &value, |out| request.append(out))?;
        let most = self.most_queued(self.is_bulk(draft, &value));
        if self.queue.bytes() >= most {
            if on_full == OnFull::DropOldest {
                self.counters.dropped += self.queue.drop_oldest(most);
            }
            if self.queue.bytes() >= most {
                self.queue.undo(draft);
                if on_full == OnFull::Refuse {
                    return Err(Kind::LimitQueueBytes);
                }
                self.counters.dropped += 1;
                return Ok(None);
            }
        }
        let id = self.new_id();
        let header = header(Type::Event, Flags::NONE, id, request.trace_id());
        self.commit(draft, header, value, Class::Droppable, now);
        Ok(Some(id))
    }

    /// Asks the peer's directory for a name, and for how long.
    ///
    /// # Errors
    ///
    /// Those of [`Session::call`].
    pub fn register(
        &mut self,
        name: &str,
        capabilities: &[&str],
        lease: u64,
        now: u64,
    ) -> Result<u64, Kind> {
        self.ask_agents(Type::AgentRegister, now, |out| {
            let registration = RegistrationRef::new().with_name(name).with_lease(lease);
            let registration = registration.with_capabilities(capabilities.to_vec());
            registration.append(out)
        })
    }

    /// Renews the lease of a name.
    ///
    /// # Errors
    ///
    /// Those of [`Session::call`].
    pub fn heartbeat(&mut self, name: &str, now: u64) -> Result<u64, Kind> {
        self.ask_agents(Type::AgentHeartbeat, now, |out| {
            HeartbeatRef::new().with_name(name).append(out)
        })
    }

    /// Asks the peer's directory for those that can do something, or for all.
    ///
    /// # Errors
    ///
    /// Those of [`Session::call`].
    pub fn discover(&mut self, capability: &str, now: u64) -> Result<u64, Kind> {
        self.ask_agents(Type::AgentDiscover, now, |out| {
            QueryRef::new().with_capability(capability).append(out)
        })
    }

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
        let exchange = self.unanswered(id, now)?;
        let (ExchangeKind::Call | ExchangeKind::Agent) = exchange.kind else {
            return Err(Kind::ExchangeEnded);
        };
        let trace = exchange.trace;
        let value = value.into();
        let draft = self.draft(Type::Response, &value, |out| {
            let head = ResponseHeadRef::new().with_metadata(metadata(pairs));
            ResponseStartRef { head }.append(out)
        })?;
        let is_bulk = self.is_bulk(draft, &value);
        self.has_room(is_bulk)
            .inspect_err(|_| self.queue.undo(draft))?;
        self.there.remove(id);
        self.tally.answered();
        let header = header(Type::Response, Flags::NONE, id, trace);
        self.commit(draft, header, value, Class::Plain, now);
        Ok(())
    }

    /// Ends any request of the peer's with a failure.
    ///
    /// # Errors
    ///
    /// Those of [`Session::respond`], but for [`Kind::LimitQueueBytes`].
    pub fn fail(&mut self, id: u64, failure: &Failure<'_>, now: u64) -> Result<(), Kind> {
        self.usable()?;
        let trace = self.unanswered(id, now)?.trace;
        let said = FailureRef::new()
            .with_status(control::Status::from_number(failure.status.0))
            .with_refused(!failure.acted)
            .with_name(failure.name)
            .with_text(failure.text)
            .with_details(failure.details);
        let draft = self.draft(Type::Error, &Value::default(), |out| said.append(out))?;
        self.there.remove(id);
        if !failure.acted {
            self.caused(now);
        }
        self.commit_empty(draft, header(Type::Error, Flags::NONE, id, trace), now);
        Ok(())
    }

    /// Lets go of a request of the peer's. One that has not ended is answered with
    /// the failure [`Kind::Cancelled`].
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

    /// Takes no new requests from here on, and makes none. What is in flight goes
    /// on; then the session is finished [MXP-11.1]. One that is not ready does so as
    /// soon as it is.
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
        let draft = self.draft(Type::Drain, &Value::default(), |out| farewell.append(out))?;
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
        let _ = self.push(Header::new(Type::Drain), Class::Plain, now, |out| {
            farewell.append(out)
        });
    }

    /// Queues a frame that has no value.
    pub(crate) fn commit_empty(&mut self, draft: Draft, header: Header, now: u64) {
        self.commit(draft, header, Value::default(), Class::Plain, now);
    }

    /// A request of the peer's that is to be answered. One that has ended gives its
    /// place free.
    fn unanswered(&mut self, id: u64, now: u64) -> Result<&Exchange, Kind> {
        let has_ended = match self.there.place(id) {
            Some(exchange) => exchange.has_ended,
            None => return Err(Kind::ExchangeEnded),
        };
        if has_ended {
            self.there.remove(id);
            self.settle(now);
        }
        let exchange = self.there.get(id).ok_or(Kind::ExchangeEnded)?;
        Ok(exchange)
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

    fn ask_agents(
        &mut self,
        frame_type: Type,
        now: u64,
        head: impl FnOnce(&mut Vec<u8>) -> Result<(), sdp::Error>,
    ) -> Result<u64, Kind> {
        let asking = Asking {
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
        asking: Asking,
        value: Value<'_>,
        now: u64,
        head: impl FnOnce(&mut Vec<u8>) -> Result<(), sdp::Error>,
    ) -> Result<u64, Kind> {
        self.may_ask_of(asking.method)?;
        let draft = self.draft(asking.frame_type, &value, head)?;
        let bytes = self.queue.begun_bytes(draft) + value.as_slice().len();
        self.has_place(bytes)
            .inspect_err(|_| self.queue.undo(draft))?;
        let id = self.new_id();
        let deadline = deadline(asking.deadline, now);
        let exchange = Exchange {
            kind: asking.kind,
            trace: asking.trace,
            made: now,
            deadline,
            bytes,
            sent: false,
            has_ended: false,
        };
        self.here.insert(id, exchange);
        let header = header(asking.frame_type, asking.flags, id, asking.trace);
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
    fn is_bulk(&self, draft: Draft, value: &Value<'_>) -> bool {
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
