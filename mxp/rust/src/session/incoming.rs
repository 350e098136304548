//! The news that a session has for its user.

use crate::session::mxp_control::HelloView;
use crate::session::mxp_registry::RegistrationView;
use crate::session::{Failure, Grant, Metadata, Query, Records, Registration, TraceContext};

/// The news that a session has for its user. Values borrow from the received bytes.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Incoming<'a> {
    /// Requests can be made.
    Ready(Ready<'a>),
    /// The peer asks for something, which [`Session::respond`] or
    /// [`Session::fail`] answers.
    ///
    /// [`Session::respond`]: crate::session::Session::respond
    /// [`Session::fail`]: crate::session::Session::fail
    Call(Call<'a>),
    /// The peer has opened a stream.
    Open(Open<'a>),
    /// The peer tells something.
    Event(Event<'a>),
    /// The peer tells several things with one head, in a batch.
    Events(Events<'a>),
    /// The answer to a call or an agent request.
    Response(Response<'a>),
    /// A request of this side's has ended without an answer.
    Ended(Ended<'a>),
    /// A part of a stream.
    Chunk(Chunk<'a>),
    /// Several parts of a stream, in a batch.
    Chunks(Chunks<'a>),
    /// The peer's direction of a stream has ended, without a chunk.
    Finished(Finished),
    /// More may be sent on a stream.
    Granted(Granted),
    /// An event of this side's was taken, or a stream's chunks up to one.
    Acked(Acked),
    /// A request of the peer's has ended. If not by the session's end, it keeps its
    /// place until it is answered or released.
    Cancelled(Cancelled),
    /// The peer takes no new requests.
    Draining(Draining<'a>),
    /// An agent makes itself known. The answer is [`Lease::to_value`].
    ///
    /// [`Lease::to_value`]: crate::session::Lease::to_value
    Register(Register<'a>),
    /// An agent renews its lease. The answer is [`Lease::to_value`].
    ///
    /// [`Lease::to_value`]: crate::session::Lease::to_value
    Heartbeat(Heartbeat<'a>),
    /// Somebody asks for agents. The answer is [`Listing::to_value`].
    ///
    /// [`Listing::to_value`]: crate::session::Listing::to_value
    Discover(Discover<'a>),
    /// The session has ended. Nothing comes after it.
    End(End<'a>),
}

/// Requests can be made.
#[derive(Debug, Clone, Copy)]
pub struct Ready<'a> {
    pub(crate) hello: Option<HelloView<'a>>,
}

impl<'a> Ready<'a> {
    /// The names of the services that the peer serves. A service's number is its
    /// place among them.
    pub fn services(&self) -> impl Iterator<Item = &'a str> + 'a {
        let hello = self.hello.into_iter();
        hello.flat_map(|hello| hello.services().map(|service| service.name()))
    }
}

/// A call of the peer's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call<'a> {
    /// Names the call in its answer.
    pub id: u64,
    /// Number of the service.
    pub service: u16,
    /// Number of the method in the service.
    pub method: u16,
    /// Microseconds that the peer waits; 0 is for ever.
    pub deadline: u64,
    /// Where the call belongs.
    pub trace: Option<TraceContext>,
    /// The metadata that travels beside the value.
    pub metadata: Metadata<'a>,
    /// The value of the request.
    pub value: &'a [u8],
}

/// A stream that the peer has opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Open<'a> {
    /// Names the stream.
    pub id: u64,
    /// Number of the service.
    pub service: u16,
    /// Number of the method in the service.
    pub method: u16,
    /// Microseconds that the peer waits; 0 is for ever.
    pub deadline: u64,
    /// Where the stream belongs.
    pub trace: Option<TraceContext>,
    /// The metadata that travels beside the value.
    pub metadata: Metadata<'a>,
    /// The chunks and bytes that may be sent on it.
    pub grant: Grant,
    /// Whether the peer sends nothing on it.
    pub is_final: bool,
    /// The value of the request.
    pub value: &'a [u8],
}

/// An event of the peer's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event<'a> {
    /// Names the event.
    pub id: u64,
    /// Number of the service.
    pub service: u16,
    /// Number of the method in the service.
    pub method: u16,
    /// Where the event belongs.
    pub trace: Option<TraceContext>,
    /// The metadata that travels beside the value.
    pub metadata: Metadata<'a>,
    /// Whether an acknowledgement, or a failure, is awaited.
    pub requires_ack: bool,
    /// The value of the event.
    pub value: &'a [u8],
}

/// Events of the peer's that came in a batch, as an [`Event`] for each value would be. None
/// awaits an acknowledgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Events<'a> {
    /// Names all of them.
    pub id: u64,
    /// Number of the service.
    pub service: u16,
    /// Number of the method in the service.
    pub method: u16,
    /// Where the events belong.
    pub trace: Option<TraceContext>,
    /// The metadata that travels beside each value.
    pub metadata: Metadata<'a>,
    /// The values of the events.
    pub records: Records<'a>,
}

/// The answer to a call or an agent request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Response<'a> {
    /// The request.
    pub id: u64,
    /// The metadata that travels beside the value.
    pub metadata: Metadata<'a>,
    /// The answer.
    pub value: &'a [u8],
}

/// A request of this side's that has ended without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended<'a> {
    /// The request.
    pub id: u64,
    /// Why.
    pub failure: Failure<'a>,
}

/// A part of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunk<'a> {
    /// The stream.
    pub id: u64,
    /// The chunk's number in its direction, from 1.
    pub number: u64,
    /// Whether it is the last in its direction.
    pub is_final: bool,
    /// Whether an acknowledgement is awaited.
    pub requires_ack: bool,
    /// The part.
    pub value: &'a [u8],
}

/// Parts of a stream that came in a batch, as a [`Chunk`] for each value would be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunks<'a> {
    /// The stream.
    pub id: u64,
    /// The number of the first in its direction, from 1; the others follow it.
    pub first: u64,
    /// Whether the last is the last in its direction.
    pub is_final: bool,
    /// Whether an acknowledgement of the last is awaited.
    pub requires_ack: bool,
    /// The parts.
    pub records: Records<'a>,
}

impl Chunks<'_> {
    /// The number of the last, if that is to be acknowledged.
    #[cfg(feature = "bytes")]
    pub(crate) fn ack(&self) -> Option<u64> {
        let last = self.first + self.records.len() as u64 - 1;
        self.requires_ack.then_some(last)
    }
}

/// The peer's direction of a stream has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finished {
    /// The stream.
    pub id: u64,
}

/// More may be sent on a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Granted {
    /// The stream.
    pub id: u64,
    /// The chunks and bytes that were granted, in addition to earlier grants.
    pub grant: Grant,
}

/// Something was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Acked {
    /// The event, or the stream.
    pub id: u64,
    /// The last chunk that was taken; 0 for an event.
    pub chunk: u64,
}

/// Why a request of the peer's has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Why {
    /// The peer has cancelled it.
    Peer,
    /// Its deadline has passed.
    Deadline,
    /// The peer has sent more than was granted.
    Credit,
    /// The session has ended.
    End,
    /// Nobody takes its chunks, and they are too many.
    Memory,
}

/// A request of the peer's that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancelled {
    /// The request.
    pub id: u64,
    /// Why.
    pub why: Why,
}

/// The peer takes no new requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Draining<'a> {
    /// Why.
    pub reason: &'a str,
}

/// An agent makes itself known.
#[derive(Debug, Clone, Copy)]
pub struct Register<'a> {
    /// Names the request.
    pub id: u64,
    pub(crate) registration: Option<RegistrationView<'a>>,
}

impl<'a> Register<'a> {
    /// The agent's name.
    #[must_use]
    pub fn name(&self) -> &'a str {
        self.registration.map_or("", |r| r.name())
    }

    /// The agent's capabilities.
    pub fn capabilities(&self) -> impl Iterator<Item = &'a str> + Clone + 'a {
        self.registration.into_iter().flat_map(|r| r.capabilities())
    }

    /// For how many microseconds it asks.
    #[must_use]
    pub fn lease(&self) -> u64 {
        self.registration.map_or(0, |r| r.lease())
    }

    /// Where the agent is asked, the best first.
    pub fn addresses(&self) -> impl Iterator<Item = &'a str> + Clone + 'a {
        self.registration.into_iter().flat_map(|r| r.addresses())
    }

    /// Full names of the services that it serves.
    pub fn services(&self) -> impl Iterator<Item = &'a str> + Clone + 'a {
        self.registration.into_iter().flat_map(|r| r.services())
    }

    /// The epoch of the lease that it had before; 0 if there was none.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.registration.map_or(0, |r| r.epoch())
    }

    /// All of it.
    #[must_use]
    pub fn to_registration(&self) -> Registration {
        Registration::new(self.name())
            .with_capabilities(self.capabilities())
            .with_lease(self.lease())
            .with_addresses(self.addresses())
            .with_services(self.services())
            .with_epoch(self.epoch())
    }
}

/// An agent renews its lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heartbeat<'a> {
    /// Names the request.
    pub id: u64,
    /// The agent's name.
    pub name: &'a str,
}

/// Somebody asks for agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Discover<'a> {
    /// Names the request.
    pub id: u64,
    /// The capability that they have; empty for any.
    pub capability: &'a str,
    /// Their name; empty for any.
    pub name: &'a str,
    /// Full name of the agents' service; empty for any service.
    pub service: &'a str,
    /// The version of the answer that is known; 0 if there is none.
    pub version: u64,
}

impl Discover<'_> {
    /// All of it.
    #[must_use]
    pub fn to_query(&self) -> Query {
        Query::new()
            .with_capability(self.capability)
            .with_name(self.name)
            .with_service(self.service)
            .with_version(self.version)
    }
}

/// The session has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End<'a> {
    /// Why. Its status is [`Status::OK`](crate::session::Status::OK) where the end
    /// was agreed on.
    pub failure: Failure<'a>,
    /// Whether the peer has said so.
    pub remote: bool,
    /// Whether it has said that nobody has acted on anything.
    pub refused: bool,
}
