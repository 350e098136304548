//! Agent requests, and their answers [MXP-12].

use alloc::string::String;
use alloc::vec::Vec;

use crate::frame::Type;
use crate::session::mxp_registry::{
    AgentRef, AgentsRef, HeartbeatRef, LeaseRef, QueryRef, RegistrationRef,
};
use crate::session::{Kind, Session};

/// The name that an agent asks for, and its description of itself.
///
/// ```
/// use mxp::session::Registration;
///
/// let registration = Registration::new("printer")
///     .with_capabilities(["print"])
///     .with_addresses(["mxp+unix:///run/printer.sock"])
///     .with_services(["demo.Printer"])
///     .with_lease(5_000_000);
/// assert_eq!(registration.services, ["demo.Printer"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub struct Registration {
    /// The name.
    pub name: String,
    /// Capabilities: the agent can do these.
    pub capabilities: Vec<String>,
    /// Microseconds for which the lease is asked.
    pub lease: u64,
    /// Where the agent is asked, the best first.
    pub addresses: Vec<String>,
    /// Full names of the services that it serves.
    pub services: Vec<String>,
    /// The epoch of the lease that it had before; 0 if there was none.
    pub epoch: u64,
}

impl Registration {
    /// Asks for a name, and for the shortest lease that there is.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        let name = name.into();
        Self {
            name,
            ..Self::default()
        }
    }

    /// Replaces what the agent can do.
    #[must_use]
    pub fn with_capabilities<T: Into<String>>(
        mut self,
        items: impl IntoIterator<Item = T>,
    ) -> Self {
        self.capabilities = texts(items);
        self
    }

    /// Replaces for how many microseconds the lease is asked.
    #[must_use]
    pub const fn with_lease(mut self, microseconds: u64) -> Self {
        self.lease = microseconds;
        self
    }

    /// Replaces where the agent is asked, the best first.
    #[must_use]
    pub fn with_addresses<T: Into<String>>(mut self, items: impl IntoIterator<Item = T>) -> Self {
        self.addresses = texts(items);
        self
    }

    /// Replaces the full names of the services that it serves.
    #[must_use]
    pub fn with_services<T: Into<String>>(mut self, items: impl IntoIterator<Item = T>) -> Self {
        self.services = texts(items);
        self
    }

    /// Says the epoch of the lease that it had before.
    #[must_use]
    pub const fn with_epoch(mut self, epoch: u64) -> Self {
        self.epoch = epoch;
        self
    }

    /// The registration, as it is encoded.
    pub(crate) fn lent(&self) -> RegistrationRef<'_> {
        RegistrationRef::new()
            .with_name(&self.name)
            .with_capabilities(lent(&self.capabilities))
            .with_lease(self.lease)
            .with_addresses(lent(&self.addresses))
            .with_services(lent(&self.services))
            .with_epoch(self.epoch)
    }
}

/// A query for agents, which have to match all of its fields.
///
/// ```
/// use mxp::session::Query;
///
/// let query = Query::new().with_capability("print").with_service("demo.Printer");
/// assert!(query.name.is_empty());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub struct Query {
    /// Capability that they have; any if it is empty.
    pub capability: String,
    /// Their name; any if it is empty.
    pub name: String,
    /// Full name of the agents' service; any service if it is empty.
    pub service: String,
    /// The version of the answer that is known; 0 if there is none.
    pub version: u64,
}

impl Query {
    /// Asks for all agents.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks for agents with a capability.
    #[must_use]
    pub fn with_capability(mut self, capability: impl Into<String>) -> Self {
        self.capability = capability.into();
        self
    }

    /// Asks for the agent of a name.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Asks for agents that serve a service, by its full name.
    #[must_use]
    pub fn with_service(mut self, service: impl Into<String>) -> Self {
        self.service = service.into();
        self
    }

    /// Asks for an answer as soon as it is another than that of a version.
    #[must_use]
    pub const fn with_version(mut self, version: u64) -> Self {
        self.version = version;
        self
    }

    /// The query, as it is encoded.
    pub(crate) fn lent(&self) -> QueryRef<'_> {
        QueryRef::new()
            .with_capability(&self.capability)
            .with_name(&self.name)
            .with_service(&self.service)
            .with_version(self.version)
    }
}

/// Answers a registration, and a heartbeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub struct Lease {
    /// Microseconds until a heartbeat is due.
    pub lease: u64,
    /// Greater than that of each lease of the name that was given before; 0 if the directory
    /// counts none.
    pub epoch: u64,
}

impl Lease {
    /// A lease of so many microseconds, with its epoch.
    #[must_use]
    pub const fn new(lease: u64, epoch: u64) -> Self {
        Self { lease, epoch }
    }

    /// The value that answers a registration and a heartbeat.
    #[must_use]
    pub fn to_value(self) -> Vec<u8> {
        // Numbers can always be encoded.
        LeaseRef::new()
            .with_lease(self.lease)
            .with_epoch(self.epoch)
            .encode_to_vec()
            .unwrap_or_default()
    }

    /// The lease in the answer to a registration or a heartbeat.
    #[must_use]
    pub fn read(value: &[u8]) -> Option<Self> {
        Self::decoded(value).ok()
    }

    /// The same, or why it is none.
    pub(crate) fn decoded(value: &[u8]) -> Result<Self, sdp::Error> {
        let answer = LeaseRef::decode(value)?;
        Ok(Self::new(answer.lease, answer.epoch))
    }
}

/// An agent whose lease is live.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Agent {
    /// Its name.
    pub name: String,
    /// The capabilities that it has.
    pub capabilities: Vec<String>,
    /// Microseconds that are left of its lease.
    pub lease: u64,
    /// The agent's addresses for the asking program, the best first.
    pub addresses: Vec<String>,
    /// Full names of the services that it serves.
    pub services: Vec<String>,
    /// The epoch of its lease.
    pub epoch: u64,
}

/// Answers a query.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub struct Listing {
    /// The agents, in ascending order of their names' bytes.
    pub agents: Vec<Agent>,
    /// Another one where the agents are others, or have registered anew; 0 if the directory
    /// counts none.
    pub version: u64,
    /// Microseconds since the directory knew that nothing was missing; 0 is now.
    pub age: u64,
}

impl Listing {
    /// The answer of a directory that counts no versions and knows all.
    #[must_use]
    pub fn new(agents: impl Into<Vec<Agent>>) -> Self {
        let agents = agents.into();
        Self {
            agents,
            ..Self::default()
        }
    }

    /// Says which version it is.
    #[must_use]
    pub const fn with_version(mut self, version: u64) -> Self {
        self.version = version;
        self
    }

    /// Says for how many microseconds something may have been missing.
    #[must_use]
    pub const fn with_age(mut self, microseconds: u64) -> Self {
        self.age = microseconds;
        self
    }

    /// The value that answers a query. Texts and lists that are too long can't be in it.
    ///
    /// # Errors
    ///
    /// [`Kind::PayloadTooLarge`].
    pub fn to_value(&self) -> Result<Vec<u8>, Kind> {
        value_of(&self.agents, self.version, self.age)
    }

    /// The agents in the answer to a query.
    #[must_use]
    pub fn read(value: &[u8]) -> Option<Self> {
        Self::decoded(value).ok()
    }

    /// The same, or why they are none.
    pub(crate) fn decoded(value: &[u8]) -> Result<Self, sdp::Error> {
        let answer = AgentsRef::decode(value)?;
        let owned = |texts: Vec<&str>| texts.into_iter().map(String::from).collect();
        let agents = answer.agents.into_iter().map(|agent| Agent {
            name: agent.name.into(),
            capabilities: owned(agent.capabilities),
            lease: agent.lease,
            addresses: owned(agent.addresses),
            services: owned(agent.services),
            epoch: agent.epoch,
        });
        Ok(Self {
            agents: agents.collect(),
            version: answer.version,
            age: answer.age,
        })
    }
}

impl Session {
    /// Asks the peer's directory for a name, and for how long.
    ///
    /// # Errors
    ///
    /// The errors of [`Session::call`].
    pub fn register(
        &mut self,
        name: &str,
        capabilities: &[&str],
        lease: u64,
        now: u64,
    ) -> Result<u64, Kind> {
        self.ask_agents(Type::AgentRegister, now, |output| {
            let registration = RegistrationRef::new().with_name(name).with_lease(lease);
            let registration = registration.with_capabilities(capabilities.to_vec());
            registration.append(output)
        })
    }

    /// Asks the peer's directory for a name, and says all that is to be known of the agent.
    ///
    /// # Errors
    ///
    /// The errors of [`Session::call`].
    pub fn register_agent(&mut self, registration: &Registration, now: u64) -> Result<u64, Kind> {
        self.ask_agents(Type::AgentRegister, now, |output| {
            registration.lent().append(output)
        })
    }

    /// Renews the lease of a name.
    ///
    /// # Errors
    ///
    /// The errors of [`Session::call`].
    pub fn heartbeat(&mut self, name: &str, now: u64) -> Result<u64, Kind> {
        self.ask_agents(Type::AgentHeartbeat, now, |output| {
            HeartbeatRef::new().with_name(name).append(output)
        })
    }

    /// Asks the peer's directory for the agents with a capability, or for all agents.
    ///
    /// # Errors
    ///
    /// The errors of [`Session::call`].
    pub fn discover(&mut self, capability: &str, now: u64) -> Result<u64, Kind> {
        self.ask_agents(Type::AgentDiscover, now, |output| {
            QueryRef::new().with_capability(capability).append(output)
        })
    }

    /// Asks the peer's directory for the agents that match a query.
    ///
    /// # Errors
    ///
    /// The errors of [`Session::call`].
    pub fn query_agents(&mut self, query: &Query, now: u64) -> Result<u64, Kind> {
        self.ask_agents(Type::AgentDiscover, now, |output| {
            query.lent().append(output)
        })
    }
}

/// The value that answers a registration and a heartbeat, where epochs are not counted; see
/// [`Lease::to_value`].
#[must_use]
pub fn lease_value(lease: u64) -> Vec<u8> {
    Lease::new(lease, 0).to_value()
}

/// The value that answers a query, where versions are not counted; see [`Listing::to_value`].
///
/// # Errors
///
/// [`Kind::PayloadTooLarge`].
pub fn agents_value(agents: &[Agent]) -> Result<Vec<u8>, Kind> {
    value_of(agents, 0, 0)
}

/// The lease in the answer to a registration or a heartbeat, in microseconds; see [`Lease::read`].
#[must_use]
pub fn read_lease(value: &[u8]) -> Option<u64> {
    Lease::read(value).map(|answer| answer.lease)
}

/// The agents in the answer to a query; see [`Listing::read`].
#[must_use]
pub fn read_agents(value: &[u8]) -> Option<Vec<Agent>> {
    Listing::read(value).map(|answer| answer.agents)
}

fn value_of(agents: &[Agent], version: u64, age: u64) -> Result<Vec<u8>, Kind> {
    let agents = agents.iter().map(|agent| {
        AgentRef::new()
            .with_name(&agent.name)
            .with_capabilities(lent(&agent.capabilities))
            .with_lease(agent.lease)
            .with_addresses(lent(&agent.addresses))
            .with_services(lent(&agent.services))
            .with_epoch(agent.epoch)
    });
    let answer = AgentsRef::new()
        .with_agents(agents.collect())
        .with_version(version)
        .with_age(age);
    answer.encode_to_vec().map_err(|_| Kind::PayloadTooLarge)
}

fn texts<T: Into<String>>(items: impl IntoIterator<Item = T>) -> Vec<String> {
    items.into_iter().map(Into::into).collect()
}

fn lent(texts: &[String]) -> Vec<&str> {
    texts.iter().map(|text| &text[..]).collect()
}
