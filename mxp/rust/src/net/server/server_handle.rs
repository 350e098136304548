//! A server that listens: its connections, and its end.

use core::fmt;
use core::time::Duration;
#[cfg(feature = "shm")]
use std::boxed::Box;
use std::collections::HashMap;
use std::format;
use std::io;
use std::string::String;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::vec::Vec;

use tokio::sync::watch;
use tracing::{info_span, warn, Instrument as _};

use super::accept_loop::AcceptLoop;
use super::Server;
use crate::net::agents::Agents;
use crate::net::budget::{check_memory, Budget};
use crate::net::catalog::Catalog;
use crate::net::connection::Connection;
use crate::net::drive::drive;
use crate::net::failure::out_of_range;
use crate::net::health::health_service;
use crate::net::metrics::Metrics;
use crate::net::reflection::reflection_service;
use crate::net::reporter::{HealthWatch, HEALTH};
use crate::net::service::{Handlers, Services};
use crate::net::transport::registry::{Bound, Guest, ReadyConnection};
#[cfg(feature = "shm")]
use crate::net::transport::shm::{ends::Watch, proposal::Proposal};
use crate::net::transport::unix::own_account;
use crate::net::transport::ListenOptions;
use crate::net::{Address, Failure, Peer};
use crate::session::{Config, Role, Side, Stats, Status, TypeInfo};

/// How many connections a server has at most, if nothing else is said.
const CONNECTIONS: usize = 16_384;

impl Server {
    /// Listens, and serves clients, until the [`ServerHandle`] is dropped. The file of a unix
    /// socket on which nobody listens is replaced.
    ///
    /// # Errors
    ///
    /// The system's error, a text that is no address, and limits and a stream window that can't be.
    /// Missing or invalid TLS is a [`Failure`] with the status `FailedPrecondition`, which the
    /// error wraps.
    pub async fn listen(self, address: &str) -> io::Result<ServerHandle> {
        self.limits.check().map_err(out_of_range)?;
        self.window.check().map_err(out_of_range)?;
        check_memory(self.memory_bytes).map_err(out_of_range)?;
        let target = self.transports.read(address)?;
        let options = ListenOptions {
            allow_other_users: self.allows_others,
        };
        let bound = target.listen(options).await?;
        let protects = bound.target.protects();
        let drains = watch::Sender::new(false);
        let services = self.served(&drains);
        let metrics = Metrics::new(Side::Server);
        let shared = Arc::new(SharedState {
            handlers: self
                .telemetry
                .around(services.intercepted(&self.interceptors))
                .served(Some(&metrics), &self.telemetry),
            metrics,
            types: services.types(&self.types),
            drains,
            connections_max: self.connections.unwrap_or(CONNECTIONS),
            offers_no_checksum: protects.bytes(),
            budget: Budget::new(self.memory_bytes),
            is_own_alone: protects.peer_credentials && !self.allows_others,
            agents: self.agents.then(|| Arc::new(Agents::new())),
            server: self,
            connections: Mutex::default(),
            next: AtomicU64::new(1),
        });
        Ok(ServerHandle::new(shared, bound))
    }

    /// The user's services, with health and reflection beside them.
    fn served(&self, drains: &watch::Sender<bool>) -> Services {
        let mut services = self.services.clone();
        let mut names: Vec<_> = services
            .0
            .iter()
            .map(|service| service.name.clone())
            .collect();
        let catalog = Arc::new(Catalog::default());
        let reflection = self
            .reflection
            .then(|| reflection_service(Arc::clone(&catalog)));
        names.extend(reflection.iter().map(|service| service.name.clone()));
        if let Some(reporter) = &self.health {
            names.push(HEALTH.into());
            let watched = HealthWatch::new(reporter.clone(), names, drains.subscribe());
            services.0.push(health_service(Arc::new(watched)));
        }
        services.0.extend(reflection);
        let _ = catalog.0.set(services.clone());
        services
    }
}

/// The state that all connections of a server have in common.
struct SharedState {
    server: Server,
    metrics: Metrics,
    /// Whether the server drains, for the watchers of its health.
    drains: watch::Sender<bool>,
    handlers: Arc<Handlers>,
    types: Vec<TypeInfo>,
    connections_max: usize,
    offers_no_checksum: bool,
    /// Whether the server admits its own user alone, where no rule decides.
    is_own_alone: bool,
    budget: Arc<Budget>,
    agents: Option<Arc<Agents>>,
    connections: Mutex<Connections>,
    next: AtomicU64,
}

/// The connections that have come.
#[derive(Default)]
struct Connections {
    /// None while one has not shaken hands.
    open: HashMap<u64, Option<Arc<Connection>>>,
    /// The channels among them.
    #[cfg(feature = "shm")]
    channels: HashMap<u64, Watch>,
    /// The counts of the connections that are gone.
    past: Stats,
    is_closing: bool,
}

impl Connections {
    /// Lets a connection in, unless all are to go.
    fn come(&mut self, id: u64, connection: &Arc<Connection>) {
        self.open.insert(id, Some(Arc::clone(connection)));
        if self.is_closing {
            connection.close();
        }
    }
}

impl SharedState {
    /// Whether a peer may connect.
    fn admit(&self, peer: &Peer) -> Result<(), Failure> {
        match &self.server.admit {
            Some(admit) => admit(peer),
            None if self.is_own_alone => is_own_user(peer),
            None => Ok(()),
        }
    }

    fn connections(&self) -> MutexGuard<'_, Connections> {
        self.connections
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// The verdict of a server that lets in its own user, and nobody else [MXP-16.4].
fn is_own_user(peer: &Peer) -> Result<(), Failure> {
    let text = match peer.process.and_then(|process| process.account()) {
        Some(user) if Some(user) == own_account() => return Ok(()),
        Some(user) => format!("the peer runs as user {user}"),
        None => "the system does not tell which user the peer runs as".into(),
    };
    Err(Failure::new(Status::PERMISSION_DENIED, "not_admitted", text).refused())
}

async fn accept(shared: Arc<SharedState>, bound: Bound) {
    loop {
        match bound.accept().await {
            Ok(guest) => let_in(&shared, guest),
            Err(error) => {
                // Too many files are open, for instance: it may be better soon.
                warn!(%error, "nobody can be accepted");
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
    }
}

fn let_in(shared: &Arc<SharedState>, guest: Guest) {
    let id = shared.next.fetch_add(1, Ordering::Relaxed);
    let mut connections = shared.connections();
    if connections.open.len() >= shared.connections_max || connections.is_closing {
        let peer = &guest.peer.address[..];
        warn!(peer, "there are as many connections as can be");
        return;
    }
    connections.open.insert(id, None);
    drop(connections);
    let shared = Arc::clone(shared);
    let span = info_span!("mxp_connection", id, peer = guest.peer.address);
    tokio::spawn(serve(shared, guest, id).instrument(span));
}

async fn serve(shared: Arc<SharedState>, guest: Guest, id: u64) {
    let limits = shared.server.limits;
    let patience = Duration::from_micros(limits.hello_us);
    let shaken = match tokio::time::timeout(patience, guest.shake_hands()).await {
        Ok(Ok(shaken)) => Some(shaken),
        Ok(Err(error)) => {
            warn!(%error, "a connection did not come about");
            None
        }
        Err(_) => None,
    };
    #[cfg(feature = "shm")]
    let shaken = match shaken {
        Some(ReadyConnection {
            proposal: Some(proposal),
            peer,
            ..
        }) => return open_channel(&shared, *proposal, peer, id),
        shaken => shaken,
    };
    let mut config = Config::new().with_limits(limits);
    for info in &shared.types {
        config = config.with_type(info.clone());
    }
    if shared.offers_no_checksum {
        config = config.with_no_checksum();
    }
    if !shared.server.no_batches {
        config = config.with_batches();
    }
    if shared.agents.is_some() {
        config = config.with_agents();
    }
    let made = shaken.and_then(|ReadyConnection { socket, peer, .. }| {
        let refusal = shared.admit(&peer).err();
        let methods = Arc::clone(&shared.handlers.methods);
        let connection = Connection::new(config, Role::Acceptor, methods, peer);
        Some((socket, connection.ok()?, refusal))
    });
    if let Some((socket, connection, refusal)) = made {
        let connection = connection.with_window(shared.server.window);
        let agents = shared.agents.clone().map(|agents| (agents, id));
        let connection = connection.with_agents(agents);
        let connection = connection.of_budget(&shared.budget);
        if let Some(refusal) = refusal {
            warn!(reason = %refusal, "a peer was not let in");
            connection.lock().reject(&refusal);
        }
        shared.connections().come(id, &connection);
        let handlers = Arc::clone(&shared.handlers);
        drive(Arc::clone(&connection), handlers, socket, limits.stall_us).await;
        if let Some(agents) = &shared.agents {
            agents.release(id);
        }
        shared.connections().past.add(&connection.stats());
    }
    shared.connections().open.remove(&id);
}

/// Opens the channel that a peer wants, which counts as a connection.
#[cfg(feature = "shm")]
fn open_channel(shared: &Arc<SharedState>, proposal: Proposal, peer: Peer, id: u64) {
    let counts = Counts(Arc::clone(shared), id);
    let opened = match shared.admit(&peer) {
        Err(refusal) => {
            proposal.refuse(&refusal);
            Err(refusal)
        }
        Ok(()) => shared
            .server
            .channels
            .open(proposal, peer, Box::new(counts), |watch| {
                let mut connections = shared.connections();
                let is_closing = connections.is_closing;
                connections.channels.insert(id, watch.clone());
                drop(connections);
                if is_closing {
                    watch.close();
                }
            }),
    };
    if let Err(refusal) = opened {
        warn!(reason = %refusal, "a channel was not opened");
    }
}

/// The place of a channel among a server's connections.
#[cfg(feature = "shm")]
struct Counts(Arc<SharedState>, u64);

#[cfg(feature = "shm")]
impl Drop for Counts {
    fn drop(&mut self) {
        let mut connections = self.0.connections();
        connections.open.remove(&self.1);
        connections.channels.remove(&self.1);
    }
}

/// A server that listens. It stops when this is dropped, and its address is free then.
pub struct ServerHandle {
    shared: Arc<SharedState>,
    address: Address,
    accepting: AcceptLoop,
}

impl ServerHandle {
    fn new(shared: Arc<SharedState>, bound: Bound) -> Self {
        let address = bound.target.address.clone();
        let accepting = AcceptLoop::spawn(accept(Arc::clone(&shared), bound));
        Self {
            shared,
            address,
            accepting,
        }
    }

    /// Where it listens: for the port 0, with the port that the system has chosen.
    #[must_use]
    pub const fn address(&self) -> &Address {
        &self.address
    }

    /// How many connections there are.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.shared.connections().open.len()
    }

    /// The counts of all connections until now.
    #[must_use]
    pub fn stats(&self) -> Stats {
        let connections = self.shared.connections();
        let mut stats = connections.past.clone();
        for connection in connections.open.values().flatten() {
            stats.add(&connection.stats());
        }
        stats.held = self.shared.budget.held();
        stats.methods = self.shared.metrics.stats();
        #[cfg(feature = "shm")]
        {
            stats.shm_fallbacks = self.shared.server.transports.shm_fallbacks();
        }
        stats
    }

    /// Accepts no more connections, tells all peers so, and waits until all requests in flight have
    /// ended and all connections are closed. Channels are closed at once.
    pub async fn drain(&self, reason: &str) {
        let connections = self.stop_accepting();
        self.shared.drains.send_replace(true);
        for connection in &connections {
            connection.drain(reason);
        }
        for connection in connections {
            connection.closed().await;
        }
    }

    fn stop_accepting(&self) -> Vec<Arc<Connection>> {
        self.accepting.stop();
        let mut connections = self.shared.connections();
        connections.is_closing = true;
        let open = connections.open.values().flatten().cloned().collect();
        #[cfg(feature = "shm")]
        let channels: Vec<_> = connections.channels.values().cloned().collect();
        drop(connections);
        // A channel that is gone meanwhile leaves its place.
        #[cfg(feature = "shm")]
        channels.iter().for_each(Watch::close);
        open
    }
}

impl ServerHandle {
    /// Accepts nobody any more, and closes all connections.
    pub(crate) fn close(&self) {
        for connection in self.stop_accepting() {
            connection.close();
        }
    }
}

impl Drop for ServerHandle {
    fn drop(&mut self) {
        self.close();
    }
}

impl fmt::Debug for ServerHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address: String = format!("{}", self.address);
        f.debug_struct("Listening")
            .field("address", &address)
            .finish_non_exhaustive()
    }
}
