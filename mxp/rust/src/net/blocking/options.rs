//! The options of a client for threads.

use core::fmt;
use core::time::Duration;
use std::sync::Arc;
use std::vec::Vec;

use super::intercept::Interceptor;
use super::{Next, Request};
use crate::net::telemetry::Telemetry;
use crate::net::transport::registry::Registry;
use crate::net::transport::Provider;
#[cfg(feature = "shm")]
use crate::net::transport::{shm::Shm, ShmOptions};
use crate::net::{Failure, Reply, RetryPolicy, Window};
use crate::session::{Limits, TypeInfo, CONNECT_US};

/// The options of a client, until it connects.
#[derive(Clone)]
#[must_use = "a client does nothing until it connects"]
pub struct ClientOptions {
    pub(super) types: Vec<TypeInfo>,
    pub(super) limits: Limits,
    pub(super) window: Window,
    pub(super) no_batches: bool,
    pub(super) connect_timeout: Duration,
    pub(super) retry: Option<RetryPolicy>,
    pub(super) keep_outliers: bool,
    pub(super) telemetry: Telemetry,
    pub(super) connections: usize,
    pub(super) interceptors: Vec<Interceptor>,
    pub(super) transports: Registry,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            types: Vec::new(),
            limits: Limits::default(),
            window: Window::default(),
            no_batches: false,
            connect_timeout: Duration::from_micros(CONNECT_US),
            retry: None,
            keep_outliers: false,
            telemetry: Telemetry::default(),
            connections: 1,
            interceptors: Vec::new(),
            transports: Registry::default(),
        }
    }
}

impl fmt::Debug for ClientOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientOptions")
            .field("types", &self.types)
            .field("limits", &self.limits)
            .field("connect_timeout", &self.connect_timeout)
            .field("retry", &self.retry)
            .finish_non_exhaustive()
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

    /// Replaces how long connecting may take at most (5 s), the first time and behind a connection
    /// that was lost. A failure that no later attempt can mend ends it at once.
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

    /// Registers a transport that dials for threads, beside `mxp+unix`, `mxp+tcp`, and with the
    /// feature `shm` `mxp+shm`.
    ///
    /// # Panics
    ///
    /// If its scheme can be none, or is registered already.
    pub fn transport(mut self, transport: Arc<dyn Provider>) -> Self {
        self.transports.register(transport);
        self
    }

    /// Tells OpenTelemetry of all requests that the client makes, inside of the interceptors.
    #[cfg(feature = "opentelemetry")]
    pub fn telemetry(mut self, telemetry: Telemetry) -> Self {
        self.telemetry = telemetry;
        self
    }

    /// Replaces the options of connections by shared memory.
    #[cfg(feature = "shm")]
    pub fn shm(mut self, options: ShmOptions) -> Self {
        self.transports.share(Shm::new(options));
        self
    }

    /// Puts an interceptor around all requests, inside of the earlier interceptors. It may refuse a
    /// request, change it, make it again, and change its answer; of a stream it sees the opening.
    ///
    /// ```
    /// use mxp::net::blocking::ClientOptions;
    ///
    /// let options = ClientOptions::new().intercept(|mut asked, next| {
    ///     asked.metadata.push(("key".into(), b"secret".to_vec()));
    ///     let answer = next.run(asked);
    ///     println!("{}/{}: {}", next.service(), next.name(), answer.is_ok());
    ///     answer
    /// });
    /// ```
    pub fn intercept(
        mut self,
        around: impl Fn(Request, &Next<'_>) -> Result<Reply, Failure> + Send + Sync + 'static,
    ) -> Self {
        self.interceptors.push(Arc::new(around));
        self
    }
}
