//! Servers.

use core::fmt;
use core::future::Future;
use std::sync::Arc;
use std::vec::Vec;

#[cfg(feature = "shm")]
use crate::net::channel::{Channel, ChannelOptions};
use crate::net::intercept::{interceptor, Interceptor};
use crate::net::service::Services;
use crate::net::telemetry::Telemetry;
use crate::net::transport::registry::Registry;
#[cfg(feature = "tls")]
use crate::net::transport::tls::Tls;
use crate::net::transport::Provider;
#[cfg(feature = "websocket")]
use crate::net::transport::WebSocketOptions;
#[cfg(feature = "shm")]
use crate::net::transport::{shm::Shm, ShmOptions};
#[cfg(feature = "shm")]
use crate::net::typed::{Fixed, Method};
use crate::net::{Failure, HealthReporter, Next, Peer, Reply, Request, Service, Window};
use crate::session::{Limits, TypeInfo};

mod accept_loop;
#[cfg(feature = "shm")]
mod channels;
mod server_handle;

#[cfg(feature = "shm")]
use channels::Channels;
pub use server_handle::ServerHandle;

/// A server's services and options, until it listens.
#[derive(Clone, Default)]
#[must_use = "a server does nothing until it listens"]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a choice that depends on no other"
)]
pub struct Server {
    services: Services,
    interceptors: Vec<Interceptor>,
    types: Vec<TypeInfo>,
    limits: Limits,
    connections: Option<usize>,
    allows_others: bool,
    transports: Registry,
    window: Window,
    no_batches: bool,
    memory_bytes: Option<usize>,
    agents: bool,
    admit: Option<Admit>,
    health: Option<HealthReporter>,
    reflection: bool,
    telemetry: Telemetry,
    #[cfg(feature = "shm")]
    channels: Channels,
}

/// Says who may connect.
type Admit = Arc<dyn Fn(&Peer) -> Result<(), Failure> + Send + Sync>;

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("services", &self.services)
            .field("limits", &self.limits)
            .field("connections", &self.connections)
            .field("allows_others", &self.allows_others)
            .finish_non_exhaustive()
    }
}

impl Server {
    /// Serves nothing, with the default limits.
    pub fn new() -> Self {
        Self::default()
    }

    /// Serves one more service.
    pub fn service(mut self, service: Service) -> Self {
        self.services.0.push(service);
        self
    }

    /// Serves [`health`](crate::net::health) beside the other services: whether they can be asked,
    /// as a reporter says. A server that drains reports every service as not serving, and ends the
    /// streams of all watchers.
    pub fn health(mut self, reporter: &HealthReporter) -> Self {
        self.health = Some(reporter.clone());
        self
    }

    /// Serves [`reflection`](crate::net::reflection) beside the other services: a list of them,
    /// with their methods and types, for every admitted client.
    pub fn reflection(mut self) -> Self {
        self.reflection = true;
        self
    }

    /// Tells OpenTelemetry of all requests, around their interceptors. Of a service's handlers
    /// the names are told that [`Service::named`] gives.
    #[cfg(feature = "opentelemetry")]
    pub fn telemetry(mut self, telemetry: Telemetry) -> Self {
        self.telemetry = telemetry;
        self
    }

    /// Puts an interceptor around all requests, inside of the earlier interceptors. It may refuse a
    /// request, change it, and change its answer; of a stream it has the whole time in which the
    /// handler runs. An event waits for the event before it.
    ///
    /// ```
    /// use mxp::net::{Failure, Server};
    /// use mxp::session::Status;
    ///
    /// let server = Server::new().intercept(|asked, next| async move {
    ///     if asked.metadata.is_empty() {
    ///         return Err(Failure::new(Status::UNAUTHENTICATED, "key_missing", "").refused());
    ///     }
    ///     let name = next.name().to_owned();
    ///     Ok(next.run(asked).await?.with("method", name))
    /// });
    /// ```
    pub fn intercept<F, A>(mut self, around: F) -> Self
    where
        F: Fn(Request, Next) -> A + Send + Sync + 'static,
        A: Future<Output = Result<Reply, Failure>> + Send + 'static,
    {
        self.interceptors.push(interceptor(around));
        self
    }

    /// Adds types to the types of the services: the types of requests to clients.
    pub fn types(mut self, types: impl IntoIterator<Item = TypeInfo>) -> Self {
        self.types.extend(types);
        self
    }

    /// Replaces the limits of each connection's session.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Replaces how much may be on its way to the reader of a stream (16,384 chunks, 2 MiB).
    pub fn stream_window(mut self, window: Window) -> Self {
        self.window = window;
        self
    }

    /// Lets every chunk and every event be a frame by itself, in both directions. Without this
    /// small ones that wait go into one frame, where the peer takes that: nothing waits for it.
    pub fn no_batches(mut self) -> Self {
        self.no_batches = true;
        self
    }

    /// Keeps a directory of agents, whose names are free again when their owner's
    /// connection is gone. On TCP anybody could take a name.
    pub fn agents(mut self) -> Self {
        self.agents = true;
        self
    }

    /// Replaces how many bytes all connections hold together at most: a quarter of the machine's
    /// memory, or of the control group's. Where they hold more, that which holds most is ended with
    /// `limit_server_bytes`. The bound of a single connection is [`Limits::connection_bytes`].
    pub fn memory_bytes(mut self, bytes: usize) -> Self {
        self.memory_bytes = Some(bytes);
        self
    }

    /// Replaces how many connections there are at most (16,384). One more is closed at
    /// once.
    pub fn connections(mut self, connections: usize) -> Self {
        self.connections = Some(connections);
        self
    }

    /// Says who may connect. It is asked once for each connection, in the connection's task:
    /// behind the handshake of TLS, and before anything else is read. A peer that is refused
    /// is told the failure, and its client takes that as final unless its status is
    /// [`UNAVAILABLE`](crate::session::Status::UNAVAILABLE). Without this, transports with peer
    /// credentials, as unix sockets, are for programs of the server's own user, unless
    /// [`allow_other_users`](Self::allow_other_users) lets others in, and TCP and TLS for all.
    ///
    /// ```
    /// use mxp::net::{Failure, Peer, Server};
    /// use mxp::session::Status;
    ///
    /// let server = Server::new().admit(|peer: &Peer| {
    ///     let certificate = peer.certificate.as_ref();
    ///     if certificate.is_some_and(|one| one.dns_names.iter().any(|name| name == "mixer")) {
    ///         return Ok(());
    ///     }
    ///     Err(Failure::new(Status::PERMISSION_DENIED, "not_admitted", "only for the mixer"))
    /// });
    /// ```
    pub fn admit(
        mut self,
        admit: impl Fn(&Peer) -> Result<(), Failure> + Send + Sync + 'static,
    ) -> Self {
        self.admit = Some(Arc::new(admit));
        self
    }

    /// Lets programs of other users connect, to a unix socket if its folder does. Without this
    /// such a socket has the mode 0600, and they are refused where [`admit`](Self::admit) does
    /// not say who may connect.
    pub fn allow_other_users(mut self) -> Self {
        self.allows_others = true;
        self
    }

    /// Registers a transport beside the built-in ones.
    ///
    /// # Panics
    ///
    /// If its scheme can be none, or is registered already.
    pub fn transport(mut self, transport: Arc<dyn Provider>) -> Self {
        self.transports.register(transport);
        self
    }

    /// Replaces the options of connections by shared memory.
    #[cfg(feature = "shm")]
    pub fn shm(mut self, options: ShmOptions) -> Self {
        self.transports.share(Shm::new(options));
        self
    }

    /// Opens a method that streams both ways as a channel, for clients that connect by `mxp+shm`;
    /// the last handler of a method counts. The handler is called in the connection's task, once
    /// the peer is admitted, with the channel and the peer: it is to hand the channel to a thread.
    /// The server counts the channel as a connection until both its ends are dropped, and closes it
    /// when it drains.
    ///
    /// ```no_run
    /// # use mxp::net::channel::{Channel, ChannelOptions};
    /// # use mxp::net::typed::{Fixed, Method};
    /// # use mxp::net::Server;
    /// # fn server<W: Fixed<f32> + 'static>(method: Method<f32, f32, W>) -> Server {
    /// Server::new().channel(&method, &ChannelOptions::new(), |mut channel, _peer| {
    ///     std::thread::spawn(move || {
    ///         while let Ok(request) = channel.receiver.receive() {
    ///             let Some(request) = request else {
    ///                 channel.receiver.wait(std::time::Duration::from_secs(1));
    ///                 continue;
    ///             };
    ///             let _ = channel.sender.send(&(2.0 * request));
    ///             channel.sender.wake();
    ///         }
    ///     });
    /// })
    /// # }
    /// ```
    #[cfg(feature = "shm")]
    pub fn channel<Q, A, W>(
        mut self,
        method: &Method<Q, A, W>,
        options: &ChannelOptions,
        handler: impl Fn(Channel<A, Q, W>, Peer) + Send + Sync + 'static,
    ) -> Self
    where
        W: Fixed<Q> + Fixed<A>,
    {
        self.channels.add(method, options, handler);
        self
    }

    /// Replaces who is let in over WebSocket: else programs and pages of loopback addresses.
    #[cfg(feature = "websocket")]
    pub fn websocket(mut self, options: WebSocketOptions) -> Self {
        self.transports.tell(options);
        self
    }

    /// Replaces how TLS is spoken, without which `mxp+tls` and `mxp+wss` can't be listened to.
    #[cfg(feature = "tls")]
    pub fn tls(mut self, config: impl Into<Arc<tokio_rustls::rustls::ServerConfig>>) -> Self {
        self.transports.protect(Tls::of_server(config.into()));
        self
    }
}
