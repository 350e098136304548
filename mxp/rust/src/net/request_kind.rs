//! Requests of a client, before any connection makes them.

use std::sync::Arc;
use std::time::Instant;

use crate::engine::agent::AgentRequest;
use crate::engine::link::RequestKind;
use crate::net::connection::Connection;
use crate::net::request_options::MethodRef;
use crate::net::{Options, WhenFull};
use crate::session::Value;

/// A request of a client's that opens no stream.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CallKind<'a> {
    Call,
    /// An event, and what happens where the queue is full.
    Event(WhenFull),
    /// An event that requires an acknowledgement.
    Acked,
    /// A request to the peer's directory.
    Agent(AgentRequest<'a>),
}

impl<'a> CallKind<'a> {
    pub(crate) const fn asking(self) -> RequestKind<'a> {
        match self {
            Self::Call => RequestKind::Call,
            Self::Event(full) => RequestKind::Event(full),
            Self::Acked => RequestKind::Acked,
            Self::Agent(request) => RequestKind::Agent(request),
        }
    }

    /// Whether a policy can make it again.
    pub(crate) const fn is_retried(self) -> bool {
        matches!(self, Self::Call | Self::Acked)
    }

    /// Whether a policy can make it on several connections.
    pub(crate) const fn is_hedged(self, is_idempotent: bool) -> bool {
        is_idempotent && matches!(self, Self::Call)
    }

    /// Whether the client has to look at the time: an event and an agent request have no
    /// deadline of their own.
    pub(crate) const fn is_timed(self, options: &Options) -> bool {
        matches!(self, Self::Acked | Self::Agent(_)) && options.deadline.is_some()
    }
}

/// A request of a client's, as it is made until somebody may have acted on it.
#[derive(Clone, Copy)]
pub(crate) struct Ask<'a> {
    pub(crate) of: MethodRef<'a>,
    pub(crate) asks: CallKind<'a>,
    pub(crate) value: &'a Value<'static>,
    pub(crate) options: &'a Options,
    /// When its deadline passes.
    pub(crate) until: Option<Instant>,
    /// The connection on which it is made first; any if there is none.
    pub(crate) first: Option<&'a Arc<Connection>>,
}
