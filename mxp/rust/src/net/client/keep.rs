//! The connection that a client keeps.

use core::future::Future;
use core::time::Duration;
use std::format;
use std::string::String;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Instant;
use std::vec::Vec;

use tokio::sync::watch;
use tracing::Instrument as _;

use crate::net::budget::Budget;
use crate::net::connection::Connection;
use crate::net::drive::drive;
use crate::net::intercept::Interceptor;
use crate::net::outage::{before_hello, may_heal, unavailable, unusable, Outage};
use crate::net::peer::Remote;
use crate::net::retry::Retries;
use crate::net::service::Services;
use crate::net::socket::{connect, protects};
use crate::net::{Address, ClientOptions, Failure, Peer};
use crate::session::{Config, Kind, Role, Status, TypeInfo};

/// The longest pause between two attempts to connect.
const PAUSE_MAX: Duration = Duration::from_secs(1);

/// The longest pause behind the first attempt that failed.
const PAUSE_MIN: Duration = Duration::from_millis(5);

/// A connection that lasted less than this counts as an attempt that failed.
const SHORT: Duration = Duration::from_millis(10);

pub(super) struct Inner {
    pub(super) address: Address,
    pub(super) remote: Arc<Remote>,
    pub(super) interceptors: Arc<[Interceptor]>,
    types: Vec<TypeInfo>,
    pub(super) retries: Retries,
    pub(super) options: ClientOptions,
    /// The connection on which requests can be made.
    pub(super) current: watch::Sender<Option<Arc<Connection>>>,
    /// How many requests wait for a connection.
    waiting: AtomicUsize,
    /// Why there is no connection.
    trouble: Mutex<Failure>,
    /// Connections that make no requests any more, and may have some in flight.
    leaving: Mutex<Vec<Weak<Connection>>>,
    budget: Arc<Budget>,
}

impl Inner {
    pub(super) fn new(address: Address, options: ClientOptions) -> Self {
        let (current, _) = watch::channel(None);
        let peer = Peer::at(&address);
        Self {
            remote: Arc::new(Remote::new(peer)),
            address,
            interceptors: options.interceptors[..].into(),
            types: options.services.types(&options.types),
            budget: Budget::new(options.memory_bytes),
            retries: Retries::new(options.retry),
            options,
            current,
            waiting: AtomicUsize::new(0),
            trouble: Mutex::new(unavailable("nothing has answered yet")),
            leaving: Mutex::default(),
        }
    }

    pub(super) fn usable(&self) -> Option<Arc<Connection>> {
        let current = self.current.borrow();
        current
            .as_ref()
            .filter(|connection| connection.is_usable())
            .cloned()
    }

    /// Waits for a connection on which requests can be made [MXP-14.4].
    pub(super) async fn wait(&self, deadline: Option<Instant>) -> Result<Arc<Connection>, Failure> {
        let _place = Waiting::new(&self.waiting, self.options.waiting)?;
        let mut current = self.current.subscribe();
        let connected = async {
            loop {
                if let Some(connection) = self.usable() {
                    return Ok(connection);
                }
                let trouble = self.trouble().clone();
                if !may_heal(&trouble) || current.changed().await.is_err() {
                    return Err(trouble);
                }
            }
        };
        let late = Instant::now().checked_add(self.options.connect_timeout);
        let until = [late, deadline].into_iter().flatten().min();
        let connection = before(until, connected).await;
        let connection = connection.unwrap_or_else(|| Err(self.trouble().clone()));
        if connection.is_err() {
            // A task that asks in a loop lets the one that connects go on.
            tokio::task::yield_now().await;
        }
        connection
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
        leaving.retain(|one| one.strong_count() > 0);
        leaving.push(Arc::downgrade(connection));
    }

    fn trouble(&self) -> MutexGuard<'_, Failure> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets go of the connection, if there is one, and says why there is none to those
    /// who wait.
    fn disconnect(&self, trouble: Failure) {
        *self.trouble() = trouble;
        self.current.send_replace(None);
    }
}

/// A place among the requests that wait for a connection.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn new(waiting: &'a AtomicUsize, most: usize) -> Result<Self, Failure> {
        let place = Self(waiting);
        if waiting.fetch_add(1, Ordering::Relaxed) >= most {
            let mut failure = Failure::of(Kind::LimitInFlight);
            failure.status = Status::UNAVAILABLE;
            failure.text = format!("{most} requests wait for a connection already");
            return Err(failure);
        }
        Ok(place)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Keeps a connection on which requests can be made.
pub(super) async fn keep(inner: Arc<Inner>) {
    let services = Arc::new(inner.options.services.clone());
    let mut outage = Outage::Untold;
    let mut failed = 0_u32;
    loop {
        let begun = Instant::now();
        match attempt(&inner, &services, failed == 0).await {
            Ok(connection) => {
                outage.connected(&inner.address);
                *inner.trouble() = unavailable("the connection has ended");
                inner.current.send_replace(Some(Arc::clone(&connection)));
                connection.unusable().await;
                inner.leave(&connection);
                if let Some(refusal) = connection.refusal() {
                    outage.failed(&inner.address, &refusal);
                    inner.disconnect(refusal);
                    failed = failed.saturating_add(1);
                    tokio::time::sleep(pause(failed)).await;
                    continue;
                }
                let why = connection.lock().desk.ended.clone();
                Outage::ended(&inner.address, why.as_ref());
                let said = why.map_or_else(String::new, |why| format!(": {why}"));
                inner.disconnect(unavailable(format!("the connection has ended{said}")));
                failed = 0;
                // The first attempt is made at once.
                if begun.elapsed() >= SHORT {
                    continue;
                }
            }
            Err(failure) => {
                outage.failed(&inner.address, &failure);
                inner.disconnect(failure);
            }
        }
        failed = failed.saturating_add(1);
        tokio::time::sleep(pause(failed)).await;
    }
}

/// How long is waited behind so many attempts that failed: any time up to what
/// doubles with each.
fn pause(failed: u32) -> Duration {
    let doubled = 2_u32.checked_pow(failed - 1);
    let most = doubled.map_or(PAUSE_MAX, |n| PAUSE_MIN.saturating_mul(n).min(PAUSE_MAX));
    most.mul_f64(fastrand::f64())
}

/// Connects, and waits until requests can be made.
async fn attempt(
    inner: &Inner,
    services: &Arc<Services>,
    is_first: bool,
) -> Result<Arc<Connection>, Failure> {
    let options = &inner.options;
    let patience = Duration::from_micros(options.limits.hello_us);
    let socket = connect(&inner.address, &options.tls);
    let socket = tokio::time::timeout(patience, socket).await;
    let (socket, peer) = socket.unwrap_or_else(|_| Err(unavailable("nobody answers")))?;
    if is_first {
        *inner.trouble() = unavailable("the peer has not sent its Hello");
    }
    let mut config = Config::new().with_limits(options.limits);
    for info in &inner.types {
        config = config.with_type(info.clone());
    }
    if protects(&inner.address) {
        config = config.with_no_checksum();
    }
    let connection = Connection::new(config, Role::Opener, Arc::clone(services), peer);
    let connection = connection.map_err(Failure::of)?.with_window(options.window);
    let connection = connection.of_budget(&inner.budget);
    let task = drive(Arc::clone(&connection), socket, options.limits.stall_us);
    let closing = CloseOnDrop(Some(Arc::clone(&connection)));
    tokio::spawn(task.in_current_span());
    let ready = connection.ready().await;
    ready.map_err(|failure| {
        if connection.lock().desk.is_distrusted {
            // In TLS 1.3 a client is ready before the server is, and may be refused later.
            return unusable(format!("TLS: {}", failure.text));
        }
        before_hello(failure)
    })?;
    closing.keep();
    Ok(connection)
}

/// Closes a connection that nobody has come to know.
struct CloseOnDrop(Option<Arc<Connection>>);

impl CloseOnDrop {
    fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        if let Some(connection) = &self.0 {
            connection.close();
        }
    }
}

/// What comes before a time that may be never.
pub(super) async fn before<T>(until: Option<Instant>, what: impl Future<Output = T>) -> Option<T> {
    match until {
        Some(until) => tokio::time::timeout_at(until.into(), what).await.ok(),
        None => Some(what.await),
    }
}
