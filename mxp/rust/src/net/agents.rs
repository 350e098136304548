//! The directory of a server [MXP-12].

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use std::vec::Vec;

use crate::engine::agent::AgentQuery;
use crate::session::{Directory, Kind, Lease};

/// A directory that the connections of a server share.
#[derive(Debug)]
pub(crate) struct Agents {
    born: Instant,
    directory: Mutex<Directory>,
}

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

    /// The answer to an agent request of an owner.
    pub(crate) fn answer(&self, owner: u64, query: AgentQuery) -> Result<Vec<u8>, Kind> {
        let now = u64::try_from(self.born.elapsed().as_micros()).unwrap_or(u64::MAX);
        let mut directory = self.lock();
        match query {
            AgentQuery::Register(registration) => {
                let lease = directory.enter(owner, registration, now);
                lease.map(Lease::to_value)
            }
            AgentQuery::Heartbeat(name) => directory.renew(owner, &name, now).map(Lease::to_value),
            AgentQuery::Discover(query) => directory.find(&query, now).to_value(),
        }
    }

    /// Ends the leases of an owner who is gone.
    pub(crate) fn release(&self, owner: u64) {
        self.lock().release(owner);
    }
}
