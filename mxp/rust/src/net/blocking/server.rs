//! A server whose handlers run on threads.

use core::fmt;
use core::time::Duration;
use std::io;
use std::string::String;
use std::sync::{mpsc, Arc};
use std::thread::JoinHandle;
use std::vec::Vec;

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

use super::Service;
use crate::net::transport::Provider;
use crate::net::{self, Address, Failure, HealthReporter, Peer, Window};
use crate::session::{Limits, Stats, TypeInfo};

/// How many handlers run at once, if nothing else is said.
const THREADS: usize = 64;

/// The time that connections have to close when a server stops.
const CLOSING: Duration = Duration::from_secs(1);

/// A server's services and options, until it listens.
///
/// ```
/// use mxp::net::{blocking, Options, Reply};
///
/// # let folder = std::env::temp_dir().join(format!("mxp-doc-threads-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let address = format!("mxp+unix://{}/echo.sock", folder.display());
/// let echo = blocking::Service::new("demo.Echo").call(1, |asked| Ok(Reply::new(asked.value)));
/// let server = blocking::Server::new().service(echo).listen(&address)?;
///
/// let client = blocking::Client::connect(&address)?;
/// let reply = client.call("demo.Echo", 1, b"hello", &Options::new())?;
/// assert_eq!(reply.value, b"hello"[..]);
/// server.shutdown(std::time::Duration::from_secs(5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
#[must_use = "a server does nothing until it listens"]
pub struct Server {
    inner: net::Server,
    services: Vec<Service>,
    threads: usize,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            inner: net::Server::new(),
            services: Vec::new(),
            threads: THREADS,
        }
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("services", &self.services)
            .field("threads", &self.threads)
            .field("options", &self.inner)
            .finish()
    }
}

impl Server {
    /// Serves nothing, with the default limits.
    pub fn new() -> Self {
        Self::default()
    }

    /// Serves one more service.
    pub fn service(mut self, service: Service) -> Self {
        self.services.push(service);
        self
    }

    /// Replaces how many handlers run at once at most (64; 0 counts as 1). Requests beyond
    /// that wait in line for a thread, at most until their deadline.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Serves [`health`](crate::net::health), as [`net::Server::health`] does.
    pub fn health(self, reporter: &HealthReporter) -> Self {
        self.with(|server| server.health(reporter))
    }

    /// Serves [`reflection`](crate::net::reflection), as [`net::Server::reflection`] does.
    pub fn reflection(self) -> Self {
        self.with(net::Server::reflection)
    }

    /// Tells OpenTelemetry of all requests, as [`net::Server::telemetry`] does.
    #[cfg(feature = "opentelemetry")]
    pub fn telemetry(self, telemetry: net::Telemetry) -> Self {
        self.with(|server| server.telemetry(telemetry))
    }

    /// Adds types to the types of the services.
    pub fn types(self, types: impl IntoIterator<Item = TypeInfo>) -> Self {
        self.with(|server| server.types(types))
    }

    /// Replaces the limits of each connection's session.
    pub fn limits(self, limits: Limits) -> Self {
        self.with(|server| server.limits(limits))
    }

    /// Replaces how much may be on its way to the reader of a stream (16,384 chunks, 2 MiB).
    pub fn stream_window(self, window: Window) -> Self {
        self.with(|server| server.stream_window(window))
    }

    /// Keeps a directory of agents, as [`net::Server::agents`] does.
    pub fn agents(self) -> Self {
        self.with(net::Server::agents)
    }

    /// Replaces how many bytes all connections hold together at most, as
    /// [`net::Server::memory_bytes`] does.
    pub fn memory_bytes(self, bytes: usize) -> Self {
        self.with(|server| server.memory_bytes(bytes))
    }

    /// Replaces how many connections there are at most (16,384).
    pub fn connections(self, connections: usize) -> Self {
        self.with(|server| server.connections(connections))
    }

    /// Says who may connect, as [`net::Server::admit`] does. It must not wait: all
    /// connections do meanwhile.
    pub fn admit(
        self,
        admit: impl Fn(&Peer) -> Result<(), Failure> + Send + Sync + 'static,
    ) -> Self {
        self.with(|server| server.admit(admit))
    }

    /// Lets programs of other users connect to a unix socket, if its folder does.
    pub fn allow_other_users(self) -> Self {
        self.with(net::Server::allow_other_users)
    }

    /// Registers a transport, as [`net::Server::transport`] does.
    ///
    /// # Panics
    ///
    /// If its scheme can be none, or is registered already.
    pub fn transport(self, transport: Arc<dyn Provider>) -> Self {
        self.with(|server| server.transport(transport))
    }

    /// Replaces the options of connections by shared memory.
    #[cfg(feature = "shm")]
    pub fn shm(self, options: net::transport::ShmOptions) -> Self {
        self.with(|server| server.shm(options))
    }

    /// Replaces who is let in over WebSocket, as [`net::Server::websocket`] does.
    #[cfg(feature = "websocket")]
    pub fn websocket(self, options: net::transport::WebSocketOptions) -> Self {
        self.with(|server| server.websocket(options))
    }

    /// Replaces how TLS is spoken, without which `mxp+tls` and `mxp+wss` can't be listened to.
    #[cfg(feature = "tls")]
    pub fn tls(self, config: impl Into<Arc<net::rustls::ServerConfig>>) -> Self {
        self.with(|server| server.tls(config))
    }

    fn with(mut self, change: impl FnOnce(net::Server) -> net::Server) -> Self {
        self.inner = change(self.inner);
        self
    }

    /// Listens, and serves clients on threads of its own, until the [`ServerHandle`] is dropped.
    ///
    /// # Errors
    ///
    /// The errors of [`net::Server::listen`], and the system's where it has no more threads.
    pub fn listen(self, address: &str) -> io::Result<ServerHandle> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(self.threads.max(1))
            .thread_name("mxp-handler")
            .build()?;
        let handle = runtime.handle().clone();
        let mut server = self.inner;
        for service in self.services {
            server = server.service(service.on(&handle));
        }
        let address = String::from(address);
        let (said, heard) = mpsc::channel();
        let (stop, stopped) = oneshot::channel();
        let serve = move || {
            let listening = match runtime.block_on(server.listen(&address)) {
                Ok(listening) => Arc::new(listening),
                Err(error) => {
                    let _ = said.send(Err(error));
                    return;
                }
            };
            let _ = said.send(Ok(Arc::clone(&listening)));
            runtime.block_on(async {
                let _ = stopped.await;
                listening.close();
                let closed = async {
                    while listening.connections() > 0 {
                        tokio::time::sleep(Duration::from_millis(1)).await;
                    }
                };
                let _ = tokio::time::timeout(CLOSING, closed).await;
            });
            runtime.shutdown_background();
        };
        let thread = std::thread::Builder::new().name("mxp-server".into());
        let thread = thread.spawn(serve)?;
        let inner = heard.recv().map_err(io::Error::other)??;
        Ok(ServerHandle {
            inner,
            runtime: handle,
            stop: Some(stop),
            thread: Some(thread),
        })
    }
}

/// A server that listens. It stops when this is dropped: all connections are closed at once.
/// Handlers that run then go on to their end, and their answers are lost.
pub struct ServerHandle {
    inner: Arc<net::ServerHandle>,
    runtime: Handle,
    stop: Option<oneshot::Sender<()>>,
    /// The thread that reads and writes.
    thread: Option<JoinHandle<()>>,
}

impl ServerHandle {
    /// Where it listens: for the port 0, with the port that the system has chosen.
    #[must_use]
    pub fn address(&self) -> &Address {
        self.inner.address()
    }

    /// How many connections there are.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.inner.connections()
    }

    /// The counts of all connections until now.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.inner.stats()
    }

    /// Accepts no more connections, tells all peers so, and waits until all requests in flight have
    /// ended, but not for longer than a limit: then all connections are closed. Returns whether all
    /// has ended.
    #[expect(clippy::must_use_candidate, reason = "it has ended in any case")]
    pub fn shutdown(self, limit: Duration) -> bool {
        let (said, heard) = mpsc::channel();
        let inner = Arc::clone(&self.inner);
        self.runtime.spawn(async move {
            let drained = tokio::time::timeout(limit, inner.drain("")).await;
            // It is waited for.
            let _ = said.send(drained.is_ok());
        });
        heard.recv().unwrap_or(false)
    }
}

impl Drop for ServerHandle {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // A thread that has panicked has stopped, too.
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for ServerHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.inner, f)
    }
}
