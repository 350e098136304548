//! The connection that a client keeps.

use core::time::Duration;
use std::format;
use std::string::String;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Instant;
use std::vec::Vec;

use tokio::sync::watch;
use tracing::Instrument as _;

use super::state::Common;
use crate::engine::balancer::Ready;
use crate::engine::endpoint::Endpoint;
use crate::engine::outage::{before_hello, unavailable, unusable};
use crate::net::connection::Connection;
use crate::net::draws::draw;
use crate::net::drive::drive;
use crate::net::log;
use crate::net::transport::registry::{texts, Target};
use crate::net::Failure;
use crate::session::{Config, Kind, Role};

/// A connection to an address, which is kept.
pub(super) struct Keeper {
    /// Where the peer is.
    pub(super) address: String,
    pub(super) common: Arc<Common>,
    /// The connection on which requests can be made.
    pub(super) current: watch::Sender<Option<Arc<Connection>>>,
    /// The attempts to have a connection.
    endpoint: Mutex<Endpoint>,
    /// Connections that make no requests any more, and may have some in flight.
    leaving: Mutex<Vec<Weak<Connection>>>,
}

impl Keeper {
    pub(super) fn new(targets: &[Target], common: &Arc<Common>) -> Self {
        let (current, _) = watch::channel(None);
        Self {
            address: texts(targets).join(", "),
            common: Arc::clone(common),
            current,
            endpoint: Mutex::new(Endpoint::new(targets.len(), common.clock.now())),
            leaving: Mutex::default(),
        }
    }

    /// A connection that others end.
    pub(super) fn lent(connection: Option<Arc<Connection>>, common: &Arc<Common>) -> Self {
        let (current, _) = watch::channel(connection);
        let trouble = Failure::saying(Kind::Closed, "the connection takes no more requests");
        Self {
            address: common.address.clone(),
            common: Arc::clone(common),
            current,
            endpoint: Mutex::new(Endpoint::lent(trouble)),
            leaving: Mutex::default(),
        }
    }

    /// The connection, if it takes requests.
    pub(super) fn usable(&self) -> Option<Ready<Arc<Connection>>> {
        let current = self.current.borrow();
        let connection = current.as_ref()?;
        let state = connection.lock();
        Some(Ready {
            load: state.load()?,
            is_left_out: !self.common.options.keep_outliers && state.is_left_out(),
            connection: Arc::clone(connection),
        })
    }

    /// The connections that there are.
    pub(super) fn connections(&self) -> Vec<Arc<Connection>> {
        let leaving = self.leaving().iter().filter_map(Weak::upgrade).collect();
        let current = self.current.borrow().clone();
        let mut connections: Vec<_> = leaving;
        connections.extend(current);
        connections
    }

    fn leaving(&self) -> MutexGuard<'_, Vec<Weak<Connection>>> {
        self.leaving.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a connection end what is in flight on it.
    fn leave(&self, connection: &Arc<Connection>) {
        let mut leaving = self.leaving();
        leaving.retain(|name| name.strong_count() > 0);
        leaving.push(Arc::downgrade(connection));
    }

    /// The attempts to have a connection.
    pub(super) fn endpoint(&self) -> MutexGuard<'_, Endpoint> {
        self.endpoint.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn connected(&self, connection: &Arc<Connection>) {
        self.endpoint().ready(self.common.clock.now());
        self.current.send_replace(Some(Arc::clone(connection)));
        self.common.changed.send_replace(());
    }

    /// Lets go of the connection, if there is one, and tells waiting requests the reason.
    fn disconnect<T>(&self, note: impl FnOnce(&mut Endpoint, u64) -> T) -> T {
        let noted = note(&mut self.endpoint(), self.common.clock.now());
        self.current.send_replace(None);
        self.common.changed.send_replace(());
        noted
    }
}

/// Keeps a connection on which requests can be made.
pub(super) async fn keep(record: Arc<Keeper>, targets: Vec<Target>) {
    loop {
        let (next, address) = {
            let endpoint = record.endpoint();
            (endpoint.next(), endpoint.address())
        };
        let (clock, Some(target)) = (record.common.clock, targets.get(address)) else {
            return;
        };
        if let Some(next) = clock.instant(next).filter(|next| *next > Instant::now()) {
            tokio::time::sleep_until(next.into()).await;
        }
        let address = &target.address;
        match attempt(&record, target).await {
            Ok(connection) => {
                log::connected(address);
                record.connected(&connection);
                connection.unusable().await;
                record.leave(&connection);
                let (refusal, why) = {
                    let state = connection.lock();
                    (state.refusal(), state.ended())
                };
                if let Some(refusal) = refusal {
                    let notice = record
                        .disconnect(|endpoint, now| endpoint.refused(refusal.clone(), now, draw));
                    log::not_connected(address, &refusal, notice);
                } else {
                    log::ended(address, why.as_ref());
                    record.disconnect(|endpoint, now| endpoint.ended(why.as_ref(), now, draw));
                }
            }
            Err(failure) => {
                let notice =
                    record.disconnect(|endpoint, now| endpoint.failed(failure.clone(), now, draw));
                log::not_connected(address, &failure, notice);
            }
        }
    }
}

/// Connects, and waits until requests can be made.
async fn attempt(state: &Keeper, target: &Target) -> Result<Arc<Connection>, Failure> {
    let common = &*state.common;
    let options = &common.options;
    let patience = Duration::from_micros(options.limits.hello_us);
    let socket = tokio::time::timeout(patience, target.dial()).await;
    let (socket, peer) = socket.unwrap_or_else(|_| Err(unavailable("nobody answers")))?;
    state.endpoint().opened();
    let mut config = Config::new().with_limits(options.limits);
    for info in &common.types {
        config = config.with_type(info.clone());
    }
    if target.protects().bytes() {
        config = config.with_no_checksum();
    }
    if !options.no_batches {
        config = config.with_batches();
    }
    let handlers = Arc::clone(&common.handlers);
    let methods = Arc::clone(&handlers.methods);
    let connection = Connection::new(config, Role::Opener, methods, peer);
    let connection = connection.map_err(Failure::of)?.with_window(options.window);
    let connection = connection.of_budget(&common.budget);
    let task = drive(
        Arc::clone(&connection),
        handlers,
        socket,
        options.limits.stall_us,
    );
    let closing = CloseGuard(Some(Arc::clone(&connection)));
    tokio::spawn(task.in_current_span());
    let ready = connection.ready().await;
    ready.map_err(|failure| {
        if connection.lock().is_distrusted() {
            // In TLS 1.3 a client is ready before the server is, and may be refused later.
            return unusable(format!("TLS: {}", failure.text));
        }
        before_hello(failure)
    })?;
    closing.keep();
    Ok(connection)
}

/// Closes a connection that nobody has come to know.
struct CloseGuard(Option<Arc<Connection>>);

impl CloseGuard {
    fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for CloseGuard {
    fn drop(&mut self) {
        if let Some(connection) = &self.0 {
            connection.close();
        }
    }
}
