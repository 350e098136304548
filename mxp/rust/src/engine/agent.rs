//! Agents: programs that are found by names [MXP-12].

use alloc::string::{String, ToString as _};
use core::time::Duration;

use crate::engine::request::microseconds;
use crate::engine::{Failure, Reply};
use crate::session::{Incoming, Kind, Lease, Listing, Query, Registration, Session, Status};

/// A request of a client's to a directory.
#[derive(Debug, Clone, Copy)]
pub(crate) enum AgentRequest<'a> {
    Register(&'a Registration),
    Heartbeat(&'a str),
    Discover(&'a Query),
}

impl AgentRequest<'_> {
    pub(crate) fn make(self, session: &mut Session, now: u64) -> Result<u64, Kind> {
        match self {
            Self::Register(registration) => session.register_agent(registration, now),
            Self::Heartbeat(name) => session.heartbeat(name, now),
            Self::Discover(query) => session.query_agents(query, now),
        }
    }
}

/// A registration of a name, with its capabilities.
pub(crate) fn asked(name: &str, capabilities: &[&str], lease: Duration) -> Registration {
    Registration::new(name)
        .with_capabilities(capabilities.iter().copied())
        .with_lease(microseconds(lease))
}

/// The lease that a directory has given.
pub(crate) fn lease_of(reply: &Reply) -> Result<Lease, Failure> {
    Lease::decoded(&reply.value).map_err(not_understood)
}

/// The agents that a directory has found.
pub(crate) fn listing_of(reply: &Reply) -> Result<Listing, Failure> {
    Listing::decoded(&reply.value).map_err(not_understood)
}

/// The failure of an answer that can't be decoded [MXP-13.5].
#[expect(clippy::needless_pass_by_value, reason = "results give it away")]
fn not_understood(refusal: sdp::Error) -> Failure {
    Failure::new(
        Status::DATA_LOSS,
        refusal.kind.as_str(),
        refusal.to_string(),
    )
}

/// A request of the peer's to this side's directory.
#[derive(Debug)]
pub(crate) enum AgentQuery {
    Register(Registration),
    Heartbeat(String),
    Discover(Query),
}

impl AgentQuery {
    /// The request that has come, with its id, if it is one.
    pub(crate) fn read(incoming: &Incoming<'_>) -> Option<(u64, Self)> {
        Some(match incoming {
            Incoming::Register(register) => {
                (register.id, Self::Register(register.to_registration()))
            }
            Incoming::Heartbeat(heartbeat) => {
                (heartbeat.id, Self::Heartbeat(heartbeat.name.into()))
            }
            Incoming::Discover(discover) => (discover.id, Self::Discover(discover.to_query())),
            _ => return None,
        })
    }
}
