//! Agents: programs that are found by names [MXP-12].

use core::time::Duration;
#[cfg(feature = "tokio")]
use std::string::String;
#[cfg(feature = "tokio")]
use std::sync::{Mutex, MutexGuard, PoisonError};
#[cfg(feature = "tokio")]
use std::time::Instant;
use std::vec::Vec;

use crate::net::request::microseconds;
use crate::net::{Failure, Reply};
#[cfg(feature = "tokio")]
use crate::session::{agents_value, lease_value, Directory, Incoming};
use crate::session::{read_agents, read_lease, Agent, Kind, Session};

/// A request of a client's to a directory.
#[derive(Debug, Clone, Copy)]
pub(crate) enum AgentRequest<'a> {
    Register(&'a str, &'a [&'a str], Duration),
    Heartbeat(&'a str),
    Discover(&'a str),
}

impl AgentRequest<'_> {
    pub(crate) fn make(self, session: &mut Session, now: u64) -> Result<u64, Kind> {
        match self {
            Self::Register(name, capabilities, lease) => {
                session.register(name, capabilities, microseconds(lease), now)
            }
            Self::Heartbeat(name) => session.heartbeat(name, now),
            Self::Discover(capability) => session.discover(capability, now),
        }
    }
}

/// The lease that a directory has given.
pub(crate) fn lease_of(reply: &Reply) -> Result<Duration, Failure> {
    let lease = read_lease(&reply.value).map(Duration::from_micros);
    lease.ok_or_else(no_answer)
}

/// The agents that a directory has found.
pub(crate) fn agents_of(reply: &Reply) -> Result<Vec<Agent>, Failure> {
    read_agents(&reply.value).ok_or_else(no_answer)
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
                let (name, lease) = (register.name(), register.lease());
                let capabilities = register.capabilities();
                let lease = directory.register(owner, name, capabilities, lease, now);
                (register.id, lease.map(lease_value))
            }
            Incoming::Heartbeat(heartbeat) => {
                let lease = directory.heartbeat(owner, heartbeat.name, now);
                (heartbeat.id, lease.map(lease_value))
            }
            Incoming::Discover(discover) => {
                let agents = directory.discover(discover.capability, now);
                (discover.id, agents_value(&agents))
            }
            _ => return None,
        })
    }

    /// Ends the leases of an owner who is gone.
    pub(crate) fn release(&self, owner: u64) {
        self.lock().release(owner);
    }
}

/// A name that a client has made known, which is renewed for as long as this is there, and
/// made known again on each new connection.
#[cfg(feature = "tokio")]
#[derive(Debug)]
#[must_use = "the name is given up when this is dropped"]
pub struct Registration {
    pub(crate) name: String,
    pub(crate) lease: Duration,
    pub(crate) renewing: tokio::task::JoinHandle<()>,
}

#[cfg(feature = "tokio")]
impl Registration {
    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How long the lease is that the directory has given.
    #[must_use]
    pub const fn lease(&self) -> Duration {
        self.lease
    }
}

#[cfg(feature = "tokio")]
impl Drop for Registration {
    fn drop(&mut self) {
        self.renewing.abort();
    }
}
