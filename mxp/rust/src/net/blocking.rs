//! Clients and servers for threads, whose functions wait.
//!
//! A [`Client`] needs no runtime: its threads read and write the socket themselves. With the
//! feature `tokio` there is a `Server`, too: it has a runtime of its own that nobody sees, and
//! handlers are functions that run on threads.
//!
//! ```no_run
//! use mxp::net::{blocking::Client, Options};
//!
//! let client = Client::connect("mxp+unix:///tmp/echo.sock")?;
//! let options = Options::new();
//! let reply = client.call("demo.Echo", 1, b"hello", &options)?;
//! assert_eq!(reply.value, b"hello"[..]);
//!
//! let stream = client.open("demo.Echo", 2, b"", &options)?;
//! stream.send(b"one")?;
//! stream.finish()?;
//! for chunk in stream.receiver {
//!     println!("{} bytes", chunk?.len());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use core::fmt;
use core::time::Duration;
use std::io;
use std::sync::Arc;
use std::vec::Vec;

use crate::engine::agent::{asked, lease_of, listing_of, AgentRequest};
use crate::net::failure::out_of_range;
use crate::net::request_options::MethodRef;
pub use crate::net::transport::blocking::Socket;
use crate::net::transport::registry::Target;
use crate::net::{Failure, Options, Reply};
use crate::session::{Agent, Lease, Listing, Query, Registration, TypeInfo, Value};

mod client_request;
mod driver;
mod events;
mod intercept;
mod link;
mod links;
mod opener;
mod options;
#[cfg(feature = "tokio")]
mod server;
#[cfg(feature = "tokio")]
mod service;
mod socket;
mod stream;

pub(crate) use client_request::CallKind;
pub use intercept::{Next, Request};
pub use options::ClientOptions;
#[cfg(feature = "tokio")]
pub use server::{Server, ServerHandle};
#[cfg(feature = "tokio")]
pub use service::Service;
#[cfg(feature = "tokio")]
pub(crate) use stream::Whole;
pub use stream::{Chunks, Receiver, Sender, Stream};

use client_request::SharedState;

/// The name of [`Request`] until 0.4.
#[deprecated(since = "0.5.0", note = "use `Request`")]
pub type Asked = Request;

/// The name of [`ServerHandle`] until 0.4.
#[cfg(feature = "tokio")]
#[deprecated(since = "0.5.0", note = "use `ServerHandle`")]
pub type Listening = ServerHandle;

impl ClientOptions {
    /// Makes a client, and connects it.
    ///
    /// # Errors
    ///
    /// The errors of [`Client::connect`], and an error for invalid limits or an invalid stream
    /// window.
    pub fn connect(self, address: &str) -> io::Result<Client> {
        self.connect_any([address])
    }

    /// Makes a client of several addresses, and connects it to one of them; to the others
    /// while it is used. Each request is made on a connection that takes more, of two of them
    /// that with fewer in flight.
    ///
    /// # Errors
    ///
    /// The errors of [`connect`](Self::connect), and an error for no address at all. Where there is
    /// no connection, the failure tells each address with its cause.
    pub fn connect_any<'a>(
        self,
        addresses: impl IntoIterator<Item = &'a str>,
    ) -> io::Result<Client> {
        self.limits.check().map_err(out_of_range)?;
        self.window.check().map_err(out_of_range)?;
        let targets = addresses
            .into_iter()
            .map(|address| self.transports.read(address));
        let targets = targets.collect::<Result<Vec<_>, _>>()?;
        if targets.is_empty() {
            let why = "a client needs an address";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        Ok(Client::connected(&targets, self)?)
    }
}

/// Asks a server for things. Clones share its connections, as do the streams that it has
/// opened: they are closed when the last of them is dropped. A connection is made when
/// something is first asked, and again when it was lost.
///
/// It says nothing while nobody asks it for something: a server that asks it for a
/// sign of life meanwhile has none, and ends the connection.
#[derive(Clone)]
pub struct Client {
    shared: Arc<SharedState>,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("address", &self.shared.address)
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
    /// The errors of [`Client::connect`], and the field in which schemas differ.
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
        &self,
        service: &str,
        method: u16,
        value: impl Into<Value<'v>>,
        options: &Options,
    ) -> Result<Reply, Failure> {
        self.ask(
            MethodRef::numbered(service, method, options),
            CallKind::Call,
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
        &self,
        service: &str,
        method: u16,
        value: impl Into<Value<'v>>,
        options: &Options,
    ) -> Result<(), Failure> {
        let told = self.ask(
            MethodRef::numbered(service, method, options),
            CallKind::Event,
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
        &self,
        service: &str,
        method: u16,
        value: impl Into<Value<'v>>,
        options: &Options,
    ) -> Result<(), Failure> {
        let told = self.ask(
            MethodRef::numbered(service, method, options),
            CallKind::Acked,
            value.into(),
            options,
        );
        told.map(|_| ())
    }

    /// Makes this program known by a name, with its capabilities, and returns the time that the
    /// lease lasts. It ends with the connection, and has to be renewed.
    ///
    /// # Errors
    ///
    /// Why the name was not given, or that nobody has answered.
    pub fn register(
        &self,
        name: &str,
        capabilities: &[&str],
        lease: Duration,
        options: &Options,
    ) -> Result<Duration, Failure> {
        let registration = asked(name, capabilities, lease);
        let given = self.register_agent(&registration, options)?;
        Ok(Duration::from_micros(given.lease))
    }

    /// Makes this program known as a registration says. The lease ends with the connection,
    /// and has to be renewed.
    ///
    /// # Errors
    ///
    /// The failures of [`register`](Self::register).
    pub fn register_agent(
        &self,
        registration: &Registration,
        options: &Options,
    ) -> Result<Lease, Failure> {
        let request = AgentRequest::Register(registration);
        lease_of(&self.shared.ask_agents(request, options)?)
    }

    /// Renews a lease, and returns how long it lasts.
    ///
    /// # Errors
    ///
    /// `agent_unknown` where the connection has no such name, or why nobody has answered.
    pub fn heartbeat(&self, name: &str, options: &Options) -> Result<Duration, Failure> {
        let request = AgentRequest::Heartbeat(name);
        let renewed = lease_of(&self.shared.ask_agents(request, options)?)?;
        Ok(Duration::from_micros(renewed.lease))
    }

    /// Finds the agents that can do something, or all for an empty text.
    ///
    /// # Errors
    ///
    /// Why nobody has answered.
    pub fn discover(&self, capability: &str, options: &Options) -> Result<Vec<Agent>, Failure> {
        let query = Query::new().with_capability(capability);
        let listing = self.query_agents(&query, options)?;
        Ok(listing.agents)
    }

    /// Finds the agents that are all that a query says. Where it says the version of what would
    /// be its answer, a directory that counts versions answers as soon as that is another, or
    /// later the same.
    ///
    /// # Errors
    ///
    /// Why nobody has answered.
    pub fn query_agents(&self, query: &Query, options: &Options) -> Result<Listing, Failure> {
        let request = AgentRequest::Discover(query);
        listing_of(&self.shared.ask_agents(request, options)?)
    }

    /// Makes a client of several addresses with the default options, and connects it; see
    /// [`ClientOptions::connect_any`].
    ///
    /// # Errors
    ///
    /// The errors of [`Client::connect`], and an error for no address at all.
    pub fn connect_any<'a>(addresses: impl IntoIterator<Item = &'a str>) -> io::Result<Self> {
        ClientOptions::new().connect_any(addresses)
    }

    /// Opens a stream. It may be used beside other streams and requests, by other threads too.
    ///
    /// # Errors
    ///
    /// Why it was not opened.
    pub fn open<'v>(
        &self,
        service: &str,
        method: u16,
        value: impl Into<Value<'v>>,
        options: &Options,
    ) -> Result<Stream, Failure> {
        let of = MethodRef::numbered(service, method, options);
        self.shared.open(of, false, value.into(), options)
    }

    /// Makes a client, and connects it.
    fn connected(targets: &[Target], options: ClientOptions) -> Result<Self, Failure> {
        let shared = Arc::new(SharedState::new(targets, options));
        match shared.links.connected(None) {
            Ok(_) => Ok(Self { shared }),
            Err(failure) => Err(failure.with_origin("", &shared.address[..])),
        }
    }

    /// Makes a request, and waits for its answer if it has one.
    pub(crate) fn ask(
        &self,
        method: MethodRef<'_>,
        asks: CallKind,
        value: Value<'_>,
        options: &Options,
    ) -> Result<Reply, Failure> {
        self.shared.ask(method, asks, value, options)
    }

    /// Opens a stream. A final one has nothing but the value from this side.
    #[cfg(feature = "tokio")]
    pub(crate) fn open_stream(
        &self,
        method: MethodRef<'_>,
        is_final: bool,
        value: Value<'_>,
        options: &Options,
    ) -> Result<Stream, Failure> {
        self.shared.open(method, is_final, value, options)
    }

    /// The server's addresses.
    #[cfg(feature = "tokio")]
    pub(crate) fn address(&self) -> &str {
        &self.shared.address
    }
}
