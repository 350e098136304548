//! The agents that can be found, by name [MXP-12].

use alloc::borrow::ToOwned;
use alloc::collections::btree_map::Entry;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

use crate::session::mxp_control::{self as control, AgentRef, AgentsRef, LeaseRef};
use crate::session::{Kind, AGENTS, AGENT_CAPABILITIES, LEASE_MAX_US, LEASE_MIN_US};

/// An agent whose lease is live.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// Its name.
    pub name: String,
    /// The capabilities that it has.
    pub capabilities: Vec<String>,
    /// Microseconds that are left of its lease.
    pub lease: u64,
}

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
    agents: BTreeMap<String, Entered>,
    agents_max: usize,
    capabilities_max: usize,
    lease_min: u64,
    lease_max: u64,
}

#[derive(Debug)]
struct Entered {
    owner: u64,
    capabilities: Vec<String>,
    /// For how long the lease was given.
    lease: u64,
    /// When it ends.
    until: u64,
}

impl Default for Directory {
    fn default() -> Self {
        Self {
            agents: BTreeMap::new(),
            agents_max: AGENTS,
            capabilities_max: AGENT_CAPABILITIES,
            lease_min: LEASE_MIN_US,
            lease_max: LEASE_MAX_US,
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
    /// [`Kind::AgentInvalid`], [`Kind::AgentTaken`] and [`Kind::LimitAgents`].
    pub fn register<'a>(
        &mut self,
        owner: u64,
        name: &str,
        capabilities: impl IntoIterator<Item = &'a str>,
        lease: u64,
        now: u64,
    ) -> Result<u64, Kind> {
        self.expire(now);
        let capabilities: Vec<&str> = capabilities
            .into_iter()
            .take(self.capabilities_max.saturating_add(1))
            .collect();
        let mut seen = BTreeSet::new();
        let is_valid = !name.is_empty()
            && capabilities.len() <= self.capabilities_max
            && capabilities
                .iter()
                .all(|c| !c.is_empty() && seen.insert(*c));
        if !is_valid {
            return Err(Kind::AgentInvalid);
        }
        let has_room = self.agents.len() < self.agents_max;
        let lease = lease.max(self.lease_min).min(self.lease_max);
        let entered = Entered {
            owner,
            capabilities: capabilities.into_iter().map(ToOwned::to_owned).collect(),
            lease,
            until: now.saturating_add(lease),
        };
        match self.agents.entry(name.to_owned()) {
            Entry::Occupied(known) if known.get().owner != owner => return Err(Kind::AgentTaken),
            Entry::Occupied(mut known) => {
                known.insert(entered);
            }
            Entry::Vacant(_) if !has_room => return Err(Kind::LimitAgents),
            Entry::Vacant(place) => {
                place.insert(entered);
            }
        }
        Ok(lease)
    }

    /// Renews an owner's lease for as long as it was given, and returns how long
    /// that is.
    ///
    /// # Errors
    ///
    /// [`Kind::AgentUnknown`].
    pub fn heartbeat(&mut self, owner: u64, name: &str, now: u64) -> Result<u64, Kind> {
        self.expire(now);
        match self.agents.get_mut(name) {
            Some(agent) if agent.owner == owner => {
                agent.until = now.saturating_add(agent.lease);
                Ok(agent.lease)
            }
            _ => Err(Kind::AgentUnknown),
        }
    }

    /// The agents that have a capability, or all for an empty one, in ascending
    /// order of their names' bytes.
    pub fn discover(&mut self, capability: &str, now: u64) -> Vec<Agent> {
        self.expire(now);
        let agents = self.agents.iter().filter(|(_, agent)| {
            capability.is_empty() || agent.capabilities.iter().any(|c| c == capability)
        });
        let agents = agents.map(|(name, agent)| Agent {
            name: name.clone(),
            capabilities: agent.capabilities.clone(),
            lease: agent.until - now,
        });
        agents.collect()
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

/// The value that answers a registration and a heartbeat.
#[must_use]
pub fn lease_value(lease: u64) -> Vec<u8> {
    // A number can always be encoded.
    LeaseRef::new()
        .with_lease(lease)
        .encode_to_vec()
        .unwrap_or_default()
}

/// The value that answers a query. Names and capabilities of more than 255 bytes
/// can't be in it.
///
/// # Errors
///
/// [`Kind::PayloadTooLarge`].
pub fn agents_value(agents: &[Agent]) -> Result<Vec<u8>, Kind> {
    let agents = agents.iter().map(|agent| {
        AgentRef::new()
            .with_name(&agent.name)
            .with_capabilities(agent.capabilities.iter().map(|c| &c[..]).collect())
            .with_lease(agent.lease)
    });
    let agents = AgentsRef::new().with_agents(agents.collect());
    agents.encode_to_vec().map_err(|_| Kind::PayloadTooLarge)
}

/// The lease in the answer to a registration or a heartbeat.
#[must_use]
pub fn read_lease(value: &[u8]) -> Option<u64> {
    LeaseRef::decode(value).ok().map(|answer| answer.lease)
}

/// The agents in the answer to a query.
#[must_use]
pub fn read_agents(value: &[u8]) -> Option<Vec<Agent>> {
    let answer = control::Agents::decode(value).ok()?;
    let agents = answer.agents.into_iter().map(|agent| Agent {
        name: agent.name,
        capabilities: agent.capabilities,
        lease: agent.lease,
    });
    Some(agents.collect())
}
