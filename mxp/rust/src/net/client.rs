//! Clients.

use core::fmt;
use core::future::Future;
use core::task::Waker;
use core::time::Duration;
use std::boxed::Box;
use std::format;
use std::io;
use std::string::{String, ToString as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::vec::Vec;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tracing::{info_span, Instrument as _};

use crate::net::asking::{Asks, Of};
use crate::net::connection::{Asking, Connection, Made, Refused, What};
use crate::net::dispatch::first_grant;
use crate::net::drive::drive;
use crate::net::failure::Wait;
use crate::net::intercept::Interceptor;
use crate::net::outage::{before_hello, failed, may_heal, unavailable, unusable, Outage};
use crate::net::service::Services;
use crate::net::socket::{connect, protects};
use crate::net::stream::{Entry, Stream, Subject, Window};
use crate::net::{Address, ClientOptions, Failure, Options, Reply, WhenFull};
use crate::session::{Config, Kind, Role, Stats, Status, TypeInfo, Value};

/// The longest pause between two attempts to connect.
const PAUSE_MAX: Duration = Duration::from_secs(1);

/// The longest pause behind the first attempt that failed.
const PAUSE_MIN: Duration = Duration::from_millis(5);

/// A connection that lasted less than this counts as an attempt that failed.
const SHORT: Duration = Duration::from_millis(10);

impl ClientOptions {
    /// Makes a client, which connects as soon as it can, and again whenever its
    /// connection is gone. It has to be called on a runtime.
    ///
    /// # Errors
    ///
    /// A text that is no address, and limits that can't be.
    pub fn connect(self, address: &str) -> io::Result<Client> {
        let limits = self.limits.check();
        limits.map_err(|wrong| io::Error::new(io::ErrorKind::InvalidInput, wrong))?;
        let (current, _) = watch::channel(None);
        let inner = Arc::new(Inner {
            address: address.parse()?,
            interceptors: self.interceptors[..].into(),
            types: self.services.types(&self.types),
            options: self,
            current,
            waiting: AtomicUsize::new(0),
            trouble: Mutex::new(unavailable("nothing has answered yet")),
        });
        let span = info_span!("mxp_client", address);
        let keeping = tokio::spawn(keep(Arc::clone(&inner)).instrument(span));
        let shared = Shared { inner, keeping };
        Ok(Client {
            shared: Arc::new(shared),
        })
    }
}

/// Asks a server for things. Clones share a connection, which is closed when the
/// last one is dropped and what is in flight has ended.
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
}

struct Shared {
    inner: Arc<Inner>,
    /// The task that keeps a connection.
    keeping: JoinHandle<()>,
}

struct Inner {
    address: Address,
    interceptors: Arc<[Interceptor]>,
    types: Vec<TypeInfo>,
    options: ClientOptions,
    /// The connection on which requests can be made.
    current: watch::Sender<Option<Arc<Connection>>>,
    /// How many requests wait for a connection.
    waiting: AtomicUsize,
    /// Why there is no connection.
    trouble: Mutex<Failure>,
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.keeping.abort();
        if let Some(connection) = self.inner.current.borrow().as_ref() {
            connection.drain("");
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = self.shared.inner.address.to_string();
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
        let of = Of::number(service, method);
        self.request(of, Asks::Call, value.into(), options).await
    }

    /// Tells the server something. Nobody says whether it was taken.
    ///
    /// # Errors
    ///
    /// Why it was not queued. One that was dropped, as is said for a full queue, is
    /// no failure.
    pub async fn event(
        &self,
        service: &str,
        method: u16,
        value: impl Into<Value<'static>>,
        full: WhenFull,
        options: &Options,
    ) -> Result<(), Failure> {
        let of = Of::number(service, method);
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
        let of = Of::number(service, method);
        let told = self.request(of, Asks::Acked, value.into(), options).await;
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
        let of = Of::number(service, method);
        self.open_stream(of, false, value.into(), options).await
    }

    /// Makes no requests any more on the connection that there is, and waits until
    /// what is in flight has ended and it is closed.
    pub async fn drain(self, reason: &str) {
        self.shared.keeping.abort();
        let current = self.shared.inner.current.borrow().clone();
        if let Some(connection) = current {
            connection.drain(reason);
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
        let inner = &self.shared.inner;
        if inner.usable().is_some() {
            return Ok(());
        }
        let waited = inner.wait(None).await;
        let peer = || inner.address.to_string();
        waited
            .map(|_| ())
            .map_err(|failure| failure.with_origin("", peer()))
    }

    /// What the connection that there is has counted.
    #[must_use]
    pub fn stats(&self) -> Option<Stats> {
        let current = self.shared.inner.current.borrow();
        current.as_ref().map(|connection| connection.stats())
    }
}

impl Client {
    /// The address that the client has.
    pub(crate) fn address(&self) -> String {
        self.shared.inner.address.to_string()
    }

    pub(crate) fn interceptors(&self) -> &Arc<[Interceptor]> {
        &self.shared.inner.interceptors
    }

    /// Makes a request, if that takes no more than to queue it.
    pub(crate) fn request_at_once(
        &self,
        of: Of<'_>,
        asks: Asks,
        value: &mut Value<'static>,
        options: &Options,
        waker: Option<&Waker>,
    ) -> Option<Result<Made, Failure>> {
        if asks.is_timed(options) {
            return None;
        }
        self.ask_now(&of.what(asks.asking(), options), value, waker)
    }

    pub(crate) async fn request_now(
        &self,
        of: Of<'_>,
        asks: Asks,
        value: Value<'static>,
        options: &Options,
    ) -> Result<Reply, Failure> {
        let made = self.ask(&of.what(asks.asking(), options), value).await?;
        let Made::Call(pending) = made else {
            return Ok(Reply::default());
        };
        match options.deadline.filter(|_| asks.is_timed(options)) {
            Some(deadline) => {
                let answer = tokio::time::timeout(deadline, pending.answer());
                let answer = Box::pin(answer).await;
                answer.unwrap_or_else(|_| Err(late()))
            }
            None => pending.answer().await,
        }
    }

    pub(crate) async fn open_now(
        &self,
        of: Of<'_>,
        is_final: bool,
        value: Value<'static>,
        options: &Options,
    ) -> Result<Stream, Failure> {
        let kind = Asking::Open(first_grant(), is_final);
        let made = self.ask(&of.what(kind, options), value).await?;
        let Made::Stream(connection, id, service) = made else {
            return Err(Failure::of(Kind::ExchangeEnded));
        };
        let mut state = connection.lock();
        let entry = Entry::new(Window::default());
        let entry = state.desk.streams.entry(id).or_insert(entry);
        let subject = Subject {
            service,
            method: of.number,
            name: of.name,
            wait: Wait::of(options.deadline),
        };
        Ok(Stream::new(&connection, entry, id, true, subject))
    }

    /// Makes a request, on the first connection on which it can be made.
    async fn ask(&self, what: &What<'_>, mut value: Value<'static>) -> Result<Made, Failure> {
        match self.ask_now(what, &mut value, None) {
            Some(made) => made,
            // Kept out of the future, which is moved for every request.
            None => Box::pin(self.ask_later(what, value)).await,
        }
    }

    /// Makes a request, if it can be made at once.
    fn ask_now(
        &self,
        what: &What<'_>,
        value: &mut Value<'static>,
        waker: Option<&Waker>,
    ) -> Option<Result<Made, Failure>> {
        let current = self.shared.inner.current.borrow();
        match current
            .as_ref()?
            .ask(what, value, what.options.deadline, waker)
        {
            Ok(made) => Some(Ok(made)),
            Err(Refused::For(failure)) => Some(Err(*failure)),
            Err(Refused::Elsewhere | Refused::Full) => None,
        }
    }

    /// Makes a request that could not be made at once.
    async fn ask_later(&self, what: &What<'_>, mut value: Value<'static>) -> Result<Made, Failure> {
        let begun = Instant::now();
        let inner = &self.shared.inner;
        let until = what.options.deadline.and_then(|d| begun.checked_add(d));
        loop {
            let connection = match inner.usable() {
                Some(connection) => connection,
                None => inner.wait(until).await?,
            };
            let left = what.options.deadline;
            let left = left.map(|deadline| deadline.saturating_sub(begun.elapsed()));
            match connection.ask(what, &mut value, left, None) {
                Ok(made) => return Ok(made),
                Err(Refused::For(failure)) => return Err(*failure),
                // The next one is on its way.
                Err(Refused::Elsewhere) => {}
                Err(Refused::Full) => {
                    let has_room = before(until, connection.room()).await;
                    has_room.ok_or_else(|| Failure::of(Kind::DeadlineExceeded))?;
                }
            }
        }
    }
}

/// What comes before a time that may be never.
async fn before<T>(until: Option<Instant>, what: impl Future<Output = T>) -> Option<T> {
    match until {
        Some(until) => tokio::time::timeout_at(until, what).await.ok(),
        None => Some(what.await),
    }
}

/// The failure of what took too long, and may have been acted on.
fn late() -> Failure {
    let mut failure = Failure::of(Kind::DeadlineExceeded);
    failure.acted = true;
    failure
}

impl Inner {
    fn usable(&self) -> Option<Arc<Connection>> {
        let current = self.current.borrow();
        current
            .as_ref()
            .filter(|connection| connection.is_usable())
            .cloned()
    }

    /// Waits for a connection on which requests can be made [MXP-14.4].
    async fn wait(&self, deadline: Option<Instant>) -> Result<Arc<Connection>, Failure> {
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
        connection.unwrap_or_else(|| Err(self.trouble().clone()))
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
async fn keep(inner: Arc<Inner>) {
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
    let socket = socket.map_err(|_| unavailable("nobody answers"))?;
    let socket = socket.map_err(|error| failed(&inner.address, &error))?;
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
    let peer = inner.address.to_string();
    let connection = Connection::new(config, Role::Opener, Arc::clone(services), peer);
    let connection = Arc::new(connection.map_err(Failure::of)?);
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
