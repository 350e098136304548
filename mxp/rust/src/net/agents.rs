//! Agents: programs that are found by names [MXP-12].

use core::time::Duration;
#[cfg(feature = "tokio")]
use std::sync::{Mutex, MutexGuard, PoisonError};
#[cfg(feature = "tokio")]
use std::time::Instant;
#[cfg(feature = "tokio")]
use std::vec::Vec;

use crate::net::request::microseconds;
use crate::net::{Failure, Reply};
#[cfg(feature = "tokio")]
use crate::session::{Directory, Incoming};
use crate::session::{Kind, Lease, Listing, Query, Registration, Session};

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

/// A name that somebody asks for, with what it can do.
pub(crate) fn asked(name: &str, capabilities: &[&str], lease: Duration) -> Registration {
    Registration::new(name)
        .with_capabilities(capabilities.iter().copied())
        .with_lease(microseconds(lease))
}

/// The lease that a directory has given.
pub(crate) fn lease_of(reply: &Reply) -> Result<Lease, Failure> {
    Lease::read(&reply.value).ok_or_else(no_answer)
}

/// The agents that a directory has found.
pub(crate) fn listing_of(reply: &Reply) -> Result<Listing, Failure> {
    Listing::read(&reply.value).ok_or_else(no_answer)
}

/// The failure of an answer that is none.
fn no_answer() -> Failure {
    let mut failure = Failure::saying(Kind::Payload, "the directory's answer is no answer");
    failure.acted = true;
    failure
}

/// A directory that the connections of a server share.
#[cfg(feature = "tokio")]
#[derive(Debug)]
pub(crate) struct Agents {
    born: Instant,
    directory: Mutex<Directory>,
}

#[cfg(feature = "tokio")]
impl Agents {
    pub(crate) fn new() -> Self {
        Self {
            born: Instant::now(),
            directory: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Directory> {
        self.directory
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer to an agent request of an owner, with its id.
    pub(crate) fn answer(
        &self,
        owner: u64,
        incoming: &Incoming<'_>,
    ) -> Option<(u64, Result<Vec<u8>, Kind>)> {
        let now = u64::try_from(self.born.elapsed().as_micros()).unwrap_or(u64::MAX);
        let mut directory = self.lock();
        Some(match incoming {
            Incoming::Register(register) => {
                let lease = directory.enter(owner, register.to_registration(), now);
                (register.id, lease.map(Lease::to_value))
            }
            Incoming::Heartbeat(heartbeat) => {
                let lease = directory.renew(owner, heartbeat.name, now);
                (heartbeat.id, lease.map(Lease::to_value))
            }
            Incoming::Discover(discover) => {
                let listing = directory.find(&discover.to_query(), now);
                (discover.id, listing.to_value())
            }
            _ => return None,
        })
    }

    /// Ends the leases of an owner who is gone.
    pub(crate) fn release(&self, owner: u64) {
        self.lock().release(owner);
    }
}
