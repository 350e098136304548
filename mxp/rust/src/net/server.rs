//! Servers.

use core::fmt;
use core::future::Future;
use core::time::Duration;
use std::collections::HashMap;
use std::io;
use std::string::String;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::vec::Vec;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tracing::{info_span, warn, Instrument as _};

use crate::net::agents::Agents;
use crate::net::budget::{check_memory, Budget};
use crate::net::catalog::Catalog;
use crate::net::connection::Connection;
use crate::net::drive::drive;
use crate::net::failure::out_of_range;
use crate::net::health::health_service;
use crate::net::intercept::{interceptor, Interceptor};
use crate::net::metrics::Metrics;
use crate::net::reflection::reflection_service;
use crate::net::reporter::{Watched, HEALTH};
use crate::net::service::Services;
use crate::net::transport::registry::{Bound, Guest, Registry};
#[cfg(feature = "tls")]
use crate::net::transport::tls::Tls;
use crate::net::transport::{ListenOptions, Provider};
use crate::net::{Address, Asked, Failure, HealthReporter, Next, Peer, Reply, Service, Window};
use crate::session::{Config, Limits, Role, Side, Stats, TypeInfo};

/// How many connections a server has at most, if nothing else is said.
const CONNECTIONS: usize = 16_384;

/// A server's services and options, until it listens.
#[derive(Clone, Default)]
#[must_use = "a server does nothing until it listens"]
pub struct Server {
    services: Services,
    interceptors: Vec<Interceptor>,
    types: Vec<TypeInfo>,
    limits: Limits,
    connections: Option<usize>,
    allows_others: bool,
    transports: Registry,
    window: Window,
    memory_bytes: Option<usize>,
    agents: bool,
    admit: Option<Admit>,
    health: Option<HealthReporter>,
    reflection: bool,
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

    /// Serves [`health`](crate::net::health) beside the other services: whether they can be
    /// asked, as a reporter says. A server that drains says of all that they can't, and ends
    /// the streams of those who watch.
    pub fn health(mut self, reporter: &HealthReporter) -> Self {
        self.health = Some(reporter.clone());
        self
    }

    /// Serves [`reflection`](crate::net::reflection) beside the other services: which there
    /// are, with their methods and types, for whoever may connect.
    pub fn reflection(mut self) -> Self {
        self.reflection = true;
        self
    }

    /// The user's services, with what is served beside them.
    fn served(&self, drains: &watch::Sender<bool>) -> Services {
        let mut services = self.services.clone();
        let mut names: Vec<_> = services.0.iter().map(|one| one.name.clone()).collect();
        let catalog = Arc::new(Catalog::default());
        let reflection = self
            .reflection
            .then(|| reflection_service(Arc::clone(&catalog)));
        names.extend(reflection.iter().map(|one| one.name.clone()));
        if let Some(reporter) = &self.health {
            names.push(HEALTH.into());
            let watched = Watched::new(reporter.clone(), names, drains.subscribe());
            services.0.push(health_service(Arc::new(watched)));
        }
        services.0.extend(reflection);
        let _ = catalog.0.set(services.clone());
        services
    }

    /// Puts something around all requests, inside of what was put there before. It may
    /// refuse a request, change it, and change its answer; of a stream it has the whole
    /// time in which the handler runs. Events wait for the one before.
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
        F: Fn(Asked, Next) -> A + Send + Sync + 'static,
        A: Future<Output = Result<Reply, Failure>> + Send + 'static,
    {
        self.interceptors.push(interceptor(around));
        self
    }

    /// Adds types to those of the services: of what is asked of clients.
    pub fn types(mut self, types: impl IntoIterator<Item = TypeInfo>) -> Self {
        self.types.extend(types);
        self
    }

    /// Replaces the limits of each connection's session.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Replaces how much may be on its way to the reader of a stream (1,024 chunks, 2 MiB).
    pub fn stream_window(mut self, window: Window) -> Self {
        self.window = window;
        self
    }

    /// Keeps a directory of agents, whose names are free again when their owner's
    /// connection is gone. On TCP anybody could take a name.
    pub fn agents(mut self) -> Self {
        self.agents = true;
        self
    }

    /// Replaces how many bytes all connections hold together at most: a quarter of the
    /// machine's memory, or of the control group's. Where they hold more, that which holds
    /// most is ended with `limit_server_bytes`. What one may hold alone is
    /// [`Limits::connection_bytes`].
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

    /// Registers a transport beside those that there are: `mxp+unix`, `mxp+tcp` and `mxp+tls`.
    ///
    /// # Panics
    ///
    /// If its scheme can be none, or is registered already.
    pub fn transport(mut self, transport: Arc<dyn Provider>) -> Self {
        self.transports.register(transport);
        self
    }

    /// Replaces how TLS is spoken, without which `mxp+tls` can't be listened to.
    #[cfg(feature = "tls")]
    pub fn tls(mut self, config: impl Into<Arc<tokio_rustls::rustls::ServerConfig>>) -> Self {
        self.transports.speak(Tls::of_server(config.into()));
        self
    }

    /// Listens, and serves those who connect, until the [`Listening`] is dropped.
    /// The file of a unix socket on which nobody listens is replaced.
    ///
    /// # Errors
    ///
    /// The system's error, a text that is no address, and limits and a stream window
    /// that can't be. TLS that is not configured, or by what can't be, is a [`Failure`]
    /// with the status `FailedPrecondition`, which the error wraps.
    pub async fn listen(self, address: &str) -> io::Result<Listening> {
        self.limits.check().map_err(out_of_range)?;
        self.window.check().map_err(out_of_range)?;
        check_memory(self.memory_bytes).map_err(out_of_range)?;
        let target = self.transports.read(address)?;
        let options = ListenOptions {
            allow_other_users: self.allows_others,
        };
        let bound = target.listen(options).await?;
        let address = bound.target.address.clone();
        let protects = bound.target.protects();
        let drains = watch::Sender::new(false);
        let services = self.served(&drains);
        let metrics = Metrics::new(Side::Server);
        let house = Arc::new(House {
            services: Arc::new(services.intercepted(&self.interceptors).metered(&metrics)),
            metrics,
            types: services.types(&self.types),
            drains,
            connections_max: self.connections.unwrap_or(CONNECTIONS),
            offers_no_checksum: protects.bytes(),
            budget: Budget::new(self.memory_bytes),
            is_own_alone: protects.peer_credentials && !self.allows_others,
            agents: self.agents.then(|| Arc::new(Agents::new())),
            server: self,
            guests: Mutex::default(),
            next: AtomicU64::new(1),
        });
        let accepting = tokio::spawn(accept(Arc::clone(&house), bound));
        Ok(Listening {
            house,
            address,
            accepting: Mutex::new(Some(accepting)),
        })
    }
}

/// The state that all connections of a server have in common.
struct House {
    server: Server,
    metrics: Metrics,
    /// Whether the server drains, for those who watch its health.
    drains: watch::Sender<bool>,
    services: Arc<Services>,
    types: Vec<TypeInfo>,
    connections_max: usize,
    offers_no_checksum: bool,
    /// Whether only the server's own user may connect, where no rule says who may.
    is_own_alone: bool,
    budget: Arc<Budget>,
    agents: Option<Arc<Agents>>,
    guests: Mutex<Guests>,
    next: AtomicU64,
}

#[derive(Default)]
struct Guests {
    /// None while one has not shaken hands.
    connections: HashMap<u64, Option<Arc<Connection>>>,
    /// The counts of the connections that are gone.
    past: Stats,
    is_closing: bool,
}

impl Guests {
    /// Lets a connection in, unless all are to go.
    fn come(&mut self, id: u64, connection: &Arc<Connection>) {
        self.connections.insert(id, Some(Arc::clone(connection)));
        if self.is_closing {
            connection.close();
        }
    }
}

impl House {
    /// Whether a peer may connect.
    fn admit(&self, peer: &Peer) -> Result<(), Failure> {
        match &self.server.admit {
            Some(admit) => admit(peer),
            None if self.is_own_alone => peer.is_own_user(),
            None => Ok(()),
        }
    }

    fn guests(&self) -> MutexGuard<'_, Guests> {
        self.guests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn accept(house: Arc<House>, bound: Bound) {
    loop {
        match bound.accept().await {
            Ok(guest) => let_in(&house, guest),
            Err(error) => {
                // Too many files are open, for instance: it may be better soon.
                warn!(%error, "nobody can be accepted");
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
    }
}

fn let_in(house: &Arc<House>, guest: Guest) {
    let id = house.next.fetch_add(1, Ordering::Relaxed);
    let mut guests = house.guests();
    if guests.connections.len() >= house.connections_max || guests.is_closing {
        let peer = &guest.peer.address[..];
        warn!(peer, "there are as many connections as can be");
        return;
    }
    guests.connections.insert(id, None);
    drop(guests);
    let house = Arc::clone(house);
    let span = info_span!("mxp_connection", id, peer = guest.peer.address);
    tokio::spawn(serve(house, guest, id).instrument(span));
}

async fn serve(house: Arc<House>, guest: Guest, id: u64) {
    let limits = house.server.limits;
    let patience = Duration::from_micros(limits.hello_us);
    let socket = match tokio::time::timeout(patience, guest.shake_hands()).await {
        Ok(Ok(socket)) => Some(socket),
        Ok(Err(error)) => {
            warn!(%error, "a connection did not come about");
            None
        }
        Err(_) => None,
    };
    let mut config = Config::new().with_limits(limits);
    for info in &house.types {
        config = config.with_type(info.clone());
    }
    if house.offers_no_checksum {
        config = config.with_no_checksum();
    }
    if house.agents.is_some() {
        config = config.with_agents();
    }
    let made = socket.and_then(|(socket, peer)| {
        let refusal = house.admit(&peer).err();
        let services = Arc::clone(&house.services);
        let connection = Connection::new(config, Role::Acceptor, services, peer);
        Some((socket, connection.ok()?, refusal))
    });
    if let Some((socket, connection, refusal)) = made {
        let connection = connection.with_window(house.server.window);
        let agents = house.agents.clone().map(|agents| (agents, id));
        let connection = connection.with_agents(agents);
        let connection = connection.of_budget(&house.budget);
        if let Some(refusal) = refusal {
            warn!(reason = %refusal, "a peer was not let in");
            connection.reject(&refusal);
        }
        house.guests().come(id, &connection);
        drive(Arc::clone(&connection), socket, limits.stall_us).await;
        if let Some(agents) = &house.agents {
            agents.release(id);
        }
        house.guests().past.add(&connection.stats());
    }
    house.guests().connections.remove(&id);
}

/// A server that listens. It stops when this is dropped.
pub struct Listening {
    house: Arc<House>,
    address: Address,
    /// The task that accepts connections, until it is told to stop.
    accepting: Mutex<Option<JoinHandle<()>>>,
}

impl Listening {
    /// Where it listens: for the port 0, with the port that the system has chosen.
    #[must_use]
    pub const fn address(&self) -> &Address {
        &self.address
    }

    /// How many connections there are.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.house.guests().connections.len()
    }

    /// The counts of all connections until now.
    #[must_use]
    pub fn stats(&self) -> Stats {
        let guests = self.house.guests();
        let mut stats = guests.past.clone();
        for connection in guests.connections.values().flatten() {
            stats.add(&connection.stats());
        }
        stats.held = self.house.budget.held();
        stats.methods = self.house.metrics.stats();
        stats
    }

    /// Accepts nobody any more, tells all peers so, and waits until what is in
    /// flight has ended and all connections are closed.
    pub async fn drain(&self, reason: &str) {
        let accepting = self.accepting().take();
        if let Some(accepting) = accepting {
            accepting.abort();
            // The address is free when this is gone.
            let _ = accepting.await;
        }
        self.house.drains.send_replace(true);
        let mut connections = Vec::new();
        for connection in self.stop_accepting() {
            connection.drain(reason);
            connections.push(connection);
        }
        for connection in connections {
            connection.closed().await;
        }
    }

    fn accepting(&self) -> MutexGuard<'_, Option<JoinHandle<()>>> {
        self.accepting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn stop_accepting(&self) -> Vec<Arc<Connection>> {
        if let Some(accepting) = self.accepting().as_ref() {
            accepting.abort();
        }
        let mut guests = self.house.guests();
        guests.is_closing = true;
        let connections = guests.connections.values().flatten();
        connections.cloned().collect()
    }
}

impl Listening {
    /// Accepts nobody any more, and closes all connections.
    pub(crate) fn close(&self) {
        for connection in self.stop_accepting() {
            connection.close();
        }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.close();
    }
}

impl fmt::Debug for Listening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address: String = std::format!("{}", self.address);
        f.debug_struct("Listening")
            .field("address", &address)
            .finish_non_exhaustive()
    }
}
