//! Methods: their kinds, and their numbers.

use crate::engine::Failure;

/// The kind of request that a method takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MethodKind {
    /// A call.
    Call,
    /// A stream.
    Stream,
    /// An event.
    Event,
}

impl MethodKind {
    /// The word that schemas have for it.
    pub(crate) const fn keyword(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Stream => "stream",
            Self::Event => "event",
        }
    }
}

/// The method that a request of the peer's is for, by the numbers of its service and its
/// own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MethodId {
    pub(crate) service: u16,
    pub(crate) number: u16,
}

impl MethodId {
    /// That of an agent request, which has none.
    pub(crate) const NONE: Self = Self {
        service: u16::MAX,
        number: 0,
    };
}

/// The methods that a side serves, as far as the engine asks.
pub(crate) trait Interface {
    /// The kind of a method of a service.
    fn kind(&self, service: u16, method: u16) -> Option<MethodKind>;

    /// Takes note of a request that has failed.
    fn failed(&self, method: MethodId, failure: &Failure);

    /// Takes note of a call whose answer the peer doesn't take.
    fn unsent(&self, method: MethodId, failure: &Failure);
}
