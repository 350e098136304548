//! The configuration of a session, given when it is made.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::frame::PAYLOAD_BYTES;
use crate::session::{
    BULK_BYTES, CONNECTION_BYTES, FRAME_BYTES_PER_S, FRAME_US, HELLO_US, IDLE_US, IN_FLIGHT,
    IN_FLIGHT_BYTES, LINGER_US, PING_US, PONG_US, QUEUE_BYTES, REFUSALS, REFUSALS_PER_MS,
    REPLY_BYTES, STALL_US,
};

/// The side of a connection that a session is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The side that connected. Its ids are odd.
    Opener,
    /// The other. Its ids are even.
    Acceptor,
}

/// A method of a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodName {
    /// Full name of the service: package, dot, name.
    pub service: String,
    /// Number of the method in the service.
    pub number: u16,
    /// Its name.
    pub name: String,
}

impl MethodName {
    /// A method, with the generated facts about it.
    #[must_use]
    pub fn new(service: &str, number: u16, name: &str) -> Self {
        Self {
            service: service.into(),
            number,
            name: name.into(),
        }
    }
}

/// A type, by what tells whether two sides mean the same by it [MXP-6.5].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TypeInfo {
    /// Full name: package, dot, name.
    pub name: String,
    /// Cumulative fingerprints of its segments, in order.
    pub fingerprints: Vec<u64>,
    /// Its layout text.
    pub text: String,
    /// The methods whose requests are of the type, here or at the peer. If the peer's type
    /// is another, these are refused, and all others work. Without any, here and in
    /// `responses`, the session ends [MXP-6.6].
    pub requests: Vec<MethodName>,
    /// The methods whose responses are of the type.
    pub responses: Vec<MethodName>,
}

impl TypeInfo {
    /// A type, with the generated facts about it.
    #[must_use]
    pub fn new(name: &str, fingerprints: &[u64], text: &str) -> Self {
        Self {
            name: name.into(),
            fingerprints: fingerprints.into(),
            text: text.into(),
            requests: Vec::new(),
            responses: Vec::new(),
        }
    }

    /// Adds a method whose requests are of the type.
    #[must_use]
    pub fn requested(mut self, service: &str, number: u16, name: &str) -> Self {
        self.requests.push(MethodName::new(service, number, name));
        self
    }

    /// Adds a method whose responses are of the type.
    #[must_use]
    pub fn responded(mut self, service: &str, number: u16, name: &str) -> Self {
        self.responses.push(MethodName::new(service, number, name));
        self
    }
}

/// The limits that a session keeps to, against its peer and its user alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Longest payload that is taken; never more than 16 MiB.
    pub payload_bytes: usize,
    /// Requests of the peer that have a place; as many of this side's may have one.
    pub in_flight: usize,
    /// Payloads of the peer's requests that have a place, and of this side's.
    pub in_flight_bytes: usize,
    /// Frames that wait, from which on no more of the user's are taken.
    pub queue_bytes: usize,
    /// Frames that wait, from which on no more chunks or long values of the user's are
    /// taken.
    pub bulk_bytes: usize,
    /// All that is held for the connection, in the session and around it, but the frame that
    /// is being read.
    pub connection_bytes: usize,
    /// Frames of the session's own making that wait, from which on nothing is read.
    pub reply_bytes: usize,
    /// Refusals that the peer may cause, beyond what is answered.
    pub refusals: usize,
    /// How many of them each millisecond takes off.
    pub refusals_per_ms: usize,
    /// Until the session has to be ready.
    pub hello_us: u64,
    /// From a frame's first byte to its last, beside what its bytes add.
    pub frame_us: u64,
    /// At which rate what has come of a frame gives it more time.
    pub frame_bytes_per_s: usize,
    /// While something waits and nothing is taken.
    pub stall_us: u64,
    /// Without a byte, until a Ping; 0 is never.
    pub ping_us: u64,
    /// From a Ping until a byte comes.
    pub pong_us: u64,
    /// Without a request, an answer or an event, until an acceptor drains; 0 is never.
    pub idle_us: u64,
    /// With nothing left to do, until a peer that answers no Drain is not waited for any
    /// more.
    pub linger_us: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            payload_bytes: PAYLOAD_BYTES,
            in_flight: IN_FLIGHT,
            in_flight_bytes: IN_FLIGHT_BYTES,
            queue_bytes: QUEUE_BYTES,
            bulk_bytes: BULK_BYTES,
            connection_bytes: CONNECTION_BYTES,
            reply_bytes: REPLY_BYTES,
            refusals: REFUSALS,
            refusals_per_ms: REFUSALS_PER_MS,
            hello_us: HELLO_US,
            frame_us: FRAME_US,
            frame_bytes_per_s: FRAME_BYTES_PER_S,
            stall_us: STALL_US,
            ping_us: PING_US,
            pong_us: PONG_US,
            idle_us: IDLE_US,
            linger_us: LINGER_US,
        }
    }
}

/// A limit that no session can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitError {
    name: &'static str,
    value: u64,
    most: u64,
}

impl fmt::Display for LimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, value, most } = self;
        write!(f, "{name} is {value}, and can be 1 to {most}")
    }
}

impl core::error::Error for LimitError {}

impl LimitError {
    /// Refuses the first of values, each of which has a name and can be 1 to a greatest.
    pub(crate) fn check(
        values: impl IntoIterator<Item = (&'static str, u64, u64)>,
    ) -> Result<(), Self> {
        let mut values = values.into_iter();
        match values.find(|(_, value, most)| *value == 0 || value > most) {
            Some((name, value, most)) => Err(Self { name, value, most }),
            None => Ok(()),
        }
    }
}

impl Limits {
    /// Refuses limits that no session can have: 0, where something has to be able to
    /// pass, and a payload of more than 16 MiB.
    ///
    /// # Errors
    ///
    /// The name of the first of them.
    pub fn check(&self) -> Result<(), LimitError> {
        let sizes = [
            ("payload_bytes", self.payload_bytes, PAYLOAD_BYTES),
            ("in_flight", self.in_flight, usize::MAX),
            ("in_flight_bytes", self.in_flight_bytes, usize::MAX),
            ("queue_bytes", self.queue_bytes, usize::MAX),
            ("bulk_bytes", self.bulk_bytes, usize::MAX),
            ("connection_bytes", self.connection_bytes, usize::MAX),
            ("reply_bytes", self.reply_bytes, usize::MAX),
            ("frame_bytes_per_s", self.frame_bytes_per_s, usize::MAX),
        ];
        let sizes = sizes.map(|(name, value, most)| (name, value as u64, most as u64));
        let times = [
            ("hello_us", self.hello_us, u64::MAX),
            ("frame_us", self.frame_us, u64::MAX),
            ("stall_us", self.stall_us, u64::MAX),
            ("pong_us", self.pong_us, u64::MAX),
            ("linger_us", self.linger_us, u64::MAX),
        ];
        LimitError::check(sizes.into_iter().chain(times))
    }
}

/// The configuration of a session: what it serves, uses and keeps to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Config {
    pub(crate) services: Vec<String>,
    pub(crate) types: Vec<TypeInfo>,
    pub(crate) offers_no_checksum: bool,
    pub(crate) offers_batches: bool,
    pub(crate) takes_agents: bool,
    pub(crate) limits: Limits,
}

impl Config {
    /// Serves nothing, checks trailers, takes no batches, refuses agents, has the default
    /// limits.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Serves one more service. Its number is how many were there before.
    #[must_use]
    pub fn with_service(mut self, name: impl Into<String>) -> Self {
        self.services.push(name.into());
        self
    }

    /// Lists one more type.
    #[must_use]
    pub fn with_type(mut self, info: TypeInfo) -> Self {
        self.types.push(info);
        self
    }

    /// Offers that trailers may be 0, since the transport or the kernel protects
    /// the bytes [MXP-6.7].
    #[must_use]
    pub const fn with_no_checksum(mut self) -> Self {
        self.offers_no_checksum = true;
        self
    }

    /// Offers to take batches: where the peer does too, small chunks and Events that wait
    /// go into one frame, and come in [`Incoming::Chunks`] and [`Incoming::Events`]
    /// [MXP-17.2].
    ///
    /// [`Incoming::Chunks`]: crate::session::Incoming::Chunks
    /// [`Incoming::Events`]: crate::session::Incoming::Events
    #[must_use]
    pub const fn with_batches(mut self) -> Self {
        self.offers_batches = true;
        self
    }

    /// Takes agent requests. Allow them only where the transport tells the peer's identity
    /// [MXP-12.2].
    #[must_use]
    pub const fn with_agents(mut self) -> Self {
        self.takes_agents = true;
        self
    }

    /// Replaces the limits. A payload's that [`Limits::check`] refuses as too large is
    /// the largest that there is.
    #[must_use]
    pub const fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        if self.limits.payload_bytes > PAYLOAD_BYTES {
            self.limits.payload_bytes = PAYLOAD_BYTES;
        }
        self
    }
}
