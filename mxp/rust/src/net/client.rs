//! Clients.

use core::fmt;
use core::time::Duration;
use std::io;
use std::sync::Arc;
use std::vec::Vec;

use crate::engine::agent::{asked, lease_of, listing_of, AgentRequest};
use crate::net::budget::check_memory;
use crate::net::failure::out_of_range;
use crate::net::mesh_address::{self, node_address};
use crate::net::peer::Remote;
use crate::net::registration::Registration;
use crate::net::request_kind::CallKind;
use crate::net::request_options::MethodRef;
use crate::net::stream::Stream;
use crate::net::{ClientOptions, Failure, Options, Reply, Request, WhenFull};
use crate::session::{self, Agent, Listing, Query, Stats, Value};

mod agent_directory;
mod announce;
mod attempt;
mod hedge;
mod keep;
mod member;
mod members;
mod renew;
mod shared_state;
mod state;

pub use announce::Announcement;
use shared_state::{wait, SharedState};

impl ClientOptions {
    /// Makes a client, which connects as soon as it can, and again whenever its
    /// connection is gone. It has to be called on a runtime.
    ///
    /// The address may be one of the mesh, `mesh:///name` or
    /// `mesh:///?capability=c&service=s`: then the client asks the program's own
    /// [node](Self::node) where these agents are, and is one of all of them, as they come and go,
    /// of 64 at a time.
    ///
    /// # Errors
    ///
    /// A text that is no address, and limits and a stream window that can't be.
    pub fn connect(self, address: &str) -> io::Result<Client> {
        self.connect_any([address])
    }

    /// Makes a client of several addresses, as [`connect`](Self::connect) does of one. Each
    /// request is made on a connection that takes more, of two of them that with fewer in
    /// flight; agents are asked for at the first address.
    ///
    /// # Errors
    ///
    /// The errors of [`connect`](Self::connect), and an error for no address at all.
    pub fn connect_any<'a>(
        self,
        addresses: impl IntoIterator<Item = &'a str>,
    ) -> io::Result<Client> {
        self.limits.check().map_err(out_of_range)?;
        self.window.check().map_err(out_of_range)?;
        check_memory(self.memory_bytes).map_err(out_of_range)?;
        let addresses: Vec<_> = addresses.into_iter().collect();
        if let Some(named) = addresses
            .iter()
            .find(|address| mesh_address::is_address(address))
        {
            if addresses.len() > 1 {
                let why = "an address of the mesh stands alone: it names all agents that are meant";
                return Err(mesh_address::invalid(why).into());
            }
            return self.connect_agents(named);
        }
        let targets = addresses
            .iter()
            .map(|address| self.transports.read(address));
        let targets = targets.collect::<Result<Vec<_>, _>>()?;
        if targets.is_empty() {
            let why = "a client needs an address";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        let shared = Arc::new(SharedState::new(&targets, self));
        Ok(Client { shared })
    }

    /// Makes a client of agents of the mesh.
    fn connect_agents(self, address: &str) -> io::Result<Client> {
        let query = mesh_address::query_of(address)?;
        let node = self
            .of_node()
            .connect(&node_address(self.node.as_deref()))?;
        let ask = move |query: Query| {
            let node = node.clone();
            async move { node.query_agents(&query, &Options::new()).await }
        };
        let shared = Arc::new(SharedState::followed(address, query, ask, self));
        Ok(Client { shared })
    }

    /// The options of a client of the program's own node.
    pub(crate) fn of_node(&self) -> Self {
        Self {
            transports: self.transports.clone(),
            connect_timeout: self.connect_timeout,
            ..Self::new()
        }
    }
}

/// Asks a server for things. Clones share a connection, which is closed when the last clone is
/// dropped and all requests in flight have ended.
#[derive(Clone)]
pub struct Client {
    shared: Arc<SharedState>,
}

impl Request {
    /// A client for the services of the connection's other side: a client serves by
    /// [`ClientOptions::service`](crate::net::ClientOptions::service). Its requests end with the
    /// connection, and the connection does not end with them. Stubs take it as any other client.
    /// For an interceptor of a client there is nobody to be asked.
    ///
    /// ```
    /// use mxp::net::{Options, Reply, Service};
    ///
    /// let service = Service::new("demo.Job").call(1, |asked| async move {
    ///     let caller = asked.client();
    ///     caller.call("demo.Progress", 1, b"half", &Options::new()).await?;
    ///     Ok(Reply::default())
    /// });
    /// ```
    #[must_use]
    pub fn client(&self) -> Client {
        self.remote.client()
    }
}

impl Remote {
    /// Asks the other side of a connection.
    pub(crate) fn client(self: &Arc<Self>) -> Client {
        let shared = Arc::new(SharedState::lent(self.connection(), self));
        Client { shared }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = self.address();
        f.debug_struct("Client")
            .field("address", &address)
            .finish_non_exhaustive()
    }
}

impl Client {
    /// A client with the default options; see [`ClientOptions::connect`].
    ///
    /// # Errors
    ///
    /// A text that is no address.
    pub fn connect(address: &str) -> io::Result<Self> {
        ClientOptions::new().connect(address)
    }

    /// A client of several addresses with the default options; see
    /// [`ClientOptions::connect_any`].
    ///
    /// # Errors
    ///
    /// A text that is no address, or none at all.
    pub fn connect_any<'a>(addresses: impl IntoIterator<Item = &'a str>) -> io::Result<Self> {
        ClientOptions::new().connect_any(addresses)
    }

    /// Calls a method, as soon as there is a connection and room in its queue. Where
    /// the future is dropped, the call is taken back.
    ///
    /// # Errors
    ///
    /// Why there is no answer, and whether somebody may have acted.
    pub async fn call(
        &self,
        service: &str,
        method: u16,
        value: impl Into<Value<'static>>,
        options: &Options,
    ) -> Result<Reply, Failure> {
        let of = MethodRef::numbered(service, method, options);
        self.request(of, CallKind::Call, value.into(), options)
            .await
    }

    /// Tells the server something. Nobody says whether it was taken.
    ///
    /// # Errors
    ///
    /// Why it was not queued. An event that was dropped, as the options say for a full queue, is no
    /// failure.
    pub async fn event(
        &self,
        service: &str,
        method: u16,
        value: impl Into<Value<'static>>,
        full: WhenFull,
        options: &Options,
    ) -> Result<(), Failure> {
        let of = MethodRef::numbered(service, method, options);
        self.tell(of, full, value.into(), options).await
    }

    /// Tells the server something, and waits until it was taken.
    ///
    /// # Errors
    ///
    /// Why it was not, and whether somebody may have acted.
    pub async fn event_acked(
        &self,
        service: &str,
        method: u16,
        value: impl Into<Value<'static>>,
        options: &Options,
    ) -> Result<(), Failure> {
        let of = MethodRef::numbered(service, method, options);
        let told = self
            .request(of, CallKind::Acked, value.into(), options)
            .await;
        told.map(|_| ())
    }

    /// Opens a stream.
    ///
    /// # Errors
    ///
    /// Why it was not opened.
    pub async fn open(
        &self,
        service: &str,
        method: u16,
        value: impl Into<Value<'static>>,
        options: &Options,
    ) -> Result<Stream, Failure> {
        let of = MethodRef::numbered(service, method, options);
        self.open_stream(of, false, value.into(), options).await
    }

    /// Makes this program known by a name, with its capabilities, for as long as the
    /// [`Registration`] is there: its lease is renewed, and the name made known again on each new
    /// connection. When the registration is dropped the lease runs out, or ends with the
    /// connection.
    ///
    /// # Errors
    ///
    /// Why the name was not given: `agents_off`, `agent_invalid`, `agent_taken`,
    /// `limit_agents`, or that nobody has answered.
    pub async fn register(
        &self,
        name: &str,
        capabilities: &[&str],
        lease: Duration,
        options: &Options,
    ) -> Result<Registration, Failure> {
        let registration = asked(name, capabilities, lease);
        self.keep_registered(registration, options).await
    }

    /// Makes this program known as a registration says, as [`register`](Self::register) does.
    ///
    /// # Errors
    ///
    /// The failures of [`register`](Self::register).
    pub async fn register_agent(
        &self,
        registration: &session::Registration,
        options: &Options,
    ) -> Result<Registration, Failure> {
        let registration = registration.clone();
        self.keep_registered(registration, options).await
    }

    /// Renews the lease of a name that this client's connection has, and returns how long
    /// it is. A [`Registration`] does so by itself.
    ///
    /// # Errors
    ///
    /// `agent_unknown` where the connection has no such name, or why nobody has answered.
    pub async fn heartbeat(&self, name: &str, options: &Options) -> Result<Duration, Failure> {
        let request = AgentRequest::Heartbeat(name);
        let renewed = lease_of(&self.ask_agents(request, options).await?)?;
        Ok(Duration::from_micros(renewed.lease))
    }

    /// Finds the agents that can do something, or all for an empty text.
    ///
    /// # Errors
    ///
    /// Why nobody has answered.
    pub async fn discover(
        &self,
        capability: &str,
        options: &Options,
    ) -> Result<Vec<Agent>, Failure> {
        let query = Query::new().with_capability(capability);
        let listing = self.query_agents(&query, options).await?;
        Ok(listing.agents)
    }

    /// Finds the agents that are all that a query says. Where it says the version of what would
    /// be its answer, a directory that counts versions answers as soon as that is another, or
    /// later the same.
    ///
    /// # Errors
    ///
    /// Why nobody has answered.
    pub async fn query_agents(&self, query: &Query, options: &Options) -> Result<Listing, Failure> {
        let request = AgentRequest::Discover(query);
        listing_of(&self.ask_agents(request, options).await?)
    }

    /// Makes no requests any more, and waits until all requests in flight have ended and all
    /// connections are closed.
    pub async fn drain(self, reason: &str) {
        self.shared.stop();
        let connections = self.shared.connections();
        for connection in &connections {
            connection.drain(reason);
        }
        for connection in connections {
            connection.closed().await;
        }
    }

    /// Waits until requests can be made, as they do themselves.
    ///
    /// # Errors
    ///
    /// Why they can't be: at once where no later attempt can succeed, else when the
    /// connect timeout is over.
    pub async fn ready(&self) -> Result<(), Failure> {
        let members = self.shared.members.all();
        if members.choose(&[]).is_some() {
            return Ok(());
        }
        let waited = wait(&self.shared.common, members, None).await;
        waited
            .map(|_| ())
            .map_err(|failure| failure.with_origin("", self.address()))
    }

    /// The counts of the connections that there are.
    #[must_use]
    pub fn stats(&self) -> Option<Stats> {
        let mut stats: Option<Stats> = None;
        for connection in self.shared.members.all().current() {
            let stats = stats.get_or_insert_with(Stats::default);
            stats.add(&connection.stats());
        }
        let mut stats = stats?;
        (stats.retries, stats.retries_over_budget) = self.shared.common.retries().counts();
        stats.methods = self.shared.common.metrics.stats();
        #[cfg(feature = "shm")]
        {
            stats.shm_fallbacks = self.shared.common.options.transports.shm_fallbacks();
        }
        Some(stats)
    }
}
