//! The options of a client.

use core::fmt;
use core::future::Future;
use core::time::Duration;
use std::string::String;
use std::sync::Arc;
use std::vec::Vec;

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
use crate::net::{Failure, Next, Reply, Request, RetryPolicy, Service, Window};
use crate::session::{Limits, TypeInfo, CONNECT_US};

/// The options of a client, until it connects.
#[derive(Clone)]
#[must_use = "a client does nothing until it connects"]
pub struct ClientOptions {
    pub(crate) services: Services,
    pub(crate) interceptors: Vec<Interceptor>,
    pub(crate) types: Vec<TypeInfo>,
    pub(crate) limits: Limits,
    pub(crate) window: Window,
    pub(crate) no_batches: bool,
    pub(crate) memory_bytes: Option<usize>,
    pub(crate) connect_timeout: Duration,
    pub(crate) waiting: usize,
    pub(crate) connections: usize,
    pub(crate) retry: Option<RetryPolicy>,
    pub(crate) keep_outliers: bool,
    pub(crate) telemetry: Telemetry,
    pub(crate) transports: Registry,
    pub(crate) node: Option<String>,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            services: Services::default(),
            interceptors: Vec::new(),
            types: Vec::new(),
            limits: Limits::default(),
            window: Window::default(),
            no_batches: false,
            memory_bytes: None,
            connect_timeout: Duration::from_micros(CONNECT_US),
            waiting: 1024,
            connections: 1,
            retry: None,
            keep_outliers: false,
            telemetry: Telemetry::default(),
            transports: Registry::default(),
            node: None,
        }
    }
}

impl fmt::Debug for ClientOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientOptions")
            .field("services", &self.services)
            .field("limits", &self.limits)
            .field("connect_timeout", &self.connect_timeout)
            .field("waiting", &self.waiting)
            .finish_non_exhaustive()
    }
}

impl ClientOptions {
    /// The default limits.
    pub fn new() -> Self {
        Self::default()
    }

    /// Serves something to the server.
    pub fn service(mut self, service: Service) -> Self {
        self.services.0.push(service);
        self
    }

    /// Tells OpenTelemetry of all requests that the client makes or serves, inside of the
    /// interceptors.
    #[cfg(feature = "opentelemetry")]
    pub fn telemetry(mut self, telemetry: Telemetry) -> Self {
        self.telemetry = telemetry;
        self
    }

    /// Puts an interceptor around all requests that the client makes, inside of the earlier
    /// interceptors. It may change a request and its answer, make it again, or not at all; of a
    /// stream it has the opening.
    ///
    /// ```
    /// use mxp::net::ClientOptions;
    ///
    /// let options = ClientOptions::new().intercept(|mut asked, next| {
    ///     asked.metadata.push(("key".into(), b"sesame".to_vec()));
    ///     next.run(asked)
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

    /// Adds types that requests and responses are of. A server that means something
    /// else by one of their names is refused before it is asked for anything.
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

    /// Replaces how many bytes the client's connections hold together at most: a quarter of
    /// the machine's memory, or of the control group's.
    pub fn memory_bytes(mut self, bytes: usize) -> Self {
        self.memory_bytes = Some(bytes);
        self
    }

    /// Replaces how long a request waits for a connection at most (5 s). A failure that no later
    /// attempt can mend ends the wait at once.
    pub fn connect_timeout(mut self, time: Duration) -> Self {
        self.connect_timeout = time;
        self
    }

    /// Makes requests again by a policy, inside of the interceptors. Without a policy, the client
    /// repeats only requests that nobody has acted on because their connection took no more.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.retry = Some(policy);
        self
    }

    /// Lets requests be made, too, on connections on which they fail one after the other. Without
    /// it these are left out for a while, as long as there are enough others [MXP-14.10].
    pub fn keep_outliers(mut self) -> Self {
        self.keep_outliers = true;
        self
    }

    /// Replaces how many connections there are to each address (1).
    pub fn connections(mut self, connections: usize) -> Self {
        self.connections = connections;
        self
    }

    /// Replaces the address of the program's own node, which is asked where agents of the mesh
    /// are: [`node_address`](crate::net::node_address) says it otherwise.
    pub fn node(mut self, address: impl Into<String>) -> Self {
        self.node = Some(address.into());
        self
    }

    /// Replaces how many requests wait for a connection at most (1024).
    pub fn waiting(mut self, requests: usize) -> Self {
        self.waiting = requests;
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

    /// Replaces the options of connections over WebSocket, of which clients have the token.
    #[cfg(feature = "websocket")]
    pub fn websocket(mut self, options: WebSocketOptions) -> Self {
        self.transports.tell(options);
        self
    }

    /// Replaces how TLS is spoken, without which `mxp+tls` and `mxp+wss` can't be connected to.
    #[cfg(feature = "tls")]
    pub fn tls(mut self, config: impl Into<Arc<tokio_rustls::rustls::ClientConfig>>) -> Self {
        self.transports.protect(Tls::of_client(config.into()));
        self
    }
}
