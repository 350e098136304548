//! A client for threads without a runtime, over unix sockets and TCP.

use core::fmt;
use core::time::Duration;
use std::io;
use std::string::ToString as _;
use std::time::Instant;
use std::vec::Vec;

use crate::net::again::{Again, Missed, Pauses};
use crate::net::agents::{agents_of, lease_of, AgentRequest};
use crate::net::failure::out_of_range;
use crate::net::outage::{may_heal, tell_refused, Outage};
use crate::net::request::{lent, microseconds, Of};
use crate::net::retry::{Retries, Retry};
use crate::net::wait::Wait;
use crate::net::{Address, Failure, Options, Reply, RetryPolicy};
use crate::session::{Agent, Config, Kind, Limits, OnFull, Request, TypeInfo, Value, CONNECT_US};

mod connection;
mod socket;

use connection::Connection;

/// The pauses between attempts to connect double, from the one to the other.
const PAUSE_MIN: Duration = Duration::from_millis(5);
const PAUSE_MAX: Duration = Duration::from_secs(1);

/// More than anybody waits.
const FOREVER: Duration = Duration::from_secs(1 << 30);

/// Asks a server for one thing after the other. It connects when it is first asked
/// to, and again behind a connection that was lost.
///
/// It says nothing while nobody asks it for something: a server that asks it for a
/// sign of life meanwhile has none, and ends the connection.
pub struct Client {
    address: Address,
    options: ClientOptions,
    outage: Outage,
    connection: Option<Connection>,
    retries: Retries,
}

/// The kind of a request.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Asks {
    Call,
    Event,
    /// An event that requires an acknowledgement.
    Acked,
}

/// The options of a client, until it connects.
#[derive(Debug, Clone)]
#[must_use = "a client does nothing until it connects"]
pub struct ClientOptions {
    types: Vec<TypeInfo>,
    limits: Limits,
    connect_timeout: Duration,
    retry: Option<RetryPolicy>,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            types: Vec::new(),
            limits: Limits::default(),
            connect_timeout: Duration::from_micros(CONNECT_US),
            retry: None,
        }
    }
}

impl ClientOptions {
    /// No types, and the default connect timeout.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds types that requests and responses are of. A server that means something
    /// else by one of their names is refused.
    pub fn types(mut self, types: impl IntoIterator<Item = TypeInfo>) -> Self {
        self.types.extend(types);
        self.types.sort_by(|a, b| a.name.cmp(&b.name));
        self.types.dedup_by(|a, b| a.name == b.name);
        self
    }

    /// Replaces the limits of each connection's session, among them the longest payload
    /// that is taken.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Replaces how long connecting may take at most (5 s), the first time and behind a
    /// connection that was lost. What no later attempt can mend ends it at once.
    pub fn connect_timeout(mut self, time: Duration) -> Self {
        self.connect_timeout = time;
        self
    }

    /// Makes requests again by a policy. Without it none is but what nobody has acted on
    /// since its connection took no more.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.retry = Some(policy);
        self
    }

    /// Makes a client, and connects it.
    ///
    /// # Errors
    ///
    /// Those of [`Client::connect`], and limits that can't be.
    pub fn connect(self, address: &str) -> io::Result<Client> {
        self.limits.check().map_err(out_of_range)?;
        let mut client = Client {
            address: address.parse()?,
            retries: Retries::new(self.retry),
            options: self,
            outage: Outage::Untold,
            connection: None,
        };
        let connected = client.connected(None).map(|_| ());
        connected.map_err(|failure| failure.with_origin("", client.address.to_string()))?;
        Ok(client)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

impl Client {
    /// Makes a client, and connects it, for which it waits 5 s at most.
    ///
    /// # Errors
    ///
    /// A text that is no address, and the [`Failure`] of connecting, which the error
    /// wraps: at once where no later attempt can succeed, else the last attempt's.
    pub fn connect(address: &str) -> io::Result<Self> {
        ClientOptions::new().connect(address)
    }

    /// Makes a client that lists types which requests and responses are of, and
    /// connects it. A server that means something else by one of their names is
    /// refused.
    ///
    /// # Errors
    ///
    /// Those of [`Client::connect`], and in which field schemas differ.
    pub fn connect_with(
        address: &str,
        types: impl IntoIterator<Item = TypeInfo>,
    ) -> io::Result<Self> {
        ClientOptions::new().types(types).connect(address)
    }

    /// Calls a method, and waits for the answer.
    ///
    /// # Errors
    ///
    /// Why there is no answer, and whether somebody may have acted.
    pub fn call<'v>(
        &mut self,
        service: &str,
        method: u16,
        value: impl Into<Value<'v>>,
        options: &Options,
    ) -> Result<Reply, Failure> {
        self.ask(
            Of::number(service, method),
            Asks::Call,
            value.into(),
            options,
        )
    }

    /// Tells the server something. Nobody says whether it was taken.
    ///
    /// # Errors
    ///
    /// Why it was not sent.
    pub fn event<'v>(
        &mut self,
        service: &str,
        method: u16,
        value: impl Into<Value<'v>>,
        options: &Options,
    ) -> Result<(), Failure> {
        let told = self.ask(
            Of::number(service, method),
            Asks::Event,
            value.into(),
            options,
        );
        told.map(|_| ())
    }

    /// Tells the server something, and waits until it was taken.
    ///
    /// # Errors
    ///
    /// Why it was not, and whether somebody may have acted.
    pub fn event_acked<'v>(
        &mut self,
        service: &str,
        method: u16,
        value: impl Into<Value<'v>>,
        options: &Options,
    ) -> Result<(), Failure> {
        let told = self.ask(
            Of::number(service, method),
            Asks::Acked,
            value.into(),
            options,
        );
        told.map(|_| ())
    }

    /// Makes this program known by a name, with what it can do, and returns how long the
    /// lease lasts. It ends with the connection, and has to be renewed.
    ///
    /// # Errors
    ///
    /// Why the name was not given, or that nobody has answered.
    pub fn register(
        &mut self,
        name: &str,
        capabilities: &[&str],
        lease: Duration,
        options: &Options,
    ) -> Result<Duration, Failure> {
        let request = AgentRequest::Register(name, capabilities, lease);
        lease_of(&self.ask_agents(request, options)?)
    }

    /// Renews a lease, and returns how long it lasts.
    ///
    /// # Errors
    ///
    /// `agent_unknown` where the connection has no such name, or why nobody has answered.
    pub fn heartbeat(&mut self, name: &str, options: &Options) -> Result<Duration, Failure> {
        lease_of(&self.ask_agents(AgentRequest::Heartbeat(name), options)?)
    }

    /// Finds the agents that can do something, or all for an empty text.
    ///
    /// # Errors
    ///
    /// Why nobody has answered.
    pub fn discover(&mut self, capability: &str, options: &Options) -> Result<Vec<Agent>, Failure> {
        agents_of(&self.ask_agents(AgentRequest::Discover(capability), options)?)
    }

    fn ask_agents(
        &mut self,
        request: AgentRequest<'_>,
        options: &Options,
    ) -> Result<Reply, Failure> {
        let wait = Wait::of(options.deadline);
        let answer = self.again(options, None, |client, until| {
            let connection = client.connected(until)?;
            connection.ask(until, |session, now| request.make(session, now).map(Some))
        });
        answer.map_err(|failure| {
            let failure = Wait::explained(wait, failure);
            failure.with_origin("", self.address.to_string())
        })
    }

    /// Makes a request, and waits for its answer if it has one.
    pub(crate) fn ask(
        &mut self,
        of: Of<'_>,
        asks: Asks,
        value: Value<'_>,
        options: &Options,
    ) -> Result<Reply, Failure> {
        let wait = Wait::of(options.deadline);
        let value = value.shared();
        let retry = match asks {
            Asks::Event => None,
            Asks::Call | Asks::Acked => self.retries.begin(of, options),
        };
        let answer = self.again(options, retry, |client, until| {
            let connection = client.connected(until)?;
            let services = &connection.services;
            let number = services.find(of.service);
            let number = number.ok_or_else(|| Failure::not_served(of.service, services))?;
            if let Some(difference) = connection.session.difference(number, of.number) {
                return Err(Failure::differing(difference).into());
            }
            let metadata = lent(&options.metadata);
            let left = until.map(|at| at.saturating_duration_since(Instant::now()));
            let request = Request::new(number, of.number)
                .with_deadline(left.map_or(0, microseconds))
                .with_trace(options.trace)
                .with_metadata(&metadata);
            connection.ask(until, |session, now| {
                let full = OnFull::Refuse;
                match asks {
                    Asks::Call => session.call(&request, value.lent(), now).map(Some),
                    Asks::Acked => session.event(&request, true, full, value.lent(), now),
                    Asks::Event => {
                        let told = session.event(&request, false, full, value.lent(), now);
                        told.map(|_| None)
                    }
                }
            })
        });
        let answer = answer.inspect(|reply| options.keep(reply));
        answer.map_err(|failure| {
            let failure = Wait::explained(wait, failure);
            failure.located(of.service, of.name, of.number, &self.address.to_string())
        })
    }

    /// Makes a request until somebody may have acted on it [MXP-14.6], and again by a policy.
    fn again(
        &mut self,
        options: &Options,
        mut retry: Option<Retry>,
        mut attempt: impl FnMut(&mut Self, Option<Instant>) -> Result<Reply, Missed>,
    ) -> Result<Reply, Failure> {
        let until = options.deadline.and_then(|d| Instant::now().checked_add(d));
        let mut pauses = None;
        loop {
            let missed = match attempt(self, until) {
                Ok(reply) => return Ok(reply),
                Err(missed) => missed,
            };
            if self.connection.as_ref().is_some_and(Connection::is_over) {
                self.connection = None;
            }
            match missed.again {
                Again::Never => {
                    let failure = missed.failure;
                    let retry = retry.as_mut();
                    let pause = retry.and_then(|r| r.pause(&self.retries, &failure, until));
                    std::thread::sleep(pause.ok_or(failure)?);
                }
                Again::Elsewhere => {}
                Again::Soon => {
                    let patience = self.options.connect_timeout;
                    let pauses = pauses.get_or_insert_with(|| Pauses::new(until, patience));
                    let Some(pause) = pauses.next() else {
                        return Err(missed.failure);
                    };
                    std::thread::sleep(pause);
                }
            }
        }
    }

    /// The server's address.
    #[cfg(feature = "tokio")]
    pub(crate) const fn address(&self) -> &Address {
        &self.address
    }

    /// The connection on which requests can be made [MXP-14.4].
    fn connected(&mut self, until: Option<Instant>) -> Result<&mut Connection, Failure> {
        let had = self.connection.take();
        let was_connected = had.is_some();
        let connection = if let Some(connection) = had.and_then(Connection::usable) {
            connection
        } else {
            if was_connected {
                Outage::ended(&self.address, Some(&Failure::of(Kind::Lost)));
            }
            self.open(until)?
        };
        Ok(self.connection.insert(connection))
    }

    /// Connects, as often as it takes.
    fn open(&mut self, until: Option<Instant>) -> Result<Connection, Failure> {
        let begun = Instant::now();
        let late = begun.checked_add(self.options.connect_timeout);
        let late = [late, until].into_iter().flatten().min();
        let late = late.unwrap_or(begun + FOREVER);
        let mut config = Config::new().with_limits(self.options.limits);
        for info in &self.options.types {
            config = config.with_type(info.clone());
        }
        let mut pause = Duration::ZERO;
        let mut last = None;
        loop {
            let failure = match Connection::open(&self.address, config.clone(), late) {
                Ok(connection) => {
                    self.outage.connected(&self.address);
                    tell_refused(connection.session.differences());
                    return Ok(connection);
                }
                Err(failure) => failure,
            };
            self.outage.failed(&self.address, &failure);
            let left = late.saturating_duration_since(Instant::now());
            if !may_heal(&failure) {
                return Err(failure);
            }
            if left.is_zero() {
                // The last attempt had no time, and the one before says more.
                return Err(last.unwrap_or(failure));
            }
            last = Some(failure);
            std::thread::sleep(pause.min(left));
            pause = (2 * pause).clamp(PAUSE_MIN, PAUSE_MAX);
        }
    }
}
