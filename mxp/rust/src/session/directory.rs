//! The agents that can be found, by name [MXP-12].

use alloc::collections::btree_map::Entry;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

use crate::session::{
    Agent, Kind, Lease, Listing, Query, Registration, AGENTS, AGENT_CAPABILITIES, LEASE_MAX_US,
    LEASE_MIN_US,
};

/// Addresses of an agent, at most.
const ADDRESSES: usize = 16;

/// Services of an agent, at most.
const SERVICES: usize = 64;

/// Keeps names with their capabilities, owners and leases. It reads no clock.
///
/// ```
/// use mxp::session::{Directory, Kind};
///
/// let mut directory = Directory::new();
/// let lease = directory.register(1, "printer", ["print"], 5_000_000, 0)?;
/// assert_eq!(lease, 5_000_000);
/// let taken = directory.register(2, "printer", ["print"], 5_000_000, 10);
/// assert_eq!(taken, Err(Kind::AgentTaken));
/// assert_eq!(directory.discover("print", 10)[0].lease, 4_999_990);
/// assert!(directory.discover("print", 5_000_000).is_empty());
/// # Ok::<(), Kind>(())
/// ```
#[derive(Debug)]
pub struct Directory {
    agents: BTreeMap<String, DirectoryEntry>,
    agents_max: usize,
    capabilities_max: usize,
    lease_min: u64,
    lease_max: u64,
    /// The epoch that was given last.
    epoch: u64,
}

#[derive(Debug)]
struct DirectoryEntry {
    owner: u64,
    capabilities: Vec<String>,
    addresses: Vec<String>,
    services: Vec<String>,
    /// As it was given.
    lease: Lease,
    /// When it ends.
    until: u64,
}

impl DirectoryEntry {
    /// Whether an agent is all that a query says.
    fn is_asked(&self, name: &str, query: &Query) -> bool {
        let has = |texts: &[String], entry: &str| {
            entry.is_empty() || texts.iter().any(|text| text == entry)
        };
        has(&self.capabilities, &query.capability)
            && has(&self.services, &query.service)
            && (query.name.is_empty() || query.name == name)
    }
}

impl Default for Directory {
    fn default() -> Self {
        Self {
            agents: BTreeMap::new(),
            agents_max: AGENTS,
            capabilities_max: AGENT_CAPABILITIES,
            lease_min: LEASE_MIN_US,
            lease_max: LEASE_MAX_US,
            epoch: 0,
        }
    }
}

impl Directory {
    /// An empty directory with the default limits.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Replaces how many agents there can be, and how many capabilities of each.
    #[must_use]
    pub const fn with_limits(mut self, agents: usize, capabilities: usize) -> Self {
        self.agents_max = agents;
        self.capabilities_max = capabilities;
        self
    }

    /// Replaces how long a lease lasts at least, and at most.
    #[must_use]
    pub const fn with_leases(mut self, min: u64, max: u64) -> Self {
        self.lease_min = min;
        self.lease_max = max;
        self
    }

    /// Gives an owner a name for so long, and returns how long it is.
    ///
    /// # Errors
    ///
    /// The errors of [`enter`](Self::enter).
    pub fn register<'a>(
        &mut self,
        owner: u64,
        name: &str,
        capabilities: impl IntoIterator<Item = &'a str>,
        lease: u64,
        now: u64,
    ) -> Result<u64, Kind> {
        // One more than can be is refused.
        let most = self.capabilities_max.saturating_add(1);
        let registration = Registration::new(name)
            .with_capabilities(capabilities.into_iter().take(most))
            .with_lease(lease);
        let entered = self.enter(owner, registration, now);
        entered.map(|lease| lease.lease)
    }

    /// Gives an owner a name for as long as it asks, within what can be, and the next epoch. The
    /// registration's own epoch means nothing here.
    ///
    /// # Errors
    ///
    /// [`Kind::AgentInvalid`], [`Kind::AgentTaken`] and [`Kind::LimitAgents`].
    pub fn enter(
        &mut self,
        owner: u64,
        registration: Registration,
        now: u64,
    ) -> Result<Lease, Kind> {
        self.expire(now);
        if !self.is_valid(&registration) {
            return Err(Kind::AgentInvalid);
        }
        let has_room = self.agents.len() < self.agents_max;
        let lease = registration.lease.max(self.lease_min).min(self.lease_max);
        let epoch = self.epoch + 1;
        let entered = DirectoryEntry {
            owner,
            capabilities: registration.capabilities,
            addresses: registration.addresses,
            services: registration.services,
            lease: Lease::new(lease, epoch),
            until: now.saturating_add(lease),
        };
        match self.agents.entry(registration.name) {
            Entry::Occupied(known) if known.get().owner != owner => return Err(Kind::AgentTaken),
            Entry::Occupied(mut known) => {
                known.insert(entered);
            }
            Entry::Vacant(_) if !has_room => return Err(Kind::LimitAgents),
            Entry::Vacant(place) => {
                place.insert(entered);
            }
        }
        self.epoch = epoch;
        Ok(Lease::new(lease, epoch))
    }

    /// Whether an agent can be as a registration says [MXP-12.3].
    fn is_valid(&self, registration: &Registration) -> bool {
        !registration.name.is_empty()
            && are_distinct(&registration.capabilities, self.capabilities_max)
            && are_distinct(&registration.addresses, ADDRESSES)
            && are_distinct(&registration.services, SERVICES)
    }

    /// Renews an owner's lease for as long as it was given, and returns how long
    /// that is.
    ///
    /// # Errors
    ///
    /// [`Kind::AgentUnknown`].
    pub fn heartbeat(&mut self, owner: u64, name: &str, now: u64) -> Result<u64, Kind> {
        self.renew(owner, name, now).map(|lease| lease.lease)
    }

    /// Renews an owner's lease for as long as it was given. Its epoch stays.
    ///
    /// # Errors
    ///
    /// [`Kind::AgentUnknown`].
    pub fn renew(&mut self, owner: u64, name: &str, now: u64) -> Result<Lease, Kind> {
        self.expire(now);
        match self.agents.get_mut(name) {
            Some(agent) if agent.owner == owner => {
                agent.until = now.saturating_add(agent.lease.lease);
                Ok(agent.lease)
            }
            _ => Err(Kind::AgentUnknown),
        }
    }

    /// The agents that have a capability, or all for an empty one, in ascending
    /// order of their names' bytes.
    pub fn discover(&mut self, capability: &str, now: u64) -> Vec<Agent> {
        self.find(&Query::new().with_capability(capability), now)
            .agents
    }

    /// The agents that are all that a query says. It waits for nothing, and counts no
    /// versions.
    pub fn find(&mut self, query: &Query, now: u64) -> Listing {
        self.expire(now);
        let agents = self.agents.iter();
        let agents = agents.filter(|(name, agent)| agent.is_asked(name, query));
        let agents = agents.map(|(name, agent)| Agent {
            name: name.clone(),
            capabilities: agent.capabilities.clone(),
            lease: agent.until - now,
            addresses: agent.addresses.clone(),
            services: agent.services.clone(),
            epoch: agent.lease.epoch,
        });
        Listing::new(agents.collect::<Vec<_>>())
    }

    /// Ends all leases of an owner, whose session has ended.
    pub fn release(&mut self, owner: u64) {
        self.agents.retain(|_, agent| agent.owner != owner);
    }

    /// When the earliest lease ends.
    #[must_use]
    pub fn next_timeout(&self) -> Option<u64> {
        self.agents.values().map(|agent| agent.until).min()
    }

    /// Forgets the leases whose time has come.
    fn expire(&mut self, now: u64) {
        self.agents.retain(|_, agent| agent.until > now);
    }
}

/// Whether there are no more texts than can be, none of them empty, and none twice.
fn are_distinct(texts: &[String], most: usize) -> bool {
    let mut seen = BTreeSet::new();
    texts.len() <= most
        && texts
            .iter()
            .all(|text| !text.is_empty() && seen.insert(text))
}
